internal import AtollCapture
internal import AtollObjects

/// The answer to an entry of a client's outbox, as the store keeps it.
///
/// Under the client and the number until it is confirmed; under the entry's first name forever.
struct AnswerRecord: ServerRecord, Hashable {
  static let map = StoreMap.answers

  var answer: Answer

  init(_ answer: Answer) { self.answer = answer }

  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    answer = try reader.readAnswer()
  }

  func write(to writer: inout RecordedWriter) { writer.append(answer) }

  /// The key of the answer to a number of a client.
  static func key(_ client: UInt64, _ number: UInt64) -> [UInt8] {
    var bytes = prefix(client)
    bytes.appendNumber(number)
    return bytes
  }

  /// The first bytes of the keys of all answers to a client.
  static func prefix(_ client: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendNumber(client)
    return bytes
  }

  /// The key under which the answer is found when the entry comes again under another number.
  static func key(_ name: EntryName, digest: UInt64) -> [UInt8] {
    var bytes = key(name.client, name.number)
    bytes.appendNumber(digest)
    return bytes
  }
}

extension Verdict {
  /// The verdict for the same operation that comes again under another number.
  var again: Verdict {
    if case .applied(let generation) = self { .known(generation: generation) } else { self }
  }
}
