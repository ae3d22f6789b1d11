import AtollStorage

/// Values of a fixed number of bytes as they lie in a row group, or in the decoded cache.
///
/// Normative text: Format.md, "Fixed".
///
///     offset  size  field
///          0     1  encoding         0 raw, 1 constant, 2 LZ4
///          1     1  width            bytes a value: 4, 8, 12 or 16
///          2     2  reserved         zero
///          4     4  count
///          8     4  storedByteCount  raw: count × width; constant: width; LZ4: of the block
///         12     4  reserved         zero
///         16        the bytes
///
/// The memory belongs to the row group, or to `owner`. Invariant: `width` bytes can be read at
/// `bytes` + i × `stride` for every i below `count`.
@safe
package struct FixedVector {
  package let count: Int
  package let width: Int
  /// The bytes from a value to the next: `width`, or 0 when all values are equal.
  package let stride: Int
  package let bytes: UnsafeRawPointer
  /// Keeps decompressed bytes alive; nil when the bytes lie in the row group.
  package let owner: DecodedBytes?

  /// Checks the vector in `bytes`, whose values must have `width` bytes, and decompresses it.
  init(
    decoding bytes: UnsafeRawBufferPointer, width expectedWidth: Int, slot: CacheSlot
  ) throws(ColumnError) {
    let bytes = try unsafe VectorBytes(bytes)
    try bytes.require(16)
    try bytes.requireZero(2..<4)
    try bytes.requireZero(12..<16)
    let width: UInt8 = bytes.load(1)
    guard Int(width) == expectedWidth else { throw .corrupted(.unknownWidth(width)) }
    let count = Int(bytes.load(4, as: UInt32.self))
    let stored = Int(bytes.load(8, as: UInt32.self))
    let encoding: UInt8 = bytes.load(0)
    try bytes.require(16 + stored)
    let logical = encoding == 1 ? expectedWidth : count * expectedWidth
    switch encoding {
    case 0, 1:
      guard stored == logical else { throw .corrupted(.count(expected: logical, found: stored)) }
      // SAFETY: `stored` bytes exist from 16 on (above), which is what the invariant asks for.
      unsafe self.bytes = bytes.start + 16
      owner = nil
    case 2:
      // SAFETY: in bounds (above).
      let block = unsafe UnsafeRawBufferPointer(start: bytes.start + 16, count: stored)
      let decoded = try slot.decoded { () throws(ColumnError) in
        try unsafe DecodedBytes(decompressing: block, byteCount: logical)
      }
      guard decoded.byteCount == logical else {
        throw .corrupted(.count(expected: logical, found: decoded.byteCount))
      }
      unsafe self.bytes = decoded.bytes
      owner = decoded
    default:
      throw .corrupted(.unknownEncoding(encoding))
    }
    self.count = count
    self.width = expectedWidth
    stride = encoding == 1 ? 0 : expectedWidth
  }

  /// `count` zero values, for a column that is not in the row group.
  init(zeros count: Int, width: Int) {
    self.count = count
    self.width = width
    stride = 0
    unsafe bytes = ZeroBytes.start
    owner = nil
  }

  /// Value `row`; `T` has at most `width` bytes.
  @inlinable
  @inline(__always)
  package func load<T: BitwiseCopyable>(_ row: Int, as type: T.Type) -> T {
    precondition(UInt(bitPattern: row) < UInt(bitPattern: count), "a row of the vector")
    precondition(MemoryLayout<T>.size <= width, "a value of the vector")
    // SAFETY: in bounds (above, and the invariant of the type); any bytes are a `T`, as the callers
    // load numbers only.
    return unsafe bytes.loadUnaligned(fromByteOffset: row &* stride, as: T.self)
  }

  /// The bytes of value `row`, valid as long as the vector's memory.
  package func bytes(_ row: Int) -> UnsafeRawBufferPointer {
    precondition(row >= 0 && row < count, "a row of the vector")
    // SAFETY: the invariant of the type.
    return unsafe UnsafeRawBufferPointer(start: bytes + row * stride, count: width)
  }
}

// SAFETY: the memory is never written while a view of it exists.
extension FixedVector: @unchecked Sendable {}
