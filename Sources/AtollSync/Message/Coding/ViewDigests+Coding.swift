internal import AtollCapture
internal import AtollObjects

extension ViewDigests {
  func write(to writer: inout RecordedWriter) {
    writer.append(varint: number)
    writer.append(cursor)
    writer.append(varint: setNumber)
    writer.append(digests) { writer, digests in
      writer.append(digests) { writer, digest in
        writer.append(varint: digest.count)
        writer.append(fixed: digest.hash)
      }
    }
  }

  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    number = try reader.readVarint()
    cursor = try reader.readCursor()
    setNumber = try reader.readVarint()
    digests = try reader.readOptional { reader throws(ValueCodingError) in
      try reader.readArray { reader throws(ValueCodingError) in
        let count = try reader.readVarint()
        return ViewDigest(count: count, hash: try reader.readFixed())
      }
    }
  }
}
