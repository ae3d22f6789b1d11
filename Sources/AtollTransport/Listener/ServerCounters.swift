#if Sync
internal import Synchronization

/// The counters of a server, for `GET /metrics`.
package final class ServerCounters: Sendable {
  package struct Values: Equatable, Sendable {
    /// Open TCP connections, those of HTTP requests included.
    package var openConnections = 0
    /// Open sync connections.
    package var openSessions = 0
    package var acceptedConnections: UInt64 = 0
    /// Connections that were closed at once, or got no session, because there were too many.
    package var refusedConnections: [ConnectionRefusal: UInt64] = [:]
    /// Connections without a request that were closed to make room for others.
    package var displacedConnections: UInt64 = 0
    /// How often the system had no descriptor for another connection.
    package var acceptFailures: UInt64 = 0
    package var requests: UInt64 = 0
    /// Requests that were answered with a status from 400 on, by this status.
    package var refusedRequests: [Int: UInt64] = [:]
    package var sessions: UInt64 = 0
    package var receivedFrames: UInt64 = 0
    package var receivedBytes: UInt64 = 0
    package var sentFrames: UInt64 = 0
    package var sentBytes: UInt64 = 0
    /// Turns of the core: frames that arrive meanwhile are processed together.
    package var turns: UInt64 = 0
  }

  private let counts = Mutex(Values())

  package init() {}

  package var values: Values { counts.withLock { $0 } }

  func count(_ change: (inout Values) -> Void) {
    counts.withLock { change(&$0) }
  }
}
#endif
