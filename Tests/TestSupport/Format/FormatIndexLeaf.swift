/// An index leaf, decoded by Format.md, section 5.
package struct FormatIndexLeaf {
  /// Each value with the keys of the objects that have it.
  package var groups: [(value: [UInt8], keys: [UInt64])] = []
  package var fields: [FormatField]

  package init(_ payload: [UInt8]) throws {
    var reader = FormatReader(payload)
    let valueCount = try reader.count(4, "valueCount")
    let entryCount = try reader.count(4, "entryCount")
    let form = try reader.number(1, "form") {
      $0 == 0 ? "integers" : $0 == 1 ? "bytes" : "terminated bytes"
    }
    try reader.zeros(3)
    let countsOffset = try reader.count(4, "countsOffset")
    let keysOffset = try reader.count(4, "keysOffset")
    let valuesByteCount = try reader.count(4, "valuesByteCount")
    try reader.zeros(8)
    let values: [[UInt8]] = try reader.part(valuesByteCount) { reader in
      switch form {
      case 0:
        try reader.integers("values").map { integer in
          let bits = UInt64(bitPattern: integer) ^ 1 << 63
          return [0x20] + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
        }
      case 1: try Self.sorted(&reader, count: valueCount, terminator: [])
      case 2: try Self.sorted(&reader, count: valueCount, terminator: [0, 0])
      default: throw FormatError("an unknown form of an index leaf")
      }
    }
    try reader.zeros(countsOffset - reader.byteOffset, "padding")
    let counts = try reader.part(keysOffset - countsOffset) { reader in
      let counts = try reader.integers("counts")
      try reader.zeros(reader.end - reader.byteOffset, "padding")
      return counts
    }
    let keys = try reader.integers("keys").map { UInt64(bitPattern: $0) ^ 1 << 63 }
    guard reader.isAtEnd, values.count == valueCount, counts.count == valueCount,
      keys.count == entryCount
    else { throw FormatError("the parts of an index leaf differ in their counts") }
    var end = 0
    for (value, count) in zip(values, counts) {
      groups.append((value, Array(keys[end..<end + Int(count)])))
      end += Int(count)
    }
    guard end == entryCount else { throw FormatError("the counts do not add up") }
    fields = reader.fields
  }

  private static func sorted(_ reader: inout FormatReader, count: Int, terminator: [UInt8]) throws
    -> [[UInt8]]
  {
    let prefixByteCount = try reader.count(4, "prefixByteCount")
    let entryByteCount = try reader.count(4, "entryByteCount")
    var restarts: [Int] = []
    for index in 0..<(count + 15) / 16 {
      restarts.append(try reader.count(4, "restarts[\(index)]"))
    }
    let prefix = try reader.raw(prefixByteCount, "prefix", printable)
    let start = reader.byteOffset
    var values: [[UInt8]] = []
    for index in 0..<count {
      var value: [UInt8]
      if index % 16 == 0 {
        guard restarts[index / 16] == reader.byteOffset - start else {
          throw FormatError("a restart is wrong")
        }
        let byteCount = Int(try reader.varint("value \(index), byteCount"))
        value = prefix + (try reader.raw(byteCount, "value \(index)", printable))
      } else {
        let step = try reader.number(1, "value \(index)") { "drop \($0 & 15), add \($0 >> 4)" }
        var dropped = Int(step & 15)
        var added = Int(step >> 4)
        if dropped == 15 { dropped += Int(try reader.varint("more to drop")) }
        if added == 15 { added += Int(try reader.varint("more to add")) }
        value = values[index - 1]
        guard dropped <= value.count else { throw FormatError("more is dropped than there is") }
        value.removeLast(dropped)
        value += try reader.raw(added, "added", printable)
      }
      values.append(value)
    }
    guard reader.byteOffset - start == entryByteCount else {
      throw FormatError("the entries of an index leaf do not add up")
    }
    return values.map { $0 + terminator }
  }
}
