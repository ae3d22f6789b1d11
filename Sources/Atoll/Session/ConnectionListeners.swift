internal import Synchronization

/// The streams that tell of a session's connection: each state once, in order, until the session
/// ends.
///
/// Lock order: the lock of this list is taken before the session's, under which the state is read.
/// So nothing here is called while the session's lock is held. A stream has no handler of its end,
/// which would run under the lock of the task that is cancelled: yielding to that task needs the
/// same lock.
final class ConnectionListeners: Sendable {
  typealias State = SyncSession.ConnectionState

  private struct Content {
    var told = State.disconnected
    var isFinished = false
    var listeners: [AsyncStream<State>.Continuation] = []
  }

  private let content = Mutex(Content())

  /// Returns a stream of the state now, and of each later one.
  func add(reading state: () -> State) -> AsyncStream<State> {
    let (stream, continuation) = AsyncStream.makeStream(of: State.self)
    content.withLock { content in
      Self.tell(&content, state())
      continuation.yield(content.told)
      if content.isFinished { return continuation.finish() }
      content.listeners.append(continuation)
    }
    return stream
  }

  /// Tells of the state if it is another one than the last that was told.
  func tell(reading state: () -> State) {
    content.withLock { Self.tell(&$0, state()) }
  }

  /// Ends all streams, also those that are asked for later.
  func finish() {
    content.withLock { content in
      content.isFinished = true
      for listener in content.listeners { listener.finish() }
      content.listeners = []
    }
  }

  private static func tell(_ content: inout Content, _ state: State) {
    guard state != content.told else { return }
    content.told = state
    content.listeners.removeAll { listener in
      // A stream whose reader is gone is let go of.
      if case .terminated = listener.yield(state) { true } else { false }
    }
  }
}
