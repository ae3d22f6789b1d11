import Synchronization

/// Admits a fixed number of tasks at a time, in the order in which they came.
///
/// A task that waits holds no thread.
final class Gate: Sendable {
  private struct State {
    var freePlaceCount: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The first of `waiting` that was not admitted: removing from the front costs the whole array.
    var firstWaiting = 0
  }

  /// The gates that the task is inside of: one that waited for a second place in a gate would hold
  /// the first, and several such would wait for each other.
  @TaskLocal private static var entered: Set<ObjectIdentifier> = []

  private let state: Mutex<State>

  init(placeCount: Int) {
    precondition(placeCount > 0, "a gate without places admits no task")
    state = Mutex(State(freePlaceCount: placeCount))
  }

  /// Runs `body` once there is a place for it; at once where the task has one.
  func pass(_ body: () async throws -> Void) async rethrows {
    var entered = Self.entered
    guard entered.insert(ObjectIdentifier(self)).inserted else { return try await body() }
    await enter()
    defer { leave() }
    try await Self.$entered.withValue(entered) { try await body() }
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let isAdmitted = state.withLock { state in
        guard state.freePlaceCount == 0 else {
          state.freePlaceCount -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isAdmitted { continuation.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.firstWaiting < state.waiting.count else {
        state.waiting.removeAll()
        state.firstWaiting = 0
        state.freePlaceCount += 1
        return nil
      }
      defer { state.firstWaiting += 1 }
      return state.waiting[state.firstWaiting]
    }
    next?.resume()
  }
}
