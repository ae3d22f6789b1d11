#if Sync
internal import AtollSync
package import AtollTransport
internal import CoreMetrics

extension ServerMetric {
  /// Of the server's core.
  package static let ofCore = [
    receivedMessages, messageSize, messageWait, waitingMessages, heldBytes, pushDuration,
    judgedChanges, refusedChanges, sentErrors,
  ]

  static let receivedMessages = ServerMetric(
    .counter, "atoll_received_messages_total", by: ["kind"], "Messages of devices, complete ones.")
  static let messageSize = ServerMetric(
    .histogram, "atoll_received_message_bytes", "How many bytes the messages of devices came in.")
  static let messageWait = ServerMetric(
    .histogram, "atoll_message_wait_seconds",
    "How long messages waited, from their arrival until the core took them.")
  static let waitingMessages = ServerMetric(
    .gauge, "atoll_waiting_messages", "Messages that the core has not taken yet.")
  static let heldBytes = ServerMetric(
    .gauge, "atoll_held_bytes", "Bytes of messages that wait or are not complete.")
  static let pushDuration = ServerMetric(
    .histogram, "atoll_push_duration_seconds",
    "How long transactions took, from their arrival until their answer was durable and sent.")
  static let judgedChanges = ServerMetric(
    .counter, "atoll_judged_changes_total", by: ["verdict"], "Changes of transactions, judged.")
  static let refusedChanges = ServerMetric(
    .counter, "atoll_refused_changes_total", by: ["kind", "reason"],
    "Changes of transactions, sets of subscriptions and classes that were refused.")
  static let sentErrors = ServerMetric(
    .counter, "atoll_sent_errors_total", by: ["code"],
    "Errors sent to devices, with the end of the connection or as a warning.")
}

/// What a server's core counts: made once, used on the core's queue.
final class CoreInstruments: ServerObserver {
  fileprivate enum Judgement: String, CaseIterable { case applied, known, outdated, refused }

  private struct Refused: Hashable {
    let kind: SyncMessage.Kind
    let reason: Refusal.Reason
  }

  private let receivedMessages: LabelledCounters<SyncMessage.Kind>
  private let malformedMessages: Counter
  private let messageSize: Recorder
  private let messageWait: CoreMetrics.Timer
  private let waitingMessages: Meter
  private let heldBytes: Meter
  private let pushDuration: CoreMetrics.Timer
  private let judgedChanges: LabelledCounters<Judgement>
  private let refusedChanges: LabelledCounters<Refused>
  private let sentErrors: LabelledCounters<ErrorMessage.Code>

  /// Makes the instruments.
  ///
  /// - Parameter factory: The backend that they count in.
  init(_ factory: any MetricsFactory) {
    func timer(_ metric: ServerMetric) -> CoreMetrics.Timer {
      CoreMetrics.Timer(label: metric.name, factory: factory)
    }
    func meter(_ metric: ServerMetric) -> Meter { Meter(label: metric.name, factory: factory) }
    receivedMessages = LabelledCounters(
      .receivedMessages, SyncMessage.Kind.ofDevices, factory, other: ["other"]
    ) { ["\($0)"] }
    malformedMessages = Counter(
      label: ServerMetric.receivedMessages.name,
      dimensions: ServerMetric.receivedMessages.dimensions(["malformed"]), factory: factory)
    messageSize = Recorder(label: ServerMetric.messageSize.name, factory: factory)
    messageWait = timer(.messageWait)
    waitingMessages = meter(.waitingMessages)
    heldBytes = meter(.heldBytes)
    pushDuration = timer(.pushDuration)
    judgedChanges = LabelledCounters(
      .judgedChanges, Judgement.allCases, factory, other: ["other"]
    ) { [$0.rawValue] }
    let refused = [SyncMessage.Kind.push, .sets, .schema].flatMap { kind in
      Refusal.Reason.labels.keys.sorted { $0.rawValue < $1.rawValue }.map {
        Refused(kind: kind, reason: $0)
      }
    }
    refusedChanges = LabelledCounters(
      .refusedChanges, refused, factory, other: ["other", "other"]
    ) { ["\($0.kind)", Refusal.Reason.labels[$0.reason] ?? "other"] }
    sentErrors = LabelledCounters(
      .sentErrors, ErrorMessage.Code.labels.keys.sorted { $0.rawValue < $1.rawValue }, factory,
      other: ["other"]
    ) { [ErrorMessage.Code.labels[$0] ?? "other"] }
  }

  func received(_ kind: SyncMessage.Kind?, byteCount: Int) {
    messageSize.record(byteCount)
    if let kind { receivedMessages.increment(kind) } else { malformedMessages.increment() }
  }

  func took(_ kind: SyncMessage.Kind, afterNanoseconds duration: UInt64) {
    messageWait.recordNanoseconds(duration)
  }

  func judged(_ kind: SyncMessage.Kind, _ outcome: JudgedOutcome, count: UInt64) {
    let count = Int64(clamping: count)
    if kind == .push { judgedChanges.increment(Judgement(outcome), by: count) }
    if case .refused(let reason) = outcome {
      refusedChanges.increment(Refused(kind: kind, reason: reason), by: count)
    }
  }

  func answered(afterNanoseconds duration: UInt64) { pushDuration.recordNanoseconds(duration) }

  func refused(_ code: ErrorMessage.Code) { sentErrors.increment(code) }

  func holds(messageCount: Int, byteCount: Int) {
    waitingMessages.set(messageCount)
    heldBytes.set(byteCount)
  }
}

extension CoreInstruments.Judgement {
  fileprivate init(_ outcome: JudgedOutcome) {
    self =
      switch outcome {
      case .applied: .applied
      case .known: .known
      case .outdated: .outdated
      case .refused: .refused
      }
  }
}

// MARK: Values of labels

extension SyncMessage.Kind {
  /// The kinds that devices send.
  fileprivate static let ofDevices: [SyncMessage.Kind] = [
    .hello, .schema, .sets, .push, .confirm, .mark, .verify, .ping, .pong, .error, .bye,
  ]
}

extension Refusal.Reason {
  fileprivate static let labels: [Refusal.Reason: String] = [
    .outsideView: "outside_subscriptions", .forbidden: "forbidden",
    .unknownSchema: "unknown_schema", .typeMismatch: "type_mismatch",
    .schemaConflict: "schema_conflict", .invalidQuery: "invalid_query", .tooLarge: "too_large",
    .duplicateElement: "duplicate_element", .quotaExceeded: "quota_exceeded",
  ]
}

extension ErrorMessage.Code {
  fileprivate static let labels: [ErrorMessage.Code: String] = [
    .malformedMessage: "malformed_message", .unknownVersion: "unknown_version",
    .unexpectedMessage: "unexpected_message", .copiedFile: "copied_file", .replaced: "replaced",
    .otherUser: "other_user", .tokenExpired: "token_expired", .serverStops: "server_stops",
    .serverFailed: "server_failed", .tooLarge: "too_large", .tooBusy: "too_busy",
    .schemaConflict: "schema_conflict", .setRefused: "set_refused", .overLimit: "over_limit",
  ]
}
#endif
