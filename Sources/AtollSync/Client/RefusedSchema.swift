import AtollObjects

/// The classes of a file that its server has refused, and the entry of the outbox that asks again.
///
/// A server gets other rules, or more classes, and tells no device of it: so each connection asks
/// once, until the classes are accepted. The application hears of a refusal when it is another one
/// than before, or one of classes that it has added since.
struct RefusedSchema: Equatable {
  /// What the server said last.
  var refusal: Refusal
  /// The entry that asks again, as long as it is in the outbox.
  var request = Request(number: 0, digest: 0)

  /// An entry by its number; it has another digest when the number is another entry's by now.
  struct Request: Equatable {
    var number: UInt64
    var digest: UInt64
  }

  private static let record = "refusedSchema"

  /// What was refused; nil when the server has all classes, as far as the file knows.
  static func find(_ capture: Capture) throws(ObjectError) -> RefusedSchema? {
    guard let bytes = try capture.record(record) else { return nil }
    return Self(decoding: bytes)
  }

  static func set(_ schema: RefusedSchema?, _ capture: Capture) throws(ObjectError) {
    try capture.setRecord(record, schema?.encoded)
  }

  /// Sees to it that the outbox asks again for what was refused.
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

  /// Whether the entry that asks again waits for its answer.
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

/// The answers of a batch to what asked for refused classes again.
struct SchemaAnswers {
  private let known: RefusedSchema?
  /// The answer to the entry that asks again; nil when it is not among them.
  private let verdict: Verdict?

  /// Reads what waits for an answer, before the answers are taken in.
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

  /// Notes what was refused, and leaves out of the events what the application has heard before.
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
