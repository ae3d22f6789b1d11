/// How many bytes an index leaf will take, kept up to date value by value.
///
/// A value type, so that a leaf can ask what it would take with some more entries. Exact but for a
/// few bytes: counts and long restarts are taken for at least as large as they turn out.
struct IndexLeafMeasure {
  private(set) var form = IndexValueForm.integers
  private(set) var valueCount = 0
  private(set) var entryCount = 0

  // Integers.
  private(set) var firstInteger: Int64 = 0
  private(set) var lastInteger: Int64 = 0

  // Bytes; all without the terminator.
  private(set) var prefixByteCount = 0
  private var restartByteCount = 0
  private var restartLengthByteCount = 0
  private var stepByteCount = 0
  private var lastByteCount = 0

  private var leastCount = Int.max
  private var greatestCount = 0
  private var leastKey = Int64.max
  private var greatestKey = Int64.min

  init(form: IndexValueForm) { self.form = form }

  // MARK: Adding

  /// Adds an integer above all others.
  @inline(__always)
  mutating func add(_ integer: Int64) {
    if valueCount == 0 { firstInteger = integer }
    lastInteger = integer
    valueCount &+= 1
  }

  /// Adds a value of `byteCount` bytes that has `shared` bytes in common with the one before.
  mutating func add(byteCount fullByteCount: Int, shared: Int) {
    let byteCount = fullByteCount - form.terminatorByteCount
    let shared = min(shared, byteCount, lastByteCount)
    prefixByteCount = valueCount == 0 ? byteCount : min(prefixByteCount, shared)
    if valueCount % SortedBytes.restartInterval == 0 {
      restartByteCount += byteCount
      restartLengthByteCount += Self.varintByteCount(byteCount)
    } else {
      let dropped = lastByteCount - shared
      let added = byteCount - shared
      stepByteCount += 1 + added
      if dropped >= 15 { stepByteCount += Self.varintByteCount(dropped - 15) }
      if added >= 15 { stepByteCount += Self.varintByteCount(added - 15) }
    }
    lastByteCount = byteCount
    valueCount += 1
  }

  /// Adds the keys of the value added last, which ascend; `total` is how many it has then.
  @inline(__always)
  mutating func add(keyCount: Int, first: Int64, last: Int64, total: Int) {
    entryCount &+= keyCount
    leastCount = min(leastCount, total)
    greatestCount = max(greatestCount, total)
    leastKey = min(leastKey, first)
    greatestKey = max(greatestKey, last)
  }

  // MARK: Bytes

  /// The bytes of the encoded leaf.
  var byteCount: Int {
    IndexPage.headerByteCount + alignedTo16(valuesAndCountsByteCount) + keysByteCount
  }

  private var keysByteCount: Int {
    guard leastKey < greatestKey else { return 16 }
    return IntVector.packedByteCount(
      count: entryCount, width: IntBuilder.width(UInt64(bitPattern: greatestKey &- leastKey)))
  }

  private var valuesAndCountsByteCount: Int {
    let counts = countsByteCount
    guard form == .integers else { return alignedTo16(sortedByteCount) + counts }
    let values = IntVector.packedByteCount(count: valueCount, width: IntBuilder.width(span))
    return min(values + counts, denseByteCount)
  }

  private var countsByteCount: Int {
    guard leastCount < greatestCount else { return 16 }
    return IntVector.packedByteCount(
      count: valueCount, width: IntBuilder.width(UInt64(greatestCount - leastCount)))
  }

  /// From the first integer to the last.
  private var span: UInt64 { UInt64(bitPattern: lastInteger &- firstInteger) }

  /// The bytes of the values and counts when all integers from the first to the last are written.
  private var denseByteCount: Int {
    guard valueCount > 1, span < 8 * UInt64(valueCount) else { return .max }
    return 32
      + IntVector.packedByteCount(
        count: Int(span) + 1, width: IntBuilder.width(UInt64(greatestCount)))
  }

  /// Whether all integers from the first to the last are to be written.
  var isDense: Bool {
    guard form == .integers else { return false }
    let values = IntVector.packedByteCount(count: valueCount, width: IntBuilder.width(span))
    return denseByteCount < values + countsByteCount
  }

  private var sortedByteCount: Int {
    let restartCount = SortedBytes.restartCount(valueCount)
    return SortedBytes.headerByteCount + 4 * restartCount + prefixByteCount
      + restartByteCount - restartCount * prefixByteCount + restartLengthByteCount + stepByteCount
  }

  static func varintByteCount(_ value: Int) -> Int {
    value < 0x80 ? 1 : value < 0x4000 ? 2 : 3
  }
}
