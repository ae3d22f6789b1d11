internal import AtollCapture
internal import AtollObjects

extension SyncMessage {
  /// The bytes behind the headers of its frames.
  func body() -> [UInt8] {
    var writer = RecordedWriter()
    switch self {
    case .hello(let hello): hello.write(to: &writer)
    case .welcome(let welcome): welcome.write(to: &writer)
    case .schema(let entry):
      entry.header.write(to: &writer)
      writer.append(entry.classes) { $0.append($1) }
    case .sets(let entry):
      entry.header.write(to: &writer)
      writer.append(signed: entry.version)
      writer.append(entry.members) { $0.append($1) }
    case .push(let entry):
      entry.header.write(to: &writer)
      writer.append(entry.transaction)
    case .batch(let batch): batch.write(to: &writer)
    case .confirm(let confirmation):
      writer.append(fixed: confirmation.token)
      writer.append(confirmation.cursor)
      writer.append(varint: confirmation.answered)
    case .mark(let number), .ping(let number), .pong(let number): writer.append(varint: number)
    case .verify(let number): writer.append(varint: number)
    case .digests(let digests): digests.write(to: &writer)
    case .error(let error): error.write(to: &writer)
    case .bye: break
    }
    return writer.bytes
  }

  /// Decodes the body of a message.
  init(_ kind: Kind, body: [UInt8]) throws(MessageError) {
    if kind == .hello || kind == .welcome {
      // The form of all that follows depends on the version.
      var reader = RecordedReader(body)
      if let version = try? reader.readVarint(), !Self.knownVersions.contains(version) {
        throw .unknownVersion(version, known: Self.knownVersions)
      }
    }
    do throws(ValueCodingError) {
      var reader = RecordedReader(body, limitsNames: true)
      self = try Self.read(kind, &reader)
      try reader.finish()
    } catch {
      throw .malformed(kind, MessageError.Problem(error))
    }
  }

  private static func read(
    _ kind: Kind, _ reader: inout RecordedReader
  ) throws(ValueCodingError) -> SyncMessage {
    switch kind {
    case .hello: return .hello(try Hello(from: &reader))
    case .welcome: return .welcome(try Welcome(from: &reader))
    case .schema:
      let header = try EntryHeader(from: &reader)
      let classes = try reader.readArray { reader throws(ValueCodingError) in
        try reader.readClassSchema()
      }
      return .schema(SchemaEntry(header: header, classes: classes))
    case .sets:
      let header = try EntryHeader(from: &reader)
      let version = try reader.readSigned()
      return .sets(SetsEntry(header: header, version: version, members: try reader.readMembers()))
    case .push:
      let header = try EntryHeader(from: &reader)
      let (transaction, count) = try reader.readTransaction(upTo: PushEntry.operationLimit)
      var entry = PushEntry(header: header, transaction: transaction)
      entry.unreadCount = count - transaction.operations.count
      return .push(entry)
    case .batch: return .batch(try Batch(from: &reader))
    case .confirm:
      let token = try reader.readFixed()
      let cursor = try reader.readOptionalCursor()
      return .confirm(
        Confirmation(token: token, cursor: cursor, answered: try reader.readVarint()))
    case .mark: return .mark(try reader.readVarint())
    case .ping: return .ping(try reader.readVarint())
    case .pong: return .pong(try reader.readVarint())
    case .verify: return .verify(try reader.readVarint())
    case .digests: return .digests(try ViewDigests(from: &reader))
    case .error: return .error(try ErrorMessage(from: &reader))
    case .bye: return .bye
    }
  }
}

extension EntryHeader {
  func write(to writer: inout RecordedWriter) {
    writer.append(varint: number)
    writer.append(fixed: digest)
    writer.append(fixed: firstName.client)
    writer.append(varint: firstName.number)
  }

  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    number = try reader.readVarint()
    digest = try reader.readFixed()
    let client = try reader.readFixed()
    firstName = EntryName(client: client, number: try reader.readVarint())
  }
}

extension ErrorMessage {
  func write(to writer: inout RecordedWriter) {
    writer.append(byte: action.rawValue)
    writer.append(varint: code.rawValue)
    writer.append(retryAfterMilliseconds) { $0.append(varint: $1) }
    writer.append(string: PeerText.shortened(text))
    writer.append(members)
  }

  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    let byte = try reader.readByte()
    guard let action = Action(rawValue: byte) else {
      throw .unknownTag(byte, byteOffset: reader.byteOffset - 1)
    }
    self.action = action
    code = Code(rawValue: try reader.readVarint())
    retryAfterMilliseconds = try reader.readOptional { reader throws(ValueCodingError) in
      try reader.readVarint()
    }
    text = try reader.readString()
    members = try reader.readRefusedMembers()
  }
}

extension RecordedWriter {
  mutating func append(_ member: SetMember) {
    append(name: member.className)
    append(string: member.query)
  }
}

extension RecordedReader {
  mutating func readMembers() throws(ValueCodingError) -> [SetMember] {
    try readArray { reader throws(ValueCodingError) in
      let className = try reader.readName()
      return SetMember(className: className, query: try reader.readString())
    }
  }
}
