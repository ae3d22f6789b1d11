#if Sync
package import AtollTransport
internal import Dispatch
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Computes password hashes on threads of its own, a few at a time.
///
/// A hash takes a tenth of a second, and who asks for one need not be anybody: nothing but other
/// hashes waits for it, half of the processors is left to the rest, few wait, and one that nobody
/// waits for any more is not computed.
package final class PasswordQueue: Sendable {
  private struct Job: Sendable {
    let id: UInt64
    let host: HostKey
    let run: @Sendable () -> Void
    let refuse: @Sendable (AccountError) -> Void
  }

  private struct State {
    var lastID: UInt64 = 0
    var runningCount = 0
    var waiting: [Job] = []
  }

  private let workerCount: Int
  private let waitingLimit: Int
  private let state = Mutex(State())
  private let threads = DispatchQueue(label: "atoll.passwords", attributes: .concurrent)

  /// - Parameters:
  ///   - workerCount: How many hashes are computed at a time.
  ///   - waitingLimit: How many more may wait.
  package init(
    workerCount: Int = max(1, ProcessInfo.processInfo.activeProcessorCount / 2),
    waitingLimit: Int = 16
  ) {
    self.workerCount = workerCount
    self.waitingLimit = waitingLimit
  }

  /// How many wait for a worker.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Does `body` in its turn.
  ///
  /// A host has a quarter of the places, so that it takes four of them to keep all others out.
  ///
  /// - Throws: `.crowded` when too many wait already, of all or of the host; `.abandoned` when the
  ///   task is cancelled before its turn: then `body` is not done.
  package func run<Answer: Sendable>(
    for host: HostKey, _ body: @escaping @Sendable () -> Answer
  ) async throws(AccountError) -> Answer {
    guard !Task.isCancelled else { throw .abandoned }
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let answer: Result<Answer, AccountError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        add(
          Job(
            id: id, host: host, run: { continuation.resume(returning: .success(body())) },
            refuse: { continuation.resume(returning: .failure($0)) }))
        // One that was cancelled before it was added is not found by the handler.
        if Task.isCancelled { drop(id) }
      }
    } onCancel: {
      drop(id)
    }
    return try answer.get()
  }

  private func add(_ job: Job) {
    let isFirst = state.withLock { state -> Bool? in
      if state.runningCount < workerCount {
        state.runningCount += 1
        return true
      }
      guard state.waiting.count < waitingLimit,
        state.waiting.count(where: { $0.host == job.host }) < max(1, waitingLimit / 4)
      else { return nil }
      state.waiting.append(job)
      return false
    }
    guard let isFirst else { return job.refuse(.crowded) }
    if isFirst { threads.async { self.work(job) } }
  }

  /// Does a job and those that wait then.
  private func work(_ job: Job) {
    var next: Job? = job
    while let job = next {
      job.run()
      next = state.withLock { state in
        guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
        state.runningCount -= 1
        return nil
      }
    }
  }

  /// Takes a job out that has not begun.
  private func drop(_ id: UInt64) {
    let job = state.withLock { state in
      state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
    }
    job?.refuse(.abandoned)
  }
}
#endif
