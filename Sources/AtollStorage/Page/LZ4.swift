import CLZ4

/// One LZ4 block: the raw block format, without a frame, through liblz4.
///
/// The two byte counts are kept by the caller (Format.md, "LZ4"): a block does not carry them.
package enum LZ4 {
  /// The largest input that the library takes, in bytes.
  package static let maximumByteCount = 0x7E00_0000

  /// The bytes that `compress` may need for any input of `byteCount` bytes.
  package static func bound(_ byteCount: Int) -> Int {
    precondition(byteCount <= maximumByteCount, "an LZ4 block holds less than 2 GiB")
    return byteCount + byteCount / 255 + 16
  }

  /// Compresses `source` to the start of `target`.
  ///
  /// - Returns: The stored byte count, or nil when the result does not fit `target`: a target
  ///   smaller than `bound` is how a caller says what compression must save to be worth it.
  /// Cost: about 2 ns a byte on text.
  package static func compress(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Int? {
    guard source.count <= maximumByteCount, target.count > 0 else { return nil }
    let capacity = Int32(clamping: target.count)
    // SAFETY: both buffers are alive for the call, and the library gets their exact byte counts.
    // It reads nothing of an empty source, whose address may be nil.
    let written = unsafe LZ4_compress_default(
      source.baseAddress?.assumingMemoryBound(to: CChar.self),
      target.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(source.count), capacity)
    return written > 0 ? Int(written) : nil
  }

  /// Decompresses a block that must fill `target` exactly.
  ///
  /// - Returns: False when `source` is not a block of exactly `target.count` bytes. The bytes of
  ///   `target` are then unspecified. Any input is safe.
  package static func decompress(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard source.count <= Int(Int32.max), target.count <= maximumByteCount else { return false }
    // SAFETY: both buffers are alive for the call; `LZ4_decompress_safe` stays inside the two
    // byte counts whatever the source holds.
    let written = unsafe LZ4_decompress_safe(
      source.baseAddress?.assumingMemoryBound(to: CChar.self),
      target.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(source.count),
      Int32(target.count))
    return Int(written) == target.count
  }
}
