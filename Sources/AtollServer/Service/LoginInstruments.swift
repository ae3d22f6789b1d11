#if Sync
package import AtollTransport
internal import CoreMetrics

extension ServerMetric {
  static let logins = ServerMetric(
    .counter, "atoll_logins_total", by: ["request", "status"],
    "Requests to log in, to register, to link a log-in, and for a new access token, by the status.")

  /// All metrics of a server, in the order of the text.
  package static let all = ofTransport + [logins] + ofCore
}

/// How many requests to log in there were, and how they ended.
struct LoginInstruments: Sendable {
  enum Request: String, CaseIterable {
    case login
    case registration
    case refresh
    case link
  }

  private struct Answered: Hashable {
    let request: Request
    let status: Int
  }

  private let logins: LabelledCounters<Answered>

  /// Makes the instruments.
  ///
  /// - Parameter factory: The backend that they count in.
  init(_ factory: any MetricsFactory) {
    let answers = Request.allCases.flatMap { request in
      ([200, 201] + HTTPReply.refusingStatuses).map { Answered(request: request, status: $0) }
    }
    logins = LabelledCounters(.logins, answers, factory, other: ["other", "other"]) {
      [$0.request.rawValue, "\($0.status)"]
    }
  }

  /// Counts an answered request.
  ///
  /// - Returns: The answer.
  func count(_ request: Request, _ reply: HTTPReply) -> HTTPReply {
    logins.increment(Answered(request: request, status: reply.status))
    return reply
  }
}
#endif
