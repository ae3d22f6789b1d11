import AtollStorage

/// Values of a fixed number of bytes being collected; see `FixedVector` for what they become.
struct FixedBuilder: ~Copyable {
  let width: Int
  private(set) var bytes = GrowableBytes()
  private(set) var count = 0

  init(width: Int) {
    self.width = width
  }

  mutating func removeAll() {
    bytes.removeAll()
    count = 0
  }

  /// Adds a value that has exactly `width` bytes.
  @inline(__always)
  mutating func append<T: BitwiseCopyable>(_ value: T) {
    precondition(MemoryLayout<T>.size == width, "a value of the column's width")
    bytes.append(value)
    count += 1
  }

  mutating func append(_ value: UnsafeRawBufferPointer) {
    precondition(value.count == width, "a value of the column's width")
    unsafe bytes.append(value)
    count += 1
  }

  mutating func appendZero() {
    bytes.appendZeros(width)
    count += 1
  }

  mutating func set(_ row: Int, _ value: UnsafeRawBufferPointer) {
    precondition(row >= 0 && row < count && value.count == width, "a value of the column's width")
    for offset in 0..<width {
      bytes.replace(at: row * width + offset, with: unsafe value[offset])
    }
  }

  mutating func setZero(_ row: Int) {
    precondition(row >= 0 && row < count, "a row of the column")
    for offset in row * width..<(row + 1) * width { bytes.replace(at: offset, with: UInt8(0)) }
  }

  mutating func insertZero(at row: Int) {
    bytes.insertZeros(at: row * width, width: width)
    count += 1
  }

  mutating func remove(_ removal: RowRemoval) {
    removal.forEachMove(of: count) { rows, target in
      bytes.move((rows.lowerBound * width)..<(rows.upperBound * width), to: target * width)
    }
    count -= removal.rows.count
    bytes.truncate(to: count * width)
  }

  mutating func truncate(to newCount: Int) {
    bytes.truncate(to: newCount * width)
    count = newCount
  }

  mutating func append(_ other: borrowing FixedBuilder, _ rows: Range<Int>) {
    unsafe bytes.append(
      other.bytes.bytes((rows.lowerBound * width)..<(rows.upperBound * width)))
    count += rows.count
  }

  mutating func append(_ vector: FixedVector) {
    if vector.stride == width {
      // SAFETY: the vector has `count` values of `width` bytes, one behind the other.
      unsafe bytes.append(
        UnsafeRawBufferPointer(start: vector.bytes, count: vector.count * width))
    } else {
      for row in 0..<vector.count { unsafe bytes.append(vector.bytes(row)) }
    }
    count += vector.count
  }

  /// The bytes of value `row`; valid until the next change.
  func value(_ row: Int) -> UnsafeRawBufferPointer {
    unsafe bytes.bytes((row * width)..<((row + 1) * width))
  }

  /// Value `row`; `T` has `width` bytes.
  func load<T: BitwiseCopyable>(_ row: Int, as type: T.Type = T.self) -> T {
    precondition(MemoryLayout<T>.size <= width, "a value of the column's width")
    // SAFETY: the value has at least the bytes of a `T`, and the callers load numbers only.
    return unsafe value(row).loadUnaligned(as: T.self)
  }

  var estimatedByteCount: Int { 16 + bytes.count }

  /// Writes the vector: constant when all values are equal, compressed when that saves an eighth.
  func encode(into out: inout GrowableBytes) {
    let start = out.count
    out.append(UInt8(0))
    out.append(UInt8(width))
    out.append(UInt16(0))
    out.append(UInt32(count))
    out.append(UInt32(bytes.count))
    out.append(UInt32(0))
    if isConstant {
      out.replace(at: start, with: UInt8(1))
      out.replace(at: start + 8, with: UInt32(width))
      unsafe out.append(value(0))
    } else if mayCompress, let stored = unsafe out.appendCompressed(bytes.bytes) {
      out.replace(at: start, with: UInt8(2))
      out.replace(at: start + 8, with: UInt32(stored))
    } else {
      unsafe out.append(bytes.bytes)
    }
    out.align()
  }

  private var isConstant: Bool {
    guard count > 1 else { return false }
    // All values are equal when each byte is equal to the one `width` before it.
    return unsafe compare(
      bytes.bytes(0..<(bytes.count - width)), bytes.bytes(width..<bytes.count)) == 0
  }

  /// Whether LZ4 is worth a try.
  ///
  /// Floats and doubles stay raw, so that a scan reads them in place;
  /// ids and decimals have long runs in common.
  private var mayCompress: Bool { width > 8 && bytes.count >= 256 }
}

extension GrowableBytes {
  /// Adds the LZ4 block of `source` if that saves at least an eighth; returns its byte count.
  mutating func appendCompressed(_ source: UnsafeRawBufferPointer) -> Int? {
    let limit = source.count - (source.count + 7) / 8
    guard limit > 0 else { return nil }
    // SAFETY: room for `limit` bytes is reserved; liblz4 gives up rather than write more.
    let target = unsafe UnsafeMutableRawBufferPointer(start: reserve(limit), count: limit)
    guard let stored = unsafe LZ4.compress(source, into: target) else { return nil }
    grow(by: stored)
    return stored
  }
}
