#if Sync
extension ServerCounters.Values {
  /// The text of `GET /metrics`, in the text format of Prometheus.
  ///
  /// `turnMilliseconds`: how long the core has been at what it does now.
  package func text(turnMilliseconds: UInt64) -> String {
    var text = MetricsText()
    text.gauge("open_connections", "Open TCP connections.", UInt64(clamping: openConnections))
    text.gauge("open_sessions", "Open sync connections.", UInt64(clamping: openSessions))
    text.add("turn_seconds", "gauge", "How long the core has been at its current turn.") {
      [("", "\(Double(turnMilliseconds) / 1_000)")]
    }
    text.counter("accepted_connections", "TCP connections accepted.", acceptedConnections)
    text.add(
      "refused_connections_total", "counter",
      "Connections refused: the server or their host had too many in use."
    ) {
      ConnectionRefusal.allCases.map {
        ("{reason=\"\($0.rawValue)\"}", "\(refusedConnections[$0] ?? 0)")
      }
    }
    text.counter(
      "displaced_connections", "Connections without a request, closed to make room.",
      displacedConnections)
    text.counter(
      "accept_failures", "Times that the system had no descriptor for another connection.",
      acceptFailures)
    text.counter("requests", "HTTP requests answered.", requests)
    text.add(
      "refused_requests_total", "counter", "HTTP requests answered with a status from 400 on."
    ) {
      refusedRequests.sorted { $0.key < $1.key }.map { ("{status=\"\($0.key)\"}", "\($0.value)") }
    }
    text.counter("sessions", "Sync connections begun.", sessions)
    text.counter("received_frames", "Frames received in sync connections.", receivedFrames)
    text.counter("received_bytes", "Bytes of these frames.", receivedBytes)
    text.counter("sent_frames", "Frames sent in sync connections.", sentFrames)
    text.counter("sent_bytes", "Bytes of these frames.", sentBytes)
    text.counter("turns", "Turns of the core.", turns)
    return text.lines
  }
}

/// Lines that Prometheus reads: help, type, samples.
private struct MetricsText {
  private(set) var lines = ""

  mutating func gauge(_ name: String, _ help: String, _ value: UInt64) {
    add(name, "gauge", help) { [("", "\(value)")] }
  }

  mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
    add(name + "_total", "counter", help) { [("", "\(value)")] }
  }

  mutating func add(
    _ name: String, _ type: String, _ help: String,
    _ samples: () -> [(labels: String, value: String)]
  ) {
    lines += "# HELP atoll_\(name) \(help)\n# TYPE atoll_\(name) \(type)\n"
    for (labels, value) in samples() { lines += "atoll_\(name)\(labels) \(value)\n" }
  }
}
#endif
