/// Bytes that grow at the end, with one owner: the arena of a builder, or a row group being
/// encoded.
///
/// Bytes up to `count` are initialised; the memory has room for `capacity`.
@safe
package struct GrowableBytes: ~Copyable {
  package private(set) var count = 0
  private var capacity = 0
  /// Nil while `capacity` is 0.
  private var memory: UnsafeMutableRawPointer?

  package init() {}

  deinit {
    unsafe memory?.deallocate()
  }

  /// Forgets the bytes, keeps the memory.
  package mutating func removeAll() {
    count = 0
  }

  /// The bytes; valid until the next change.
  package var bytes: UnsafeRawBufferPointer {
    // SAFETY: `count` bytes are initialised.
    unsafe UnsafeRawBufferPointer(start: memory, count: count)
  }

  /// The bytes of a range; valid until the next change.
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range of the bytes")
    // SAFETY: in bounds (above).
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
  }

  /// Lets at least `more` bytes follow, and returns the place of the first.
  ///
  /// What is written there becomes part of the bytes with `grow(by:)`. Valid until the next change.
  @inline(__always)
  mutating func reserve(_ more: Int) -> UnsafeMutableRawPointer {
    if let memory = unsafe memory, capacity - count >= more { return unsafe memory + count }
    return unsafe reallocate(more)
  }

  @inline(never)
  private mutating func reallocate(_ more: Int) -> UnsafeMutableRawPointer {
    precondition(more >= 0, "bytes cannot be reserved backwards")
    let needed = max(count + more, capacity * 2, 64)
    let new = UnsafeMutableRawPointer.allocate(byteCount: needed, alignment: 16)
    if let memory = unsafe memory {
      // SAFETY: `count` bytes are initialised in the old memory and fit the new one.
      unsafe new.copyMemory(from: memory, byteCount: count)
      unsafe memory.deallocate()
    }
    unsafe memory = new
    capacity = needed
    return unsafe new + count
  }

  /// Makes the first `added` reserved bytes, which were written, part of the bytes.
  mutating func grow(by added: Int) {
    precondition(added >= 0 && added <= capacity - count, "reserved before")
    count += added
  }

  /// Adds `source`, which does not lie in these bytes.
  @inline(__always)
  mutating func append(_ source: UnsafeRawBufferPointer) {
    guard let start = source.baseAddress, source.count > 0 else { return }
    // SAFETY: room for the bytes is reserved; the source is another memory.
    unsafe reserve(source.count).copyMemory(from: start, byteCount: source.count)
    count += source.count
  }

  /// Adds an integer, or another trivial value, as it lies in memory.
  @inline(__always)
  mutating func append<T: BitwiseCopyable>(_ value: T) {
    // SAFETY: room for the value is reserved.
    unsafe reserve(MemoryLayout<T>.size).storeBytes(of: value, as: T.self)
    count += MemoryLayout<T>.size
  }

  /// Adds zero bytes.
  mutating func appendZeros(_ zeroCount: Int) {
    // SAFETY: room for the bytes is reserved.
    unsafe reserve(zeroCount).initializeMemory(as: UInt8.self, repeating: 0, count: zeroCount)
    count += zeroCount
  }

  /// Adds zero bytes up to a multiple of 16.
  mutating func align() {
    appendZeros(alignedTo16(count) - count)
  }

  /// Replaces the bytes at `offset` by those of `value`.
  mutating func replace<T: BitwiseCopyable>(at offset: Int, with value: T) {
    precondition(
      offset >= 0 && offset + MemoryLayout<T>.size <= count, "a place in the bytes")
    // SAFETY: in bounds (above), so there is memory.
    if let memory = unsafe memory {
      unsafe (memory + offset).storeBytes(of: value, as: T.self)
    }
  }

  /// Copies the bytes of a range over those that begin at `offset`, which is not behind it.
  mutating func move(_ range: Range<Int>, to offset: Int) {
    precondition(
      offset >= 0 && offset <= range.lowerBound && range.upperBound <= count,
      "a range of the bytes and a place before it")
    // SAFETY: both places are in the memory (above); `copyMemory` allows overlap.
    if let memory = unsafe memory {
      unsafe (memory + offset).copyMemory(
        from: memory + range.lowerBound, byteCount: range.count)
    }
  }

  /// Opens a gap of `width` bytes at `offset`, filled with zeros.
  mutating func insertZeros(at offset: Int, width: Int) {
    precondition(offset >= 0 && offset <= count, "a place in the bytes")
    appendZeros(width)
    // SAFETY: there is memory for `count` bytes; `copyMemory` allows overlap.
    if let memory = unsafe memory {
      unsafe (memory + offset + width).copyMemory(
        from: memory + offset, byteCount: count - width - offset)
      unsafe (memory + offset).initializeMemory(as: UInt8.self, repeating: 0, count: width)
    }
  }

  /// Shortens the bytes to `newCount`.
  mutating func truncate(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= count, "bytes can only be cut off")
    count = newCount
  }
}
