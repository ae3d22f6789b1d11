extension TableIndex {
  /// Bytes of the longest string or data in a property of an index of so many.
  ///
  /// So the values of all of them have room in a key, a 00 counted twice.
  package static func textByteLimit(columnCount: Int) -> Int {
    Index.valueByteLimit / columnCount - 3
  }

  var textByteLimit: Int { Self.textByteLimit(columnCount: columns.count) }
}

extension Index {
  /// The bytes under which a `TableIndex` lists these values; nil for what is in no index.
  ///
  /// Of a key that is too long they are the first `valueByteLimit` bytes: a server has sent a value
  /// that a program may not set.
  package static func bytes(ofAll values: some Sequence<Value>) -> [UInt8]? {
    var bytes: [UInt8] = []
    for value in values {
      do throws(ValueCodingError) { try OrderedKey.append(value, to: &bytes) } catch { return nil }
    }
    return bytes.count > valueByteLimit ? Array(bytes.prefix(valueByteLimit)) : bytes
  }

  /// The values that are listed under `bytes`; nil for a key that was truncated.
  static func values(of bytes: [UInt8]) -> [Value]? {
    var values: [Value] = []
    var offset = 0
    while offset < bytes.count {
      guard let value = try? OrderedKey.decode(bytes, at: &offset) else { return nil }
      values.append(value)
    }
    return values
  }
}
