internal import Synchronization

/// Something that may happen once, for which tasks wait.
final class Interruption: Sendable {
  private struct State {
    var isRaised = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextNumber = 0
  }

  private let state = Mutex(State())

  /// Lets all waiters go, and those that come later.
  func raise() {
    let waiting = state.withLock { state in
      state.isRaised = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until it happens, or the task is cancelled.
  func wait() async {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.isRaised || _Concurrency.Task.isCancelled { return true }
          state.waiting[number] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { $0.waiting.removeValue(forKey: number) }
      continuation?.resume()
    }
  }
}
