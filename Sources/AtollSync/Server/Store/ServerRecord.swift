internal import AtollCapture
internal import AtollObjects

/// A record of the server's store: bytes that only this version of the store writes.
protocol ServerRecord {
  static var map: StoreMap { get }
  init(from reader: inout RecordedReader) throws(ValueCodingError)
  func write(to writer: inout RecordedWriter)
}

extension ServerRecord {
  /// Decodes a record.
  ///
  /// - Throws: `.damaged` for bytes that `encoded` does not give.
  init(_ bytes: [UInt8]) throws(ServerStoreError) {
    do throws(ValueCodingError) {
      var reader = RecordedReader(bytes)
      self = try Self(from: &reader)
      try reader.finish()
    } catch { throw .damaged(Self.map) }
  }

  var encoded: [UInt8] {
    var writer = RecordedWriter()
    write(to: &writer)
    return writer.bytes
  }
}

extension RecordedReader {
  mutating func readOptionalFixed() throws(ValueCodingError) -> UInt64? {
    try readFlag() ? try readFixed() : nil
  }
}

extension RecordedWriter {
  mutating func append(optionalFixed value: UInt64?) {
    append(flag: value != nil)
    if let value { append(fixed: value) }
  }
}
