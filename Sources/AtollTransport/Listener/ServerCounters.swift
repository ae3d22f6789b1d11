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
    /// Connections that were closed at once, because there were too many.
    package var refusedConnections: UInt64 = 0
    package var requests: UInt64 = 0
    /// Requests that were answered with a status from 400 on.
    package var refusedRequests: UInt64 = 0
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

extension ServerCounters.Values {
  /// The text of `GET /metrics`: a name and a number a line, as Prometheus reads them.
  package var text: String {
    let lines: [(String, UInt64)] = [
      ("atoll_open_connections", UInt64(clamping: openConnections)),
      ("atoll_open_sessions", UInt64(clamping: openSessions)),
      ("atoll_accepted_connections_total", acceptedConnections),
      ("atoll_refused_connections_total", refusedConnections),
      ("atoll_requests_total", requests),
      ("atoll_refused_requests_total", refusedRequests),
      ("atoll_sessions_total", sessions),
      ("atoll_received_frames_total", receivedFrames),
      ("atoll_received_bytes_total", receivedBytes),
      ("atoll_sent_frames_total", sentFrames), ("atoll_sent_bytes_total", sentBytes),
      ("atoll_turns_total", turns),
    ]
    return lines.map { "\($0.0) \($0.1)\n" }.joined()
  }
}
#endif
