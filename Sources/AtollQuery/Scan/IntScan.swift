internal import AtollObjects

/// Compares packed integers with ranges, as they lie.
///
/// A range test on `base + offset` is one on the unsigned offset: offset - low <= high - low. So
/// every comparison costs a subtraction and a comparison a vector, whatever the operator.
enum IntScan {
  /// Sets the bits of the rows whose integer is in `set`.
  static func select(_ vector: IntVector, _ set: IntervalSet<Int64>, _ rows: Selection) {
    rows.resize(vector.count)
    let ranges = set.ranges
    guard vector.count > 0 else { return }
    if vector.width == 0 {
      guard vector.stride != 0 else {
        rows.fill(vector.count, set.contains(vector.base))
        return
      }
      rows.fill(vector.count, false)
      for row in 0..<vector.count where set.contains(vector[row]) { rows[row] = true }
      return
    }
    let offsets = ranges.compactMap { offsetRange($0, vector) }
    guard let first = offsets.first else {
      rows.fill(vector.count, false)
      return
    }
    if offsets.count > 4, vector.width == 1 {
      table(vector, offsets, rows)
      return
    }
    if offsets.count > 16 {
      search(vector, offsets, rows)
      return
    }
    select(vector, first, rows, isFirst: true)
    for range in offsets.dropFirst() { select(vector, range, rows, isFirst: false) }
    rows.clearTail()
  }

  /// The number of rows whose integer is in one range; quicker than a selection.
  static func count(_ vector: IntVector, _ range: ClosedRange<Int64>) -> Int {
    guard vector.count > 0 else { return 0 }
    if vector.width == 0 {
      if vector.stride == 0 { return range.contains(vector.base) ? vector.count : 0 }
      return (0..<vector.count).count { range.contains(vector[$0]) }
    }
    guard let offsets = offsetRange(range, vector) else { return 0 }
    let low = offsets.lowerBound
    let span = offsets.upperBound - low
    switch vector.width {
    case 1: return count(vector, UInt8(low), UInt8(span))
    case 2:
      return count(vector, as: UInt16.self, UInt16(low), UInt16(span))
    case 4:
      return count(vector, UInt32(low), UInt32(span))
    case 8: return count(vector, as: UInt64.self, low, span)
    default:
      var sum = 0
      for row in 0..<vector.count {
        // SAFETY: four bytes can be read at the place of every value of three.
        let offset =
          unsafe vector.packed.loadUnaligned(fromByteOffset: row &* 3, as: UInt32.self)
          & 0xFF_FFFF
        sum &+= UInt64(offset) &- low <= span ? 1 : 0
      }
      return sum
    }
  }

  private static func count<T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ vector: IntVector, as type: T.Type, _ low: T, _ span: T
  ) -> Int {
    var sum = 0
    for row in 0..<vector.count {
      // SAFETY: the row is in bounds.
      let offset = unsafe vector.packed.loadUnaligned(
        fromByteOffset: row &* MemoryLayout<T>.size, as: T.self)
      sum &+= offset &- low <= span ? 1 : 0
    }
    return sum
  }

  /// Eight integers of four bytes at a time.
  private static func count(_ vector: IntVector, _ low: UInt32, _ span: UInt32) -> Int {
    let count = vector.count
    // SSE2 compares signed integers only: both sides are moved by 2^31.
    let lows = SIMD8<Int32>(repeating: Int32(bitPattern: low &- 1 << 31))
    let spans = SIMD8<Int32>(repeating: Int32(bitPattern: span ^ 1 << 31))
    let zero = SIMD8<Int32>(repeating: 0)
    let minusOne = SIMD8<Int32>(repeating: -1)
    // A lane counts at most the 65 536 rows of a leaf.
    var sums = zero
    var row = 0
    while row &+ 8 <= count {
      // SAFETY: eight rows from `row` are in bounds.
      let block = unsafe vector.packed.loadUnaligned(
        fromByteOffset: row &* 4, as: SIMD8<Int32>.self)
      sums &+= zero.replacing(with: minusOne, where: (block &- lows) .<= spans)
      row &+= 8
    }
    var total = -Int(sums.wrappedSum())
    while row < count {
      // SAFETY: the row is in bounds.
      let offset = unsafe vector.packed.loadUnaligned(fromByteOffset: row &* 4, as: UInt32.self)
      total &+= offset &- low <= span ? 1 : 0
      row &+= 1
    }
    return total
  }

  private static func count(_ vector: IntVector, _ low: UInt8, _ span: UInt8) -> Int {
    let count = vector.count
    let lows = SIMD16<UInt8>(repeating: low)
    let spans = SIMD16<UInt8>(repeating: span)
    let zero = SIMD16<UInt8>(repeating: 0)
    let one = SIMD16<UInt8>(repeating: 1)
    var total = 0
    var row = 0
    while row + 16 <= count {
      // Sums of at most 255 in each lane, then added up.
      var sums = SIMD16<UInt8>(repeating: 0)
      var rounds = min(255, (count - row) / 16)
      while rounds > 0 {
        // SAFETY: sixteen rows from `row` are in bounds.
        let block = unsafe vector.packed.loadUnaligned(
          fromByteOffset: row, as: SIMD16<UInt8>.self)
        sums &+= zero.replacing(with: one, where: (block &- lows) .<= spans)
        row &+= 16
        rounds &-= 1
      }
      total += Int(SIMD16<UInt16>(truncatingIfNeeded: sums).wrappedSum())
    }
    while row < count {
      // SAFETY: the row is in bounds.
      let offset = unsafe vector.packed.load(fromByteOffset: row, as: UInt8.self)
      total &+= offset &- low <= span ? 1 : 0
      row &+= 1
    }
    return total
  }

  /// The sum of all values, and the least and the greatest, in one pass over the bytes.
  static func summary(_ vector: IntVector) -> (sum: Int128, least: Int64, greatest: Int64)? {
    guard vector.count > 0 else { return nil }
    let (sum, least, greatest): (Int128, UInt64, UInt64)
    switch vector.width {
    case 1: (sum, least, greatest) = summary(vector, as: UInt8.self)
    case 2: (sum, least, greatest) = summary(vector, as: UInt16.self)
    case 4: (sum, least, greatest) = summary(vector, as: UInt32.self)
    default:
      var total: Int128 = 0
      var low = Int64.max
      var high = Int64.min
      for row in 0..<vector.count {
        let value = vector[row]
        total += Int128(value)
        low = min(low, value)
        high = max(high, value)
      }
      return (total, low, high)
    }
    return (
      sum + Int128(vector.base) * Int128(vector.count),
      vector.base &+ Int64(bitPattern: least), vector.base &+ Int64(bitPattern: greatest)
    )
  }

  @inline(__always)
  private static func summary<T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ vector: IntVector, as type: T.Type
  ) -> (Int128, UInt64, UInt64) {
    var sum: UInt64 = 0
    var least = T.max
    var greatest = T.min
    for row in 0..<vector.count {
      // SAFETY: the row is in bounds. At most 2^28 values of 32 bits are added: no overflow.
      let offset = unsafe vector.packed.loadUnaligned(
        fromByteOffset: row &* MemoryLayout<T>.size, as: T.self)
      sum &+= UInt64(offset)
      least = min(least, offset)
      greatest = max(greatest, offset)
    }
    return (Int128(sum), UInt64(least), UInt64(greatest))
  }

  /// The offsets from the base that lie in a range of integers; nil when there are none.
  private static func offsetRange(
    _ range: ClosedRange<Int64>, _ vector: IntVector
  ) -> ClosedRange<UInt64>? {
    if vector.width == 8 {
      // Offsets of eight bytes may wrap: base + offset in 64-bit arithmetic, but the base is the
      // least value, so the offset is the unsigned distance.
      guard range.upperBound >= vector.base else { return nil }
      let low =
        range.lowerBound <= vector.base ? 0 : UInt64(bitPattern: range.lowerBound &- vector.base)
      return low...UInt64(bitPattern: range.upperBound &- vector.base)
    }
    let greatest: UInt64 = (1 << UInt64(vector.width * 8)) - 1
    guard range.upperBound >= vector.base else { return nil }
    let high = min(greatest, UInt64(bitPattern: range.upperBound &- vector.base))
    let low =
      range.lowerBound <= vector.base ? 0 : UInt64(bitPattern: range.lowerBound &- vector.base)
    return low <= high ? low...high : nil
  }

  // MARK: Selections

  private static func select(
    _ vector: IntVector, _ range: ClosedRange<UInt64>, _ rows: Selection, isFirst: Bool
  ) {
    let low = range.lowerBound
    let span = range.upperBound - low
    switch vector.width {
    case 1: selectBytes(vector, UInt8(low), UInt8(span), rows, isFirst: isFirst)
    case 2:
      let lows = SIMD16(repeating: UInt16(low))
      let spans = SIMD16(repeating: UInt16(span))
      unsafe selectBlocks(vector, UInt16(low), UInt16(span), rows, isFirst: isFirst) { place in
        // SAFETY: sixteen rows can be read there.
        LaneBits.bits(
          unsafe place.loadUnaligned(as: SIMD16<UInt16>.self), lows, spans)
      }
    case 4:
      let lows = SIMD16(repeating: UInt32(low))
      let spans = SIMD16(repeating: UInt32(span))
      unsafe selectBlocks(vector, UInt32(low), UInt32(span), rows, isFirst: isFirst) { place in
        // SAFETY: sixteen rows can be read there.
        LaneBits.bits(
          unsafe place.loadUnaligned(as: SIMD16<UInt32>.self), lows, spans)
      }
    case 8: select(vector, low, span, rows, isFirst: isFirst)
    default: selectTriples(vector, low, span, rows, isFirst: isFirst)
    }
  }

  private static func selectBytes(
    _ vector: IntVector, _ low: UInt8, _ span: UInt8, _ rows: Selection, isFirst: Bool
  ) {
    let lows = SIMD16<UInt8>(repeating: low)
    let spans = SIMD16<UInt8>(repeating: span)
    let zero = SIMD16<UInt8>(repeating: 0)
    let one = SIMD16<UInt8>(repeating: 1)
    let count = vector.count
    var row = 0
    while row < count {
      var word: UInt64 = 0
      var part = 0
      while part < 64, row + part < count {
        // SAFETY: sixteen bytes can be read at the place of every row.
        let block = unsafe vector.packed.loadUnaligned(
          fromByteOffset: row &+ part, as: SIMD16<UInt8>.self)
        let hits = unsafe unsafeBitCast(
          zero.replacing(with: one, where: (block &- lows) .<= spans), to: SIMD2<UInt64>.self)
        let bits = LaneBits.bits(ofBytes: hits[0]) | LaneBits.bits(ofBytes: hits[1]) &<< 8
        word |= bits &<< UInt64(part)
        part &+= 16
      }
      // SAFETY: the selection has a word for every 64 rows.
      if isFirst {
        unsafe rows.words[row &>> 6] = word
      } else {
        unsafe rows.words[row &>> 6] |= word
      }
      row &+= 64
    }
  }

  private static func select<T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ vector: IntVector, _ low: T, _ span: T, _ rows: Selection, isFirst: Bool
  ) {
    let count = vector.count
    let packed = unsafe vector.packed
    var row = 0
    while row < count {
      var word: UInt64 = 0
      let length = min(64, count &- row)
      for i in 0..<length {
        // SAFETY: the row is in bounds.
        let offset = unsafe packed.loadUnaligned(
          fromByteOffset: (row &+ i) &* MemoryLayout<T>.size, as: T.self)
        word |= (offset &- low <= span ? 1 : 0) &<< UInt64(i)
      }
      if isFirst {
        unsafe rows.words[row &>> 6] = word
      } else {
        unsafe rows.words[row &>> 6] |= word
      }
      row &+= 64
    }
  }

  /// Tests sixteen rows at a time by `bits`, which gets their place; the last ones one by one.
  @inline(__always)
  private static func selectBlocks<T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ vector: IntVector, _ low: T, _ span: T, _ rows: Selection, isFirst: Bool,
    _ bits: (UnsafeRawPointer) -> UInt64
  ) {
    let count = vector.count
    let packed = unsafe vector.packed
    let stride = MemoryLayout<T>.size
    var row = 0
    while row < count {
      var word: UInt64 = 0
      if row &+ 64 <= count {
        var part = 0
        while part < 64 {
          unsafe word |= bits(packed + (row &+ part) &* stride) &<< UInt64(part)
          part &+= 16
        }
      } else {
        for i in 0..<(count &- row) {
          // SAFETY: the row is in bounds.
          let offset = unsafe packed.loadUnaligned(
            fromByteOffset: (row &+ i) &* stride, as: T.self)
          word |= (offset &- low <= span ? 1 : 0) &<< UInt64(i)
        }
      }
      if isFirst {
        unsafe rows.words[row &>> 6] = word
      } else {
        unsafe rows.words[row &>> 6] |= word
      }
      row &+= 64
    }
  }

  private static func selectTriples(
    _ vector: IntVector, _ low: UInt64, _ span: UInt64, _ rows: Selection, isFirst: Bool
  ) {
    let count = vector.count
    let packed = unsafe vector.packed
    let low = UInt32(low)
    let span = UInt32(span)
    var row = 0
    while row < count {
      var word: UInt64 = 0
      let length = min(64, count &- row)
      for i in 0..<length {
        // SAFETY: four bytes can be read at the place of every value of three.
        let offset =
          unsafe packed.loadUnaligned(fromByteOffset: (row &+ i) &* 3, as: UInt32.self)
          & 0xFF_FFFF
        word |= (offset &- low <= span ? 1 : 0) &<< UInt64(i)
      }
      if isFirst {
        unsafe rows.words[row &>> 6] = word
      } else {
        unsafe rows.words[row &>> 6] |= word
      }
      row &+= 64
    }
  }

  /// Looks every byte up in a table of the 256 that there are.
  private static func table(
    _ vector: IntVector, _ ranges: [ClosedRange<UInt64>], _ rows: Selection
  ) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { table in
      unsafe table.initialize(repeating: 0)
      for range in ranges { for code in range { unsafe table[Int(code)] = 1 } }
      guard let table = table.baseAddress else { return }
      unsafe select(codes: vector, table, rows)
    }
  }

  /// Sets the bits of the rows whose offset has a 1 in `table`, which has an entry for each offset.
  static func select(
    codes vector: IntVector, _ table: UnsafePointer<UInt8>, _ rows: Selection
  ) {
    let count = vector.count
    let packed = unsafe vector.packed
    rows.resize(count)
    var row = 0
    while row < count {
      var word: UInt64 = 0
      let length = min(64, count &- row)
      for i in 0..<length {
        // SAFETY: the row is in bounds; the caller vouches for the table.
        let offset = unsafe packed.load(fromByteOffset: row &+ i, as: UInt8.self)
        word |= unsafe UInt64(table[Int(offset)]) &<< UInt64(i)
      }
      unsafe rows.words[row &>> 6] = word
      row &+= 64
    }
  }

  /// A binary search for each row, where there are many ranges.
  private static func search(
    _ vector: IntVector, _ ranges: [ClosedRange<UInt64>], _ rows: Selection
  ) {
    rows.fill(vector.count, false)
    for row in 0..<vector.count {
      let offset = UInt64(bitPattern: vector[row] &- vector.base)
      var low = 0
      var high = ranges.count
      while low < high {
        let middle = (low + high) / 2
        if ranges[middle].upperBound < offset { low = middle + 1 } else { high = middle }
      }
      if low < ranges.count, ranges[low].lowerBound <= offset { rows[row] = true }
    }
  }
}
