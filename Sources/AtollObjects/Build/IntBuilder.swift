/// Integers being collected; see `IntVector` for what they become.
struct IntBuilder {
  private(set) var values: [Int64] = []
  /// Bounds of all values that were ever there; nothing shrinks them, so they only estimate.
  private var least = Int64.max
  private var greatest = Int64.min

  var count: Int { values.count }

  mutating func removeAll() {
    values.removeAll(keepingCapacity: true)
    least = .max
    greatest = .min
  }

  subscript(row: Int) -> Int64 { values[row] }

  @inline(__always)
  private mutating func include(_ value: Int64) {
    if value < least { least = value }
    if value > greatest { greatest = value }
  }

  @inline(__always)
  mutating func append(_ value: Int64) {
    include(value)
    values.append(value)
  }

  mutating func set(_ row: Int, _ value: Int64) {
    include(value)
    values[row] = value
  }

  mutating func insert(_ value: Int64, at row: Int) {
    include(value)
    values.insert(value, at: row)
  }

  mutating func remove(_ removal: RowRemoval) {
    removal.apply(to: &values)
  }

  mutating func truncate(to count: Int) {
    values.removeLast(values.count - count)
  }

  mutating func append(_ other: IntBuilder, _ rows: Range<Int>) {
    for row in rows { append(other.values[row]) }
  }

  mutating func append(_ vector: IntVector) {
    let start = values.count
    values.append(contentsOf: repeatElement(0, count: vector.count))
    unsafe values.withUnsafeMutableBufferPointer { values in
      guard let memory = values.baseAddress else { return }
      // SAFETY: the array was lengthened by as many values.
      unsafe vector.copy(0..<vector.count, into: memory + start)
    }
    for row in start..<values.count { include(values[row]) }
  }

  /// About what `encode` will write, at least for values that are not evenly spaced.
  var estimatedByteCount: Int {
    guard least <= greatest else { return 16 }
    let width = Self.width(UInt64(bitPattern: greatest &- least))
    return width == 0 ? 16 : 32 + values.count * width
  }

  /// The bytes that hold offsets up to `greatest`.
  static func width(_ greatest: UInt64) -> Int {
    switch greatest {
    case 0: 0
    case ...0xFF: 1
    case ...0xFFFF: 2
    case ...0xFF_FFFF: 3
    case ...0xFFFF_FFFF: 4
    default: 8
    }
  }

  /// The least and greatest of the values that are not null; nil when there are none.
  func bounds(validity: BitBuilder? = nil) -> ClosedRange<Int64>? {
    var least = Int64.max
    var greatest = Int64.min
    if let validity, validity.trueCount < values.count {
      for row in values.indices where validity[row] {
        least = min(least, values[row])
        greatest = max(greatest, values[row])
      }
    } else {
      for value in values {
        least = min(least, value)
        greatest = max(greatest, value)
      }
    }
    return least <= greatest ? least...greatest : nil
  }

  /// Writes the vector and returns the bounds of its values.
  ///
  /// Entries that `validity` calls null are no values: they become the base and cost no width.
  @discardableResult
  func encode(into out: inout GrowableBytes, validity: BitBuilder? = nil) -> ClosedRange<Int64>? {
    let bounds = bounds(validity: validity)
    let base = bounds?.lowerBound ?? 0
    let width = Self.width(UInt64(bitPattern: (bounds?.upperBound ?? 0) &- base))
    let hasNulls = validity.map { $0.trueCount < values.count } ?? false
    if width > 0, !hasNulls, let stride = evenStride() {
      Self.encode(first: values[0], stride: stride, count: values.count, into: &out)
      return bounds
    }
    Self.header(into: &out, encoding: 0, width: width, count: values.count, base: base)
    guard width > 0 else { return bounds }
    let byteCount = IntVector.packedByteCount(count: values.count, width: width) - 16
    let target = unsafe out.reserve(byteCount)
    // SAFETY: every store ends inside `byteCount`, which has room for 16 bytes from the last value
    // on. Stores go up, so the excess byte of a 3-byte value is overwritten by the next one, and
    // the rest is cleared at the end.
    let packed = values.count * width
    unsafe values.withUnsafeBufferPointer { values in
      switch width {
      case 1:
        for row in 0..<values.count {
          unsafe target.storeBytes(
            of: UInt8(truncatingIfNeeded: values[row] &- base), toByteOffset: row,
            as: UInt8.self)
        }
      case 2:
        for row in 0..<values.count {
          unsafe target.storeBytes(
            of: UInt16(truncatingIfNeeded: values[row] &- base), toByteOffset: row &* 2,
            as: UInt16.self)
        }
      case 3:
        for row in 0..<values.count {
          unsafe target.storeBytes(
            of: UInt32(truncatingIfNeeded: values[row] &- base) & 0xFF_FFFF,
            toByteOffset: row &* 3, as: UInt32.self)
        }
      case 4:
        for row in 0..<values.count {
          unsafe target.storeBytes(
            of: UInt32(truncatingIfNeeded: values[row] &- base), toByteOffset: row &* 4,
            as: UInt32.self)
        }
      default:
        for row in 0..<values.count {
          unsafe target.storeBytes(
            of: values[row] &- base, toByteOffset: row &* 8, as: Int64.self)
        }
      }
    }
    unsafe (target + packed).initializeMemory(
      as: UInt8.self, repeating: 0, count: byteCount - packed)
    if hasNulls, let validity {
      for row in values.indices where !validity[row] {
        unsafe (target + row * width).initializeMemory(as: UInt8.self, repeating: 0, count: width)
      }
    }
    out.grow(by: byteCount)
    return bounds
  }

  /// Writes the vector of first + i × stride for all i below `count`, which is above 2.
  static func encode(first: Int64, stride: Int64, count: Int, into out: inout GrowableBytes) {
    header(into: &out, encoding: 1, width: 0, count: count, base: first)
    out.append(stride)
    out.append(UInt64(0))
  }

  /// The step between any two neighbours, when it is the same for all; nil also for fewer than
  /// three values, or when a sum of steps would wrap.
  private func evenStride() -> Int64? {
    guard values.count > 2 else { return nil }
    let (stride, overflow) = values[1].subtractingReportingOverflow(values[0])
    guard !overflow else { return nil }
    for row in 1..<values.count where values[row] &- values[row - 1] != stride { return nil }
    let (span, wraps) = stride.multipliedReportingOverflow(by: Int64(values.count - 1))
    guard !wraps, !values[0].addingReportingOverflow(span).overflow else { return nil }
    return stride
  }

  private static func header(
    into out: inout GrowableBytes, encoding: UInt8, width: Int, count: Int, base: Int64
  ) {
    out.append(encoding)
    out.append(UInt8(width))
    out.append(UInt16(0))
    out.append(UInt32(count))
    out.append(base)
  }
}
