#if Sync
package import CoreMetrics

/// What a listener and a hub count: made once, used from all threads.
///
/// An instrument adds to a number of the factory's backend: nothing is made, and nobody waits, for
/// a frame.
package final class TransportInstruments: Sendable {
  let openConnections: Meter
  let openSessions: Meter
  let acceptedConnections: Counter
  let refusedConnections: LabelledCounters<ConnectionRefusal>
  let displacedConnections: Counter
  let acceptFailures: Counter
  let requests: Counter
  let refusedRequests: LabelledCounters<Int>
  let sessions: Counter
  let closedSessions: LabelledCounters<CloseReason>
  let receivedFrames: Counter
  let receivedBytes: Counter
  let sentFrames: Counter
  let sentBytes: Counter
  let turns: Counter
  let turnDuration: CoreMetrics.Timer
  private let turn: Meter

  /// Makes the instruments.
  ///
  /// - Parameter factory: The backend that they count in; by default none.
  package init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
    func counter(_ metric: ServerMetric) -> Counter {
      Counter(label: metric.name, factory: factory)
    }
    func meter(_ metric: ServerMetric) -> Meter { Meter(label: metric.name, factory: factory) }
    openConnections = meter(.openConnections)
    openSessions = meter(.openSessions)
    acceptedConnections = counter(.acceptedConnections)
    refusedConnections = LabelledCounters(
      .refusedConnections, ConnectionRefusal.allCases, factory, other: ["other"]
    ) { [$0.rawValue] }
    displacedConnections = counter(.displacedConnections)
    acceptFailures = counter(.acceptFailures)
    requests = counter(.requests)
    refusedRequests = LabelledCounters(
      .refusedRequests, HTTPReply.refusingStatuses, factory, other: ["other"]
    ) { ["\($0)"] }
    sessions = counter(.sessions)
    closedSessions = LabelledCounters(
      .closedSessions, CloseReason.all, factory, other: ["other"]
    ) { [$0.label] }
    receivedFrames = counter(.receivedFrames)
    receivedBytes = counter(.receivedBytes)
    sentFrames = counter(.sentFrames)
    sentBytes = counter(.sentBytes)
    turns = counter(.turns)
    turnDuration = CoreMetrics.Timer(label: ServerMetric.turnDuration.name, factory: factory)
    turn = meter(.turn)
  }

  /// Sets how long the core has been at its current turn.
  func noteTurn(nanoseconds: UInt64) { turn.set(Double(nanoseconds) / 1e9) }
}

extension HTTPReply {
  /// The statuses of refusals; a refused request with another one is counted as `other`.
  package static let refusingStatuses = [
    400, 401, 403, 404, 405, 409, 413, 415, 426, 429, 500, 503,
  ]
}

extension CloseReason {
  /// All but those of another end with a code of its own.
  fileprivate static let all: [CloseReason] = [
    .normal, .goingAway, .protocolError, .notBinary, .tooLarge, .internalError, .tokenExpired,
    .denied, .silent, .tooSlow, .lost,
  ]

  /// The value of the label.
  fileprivate var label: String {
    switch self {
    case .normal: "normal"
    case .goingAway: "going_away"
    case .protocolError: "protocol_error"
    case .notBinary: "not_binary"
    case .tooLarge: "too_large"
    case .internalError: "internal_error"
    case .tokenExpired: "token_expired"
    case .denied: "denied"
    case .silent: "silent"
    case .tooSlow: "too_slow"
    case .lost: "lost"
    case .other: "other"
    }
  }
}
#endif
