#if Sync
internal import AtollTransport

/// Answers at the address for operators: how the server is, and what it counts.
struct OperatorResponder: HTTPResponder {
  let hub: SyncHub
  let accounts: SerialWork<AccountStore>
  let metrics: PrometheusMetrics

  func respond(to request: HTTPRequest) async -> HTTPReply {
    switch (request.method, request.path) {
    case ("GET", "/health"): HTTPReply(hub.health, accounts)
    case ("GET", "/metrics"): metricsReply()
    case (_, "/health"), (_, "/metrics"):
      HTTPReply(refusing: 405, "wrong-method", "this path is for another method")
    default: Self.notFound
    }
  }

  private func metricsReply() -> HTTPReply {
    hub.noteTurn()
    return HTTPReply(
      status: 200, contentType: PrometheusMetrics.contentType, body: Array(metrics.text.utf8))
  }

  func admit(_ request: HTTPRequest) -> SyncAdmission { .refused(Self.notFound) }

  private static let notFound = HTTPReply(
    refusing: 404, "not-found", "this address has /health and /metrics only")
}

extension SerialWork {
  /// Whether what it does now takes longer than anything should.
  var isStuck: Bool { nanosecondsAtWork / 1_000_000 > TurnWatch.limitMilliseconds }
}

extension HTTPReply {
  /// The answer to `GET /health`.
  init(_ health: CoreHealth, _ accounts: SerialWork<AccountStore>) {
    switch health {
    case .well where accounts.isStuck:
      // Devices that are logged in are served: to start the server again would only end that.
      self.init(
        status: 200,
        body: JSON.encode([
          "status": "accounts-locked",
          "message":
            "the accounts have been at one change for \(accounts.nanosecondsAtWork / 1_000_000_000) "
            + "seconds, and log-ins wait: another process, such as a stopped 'atoll users', may "
            + "keep their file locked",
        ]))
    case .well: self.init(status: 200, body: JSON.encode(["status": "ok"]))
    case .busy(let milliseconds):
      self.init(
        refusing: 503, "core-busy",
        "the core has been at one turn for \(milliseconds / 1_000) seconds, and serves nobody "
          + "meanwhile", retryAfterSeconds: 5)
    case .failed:
      self.init(
        refusing: 503, "core-failed", "the core has ended with an error; the server's log has it",
        retryAfterSeconds: 5)
    }
  }
}
#endif
