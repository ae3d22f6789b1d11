internal import Dispatch

/// The writers of one file in this process, as far as asynchronous ones wait for the others.
///
/// A task that waits here holds no thread. The line only tells when it is worth to try: the writer lock
/// itself is the database's. So no task holds a turn while it waits for its actor, which could wait for
/// that turn.
///
/// Other processes, the rebase of what a server sends and updates of subscriptions take the lock without
/// the line. An asynchronous writer that does not get it leaves by `leave(untilUnlocked:)`: then one
/// thread, of no actor, waits for the lock for all.
final class WriterLine: Sendable {
  private struct State {
    var activeCount = 0
    /// Whether a writer outside of the line is waited for.
    var isLockAwaited = false

    var isFree: Bool { activeCount == 0 && !isLockAwaited }
  }

  private let state = Monitor(State())
  private let lockQueue = DispatchQueue(label: "atoll.writer-lock")

  /// A writer begins, or waits for the writer lock.
  func enter() { state.withLock { $0.activeCount += 1 } }

  /// As `enter`, unless there is a writer.
  func tryEnter() -> Bool {
    state.withLock { state in
      guard state.isFree else { return false }
      state.activeCount = 1
      return true
    }
  }

  /// A writer has ended; all that wait may try.
  ///
  /// All and not the first: that one may have been cancelled meanwhile, or wait for its actor, and
  /// would wake no other.
  func leave() { state.withLock { $0.activeCount -= 1 } }

  /// As `leave`, for a writer that did not get the lock; none in the line tries before it is free.
  ///
  /// `wait` returns then; it is called on a thread that may be blocked.
  func leave(untilUnlocked wait: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.activeCount -= 1
      state.isLockAwaited = true
    }
    lockQueue.async { [state] in
      wait()
      state.withLock { $0.isLockAwaited = false }
    }
  }

  /// Returns when it is worth to try again, or when the task is cancelled.
  nonisolated(nonsending) func wait() async { await state.wait { $0.isFree } }
}
