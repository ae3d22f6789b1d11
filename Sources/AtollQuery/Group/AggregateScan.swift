internal import AtollObjects

/// An aggregate of one property over rows, leaf by leaf from the column as it lies.
struct AggregateScan {
  private let column: Column
  private let function: AggregateFunction
  private(set) var accumulator: Aggregation.Accumulator

  init(_ function: AggregateFunction, _ column: Column, _ type: ValueType) {
    self.function = function
    self.column = column
    accumulator = Aggregation.Accumulator(function.syntax, type)
  }

  /// The type of the property, if the function can aggregate it.
  static func require(
    _ function: AggregateFunction, _ column: Column, of className: String
  ) throws(ObjectError) -> ValueType {
    let type = column.layout.value
    let isExtreme = function == .minimum || function == .maximum
    guard column.layout.collection == .none,
      type.isNumeric || type == .mixed || isExtreme && type == .date
    else {
      throw .notAggregatable(
        className: className, property: column.name, type: column.layout.description)
    }
    return type
  }

  mutating func add(_ leaf: Leaf, _ rows: Selection) throws {
    if column.layout.value == .int, let ints = try leaf.ints(column.id) {
      if let validity = ints.validity { rows.setNulls(validity, false) }
      return add(ints.values, rows)
    }
    if column.layout.value == .double, let doubles = try leaf.doubles(column.id) {
      if let validity = doubles.validity { rows.setNulls(validity, false) }
      return add(doubles.values, rows)
    }
    let view = try leaf.column(column)
    try rows.forEach { accumulator.add(try view.value($0)) }
  }

  mutating func add(_ value: Value) { accumulator.add(value) }

  /// Sixty-four rows at a time, so that sums of them cannot overflow their 128 bits.
  private mutating func add(_ ints: IntVector, _ rows: Selection) {
    if rows.trueCount == ints.count, let all = IntScan.summary(ints) {
      if function == .sum || function == .average {
        accumulator.add(sum: all.sum, count: ints.count)
      } else {
        accumulator.add(.int(function == .minimum ? all.least : all.greatest))
      }
      return
    }
    var sum: Int128 = 0
    var least = Int64.max
    var greatest = Int64.min
    var count = 0
    let needsSum = function == .sum || function == .average
    unsafe withUnsafeTemporaryAllocation(of: Int64.self, capacity: 64) { buffer in
      guard let block = buffer.baseAddress else { return }
      for index in 0..<rows.wordCount {
        let word = unsafe rows.words[index]
        if word == 0 { continue }
        let start = index * 64
        let length = min(64, ints.count - start)
        unsafe ints.copy(start..<(start + length), into: block)
        count += word.nonzeroBitCount
        if needsSum {
          // Low and high halves apart: neither sum of 64 overflows.
          var low: UInt64 = 0
          var high: Int64 = 0
          for i in 0..<length {
            let keep = UInt64(0) &- (word &>> UInt64(i) & 1)
            let value = unsafe block[i] & Int64(bitPattern: keep)
            low &+= UInt64(truncatingIfNeeded: value) & 0xFFFF_FFFF
            high &+= value >> 32
          }
          sum += Int128(high) << 32 + Int128(low)
        } else {
          for i in 0..<length where word &>> UInt64(i) & 1 != 0 {
            let value = unsafe block[i]
            least = min(least, value)
            greatest = max(greatest, value)
          }
        }
      }
    }
    guard count > 0 else { return }
    if needsSum {
      accumulator.add(sum: sum, count: count)
    } else {
      accumulator.add(.int(function == .minimum ? least : greatest))
    }
  }

  private mutating func add(_ fixed: FixedVector, _ rows: Selection) {
    var sum = 0.0
    var least = Double.infinity
    var greatest = -Double.infinity
    var count = 0
    let needsSum = function == .sum || function == .average
    for index in 0..<rows.wordCount {
      let word = unsafe rows.words[index]
      if word == .max {
        // Four sums side by side: each addition waits for the one before it.
        var sums = SIMD4<Double>(repeating: 0)
        var counts = SIMD4<Int64>(repeating: 0)
        for part in 0..<16 {
          let first = index &* 64 &+ part &* 4
          // SAFETY: the word says that 64 rows are there; a constant is there once.
          let block =
            unsafe fixed.stride == 0
            ? SIMD4(repeating: fixed.bytes.loadUnaligned(as: Double.self))
            : fixed.bytes.loadUnaligned(
              fromByteOffset: first &* 8, as: SIMD4<Double>.self)
          let isNumber = block .== block
          counts.replace(with: counts &+ 1, where: isNumber)
          if needsSum {
            sums += block.replacing(with: 0, where: .!isNumber)
          } else {
            for lane in 0..<4 where isNumber[lane] {
              least = min(least, block[lane])
              greatest = max(greatest, block[lane])
            }
          }
        }
        sum += sums.sum()
        count += Int(counts.wrappedSum())
        continue
      }
      var rest = word
      while rest != 0 {
        let value = fixed.load(index << 6 | rest.trailingZeroBitCount, as: Double.self)
        rest &= rest &- 1
        if value.isNaN { continue }
        count += 1
        sum += value
        least = min(least, value)
        greatest = max(greatest, value)
      }
    }
    guard count > 0 else { return }
    if needsSum {
      accumulator.add(sum: sum, count: count)
    } else {
      accumulator.add(.double(function == .minimum ? least : greatest))
    }
  }
}
