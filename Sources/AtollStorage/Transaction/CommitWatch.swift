internal import Synchronization

/// The tasks that wait for the next commit, and the one thread that blocks in their place.
///
/// Tasks share a few threads, which must not sleep. So the first task that waits starts a thread of
/// the store's own; it ends when no task has waited for a second, or the store is closed.
///
/// A waiter is registered under the lock only while the newest version is not newer than its own.
/// The thread looks the newest version up before it looks at the waiters, and waits for a newer one
/// than that: so no commit falls between the two.
final class CommitWatch: Sendable {
  private typealias Answer = Result<UInt64?, StorageError>

  private struct Waiter {
    let transaction: UInt64
    let continuation: CheckedContinuation<Answer, Never>
  }

  private struct State {
    var waiters: [UInt64: Waiter] = [:]
    var nextID: UInt64 = 0
    var hasThread = false
  }

  private let state = Mutex(State())

  /// Waits for a version after `transaction`.
  ///
  /// - Returns: the newest version; nil when the task is cancelled.
  func next(
    after transaction: UInt64, of store: PageStore
  ) async throws(StorageError) -> UInt64? {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
        let waiter = Waiter(transaction: transaction, continuation: continuation)
        if let answer = register(waiter, id: id, of: store) {
          continuation.resume(returning: answer)
        }
      }
    } onCancel: {
      cancel(id)
    }
    return try answer.get()
  }

  /// Registers a waiter, unless the answer is known.
  private func register(_ waiter: Waiter, id: UInt64, of store: PageStore) -> Answer? {
    state.withLock { state in
      // A task that is cancelled later finds the waiter.
      if Task.isCancelled { return .success(nil) }
      let newest = store.coordinator.newestTransaction
      if newest > waiter.transaction { return .success(newest) }
      if !state.hasThread {
        do throws(ErrorNumber) {
          try SystemCalls.startThread { self.run(store) }
        } catch {
          return .failure(error.during(.watch, store.path))
        }
        state.hasThread = true
      }
      state.waiters[id] = waiter
      return nil
    }
  }

  private func cancel(_ id: UInt64) {
    let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
    waiter?.continuation.resume(returning: .success(nil))
  }

  /// Waits on behalf of the waiters, and a moment longer for those that come back after a commit.
  private func run(_ store: PageStore) {
    while true {
      let newest = store.coordinator.newestTransaction
      let (served, isOver) = state.withLock { state in
        let served = state.waiters.filter { $0.value.transaction < newest }
        for id in served.keys { state.waiters[id] = nil }
        let isOver = served.isEmpty && state.waiters.isEmpty
        if isOver { state.hasThread = false }
        return (served.values, isOver)
      }
      for waiter in served { waiter.continuation.resume(returning: .success(newest)) }
      if isOver { return }
      do throws(StorageError) {
        _ = try store.waitForCommit(after: newest, timeout: .seconds(1))
      } catch {
        let waiters = state.withLock { state in
          state.hasThread = false
          defer { state.waiters = [:] }
          return state.waiters.values
        }
        for waiter in waiters { waiter.continuation.resume(returning: .failure(error)) }
        return
      }
    }
  }
}
