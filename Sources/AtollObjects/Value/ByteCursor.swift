/// A position in bytes that came from outside; moves only over bytes that exist.
///
/// The bytes are passed to each call rather than held, so the cursor is plain
/// data. Invariant: `0 <= offset <= bytes.byteCount`, for the bytes it is used with.
struct ByteCursor {
  private(set) var offset: Int

  /// - Precondition: `offset` lies within the bytes the cursor will be used with.
  init(offset: Int = 0) {
    self.offset = offset
  }

  func remaining(in bytes: borrowing RawSpan) -> Int {
    bytes.byteCount - offset
  }

  /// Takes an integer stored little-endian.
  @inline(__always)
  mutating func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type = T.self, in bytes: borrowing RawSpan
  ) throws(ValueCodingError) -> T {
    T(littleEndian: try load(type, in: bytes))
  }

  /// Takes an integer stored big-endian.
  @inline(__always)
  mutating func bigEndian<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type = T.self, in bytes: borrowing RawSpan
  ) throws(ValueCodingError) -> T {
    T(bigEndian: try load(type, in: bytes))
  }

  @inline(__always)
  mutating func byte(in bytes: borrowing RawSpan) throws(ValueCodingError) -> UInt8 {
    try load(UInt8.self, in: bytes)
  }

  @inline(__always)
  private mutating func load<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type, in bytes: borrowing RawSpan
  ) throws(ValueCodingError) -> T {
    guard MemoryLayout<T>.size <= remaining(in: bytes) else {
      throw .truncated(byteOffset: bytes.byteCount)
    }
    // SAFETY: in bounds (above), and every bit pattern is a value of an integer type.
    let value = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    offset += MemoryLayout<T>.size
    return value
  }

  /// Takes an unsigned LEB128 number that counts things of at least one byte each.
  ///
  /// So it cannot exceed the bytes that remain.
  ///
  /// - Throws: `.invalidContents` for a longer form than needed, `.truncated` when the number
  ///   promises more than there is.
  mutating func count(in bytes: borrowing RawSpan) throws(ValueCodingError) -> Int {
    let start = offset
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte(in: bytes)
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else { throw .invalidContents(byteOffset: start) }
        break
      }
      shift += 7
      // Eight groups are 56 bits: more than any memory holds.
      guard shift < 56 else { throw .invalidContents(byteOffset: start) }
    }
    guard result <= UInt64(remaining(in: bytes)) else {
      throw .truncated(byteOffset: bytes.byteCount)
    }
    return Int(result)
  }

  /// Takes `count` bytes as they are.
  mutating func data(
    count: Int, in bytes: borrowing RawSpan
  ) throws(ValueCodingError) -> [UInt8] {
    guard count <= remaining(in: bytes) else { throw .truncated(byteOffset: bytes.byteCount) }
    defer { offset += count }
    // SAFETY: the buffer is only read, inside the closure; its bounds were checked by `extracting`.
    return unsafe bytes.extracting(offset..<offset + count).withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// Takes `count` bytes of UTF-8.
  mutating func string(
    count: Int, in bytes: borrowing RawSpan
  ) throws(ValueCodingError) -> String {
    guard count <= remaining(in: bytes) else { throw .truncated(byteOffset: bytes.byteCount) }
    let text = bytes.extracting(offset..<offset + count)
    // SAFETY: every byte is a UInt8.
    let codeUnits = unsafe text._unsafeView(as: UInt8.self)
    guard let string = String(validating: codeUnits) else {
      throw .invalidUTF8(byteOffset: offset)
    }
    offset += count
    return string
  }
}

extension String {
  /// Copies code units that are valid UTF-8; nil when they are not.
  init?(validating codeUnits: Span<UInt8>) {
    guard let text = try? UTF8Span(validating: codeUnits) else { return nil }
    self.init(copying: text)
  }
}

extension Array where Element == UInt8 {
  /// Appends an integer, most significant byte first.
  @inlinable
  @inline(__always)
  package mutating func appendBigEndian<T: FixedWidthInteger>(_ value: T) {
    for shift in stride(from: T.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> T(shift)))
    }
  }

  /// Appends an unsigned LEB128 number: seven bits a byte, least significant first.
  package mutating func appendCount(_ count: Int) {
    precondition(count >= 0, "a count is not negative")
    var rest = UInt64(count)
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}
