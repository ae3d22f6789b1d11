internal import AtollStorage

/// Integers as they lie in a row group: unsigned offsets from a base (frame of reference), or an
/// arithmetic sequence without any bytes.
///
/// Normative text: Format.md, "Integers".
///
///     offset  size  field
///          0     1  encoding   0 packed, 1 arithmetic
///          1     1  width      bytes a value: 0, 1, 2, 3, 4 or 8; arithmetic: 0
///          2     2  reserved   zero
///          4     4  count
///          8     8  base       signed
///         16        packed: count × width bytes, then zeros, so that 16 bytes can be loaded at the
///                   place of any value; arithmetic: stride (8 bytes, signed), 8 zero bytes
///
/// Value i is base + offset i, or base + i × stride, in wrapping 64-bit arithmetic.
///
/// The memory belongs to the row group. Invariant: 16 bytes can be read at `packed` + i × `width`
/// for every i below `count`, when `width` is not 0.
@safe
package struct IntVector {
  package let count: Int
  package let width: Int
  package let base: Int64
  /// The step from a value to the next, when `width` is 0.
  package let stride: Int64
  package let packed: UnsafeRawPointer
  /// The bytes of the whole vector, a multiple of 16.
  package let byteCount: Int

  /// Checks a vector at the start of `bytes`; more bytes may follow it.
  init(decoding bytes: UnsafeRawBufferPointer) throws(ColumnError) {
    let bytes = try unsafe VectorBytes(bytes)
    try bytes.require(16)
    guard bytes.load(2, as: UInt16.self) == 0 else { throw .corrupted(.reservedBytesInUse) }
    let encoding: UInt8 = bytes.load(0)
    let width: UInt8 = bytes.load(1)
    count = Int(bytes.load(4, as: UInt32.self))
    base = bytes.load(8)
    switch (encoding, width) {
    case (0, 0):
      byteCount = 16
      stride = 0
    case (0, 1), (0, 2), (0, 3), (0, 4), (0, 8):
      byteCount = Self.packedByteCount(count: count, width: Int(width))
      stride = 0
      try bytes.require(byteCount)
    case (0, _):
      throw .corrupted(.unknownWidth(width))
    case (1, 0):
      byteCount = 32
      try bytes.require(32)
      stride = bytes.load(16)
      guard bytes.load(24, as: UInt64.self) == 0 else { throw .corrupted(.reservedBytesInUse) }
    case (1, _):
      throw .corrupted(.unknownWidth(width))
    default:
      throw .corrupted(.unknownEncoding(encoding))
    }
    self.width = Int(width)
    // SAFETY: at least 16 bytes exist.
    unsafe packed = bytes.start + 16
  }

  /// `count` times `value`, for a column that is not in the row group.
  init(repeating value: Int64, count: Int) {
    self.count = count
    width = 0
    base = value
    stride = 0
    unsafe packed = ZeroBytes.start
    byteCount = 16
  }

  /// The bytes of a packed vector: header, values, and room for a 16-byte load of the last value.
  static func packedByteCount(count: Int, width: Int) -> Int {
    width == 0 || count == 0 ? 16 : 16 + alignedTo16((count - 1) * width + 16)
  }

  /// Value `row`.
  @inlinable
  package subscript(row: Int) -> Int64 {
    precondition(UInt(bitPattern: row) < UInt(bitPattern: count), "a row of the vector")
    if width == 0 { return base &+ Int64(row) &* stride }
    return base &+ Int64(bitPattern: offset(row))
  }

  /// The packed offset of `row` from the base; `row` is below `count`, `width` not 0.
  @inlinable
  @inline(__always)
  func offset(_ row: Int) -> UInt64 {
    // SAFETY: the invariant of the type: 16 bytes can be read there.
    switch width {
    case 1: return UInt64(unsafe packed.load(fromByteOffset: row, as: UInt8.self))
    case 2: return UInt64(unsafe packed.loadUnaligned(fromByteOffset: row &* 2, as: UInt16.self))
    case 3:
      let word = unsafe packed.loadUnaligned(fromByteOffset: row &* 3, as: UInt32.self)
      return UInt64(word & 0xFF_FFFF)
    case 4: return UInt64(unsafe packed.loadUnaligned(fromByteOffset: row &* 4, as: UInt32.self))
    default: return unsafe packed.loadUnaligned(fromByteOffset: row &* 8, as: UInt64.self)
    }
  }

  /// Writes the values of `rows` to `target`, which has room for them.
  ///
  /// Cost: about half a nanosecond a value.
  @inlinable
  package func copy(_ rows: Range<Int>, into target: UnsafeMutablePointer<Int64>) {
    precondition(rows.lowerBound >= 0 && rows.upperBound <= count, "rows of the vector")
    // SAFETY: the rows are in bounds (above), the caller vouches for the target; one loop for each
    // width, so that the compiler can unroll it.
    let first = rows.lowerBound
    let n = rows.count
    switch width {
    case 0:
      for i in 0..<n { unsafe target[i] = base &+ Int64(first + i) &* stride }
    case 1:
      let source = unsafe packed + first
      for i in 0..<n {
        unsafe target[i] = base &+ Int64(source.load(fromByteOffset: i, as: UInt8.self))
      }
    case 2:
      let source = unsafe packed + first &* 2
      for i in 0..<n {
        unsafe target[i] =
          base &+ Int64(source.loadUnaligned(fromByteOffset: i &* 2, as: UInt16.self))
      }
    case 3:
      let source = unsafe packed + first &* 3
      for i in 0..<n {
        let word = unsafe source.loadUnaligned(fromByteOffset: i &* 3, as: UInt32.self)
        unsafe target[i] = base &+ Int64(word & 0xFF_FFFF)
      }
    case 4:
      let source = unsafe packed + first &* 4
      for i in 0..<n {
        unsafe target[i] =
          base &+ Int64(source.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self))
      }
    default:
      let source = unsafe packed + first &* 8
      for i in 0..<n {
        unsafe target[i] = base &+ source.loadUnaligned(fromByteOffset: i &* 8, as: Int64.self)
      }
    }
  }

  /// The sum of the values of `rows`, wrapping.
  func sum(_ rows: Range<Int>) -> Int64 {
    var sum: Int64 = 0
    for row in rows { sum &+= self[row] }
    return sum
  }
}

// SAFETY: the memory is never written while a view of it exists.
extension IntVector: @unchecked Sendable {}
