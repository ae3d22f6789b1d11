import AtollCapture
import AtollObjects

/// The classes of a file that its server has refused, and the outbox entry that requests them
/// again.
///
/// A server may get other rules or more classes without telling the devices. So each connection
/// requests the classes once, until they are accepted. A refusal is reported to the application if
/// it differs from the last one, or concerns classes added since then.
struct RefusedSchema: Equatable {
  /// The server's last refusal.
  var refusal: Refusal
  /// The entry that requests the classes again, while it is in the outbox.
  var request = Request(number: 0, digest: 0)

  /// An entry by its number and its digest, as the number may belong to another entry by now.
  struct Request: Equatable {
    var number: UInt64
    var digest: UInt64
  }

  private static let record = "refusedSchema"

  /// The refused classes; nil when the server has all classes, as far as the file knows.
  static func find(_ capture: Capture) throws(ObjectError) -> RefusedSchema? {
    guard let bytes = try capture.record(record) else { return nil }
    return Self(decoding: bytes)
  }

  static func set(_ schema: RefusedSchema?, _ capture: Capture) throws(ObjectError) {
    try capture.setRecord(record, schema?.encoded)
  }

  /// Puts a request for the refused classes into the outbox, unless it is there.
  ///
  /// - Returns: Whether it does.
  static func askAgain(_ capture: Capture) throws(ObjectError) -> Bool {
    guard var schema = try find(capture) else { return false }
    guard try !schema.isAsking(capture) else { return true }
    let number = try capture.append(.schema)
    schema.request = Request(number: number, digest: try capture.state().lastDigest)
    try set(schema, capture)
    return true
  }

  /// Whether the request waits for its answer.
  func isAsking(_ capture: Capture) throws(ObjectError) -> Bool {
    guard request.number > 0, let entry = try capture.entry(request.number) else { return false }
    return entry.content == .schema && entry.digest == request.digest
  }

  // MARK: Bytes

  private var encoded: [UInt8] {
    var writer = RecordedWriter()
    writer.append(varint: refusal.reason.rawValue)
    writer.append(string: refusal.text)
    writer.append(varint: request.number)
    writer.append(fixed: request.digest)
    return writer.bytes
  }

  private init?(decoding bytes: [UInt8]) {
    var reader = RecordedReader(bytes)
    do throws(ValueCodingError) {
      let reason = Refusal.Reason(rawValue: try reader.readVarint())
      refusal = Refusal(reason, text: try reader.readString())
      request = Request(number: try reader.readVarint(), digest: try reader.readFixed())
      try reader.finish()
    } catch { return nil }
  }

  init(_ refusal: Refusal) { self.refusal = Refusal(refusal.reason, text: refusal.text) }
}

/// The answers of a batch to repeated requests for refused classes.
struct SchemaAnswers {
  private let known: RefusedSchema?
  /// The answer to the repeated request; nil when it is not among them.
  private let verdict: Verdict?

  /// Reads the pending request, before the answers are applied.
  init(_ answers: [Answer], _ capture: Capture) throws(ObjectError) {
    let schema = try RefusedSchema.find(capture)
    known = schema
    guard let answer = answers.first(where: { $0.number == schema?.request.number }),
      try schema?.isAsking(capture) == true
    else {
      verdict = nil
      return
    }
    verdict = answer.runs.first?.verdict
  }

  /// Records the refusal, and removes from the events what was reported to the application before.
  func note(_ events: inout [SyncEvent], _ capture: Capture) throws(ObjectError) {
    var last: RefusedSchema?
    for case .schemaRefused(let refusal) in events { last = RefusedSchema(refusal) }
    if case .refused(let refusal)? = verdict,
      RefusedSchema(refusal).refusal == known?.refusal,
      let index = events.firstIndex(of: .schemaRefused(refusal))
    {
      events.remove(at: index)
    }
    if var last {
      last.request = known?.request ?? last.request
      if last != known { try RefusedSchema.set(last, capture) }
    } else if verdict != nil {
      try RefusedSchema.set(nil, capture)
    }
  }
}
