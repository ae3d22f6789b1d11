/// Index keys: byte strings that compare, byte by byte, as the values they stand for.
///
/// One tag byte, then the payload. Every key ends itself, so keys appended to
/// each other compare as tuples do. Integers are big-endian. Normative text:
/// Format.md, "Index keys".
///
///     tag   value      payload
///     0x00  null       none
///     0x10  bool       0 or 1
///     0x20  int        8, sign bit flipped
///     0x21  float      4: NaN is 0; else the bits, all flipped when negative, else the sign bit
///     0x22  double     8, likewise
///     0x23  decimal    see OrderedKey+Decimal.swift
///     0x30  string     UTF-8 with 00 written as 00 FF, then 00 00
///     0x40  data       likewise
///     0x50  date       8 seconds and 4 nanoseconds, sign bits flipped
///     0x60  objectID   12
///     0x70  uuid       16
///
/// Within one type, and between types other than numeric ones, the order is
/// `Value.sortOrder`, and equal values have equal keys: so -0 is written as 0, all
/// NaNs as one, and a decimal without its trailing zeros. Numbers of different
/// types are ordered by type first: an index holds one numeric type. No tag is
/// 0xFF, which may serve as a bound above all keys.
package enum OrderedKey {
  enum Tag: UInt8 {
    case null = 0x00
    case bool = 0x10
    case int = 0x20
    case float = 0x21
    case double = 0x22
    case decimal = 0x23
    case string = 0x30
    case data = 0x40
    case date = 0x50
    case objectID = 0x60
    case uuid = 0x70
  }

  /// Appends the key of `value`.
  ///
  /// - Throws: `.notIndexable` for links and collections; `bytes` are then as before.
  package static func append(
    _ value: Value, to bytes: inout [UInt8]
  ) throws(ValueCodingError) {
    switch value {
    case .null:
      bytes.append(Tag.null.rawValue)
    case .bool(let value):
      bytes.append(Tag.bool.rawValue)
      bytes.append(value ? 1 : 0)
    case .int(let value):
      bytes.append(Tag.int.rawValue)
      bytes.appendBigEndian(value.orderedUnsigned)
    case .float(let value):
      bytes.append(Tag.float.rawValue)
      bytes.appendBigEndian(ordered(value.bitPattern, isNaN: value.isNaN))
    case .double(let value):
      bytes.append(Tag.double.rawValue)
      bytes.appendBigEndian(ordered(value.bitPattern, isNaN: value.isNaN))
    case .decimal(let value):
      bytes.append(Tag.decimal.rawValue)
      append(value, to: &bytes)
    case .string(let value):
      appendPrefix(ofString: value, to: &bytes)
      bytes += bytesEnd
    case .data(let value):
      appendPrefix(ofData: value, to: &bytes)
      bytes += bytesEnd
    case .date(let value):
      bytes.append(Tag.date.rawValue)
      bytes.appendBigEndian(value.seconds.orderedUnsigned)
      bytes.appendBigEndian(value.nanoseconds ^ .min)
    case .objectID(let value):
      bytes.append(Tag.objectID.rawValue)
      bytes.appendBigEndian(value.high)
      bytes.appendBigEndian(value.low)
    case .uuid(let value):
      bytes.append(Tag.uuid.rawValue)
      bytes.appendBigEndian(value.high)
      bytes.appendBigEndian(value.low)
    case .link, .list, .set, .map:
      throw .notIndexable
    }
  }

  /// The whole key of `value`; nil for links and collections.
  static func bytes(of value: Value) -> [UInt8]? {
    var bytes: [UInt8] = []
    do throws(ValueCodingError) { try append(value, to: &bytes) } catch { return nil }
    return bytes
  }

  /// Appends what the keys of exactly those strings begin with that begin with `prefix`.
  package static func appendPrefix(ofString prefix: String, to bytes: inout [UInt8]) {
    bytes.append(Tag.string.rawValue)
    appendEscaped(prefix.utf8, to: &bytes)
  }

  /// As `appendPrefix(ofString:to:)`, for bytes that may end within a character.
  package static func appendPrefix(ofText prefix: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(Tag.string.rawValue)
    appendEscaped(prefix, to: &bytes)
  }

  /// What ends the key of a string or of data.
  package static let bytesEnd: [UInt8] = [0, 0]

  /// Appends what the keys of exactly those data values begin with that begin with `prefix`.
  package static func appendPrefix(ofData prefix: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(Tag.data.rawValue)
    appendEscaped(prefix, to: &bytes)
  }

  private static func appendEscaped(_ contents: some Collection<UInt8>, to bytes: inout [UInt8]) {
    guard contents.contains(0) else {
      bytes += contents
      return
    }
    for byte in contents {
      bytes.append(byte)
      if byte == 0 { bytes.append(0xFF) }
    }
  }

  /// IEEE 754 bits as an unsigned integer in the order of the numbers, NaN first.
  ///
  /// Flipping all bits of -0 would put it below +0, so it is taken as +0. NaN
  /// takes the value 0, which would otherwise stand for a NaN as well.
  private static func ordered<T: FixedWidthInteger & UnsignedInteger>(
    _ bits: T, isNaN: Bool
  ) -> T {
    let signBit = 1 << (T.bitWidth - 1) as T
    if isNaN { return 0 }
    if bits == signBit { return signBit }
    return bits & signBit == 0 ? bits | signBit : ~bits
  }
}

// MARK: - Decoding

extension OrderedKey {
  /// Decodes the key at `offset` and moves `offset` behind it.
  ///
  /// Gives the value that stands for all with this key (0 for -0, 1 for decimal
  /// 1.00). Total: any bytes give a value or an error, and only bytes that
  /// `append` writes give a value.
  ///
  /// - Precondition: `offset` lies within `bytes`, its end included.
  package static func decode(
    _ bytes: borrowing RawSpan, at offset: inout Int
  ) throws(ValueCodingError) -> Value {
    precondition(offset >= 0 && offset <= bytes.byteCount, "the offset lies outside the bytes")
    var cursor = ByteCursor(offset: offset)
    let value = try decode(bytes, at: &cursor)
    offset = cursor.offset
    return value
  }

  /// The same for an array; `offset` may lie anywhere.
  package static func decode(_ bytes: [UInt8], at offset: inout Int) throws(ValueCodingError)
    -> Value
  {
    guard (0...bytes.count).contains(offset) else { throw .truncated(byteOffset: bytes.count) }
    // SAFETY: the bytes of an array, which outlives the call.
    return try unsafe decode(bytes.span.bytes, at: &offset)
  }

  private static func decode(
    _ bytes: borrowing RawSpan, at cursor: inout ByteCursor
  ) throws(ValueCodingError) -> Value {
    let start = cursor.offset
    let byte = try cursor.byte(in: bytes)
    guard let tag = Tag(rawValue: byte) else { throw .unknownTag(byte, byteOffset: start) }
    switch tag {
    case .null:
      return .null
    case .bool:
      let byte = try cursor.byte(in: bytes)
      guard byte <= 1 else { throw .invalidContents(byteOffset: start) }
      return .bool(byte == 1)
    case .int:
      return .int(try cursor.bigEndian(UInt64.self, in: bytes).orderedSigned)
    case .float:
      let key = try cursor.bigEndian(UInt32.self, in: bytes)
      let value = key == 0 ? .nan : Float(bitPattern: unordered(key))
      guard ordered(value.bitPattern, isNaN: value.isNaN) == key else {
        throw .invalidContents(byteOffset: start)
      }
      return .float(value)
    case .double:
      let key = try cursor.bigEndian(UInt64.self, in: bytes)
      let value = key == 0 ? .nan : Double(bitPattern: unordered(key))
      guard ordered(value.bitPattern, isNaN: value.isNaN) == key else {
        throw .invalidContents(byteOffset: start)
      }
      return .double(value)
    case .decimal:
      return .decimal(try decimal(in: bytes, at: &cursor))
    case .string:
      let contents = try unescaped(bytes, at: &cursor)
      guard let string = String(validating: contents.span) else {
        throw .invalidUTF8(byteOffset: start)
      }
      return .string(string)
    case .data:
      return .data(try unescaped(bytes, at: &cursor))
    case .date:
      let seconds = try cursor.bigEndian(UInt64.self, in: bytes).orderedSigned
      let nanoseconds = try cursor.bigEndian(Int32.self, in: bytes) ^ .min
      guard let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds) else {
        throw .invalidContents(byteOffset: start)
      }
      return .date(date)
    case .objectID:
      let high = try cursor.bigEndian(UInt64.self, in: bytes)
      return .objectID(ObjectID(high: high, low: try cursor.bigEndian(in: bytes)))
    case .uuid:
      let high = try cursor.bigEndian(UInt64.self, in: bytes)
      return .uuid(UniqueID(high: high, low: try cursor.bigEndian(in: bytes)))
    }
  }

  private static func unordered<T: FixedWidthInteger & UnsignedInteger>(_ key: T) -> T {
    let signBit = 1 << (T.bitWidth - 1) as T
    return key & signBit == 0 ? ~key : key ^ signBit
  }

  /// Takes escaped bytes and their terminator.
  private static func unescaped(
    _ bytes: borrowing RawSpan, at cursor: inout ByteCursor
  ) throws(ValueCodingError) -> [UInt8] {
    var contents: [UInt8] = []
    while true {
      let byte = try cursor.byte(in: bytes)
      if byte == 0 {
        switch try cursor.byte(in: bytes) {
        case 0x00: return contents
        case 0xFF: break
        default: throw .invalidContents(byteOffset: cursor.offset - 1)
        }
      }
      contents.append(byte)
    }
  }
}
