/// A branch's payload, decoded by Format.md, section 5.
package struct FormatBranch {
  package var level: Int
  package var keys: [[UInt8]] = []
  package var references: [FormatReference] = []
  package var counts: [Int] = []
  package var summaries: [[UInt8]] = []
  package var fields: [FormatField]

  package init(_ payload: [UInt8]) throws {
    var reader = FormatReader(payload)
    let count = try reader.count(4, "entryCount")
    level = try reader.count(1, "level")
    let form = try reader.number(1, "keyForm") { $0 == 0 ? "numbers" : "byte strings" }
    try reader.zeros(2)
    let keyByteCount = try reader.count(4, "keyByteCount")
    let summaryByteCount = try reader.count(4, "summaryByteCount")
    for index in 0..<count { references.append(try reader.reference("references[\(index)]")) }
    for index in 0..<count { counts.append(try reader.count(8, "counts[\(index)]")) }
    var prefixes: [UInt64] = []
    for index in 0..<count {
      prefixes.append(try reader.number(8, "prefixes[\(index)]", hexadecimal))
    }
    var summaryEnds: [Int] = []
    for index in 0..<count { summaryEnds.append(try reader.count(4, "summaryEnds[\(index)]")) }
    if form == 1 {
      var keyEnds: [Int] = []
      for index in 0..<count { keyEnds.append(try reader.count(4, "keyEnds[\(index)]")) }
      var start = 0
      for index in 0..<count {
        keys.append(try reader.raw(keyEnds[index] - start, "keys[\(index)]", printable))
        start = keyEnds[index]
      }
      guard start == keyByteCount else { throw FormatError("the keys do not add up") }
      for index in 0..<count {
        let padded =
          keys[index].prefix(8) + Array(repeating: 0, count: max(0, 8 - keys[index].count))
        guard FormatReader.bigEndian(padded) == prefixes[index] else {
          throw FormatError("a prefix is not that of its key")
        }
      }
    } else {
      guard form == 0, keyByteCount == 0 else { throw FormatError("an unknown form of keys") }
      keys = prefixes.map { prefix in
        (0..<8).map { UInt8(truncatingIfNeeded: prefix >> (56 - 8 * UInt64($0))) }
      }
    }
    var start = 0
    for index in 0..<count {
      summaries.append(
        try reader.raw(summaryEnds[index] - start, "summaries[\(index)]") { _ in "zone maps" })
      start = summaryEnds[index]
    }
    guard start == summaryByteCount, reader.isAtEnd else {
      throw FormatError("the summaries do not add up")
    }
    fields = reader.fields
  }
}

/// A key-value leaf's payload, decoded by Format.md, section 5.
package struct FormatKeyValueLeaf {
  package var entries: [(key: [UInt8], value: [UInt8])] = []
  package var fields: [FormatField]

  package init(_ payload: [UInt8]) throws {
    var reader = FormatReader(payload)
    let count = try reader.count(4, "entryCount")
    try reader.zeros(4)
    var keyEnds: [Int] = []
    var valueEnds: [Int] = []
    for index in 0..<count { keyEnds.append(try reader.count(4, "keyEnds[\(index)]")) }
    for index in 0..<count { valueEnds.append(try reader.count(4, "valueEnds[\(index)]")) }
    var start = 0
    for index in 0..<count {
      let key = try reader.raw(keyEnds[index] - start, "key \(index)", printable)
      let value = try reader.raw(valueEnds[index] - keyEnds[index], "value \(index)", printable)
      entries.append((key, value))
      start = valueEnds[index]
    }
    guard reader.isAtEnd else { throw FormatError("bytes are left in the leaf") }
    fields = reader.fields
  }
}
