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
/// waits for any more is not computed. Hosts that knew a password come before others, and those
/// that guess last.
package final class PasswordQueue: Sendable {
  private struct Job: Sendable {
    let id: UInt64
    let host: HostKey
    /// Returns whether it was for the right password; nil when it was for none.
    let run: @Sendable () -> Bool?
    let refuse: @Sendable (AccountError) -> Void
  }

  private struct State {
    var lastID: UInt64 = 0
    var runningCount = 0
    /// In the order of their arrival.
    var waiting: [Job] = []
    var recent = RecentHashes()

    func waitingCount(of host: HostKey) -> Int { waiting.count { $0.host == host } }

    /// Takes the first job of those hosts whose last hashes cost least.
    mutating func takeNext() -> Job? {
      guard
        let index = waiting.indices.min(by: {
          recent.cost(of: waiting[$0].host) < recent.cost(of: waiting[$1].host)
        })
      else { return nil }
      return waiting.remove(at: index)
    }

    /// Takes out the last job of the host that costs most, if it costs more than one that comes.
    mutating func makeRoom(for host: HostKey) -> Job? {
      var costs: [HostKey: Int] = [:]
      for job in waiting { costs[job.host, default: recent.cost(of: job.host)] += 1 }
      guard
        let index = waiting.indices.max(by: {
          costs[waiting[$0].host, default: 0] < costs[waiting[$1].host, default: 0]
        }),
        costs[waiting[index].host, default: 0] > recent.cost(of: host) + waitingCount(of: host) + 1,
        let last = waiting.lastIndex(where: { $0.host == waiting[index].host })
      else { return nil }
      return waiting.remove(at: last)
    }
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
  /// A host has a quarter of the places, and gives one up to a host whose last hashes cost less.
  ///
  /// - Parameters:
  ///   - host: Who asks.
  ///   - isRight: Whether the answer shows that the host knew a password, or guessed; nil: neither.
  ///   - body: Computes the hash.
  /// - Returns: The answer of `body`.
  /// - Throws: `.crowded` when too many wait already, of all or of the host; `.abandoned` when the
  ///   task is cancelled before its turn: then `body` is not done.
  package func run<Answer: Sendable>(
    for host: HostKey, isRight: @escaping @Sendable (Answer) -> Bool? = { _ in nil },
    _ body: @escaping @Sendable () -> Answer
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
            id: id, host: host,
            run: {
              let answer = body()
              continuation.resume(returning: .success(answer))
              return isRight(answer)
            },
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
    let (isFirst, refused) = state.withLock { state -> (Bool, Job?) in
      if state.runningCount < workerCount {
        state.runningCount += 1
        return (true, nil)
      }
      guard state.waitingCount(of: job.host) < max(1, waitingLimit / 4) else { return (false, job) }
      var refused: Job?
      if state.waiting.count >= waitingLimit {
        refused = state.makeRoom(for: job.host)
        guard refused != nil else { return (false, job) }
      }
      state.waiting.append(job)
      return (false, refused)
    }
    refused?.refuse(.crowded)
    if isFirst { threads.async { self.work(job) } }
  }

  /// Does a job and those that wait then.
  private func work(_ job: Job) {
    var next: Job? = job
    while let job = next {
      let isRight = job.run()
      next = state.withLock { state in
        state.recent.note(job.host, isRight: isRight)
        if let job = state.takeNext() { return job }
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
