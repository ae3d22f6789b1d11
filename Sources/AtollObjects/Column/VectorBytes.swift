internal import AtollStorage

#if _endian(big)
#error("The vectors are read as they lie on disk, little-endian.")
#endif

/// The bytes of one vector while its header is checked.
///
/// Every load is checked against the byte count, so decoding can be written as a list of facts.
/// Valid as long as the row group's memory.
@safe
struct VectorBytes {
  let start: UnsafeRawPointer
  let byteCount: Int

  init(_ bytes: UnsafeRawBufferPointer) throws(ColumnError) {
    guard let start = bytes.baseAddress else {
      throw .corrupted(.truncated(byteCount: 0, needed: 1))
    }
    unsafe self.start = start
    byteCount = bytes.count
  }

  /// Throws unless the first `needed` bytes exist.
  func require(_ needed: Int) throws(ColumnError) {
    guard needed <= byteCount else {
      throw .corrupted(.truncated(byteCount: byteCount, needed: needed))
    }
  }

  /// The integer at `offset`, which an earlier `require` covers.
  func load<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type = T.self) -> T {
    precondition(offset + MemoryLayout<T>.size <= byteCount, "a header is required before its use")
    // SAFETY: in bounds (above); any bytes are an integer.
    return unsafe start.loadUnaligned(fromByteOffset: offset, as: T.self)
  }

  /// Throws unless the bytes of `range`, which an earlier `require` covers, are zero.
  func requireZero(_ range: Range<Int>) throws(ColumnError) {
    var union: UInt8 = 0
    for offset in range { union |= load(offset) }
    guard union == 0 else { throw .corrupted(.reservedBytesInUse) }
  }

  /// The bytes from `offset` on; it may not lie after the end.
  func suffix(from offset: Int) throws(ColumnError) -> UnsafeRawBufferPointer {
    try require(offset)
    // SAFETY: `offset` is in bounds (above).
    return unsafe UnsafeRawBufferPointer(start: start + offset, count: byteCount - offset)
  }
}

/// Bytes that stand for the values of a column that is not in the row group: zeros, for ever.
@safe
enum ZeroBytes {
  /// 64 zero bytes, 16-byte aligned.
  // SAFETY: written once, here, and never freed.
  nonisolated(unsafe) static let start: UnsafeRawPointer = {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: 64)
    return UnsafeRawPointer(bytes)
  }()
}

/// `byteCount` rounded up to the alignment of vectors.
@inline(__always)
func alignedTo16(_ byteCount: Int) -> Int {
  (byteCount + 15) & ~15
}
