internal import Synchronization

/// A state under a lock, and tasks that wait without a thread until it is as they need it.
///
/// A monitor in the sense of C. A. R. Hoare, "Monitors: An Operating System Structuring Concept"
/// (1974), whose waiting tasks name their condition.
final class Monitor<State: Sendable>: Sendable {
  private struct Content {
    var state: State
    var waiting: [Int: Waiter] = [:]
    var nextNumber = 0
  }

  private struct Waiter {
    let isMet: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private let content: Mutex<Content>

  init(_ state: State) { content = Mutex(Content(state: state)) }

  /// Reads or changes the state, and wakes all tasks whose condition it then meets.
  ///
  /// A `body` that throws has not changed the state: no task is woken then.
  func withLock<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
    var woken: [CheckedContinuation<Void, Never>] = []
    let result = try content.withLock { content in
      let result = try body(&content.state)
      if content.waiting.isEmpty { return result }
      let met = content.waiting.filter { $0.value.isMet(content.state) }
      for number in met.keys { content.waiting[number] = nil }
      woken = met.values.map(\.continuation)
      return result
    }
    for continuation in woken { continuation.resume() }
    return result
  }

  /// Waits until the state meets a condition, or the task is cancelled.
  ///
  /// The state may have changed again when it returns.
  nonisolated(nonsending) func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
    let number = content.withLock { content in
      content.nextNumber += 1
      return content.nextNumber
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = content.withLock { content in
          // A task that is cancelled later finds the continuation.
          if _Concurrency.Task.isCancelled || isMet(content.state) { return true }
          content.waiting[number] = Waiter(isMet: isMet, continuation: continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      content.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume()
    }
  }
}
