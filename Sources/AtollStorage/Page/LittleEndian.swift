/// Bytes of another owner, read with bounds checked.
///
/// Safe to use as long as the owner lives; the function that returns a view says who
/// that is. Reading outside the view traps: code compares the view's length
/// with what the format promises before it reads, and throws where they differ.
@usableFromInline @safe package struct ByteView: @unchecked Sendable {
  // Sendable: what a view shows is not written while it can be seen.
  // Called for each number of a page, so inlinable; across modules that takes the attribute on the
  // type too (Swift 6.3).
  @usableFromInline let bytes: UnsafeRawBufferPointer

  package static let empty = unsafe ByteView(UnsafeRawBufferPointer(start: nil, count: 0))

  @inlinable @unsafe package init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

  @inlinable package var count: Int { unsafe bytes.count }
  @inlinable package var isEmpty: Bool { count == 0 }

  @inlinable package subscript(byteOffset: Int) -> UInt8 { littleEndian(at: byteOffset) }

  /// Loads a little-endian integer.
  @inlinable @inline(__always)
  package func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(
    at byteOffset: Int, as type: T.Type = T.self
  ) -> T {
    precondition(
      byteOffset >= 0 && byteOffset <= count - MemoryLayout<T>.size, "load outside the view")
    // SAFETY: in bounds (above); every bit pattern is an integer.
    return unsafe T(littleEndian: bytes.loadUnaligned(fromByteOffset: byteOffset, as: T.self))
  }

  /// The bytes in `range`.
  @inlinable package subscript(range: Range<Int>) -> ByteView {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "slice outside the view")
    // SAFETY: in bounds (above).
    return unsafe ByteView(UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  package func copy() -> [UInt8] { unsafe [UInt8](bytes) }

  /// Whether all bytes are zero.
  var isZero: Bool {
    var byteOffset = 0
    while byteOffset + 8 <= count {
      // SAFETY: in bounds by the condition; every bit pattern is an integer.
      let word = unsafe bytes.loadUnaligned(fromByteOffset: byteOffset, as: UInt64.self)
      if word != 0 { return false }
      byteOffset += 8
    }
    while byteOffset < count {
      if self[byteOffset] != 0 { return false }
      byteOffset += 1
    }
    return true
  }

  /// Where the bytes are, to be compared; 0 when there are none.
  package var address: UInt { unsafe UInt(bitPattern: bytes.baseAddress) }

  /// The address and length, for kernels and C functions.
  @inlinable @unsafe package var unsafeBytes: UnsafeRawBufferPointer { unsafe bytes }
}

extension [UInt8] {
  /// Lends the array's bytes for the length of the call.
  package func withByteView<Result, Failure: Error>(
    _ body: (ByteView) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: the view does not leave the closure, during which the array stays put.
    let outcome = unsafe withUnsafeBytes { bytes -> Swift.Result<Result, Failure> in
      do throws(Failure) {
        return .success(try body(unsafe ByteView(bytes)))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// Appends an integer as little-endian bytes.
  @inlinable package mutating func appendLittleEndian<T: FixedWidthInteger & BitwiseCopyable>(
    _ value: T
  ) {
    var bits = value.littleEndian
    // SAFETY: the bytes of a trivial local value, for the length of the call.
    unsafe Swift.withUnsafeBytes(of: &bits) { unsafe append(contentsOf: $0) }
  }

  /// Appends an unsigned integer in LEB128: seven bits a byte, low bits first.
  package mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}

/// Reads bytes from front to back; running out is an error, never a trap.
package struct ByteReader {
  package private(set) var rest: ArraySlice<UInt8>

  /// The bytes ended early or hold a number that does not fit.
  package struct Malformed: Error {}

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }
  package init(_ bytes: [UInt8]) { rest = bytes[...] }

  package var isAtEnd: Bool { rest.isEmpty }

  package mutating func readByte() throws(Malformed) -> UInt8 {
    guard let byte = rest.popFirst() else { throw Malformed() }
    return byte
  }

  package mutating func readVarint() throws(Malformed) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try readByte()
      guard shift < 63 || byte <= 1 else { throw Malformed() }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
  }

  /// Reads a varint that counts something: it must not exceed `limit`.
  package mutating func readCount(limit: Int) throws(Malformed) -> Int {
    let value = try readVarint()
    guard value <= UInt64(limit) else { throw Malformed() }
    return Int(value)
  }

  package mutating func readLittleEndian<T: FixedWidthInteger & BitwiseCopyable>(
    as type: T.Type = T.self
  ) throws(Malformed) -> T {
    guard rest.count >= MemoryLayout<T>.size else { throw Malformed() }
    // SAFETY: as many bytes as the integer has (above); every bit pattern is an integer.
    let value = unsafe rest.withUnsafeBytes { unsafe $0.loadUnaligned(as: T.self) }
    rest = rest.dropFirst(MemoryLayout<T>.size)
    return T(littleEndian: value)
  }

  package mutating func readBytes(_ byteCount: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard byteCount >= 0, byteCount <= rest.count else { throw Malformed() }
    let bytes = rest.prefix(byteCount)
    rest = rest.dropFirst(byteCount)
    return bytes
  }
}
