internal import AtollObjects

/// Compares floating-point numbers with closed ranges, as they lie; NaN is in none.
enum FloatScan {
  /// Sets the bits of the rows whose number is in one of `ranges`, which ascend and are disjoint.
  static func select<T: BinaryFloatingPoint & BitwiseCopyable>(
    _ vector: FixedVector, _ ranges: [(low: T, high: T)], _ rows: Selection
  ) {
    let count = vector.count
    rows.resize(count)
    guard count > 0 else { return }
    guard vector.stride > 0 else {
      let value = vector.load(0, as: T.self)
      rows.fill(count, ranges.contains { value >= $0.low && value <= $0.high })
      return
    }
    guard let first = ranges.first else {
      rows.fill(count, false)
      return
    }
    guard ranges.count <= passLimit else { return search(vector, ranges, rows) }
    if let first = first as? (low: Double, high: Double) {
      selectDoubles(vector, first, rows)
    } else {
      select(vector, first, rows, isFirst: true)
    }
    for range in ranges.dropFirst() { select(vector, range, rows, isFirst: false) }
  }

  /// With more ranges than this, looking each number up is quicker than a pass for each range.
  private static let passLimit = 16

  /// Looks each number up among many ranges.
  private static func search<T: BinaryFloatingPoint & BitwiseCopyable>(
    _ vector: FixedVector, _ ranges: [(low: T, high: T)], _ rows: Selection
  ) {
    rows.fill(vector.count, false)
    for row in 0..<vector.count {
      let value = vector.load(row, as: T.self)
      var low = 0
      var high = ranges.count
      // NaN is above none.
      while low < high {
        let middle = (low &+ high) / 2
        if value >= ranges[middle].low { low = middle + 1 } else { high = middle }
      }
      if low > 0, value <= ranges[low - 1].high { rows[row] = true }
    }
  }

  /// The number of rows whose double is in one range; quicker than a selection.
  static func count(_ vector: FixedVector, _ range: (low: Double, high: Double)) -> Int {
    let count = vector.count
    guard count > 0 else { return 0 }
    let bytes = unsafe vector.bytes
    guard vector.stride > 0 else {
      let value = vector.load(0, as: Double.self)
      return value >= range.low && value <= range.high ? count : 0
    }
    // Of a range without an end, one comparison tells all: NaN is not on its side either.
    let (negated, blockRows) =
      if range.low == -.infinity {
        unsafe negatedCount(bytes, count) { $0 .<= SIMD8(repeating: range.high) }
      } else if range.high == .infinity {
        unsafe negatedCount(bytes, count) { $0 .>= SIMD8(repeating: range.low) }
      } else {
        unsafe negatedCount(bytes, count) {
          ($0 .>= SIMD8(repeating: range.low)) .& ($0 .<= SIMD8(repeating: range.high))
        }
      }
    var total = -negated
    var row = blockRows
    while row < count {
      // SAFETY: the row is in bounds.
      let value = unsafe bytes.loadUnaligned(fromByteOffset: row &* 8, as: Double.self)
      total &+= value >= range.low && value <= range.high ? 1 : 0
      row &+= 1
    }
    return total
  }

  /// Minus the number of doubles that pass, of the rows before the second result.
  ///
  /// A comparison gives lanes of -1, which are added up as they are.
  @inline(__always)
  private static func negatedCount(
    _ bytes: UnsafeRawPointer, _ count: Int,
    _ passes: (SIMD8<Double>) -> SIMDMask<SIMD8<Int64>>
  ) -> (negated: Int, rows: Int) {
    let zero = SIMD8<Int64>(repeating: 0)
    let minusOne = SIMD8<Int64>(repeating: -1)
    var sums = zero
    var row = 0
    while row &+ 8 <= count {
      // SAFETY: eight rows from there are in bounds.
      let block = unsafe bytes.loadUnaligned(
        fromByteOffset: row &* 8, as: SIMD8<Double>.self)
      sums &+= zero.replacing(with: minusOne, where: passes(block))
      row &+= 8
    }
    return (Int(sums.wrappedSum()), row)
  }

  /// Eight doubles at a time.
  private static func selectDoubles(
    _ vector: FixedVector, _ range: (low: Double, high: Double), _ rows: Selection
  ) {
    let count = vector.count
    let bytes = unsafe vector.bytes
    let low = SIMD8(repeating: range.low)
    let high = SIMD8(repeating: range.high)
    var row = 0
    while row < count {
      var word: UInt64 = 0
      if row &+ 64 <= count {
        var part = 0
        while part < 64 {
          // SAFETY: eight rows from there are in bounds.
          let block = unsafe bytes.loadUnaligned(
            fromByteOffset: (row &+ part) &* 8, as: SIMD8<Double>.self)
          word |= LaneBits.bits(block, low, high) &<< UInt64(part)
          part &+= 8
        }
      } else {
        for i in 0..<(count &- row) {
          // SAFETY: the row is in bounds.
          let value = unsafe bytes.loadUnaligned(
            fromByteOffset: (row &+ i) &* 8, as: Double.self)
          word |= (value >= range.low && value <= range.high ? 1 : 0) &<< UInt64(i)
        }
      }
      unsafe rows.words[row &>> 6] = word
      row &+= 64
    }
  }

  @inline(__always)
  private static func select<T: BinaryFloatingPoint & BitwiseCopyable>(
    _ vector: FixedVector, _ range: (low: T, high: T), _ rows: Selection, isFirst: Bool
  ) {
    let count = vector.count
    let bytes = unsafe vector.bytes
    let (low, high) = range
    var row = 0
    while row < count {
      var word: UInt64 = 0
      let length = min(64, count &- row)
      for i in 0..<length {
        // SAFETY: the row is in bounds, and the stride is the size of a number.
        let value = unsafe bytes.loadUnaligned(
          fromByteOffset: (row &+ i) &* MemoryLayout<T>.size, as: T.self)
        let isInside: UInt64 = (value >= low ? 1 : 0) & (value <= high ? 1 : 0)
        word |= isInside &<< UInt64(i)
      }
      if isFirst {
        unsafe rows.words[row &>> 6] = word
      } else {
        unsafe rows.words[row &>> 6] |= word
      }
      row &+= 64
    }
  }
}
