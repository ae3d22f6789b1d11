import AtollStorage

/// Decompressed bytes, and where each entry starts in them: what the decoded cache keeps of a
/// vector.
///
/// Owns its memory: `offsetCount` offsets of 4 bytes, then the bytes, then 16 zero bytes, so that
/// SIMD may load past the end. Never written after the initialiser.
@safe
package final class DecodedBytes {
  /// The decompressed bytes; none when they lie uncompressed in the row group.
  package let bytes: UnsafeRawPointer
  package let byteCount: Int
  /// The start of each entry, and the end of the last one.
  package let offsets: UnsafePointer<UInt32>
  package let offsetCount: Int
  private let memory: UnsafeMutableRawPointer

  /// Room for the memory, with the offsets and the bytes still to be written.
  private init(byteCount: Int, offsetCount: Int) {
    let offsetByteCount = alignedTo16(offsetCount * 4)
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: offsetByteCount + byteCount + 16, alignment: 16)
    unsafe (memory + offsetByteCount + byteCount).initializeMemory(
      as: UInt8.self, repeating: 0, count: 16)
    unsafe self.memory = memory
    unsafe bytes = UnsafeRawPointer(memory + offsetByteCount)
    unsafe offsets = UnsafePointer(memory.bindMemory(to: UInt32.self, capacity: offsetCount))
    self.byteCount = byteCount
    self.offsetCount = offsetCount
  }

  deinit {
    unsafe memory.deallocate()
  }

  /// What this object takes, as the cache counts it.
  var memoryByteCount: Int { alignedTo16(offsetCount * 4) + byteCount + 16 + 80 }

  /// Decompresses an LZ4 block of `byteCount` bytes.
  ///
  /// A block can hold at most 255 times its own bytes; a byte count beyond that is refused before
  /// memory is taken for it.
  convenience init(
    decompressing block: UnsafeRawBufferPointer, byteCount: Int, offsetCount: Int = 0
  ) throws(ColumnError) {
    guard byteCount <= block.count * 255 + 16 else { throw .corrupted(.decompression) }
    self.init(byteCount: byteCount, offsetCount: offsetCount)
    // SAFETY: the memory has room for `byteCount` bytes there, and it is not shared yet.
    let target = unsafe UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(mutating: bytes), count: byteCount)
    guard unsafe LZ4.decompress(block, into: target) else { throw .corrupted(.decompression) }
  }

  /// The entries of a vector of bytes: the block when compressed, and the offsets of its entries.
  convenience init(decoding vector: BytesVector) throws(ColumnError) {
    let offsetCount = vector.entryCount + 1
    if vector.isCompressed {
      try unsafe self.init(
        decompressing: UnsafeRawBufferPointer(
          start: vector.stored, count: vector.storedByteCount),
        byteCount: vector.byteCount, offsetCount: offsetCount)
    } else {
      self.init(byteCount: 0, offsetCount: offsetCount)
    }
    guard writeOffsets(vector.lengths, total: vector.byteCount) else {
      throw .corrupted(.lengthsDoNotAddUp)
    }
  }

  /// Adds up the lengths of the entries to where each starts.
  ///
  /// - Returns: false unless they add up to the vector's bytes.
  private func writeOffsets(_ lengths: IntVector, total: Int) -> Bool {
    // SAFETY: the memory has room for one offset more than lengths, and it is not shared yet.
    let offsets = unsafe UnsafeMutablePointer(mutating: offsets)
    unsafe offsets[0] = 0
    return unsafe withUnsafeTemporaryAllocation(of: Int64.self, capacity: 64) { buffer in
      guard let block = buffer.baseAddress else { return false }
      var end: UInt64 = 0
      var start = 0
      while start < lengths.count {
        let count = min(64, lengths.count - start)
        unsafe lengths.copy(start..<(start + count), into: block)
        var all: UInt64 = 0
        for index in 0..<count {
          let length = unsafe UInt64(bitPattern: block[index])
          all |= length
          end &+= length
          unsafe offsets[start + index + 1] = UInt32(truncatingIfNeeded: end)
        }
        // Lengths below 2³² do not overflow the sum, so it does not pass the total unseen.
        guard all <= UInt64(UInt32.max), end <= UInt64(total) else { return false }
        start += count
      }
      return end == UInt64(total)
    }
  }
}

// SAFETY: the memory is written only by the initialisers.
extension DecodedBytes: @unchecked Sendable {}

/// Where the decoded form of one vector is kept: a cache, and the vector's key in it.
///
/// Plain data, as the views that hold it are copied often: does not keep the cache alive.
@safe
package struct CacheSlot {
  /// Nil: nothing is kept, each use decodes.
  ///
  /// Alive as long as the row group's environment.
  let cache: Unmanaged<DecodedCache>?
  let page: PageIdentity
  let item: UInt32
  /// The column of the vector, for errors.
  private let column: UInt32

  init(cache: DecodedCache?, page: PageIdentity, item: UInt32, column: UInt32) {
    unsafe self.cache = cache.map { unsafe Unmanaged.passUnretained($0) }
    self.page = page
    self.item = item
    self.column = column
  }

  /// Of a column that is not in its row group: it has no bytes that could be damaged.
  static var none: CacheSlot {
    CacheSlot(cache: nil, page: PageIdentity(block: 0, checksum: 0), item: 0, column: 0)
  }

  /// An error of the vector with its place.
  func placed(_ error: ColumnError) -> ColumnError { error.at(page.block, .column(column)) }

  /// The decoded form from the cache, or from `decode`, which the cache then keeps.
  func decoded(
    _ decode: () throws(ColumnError) -> DecodedBytes
  ) throws(ColumnError) -> DecodedBytes {
    guard let cache = unsafe cache else { return try decode() }
    // SAFETY: the environment holds the cache, and outlives the views of its row groups.
    let found = unsafe cache._withUnsafeGuaranteedRef { $0.value(page: page, item: item) }
    if let found, type(of: found) == DecodedBytes.self {
      // SAFETY: the type was compared on the line above; a cast costs more than the look-up.
      return unsafe unsafeDowncast(found, to: DecodedBytes.self)
    }
    let decoded = try decode()
    unsafe cache._withUnsafeGuaranteedRef {
      $0.insert(decoded, byteCount: decoded.memoryByteCount, page: page, item: item)
    }
    return decoded
  }
}

// SAFETY: plain data, and the cache is safe from any thread.
extension CacheSlot: @unchecked Sendable {}
