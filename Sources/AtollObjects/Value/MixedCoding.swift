internal import AtollStorage

/// The byte form of a value of any type: how mixed values, and collections inside them, are stored.
///
/// One tag byte, then the payload. Integers are little-endian and counts are
/// unsigned LEB128 in the shortest form. Normative text: Format.md, "Mixed values".
///
///     tag  value      payload
///       0  null       none
///       1  bool       1 byte, 0 or 1
///       2  int        8
///       3  float      4, IEEE 754 bits
///       4  double     8, IEEE 754 bits
///       5  decimal    16, BID bits
///       6  string     count of bytes, UTF-8
///       7  data       count of bytes, bytes
///       8  date       8 seconds, 4 nanoseconds
///       9  objectID   12, in the order of its text
///      10  uuid       16, in the order of its text
///      12  link       4 table, 8 key
///      13  list       count of elements, elements
///      14  set        count of elements, elements
///      15  map        count of entries, then for each: count of bytes and UTF-8 of the key, value;
///                     keys ascend strictly
///
/// Every value has one encoding and every encoding one value, so equal bytes are
/// the same value, bit for bit (the order inside a set counts here).
package enum MixedCoding {
  /// The first byte of an encoding.
  ///
  /// Raw values below 13 are those of `ValueType`.
  package enum Tag: UInt8, Sendable, CaseIterable {
    case null = 0
    case bool = 1
    case int = 2
    case float = 3
    case double = 4
    case decimal = 5
    case string = 6
    case data = 7
    case date = 8
    case objectID = 9
    case uuid = 10
    case link = 12
    case list = 13
    case set = 14
    case map = 15
  }

  /// Collections within collections, the outermost counted.
  package static let nestingLimit = 100

  /// What `bytes` encode, by their first byte alone.
  package static func tag(of bytes: borrowing RawSpan) throws(ValueCodingError) -> Tag {
    var cursor = ByteCursor()
    return try tag(at: &cursor, in: bytes)
  }

  fileprivate static func tag(
    at cursor: inout ByteCursor, in bytes: borrowing RawSpan
  ) throws(ValueCodingError) -> Tag {
    let start = cursor.offset
    let byte = try cursor.byte(in: bytes)
    guard let tag = Tag(rawValue: byte) else { throw .unknownTag(byte, byteOffset: start) }
    return tag
  }
}

// MARK: - Encoding

extension MixedCoding {
  /// Appends the encoding of `value`.
  ///
  /// - Throws: `.nestingTooDeep`, and then `bytes` are as before.
  package static func append(
    _ value: Value, to bytes: inout [UInt8]
  ) throws(ValueCodingError) {
    let start = bytes.count
    do throws(ValueCodingError) {
      try append(value, depth: 0, to: &bytes)
    } catch {
      bytes.removeSubrange(start...)
      throw error
    }
  }

  private static func append(
    _ value: Value, depth: Int, to bytes: inout [UInt8]
  ) throws(ValueCodingError) {
    switch value {
    case .null:
      bytes.append(Tag.null.rawValue)
    case .bool(let value):
      bytes.append(Tag.bool.rawValue)
      bytes.append(value ? 1 : 0)
    case .int(let value):
      bytes.append(Tag.int.rawValue)
      bytes.appendLittleEndian(value)
    case .float(let value):
      bytes.append(Tag.float.rawValue)
      bytes.appendLittleEndian(value.bitPattern)
    case .double(let value):
      bytes.append(Tag.double.rawValue)
      bytes.appendLittleEndian(value.bitPattern)
    case .decimal(let value):
      bytes.append(Tag.decimal.rawValue)
      bytes.appendLittleEndian(value.bitPattern.low)
      bytes.appendLittleEndian(value.bitPattern.high)
    case .string(let value):
      bytes.append(Tag.string.rawValue)
      append(value, to: &bytes)
    case .data(let value):
      bytes.append(Tag.data.rawValue)
      bytes.appendCount(value.count)
      bytes += value
    case .date(let value):
      bytes.append(Tag.date.rawValue)
      bytes.appendLittleEndian(value.seconds)
      bytes.appendLittleEndian(value.nanoseconds)
    case .objectID(let value):
      bytes.append(Tag.objectID.rawValue)
      bytes.appendBigEndian(value.high)
      bytes.appendBigEndian(value.low)
    case .uuid(let value):
      bytes.append(Tag.uuid.rawValue)
      bytes.appendBigEndian(value.high)
      bytes.appendBigEndian(value.low)
    case .link(let value):
      bytes.append(Tag.link.rawValue)
      bytes.appendLittleEndian(value.table)
      bytes.appendLittleEndian(value.key)
    case .list(let elements):
      try append(elements, tag: .list, depth: depth, to: &bytes)
    case .set(let elements):
      try append(elements, tag: .set, depth: depth, to: &bytes)
    case .map(let map):
      guard depth < nestingLimit else { throw .nestingTooDeep(limit: nestingLimit) }
      bytes.append(Tag.map.rawValue)
      bytes.appendCount(map.count)
      for entry in map.entries {
        append(entry.key, to: &bytes)
        try append(entry.value, depth: depth + 1, to: &bytes)
      }
    }
  }

  private static func append(
    _ elements: [Value], tag: Tag, depth: Int, to bytes: inout [UInt8]
  ) throws(ValueCodingError) {
    guard depth < nestingLimit else { throw .nestingTooDeep(limit: nestingLimit) }
    bytes.append(tag.rawValue)
    bytes.appendCount(elements.count)
    for element in elements { try append(element, depth: depth + 1, to: &bytes) }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.appendCount(text.utf8.count)
    bytes += text.utf8
  }
}

// MARK: - Measuring

extension MixedCoding {
  /// The bytes that the encoding of `value` takes.
  package static func byteCount(of value: Value) -> Int {
    switch value {
    case .null: 1
    case .bool: 2
    case .int, .double: 9
    case .float: 5
    case .decimal, .uuid: 17
    case .date, .objectID, .link: 13
    case .string(let value): 1 + prefixed(value.utf8.count)
    case .data(let value): 1 + prefixed(value.count)
    case .list(let elements), .set(let elements):
      elements.reduce(1 + countByteCount(elements.count)) { $0 + byteCount(of: $1) }
    case .map(let map):
      map.entries.reduce(1 + countByteCount(map.count)) {
        $0 + prefixed($1.key.utf8.count) + byteCount(of: $1.value)
      }
    }
  }

  private static func prefixed(_ byteCount: Int) -> Int { countByteCount(byteCount) + byteCount }

  private static func countByteCount(_ count: Int) -> Int {
    max(1, (Int.bitWidth - count.leadingZeroBitCount + 6) / 7)
  }
}

// MARK: - Decoding

extension MixedCoding {
  /// Decodes one value that takes up all of `bytes`.
  ///
  /// Total: any bytes give a value or an error. Memory is at most a small
  /// multiple of the input: collections are given room for the elements they
  /// claim only while all claims together stay below the number of bytes.
  package static func decode(_ bytes: borrowing RawSpan) throws(ValueCodingError) -> Value {
    var decoder = Decoder(elementBudget: bytes.byteCount)
    let value = try decoder.value(depth: 0, in: bytes)
    guard decoder.cursor.remaining(in: bytes) == 0 else {
      throw .trailingBytes(byteOffset: decoder.cursor.offset)
    }
    return value
  }

  private struct Decoder {
    var cursor = ByteCursor()
    /// How many more elements may be claimed: true encodings spend a byte or more on each.
    var elementBudget: Int

    init(elementBudget: Int) {
      self.elementBudget = elementBudget
    }

    mutating func value(
      depth: Int, in bytes: borrowing RawSpan
    ) throws(ValueCodingError) -> Value {
      switch try MixedCoding.tag(at: &cursor, in: bytes) {
      case .null:
        return .null
      case .bool:
        let byte = try cursor.byte(in: bytes)
        guard byte <= 1 else { throw .invalidContents(byteOffset: cursor.offset - 1) }
        return .bool(byte == 1)
      case .int:
        return .int(try cursor.littleEndian(in: bytes))
      case .float:
        return .float(Float(bitPattern: try cursor.littleEndian(in: bytes)))
      case .double:
        return .double(Double(bitPattern: try cursor.littleEndian(in: bytes)))
      case .decimal:
        let low = try cursor.littleEndian(UInt64.self, in: bytes)
        let high = try cursor.littleEndian(UInt64.self, in: bytes)
        return .decimal(Decimal128(low: low, high: high))
      case .string:
        return .string(try string(in: bytes))
      case .data:
        let count = try cursor.count(in: bytes)
        return .data(try cursor.data(count: count, in: bytes))
      case .date:
        return .date(try date(in: bytes))
      case .objectID:
        let high = try cursor.bigEndian(UInt64.self, in: bytes)
        return .objectID(ObjectID(high: high, low: try cursor.bigEndian(in: bytes)))
      case .uuid:
        let high = try cursor.bigEndian(UInt64.self, in: bytes)
        return .uuid(UniqueID(high: high, low: try cursor.bigEndian(in: bytes)))
      case .link:
        let table = try cursor.littleEndian(UInt32.self, in: bytes)
        return .link(ObjectLink(table: table, key: try cursor.littleEndian(in: bytes)))
      case .list:
        return .list(try elements(depth: depth, in: bytes))
      case .set:
        return .set(try elements(depth: depth, in: bytes))
      case .map:
        return .map(try map(depth: depth, in: bytes))
      }
    }

    private mutating func string(
      in bytes: borrowing RawSpan
    ) throws(ValueCodingError) -> String {
      let count = try cursor.count(in: bytes)
      return try cursor.string(count: count, in: bytes)
    }

    private mutating func date(
      in bytes: borrowing RawSpan
    ) throws(ValueCodingError) -> Timestamp {
      let start = cursor.offset
      let seconds = try cursor.littleEndian(Int64.self, in: bytes)
      let nanoseconds = try cursor.littleEndian(Int32.self, in: bytes)
      guard let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds) else {
        throw .invalidContents(byteOffset: start)
      }
      return date
    }

    /// Takes the count of a collection and charges it to the budget.
    private mutating func claimedCount(
      depth: Int, in bytes: borrowing RawSpan
    ) throws(ValueCodingError) -> Int {
      guard depth < nestingLimit else { throw .nestingTooDeep(limit: nestingLimit) }
      let count = try cursor.count(in: bytes)
      guard count <= elementBudget else { throw .truncated(byteOffset: bytes.byteCount) }
      elementBudget -= count
      return count
    }

    private mutating func elements(
      depth: Int, in bytes: borrowing RawSpan
    ) throws(ValueCodingError) -> [Value] {
      let count = try claimedCount(depth: depth, in: bytes)
      var elements: [Value] = []
      elements.reserveCapacity(count)
      for _ in 0..<count { elements.append(try value(depth: depth + 1, in: bytes)) }
      return elements
    }

    private mutating func map(
      depth: Int, in bytes: borrowing RawSpan
    ) throws(ValueCodingError) -> ValueMap {
      let start = cursor.offset
      let count = try claimedCount(depth: depth, in: bytes)
      var entries: [ValueMap.Entry] = []
      entries.reserveCapacity(count)
      for _ in 0..<count {
        let key = try string(in: bytes)
        entries.append(ValueMap.Entry(key: key, value: try value(depth: depth + 1, in: bytes)))
      }
      guard let map = ValueMap(ascending: entries) else {
        throw .invalidContents(byteOffset: start)
      }
      return map
    }
  }
}
