internal import AtollCapture
internal import AtollObjects

extension Hello {
  func write(to writer: inout RecordedWriter) {
    writer.append(varint: SyncMessage.knownVersions[0])
    writer.append(fixed: client)
    writer.append(token) { $0.append(fixed: $1) }
    writer.append(proof)
    writer.append(cursor)
    writer.append(varint: answered)
    writer.append(sets) { writer, sets in
      writer.append(varint: sets.number)
      writer.append(signed: sets.version)
      writer.append(sets.members) { $0.append($1) }
    }
    writer.append(bootstrap) { writer, bootstrap in
      writer.append(varint: bootstrap.run)
      writer.append(bytes: bootstrap.position)
      writer.append(bootstrap.from)
    }
    writer.append(flag: isProgressive)
  }

  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    _ = try reader.readVarint()
    client = try reader.readFixed()
    token = try reader.readOptional { reader throws(ValueCodingError) in try reader.readFixed() }
    proof = try reader.readOptionalCursor()
    cursor = try reader.readOptionalCursor()
    answered = try reader.readVarint()
    sets = try reader.readOptional { reader throws(ValueCodingError) in
      let number = try reader.readVarint()
      let version = try reader.readSigned()
      return AnsweredSets(number: number, version: version, members: try reader.readMembers())
    }
    bootstrap = try reader.readOptional { reader throws(ValueCodingError) in
      let run = try reader.readVarint()
      let position = try reader.readBytes()
      return BootstrapPosition(
        run: run, position: position, from: try reader.readOptionalCursor())
    }
    isProgressive = try reader.readFlag()
  }
}

extension Welcome {
  func write(to writer: inout RecordedWriter) {
    writer.append(varint: version)
    writer.append(fixed: token)
    writer.append(byte: isFromStart ? isRunLost ? 2 : 1 : 0)
    writer.append(varint: pushed)
    writer.append(fixed: digest)
    writer.append(flag: wantsSchema)
  }

  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    version = try reader.readVarint()
    token = try reader.readFixed()
    let start = try reader.readByte()
    guard start <= 2 else { throw .unknownTag(start, byteOffset: reader.byteOffset - 1) }
    isFromStart = start > 0
    isRunLost = start == 2
    pushed = try reader.readVarint()
    digest = try reader.readFixed()
    wantsSchema = try reader.readFlag()
  }
}
