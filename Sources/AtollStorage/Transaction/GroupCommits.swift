internal import Synchronization

/// Transactions of tasks, which one thread runs one after another, so that many share one sync.
///
/// Each is a relaxed commit of its own. When none is waiting any more, or enough have been run, the
/// thread makes all of them durable and only then lets their tasks go on. What arrives meanwhile is
/// the next group; the thread ends when there is none.
///
/// Tasks share a few threads, which must not wait for a writer or a disk, so the thread is one of
/// the store's own. Lock order: `state` is held while nothing else is taken.
final class GroupCommits: Sendable {
  private struct Job: Sendable {
    /// Runs the transaction; returns what tells the task how the synchronisation ended, or nil when
    /// the transaction failed and the task knows.
    let run: @Sendable () -> (@Sendable (StorageError?) -> Void)?
    /// Tells the task that it will not be run.
    let refuse: @Sendable (any Error) -> Void
  }

  private struct State {
    /// Those that have not begun.
    var waiting: [UInt64: Job] = [:]
    /// The order in which they came, those included that were cancelled since.
    var order: [UInt64] = []
    var nextID: UInt64 = 0
    var hasThread = false
  }

  private let state = Mutex(State())

  /// Transactions of one group, so that the first of them does not wait for ever.
  private static let groupLimit = 1024

  /// Runs `body`, which commits a transaction that need not be durable, and waits until it is.
  ///
  /// `body` calls what it is given when it has the writer lock, before it does anything: until then
  /// the task may be cancelled, and the call throws.
  ///
  /// - Throws: what `body` throws; `CancellationError`, at once, when the task is cancelled before
  ///   `body` has begun; what the synchronisation throws.
  func run<Result: Sendable>(
    in store: PageStore, _ body: @escaping @Sendable (_ begin: () throws -> Void) throws -> Result
  ) async throws -> Result {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Result, any Error>) in
        let job = Job(
          run: {
            var isBegun = false
            do {
              let result = try body {
                guard self.begin(id) else { throw CancellationError() }
                isBegun = true
              }
              precondition(isBegun, "a transaction of a group says when it begins")
              return { error in
                if let error {
                  continuation.resume(throwing: error)
                } else {
                  continuation.resume(returning: result)
                }
              }
            } catch {
              // One that was cancelled meanwhile has its answer.
              if isBegun || self.begin(id) { continuation.resume(throwing: error) }
              return nil
            }
          },
          refuse: { continuation.resume(throwing: $0) })
        if let error = register(job, id: id, in: store) { job.refuse(error) }
      }
    } onCancel: {
      let job = state.withLock { $0.waiting.removeValue(forKey: id) }
      job?.refuse(CancellationError())
    }
  }

  /// Takes a job away from those that can be cancelled; false when it was cancelled.
  private func begin(_ id: UInt64) -> Bool {
    state.withLock { $0.waiting.removeValue(forKey: id) != nil }
  }

  /// Lets a job wait for its turn; returns why it cannot.
  private func register(_ job: Job, id: UInt64, in store: PageStore) -> (any Error)? {
    state.withLock { state in
      // A task that is cancelled later finds the job.
      if Task.isCancelled { return CancellationError() }
      if !state.hasThread {
        do throws(ErrorNumber) {
          try SystemCalls.startThread { self.work(in: store) }
        } catch {
          return error.during(.watch, store.path)
        }
        state.hasThread = true
      }
      state.waiting[id] = job
      state.order.append(id)
      return nil
    }
  }

  /// Runs groups until no job is waiting.
  private func work(in store: PageStore) {
    while let ids = takeOrder() {
      var rest = ids[...]
      while !rest.isEmpty {
        var answers: [@Sendable (StorageError?) -> Void] = []
        while answers.count < Self.groupLimit {
          // What came meanwhile belongs to the group too.
          if rest.isEmpty { rest = takeOrder(orEnd: false)?[...] ?? [] }
          guard let id = rest.popFirst() else { break }
          let job = state.withLock { $0.waiting[id] }
          if let answer = job?.run() { answers.append(answer) }
        }
        finish(answers, in: store)
      }
    }
  }

  /// Takes over all that wait; nil when none do, and the thread is to end then unless `orEnd` is
  /// false.
  private func takeOrder(orEnd: Bool = true) -> [UInt64]? {
    state.withLock { state in
      guard !state.order.isEmpty else {
        if orEnd { state.hasThread = false }
        return nil
      }
      defer { state.order = [] }
      return state.order
    }
  }

  /// Makes a group durable, and lets its tasks go on.
  private func finish(_ answers: [@Sendable (StorageError?) -> Void], in store: PageStore) {
    guard !answers.isEmpty else { return }
    var failure: StorageError?
    do throws(StorageError) { try store.makeCommitsDurable() } catch { failure = error }
    for answer in answers { answer(failure) }
  }
}
