internal import Dispatch
internal import Synchronization

/// The writers of one file in this process, as far as asynchronous ones wait for the others.
///
/// Who waits here holds no thread. The line only tells when it is worth to try: the writer lock itself
/// is the database's. So nobody holds a turn while he still waits for his actor, which could wait for
/// him in turn.
///
/// Other processes, the rebase of what a server sends and updates of subscriptions take the lock without
/// the line. An asynchronous writer that does not get it leaves by `leave(untilUnlocked:)`: then one
/// thread, of no actor, waits for the lock for all.
final class WriterLine: Sendable {
  private struct State {
    var activeCount = 0
    /// Whether a writer outside of the line is waited for.
    var isLockAwaited = false
    var nextID: UInt64 = 0
    var waiting: [(id: UInt64, continuation: CheckedContinuation<Void, Never>)] = []

    var isFree: Bool { activeCount == 0 && !isLockAwaited }

    /// Those to be woken now.
    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
      guard isFree else { return [] }
      defer { waiting = [] }
      return waiting.map(\.continuation)
    }
  }

  private let state = Mutex(State())
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
  /// would tell nobody.
  func leave() {
    let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.activeCount -= 1
      return state.takeWaiting()
    }
    for continuation in woken { continuation.resume() }
  }

  /// As `leave`, for a writer that did not get the lock; nobody in the line tries before it is free.
  ///
  /// `wait` returns then; it is called on a thread that may be blocked.
  func leave(untilUnlocked wait: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.activeCount -= 1
      state.isLockAwaited = true
    }
    lockQueue.async { [self] in
      wait()
      let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        state.isLockAwaited = false
        return state.takeWaiting()
      }
      for continuation in woken { continuation.resume() }
    }
  }

  /// Returns when it is worth to try again, or when the task is cancelled.
  func wait() async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.isFree || _Concurrency.Task.isCancelled { return true }
          state.waiting.append((id, continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let cancelled = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
        return state.waiting.remove(at: index).continuation
      }
      cancelled?.resume()
    }
  }
}
