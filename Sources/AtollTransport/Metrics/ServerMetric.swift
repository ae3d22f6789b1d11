#if Sync
/// What is known about a metric before anything is counted: the page "Run a server" has a table of
/// all of them.
package struct ServerMetric: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case counter
    case gauge
    case histogram
  }

  /// As in the text format of Prometheus: the unit, and `_total` for a counter, are its end.
  package let name: String
  package let kind: Kind
  /// The names of its labels, in the order of the values that an instrument is made with.
  package let labels: [String]
  /// One sentence.
  package let help: String

  package init(_ kind: Kind, _ name: String, by labels: [String] = [], _ help: String) {
    self.kind = kind
    self.name = name
    self.labels = labels
    self.help = help
  }

  /// The dimensions of an instrument with these values of the labels.
  package func dimensions(_ values: [String]) -> [(String, String)] { Array(zip(labels, values)) }
}

extension ServerMetric {
  /// Of the listener and the hub; the core has others.
  package static let ofTransport = [
    openConnections, openSessions, acceptedConnections, refusedConnections, displacedConnections,
    acceptFailures, requests, refusedRequests, sessions, closedSessions, receivedFrames,
    receivedBytes, sentFrames, sentBytes, turns, turnDuration, turn,
  ]

  package static let openConnections = ServerMetric(
    .gauge, "atoll_open_connections", "Open TCP connections, those of HTTP requests included.")
  package static let openSessions = ServerMetric(
    .gauge, "atoll_open_sessions", "Open sync connections.")
  package static let acceptedConnections = ServerMetric(
    .counter, "atoll_accepted_connections_total", "TCP connections accepted.")
  package static let refusedConnections = ServerMetric(
    .counter, "atoll_refused_connections_total", by: ["reason"],
    "Connections refused: the server or their host had too many in use.")
  package static let displacedConnections = ServerMetric(
    .counter, "atoll_displaced_connections_total",
    "Connections without a request, closed to make room.")
  package static let acceptFailures = ServerMetric(
    .counter, "atoll_accept_failures_total",
    "Times that the system had no descriptor for another connection.")
  package static let requests = ServerMetric(
    .counter, "atoll_requests_total", "HTTP requests answered.")
  package static let refusedRequests = ServerMetric(
    .counter, "atoll_refused_requests_total", by: ["status"],
    "HTTP requests answered with a status from 400 on.")
  package static let sessions = ServerMetric(
    .counter, "atoll_sessions_total", "Sync connections begun.")
  package static let closedSessions = ServerMetric(
    .counter, "atoll_closed_sessions_total", by: ["reason"], "Sync connections ended.")
  package static let receivedFrames = ServerMetric(
    .counter, "atoll_received_frames_total", "Frames received in sync connections.")
  package static let receivedBytes = ServerMetric(
    .counter, "atoll_received_bytes_total", "Bytes of received frames.")
  package static let sentFrames = ServerMetric(
    .counter, "atoll_sent_frames_total", "Frames sent in sync connections.")
  package static let sentBytes = ServerMetric(
    .counter, "atoll_sent_bytes_total", "Bytes of sent frames.")
  package static let turns = ServerMetric(.counter, "atoll_turns_total", "Turns of the core.")
  package static let turnDuration = ServerMetric(
    .histogram, "atoll_turn_duration_seconds", "How long turns of the core took, idle ones too.")
  package static let turn = ServerMetric(
    .gauge, "atoll_turn_seconds", "How long the core has been at its current turn.")
}
#endif
