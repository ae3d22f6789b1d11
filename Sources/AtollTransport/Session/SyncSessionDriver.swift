#if Sync
internal import Synchronization

/// Whether a session has a connection.
package enum ConnectionState: String, Sendable {
  case disconnected, connecting, connected
}

/// Drives a device's core over connections that come and go, until it is stopped.
///
/// Safe to use from any thread; no call blocks. The endpoint is called on a queue of its own, one
/// call at a time. An unreachable server is normal: the driver retries, with growing delays.
package final class SyncSessionDriver: Sendable {
  /// Time and chance.
  package struct Environment: Sendable {
    /// Milliseconds since 1970.
    package var now: @Sendable () -> UInt64
    package var random: @Sendable () -> UInt64
    /// Waits so many milliseconds; throws when its task is cancelled.
    package var sleep: @Sendable (UInt64) async throws -> Void

    package init(
      now: @escaping @Sendable () -> UInt64, random: @escaping @Sendable () -> UInt64,
      sleep: @escaping @Sendable (UInt64) async throws -> Void = Environment.sleep
    ) {
      self.now = now
      self.random = random
      self.sleep = sleep
    }

    package static func sleep(_ milliseconds: UInt64) async throws {
      try await Task.sleep(for: .milliseconds(min(milliseconds, 1 << 40)))
    }
  }

  /// An event of a session, for its owner.
  package enum Event: Sendable {
    case state(ConnectionState)
    /// A connection was not made, or one that was made ended with an error (`hasConnected`).
    ///
    /// `retryMilliseconds` is when it is tried again; nil when the application has to do something
    /// first.
    case failure(any Error, hasConnected: Bool, retryMilliseconds: UInt64?)
  }

  /// The state that all threads see.
  private final class SharedState: Sendable {
    let state = Mutex(ConnectionState.disconnected)
  }

  private let work: SerialWork<SyncSessionCore>
  private let shared: SharedState

  /// - Parameters:
  ///   - endpoint: The core; owned by the session from now on.
  ///   - connector: Makes connections to the server.
  ///   - delay: How long to wait after failures.
  ///   - environment: Time and chance.
  ///   - handle: Called with events, on the session's queue.
  package init(
    _ endpoint: sending any FrameEndpoint, connector: any FrameConnector,
    delay: ReconnectDelay = ReconnectDelay(), environment: Environment,
    handle: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    let shared = SharedState()
    self.shared = shared
    let core = SyncSessionCore(
      endpoint, connector: connector, delay: delay, environment: environment
    ) { event in
      if case .state(let state) = event { shared.state.withLock { $0 = state } }
      handle(event)
    }
    work = SerialWork("atoll.session", core)
    work.enqueue { [weak work] core in core.work = work }
  }

  deinit { work.enqueue { $0.stop() } }

  /// Begins to connect, at once also where it waits after a failure.
  package func resume() { work.enqueue { $0.resume() } }

  /// Tries at once: resets the delay, and pings an open connection.
  package func reconnect() { work.enqueue { $0.reconnect() } }

  /// Sends what has become ready, after a local commit for example.
  package func wake() { work.enqueue { $0.wake() } }

  /// Does `body` between two calls of the endpoint, on the session's queue, unless the session has
  /// ended.
  package func perform(_ body: @escaping @Sendable (any FrameEndpoint) -> Void) {
    work.enqueue { core in
      if !core.isStopped { body(core.endpoint) }
    }
  }

  /// Ends the session permanently.
  ///
  /// - Parameter completion: Called on the session's queue, once the endpoint is closed and no
  ///   longer used.
  package func stop(_ completion: @escaping @Sendable () -> Void) {
    work.enqueue { core in
      core.stop()
      completion()
    }
  }

  package var connectionState: ConnectionState { shared.state.withLock { $0 } }
}
#endif
