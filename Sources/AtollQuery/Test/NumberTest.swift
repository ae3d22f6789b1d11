internal import AtollObjects

/// Passes rows for which an expression of numbers in plain columns passes a predicate.
final class NumberTest: RowTest {
  private let expression: NumberExpression
  private let compiled: CompiledPredicate
  private let execution: Execution

  init(_ expression: NumberExpression, _ predicate: ValuePredicate, _ execution: Execution) {
    self.expression = expression
    compiled = CompiledPredicate(predicate, ColumnLayout(expression.kind.type))
    self.execution = execution
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    let blocks = execution.takeNumberBlocks()
    let passed = execution.selections.take()
    defer {
      execution.give(blocks)
      execution.selections.give(passed)
    }
    try blocks.open(expression, leaf)
    passed.fill(leaf.rowCount, false)
    rows.forEachBlock(NumberBlocks.rowLimit) { block in
      let results = unsafe blocks.compute(block)
      // SAFETY: the results have the type that the predicate was compiled for.
      switch compiled.form {
      case .ints(let set):
        let ranges = set.ranges
        unsafe passed.set(
          block, results.assumingMemoryBound(to: Int64.self), ranges.count,
          { (ranges[$0].lowerBound, ranges[$0].upperBound) }, isComplement: false)
      case .floats(let ranges, let isComplement):
        unsafe passed.set(
          block, results.assumingMemoryBound(to: Float.self), ranges.count, { ranges[$0] },
          isComplement: isComplement)
      case .doubles(let ranges, let isComplement):
        unsafe passed.set(
          block, results.assumingMemoryBound(to: Double.self), ranges.count, { ranges[$0] },
          isComplement: isComplement)
      default: preconditionFailure("compiled for numbers")
      }
    }
    if blocks.hasNulls {
      for index in 0..<passed.wordCount {
        // SAFETY: both have the rows of the leaf.
        if compiled.passesNull {
          unsafe passed.words[index] |= ~blocks.valid.words[index]
        } else {
          unsafe passed.words[index] &= blocks.valid.words[index]
        }
      }
    }
    rows.formIntersection(passed)
  }

  override var needsRowGroup: Bool { expression.needsRowGroup }
  override var cost: Double { 20 + expression.cost }
  override var selectivity: Double { compiled.predicate.selectivity }
  override var summary: String { "\(expression.text) \(compiled.predicate.summary)" }
}

/// Passes rows for which two expressions of numbers in plain columns compare.
///
/// Numbers compare by their exact values, null equals null and differs from every number, and NaN
/// differs from all: the rules of `ValueComparison`.
final class NumberComparisonTest: RowTest {
  private let left: NumberExpression
  private let right: NumberExpression
  private let comparator: QuerySyntax.Comparator
  private let isNegated: Bool
  private let execution: Execution

  /// Nil for a comparator that is not for numbers.
  init?(
    _ left: NumberExpression, _ comparator: QuerySyntax.Comparator, _ right: NumberExpression,
    isNegated: Bool, _ execution: Execution
  ) {
    switch comparator {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: break
    case .in, .beginsWith, .endsWith, .contains, .like: return nil
    }
    // An integer on one side only is on the left.
    let isTurned = left.kind != .int && right.kind == .int
    let operands = (isTurned ? right : left, isTurned ? left : right)
    self.left = operands.0.kind == .int ? operands.0 : operands.0.asDoubles
    self.right = operands.1.kind == .int ? operands.1 : operands.1.asDoubles
    self.comparator = isTurned ? comparator.reversed : comparator
    self.isNegated = isNegated
    self.execution = execution
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    let left = execution.takeNumberBlocks()
    let right = execution.takeNumberBlocks()
    let passed = execution.selections.take()
    defer {
      execution.give(left)
      execution.give(right)
      execution.selections.give(passed)
    }
    try left.open(self.left, leaf)
    try right.open(self.right, leaf)
    passed.fill(leaf.rowCount, false)
    rows.forEachBlock(NumberBlocks.rowLimit) { block in
      let a = unsafe left.compute(block)
      let b = unsafe right.compute(block)
      // SAFETY: the results have the types of the expressions.
      switch (left.expression.kind, right.expression.kind) {
      case (.int, .int):
        unsafe compare(
          block, a.assumingMemoryBound(to: Int64.self), b.assumingMemoryBound(to: Int64.self),
          passed)
      case (.int, _):
        unsafe compare(
          block, a.assumingMemoryBound(to: Int64.self), b.assumingMemoryBound(to: Double.self),
          passed)
      default:
        unsafe compare(
          block, a.assumingMemoryBound(to: Double.self), b.assumingMemoryBound(to: Double.self),
          passed)
      }
    }
    decideNulls(passed, left, right)
    if isNegated { passed.invert() }
    rows.formIntersection(passed)
  }

  @inline(__always)
  private func compare<T: Comparable>(
    _ block: Range<Int>, _ a: UnsafePointer<T>, _ b: UnsafePointer<T>, _ out: Selection
  ) {
    // A loop for each comparator, so that the compiler can unroll it.
    switch comparator {
    case .equal: out.set(block) { unsafe a[$0] == b[$0] }
    case .notEqual: out.set(block) { unsafe a[$0] != b[$0] }
    case .less: out.set(block) { unsafe a[$0] < b[$0] }
    case .lessOrEqual: out.set(block) { unsafe a[$0] <= b[$0] }
    case .greater: out.set(block) { unsafe a[$0] > b[$0] }
    default: out.set(block) { unsafe a[$0] >= b[$0] }
    }
  }

  private func compare(
    _ block: Range<Int>, _ a: UnsafePointer<Int64>, _ b: UnsafePointer<Double>, _ out: Selection
  ) {
    let comparator = comparator
    out.set(block) { row in
      unsafe ValueComparison.holds(comparator, Self.order(a[row], b[row]))
    }
  }

  /// The order of the exact values; nil for NaN.
  @inline(__always)
  private static func order(_ a: Int64, _ b: Double) -> Ordering? {
    // Rounding keeps the order, so only numbers that become equal need another look.
    let rounded = Double(a)
    if rounded < b { return .less }
    if rounded > b { return .greater }
    guard rounded == b else { return nil }
    // Only 2^63, to which the greatest integers are rounded, is no integer of 64 bits.
    guard let exact = Int64(exactly: b) else { return .less }
    return a == exact ? .equal : a < exact ? .less : .greater
  }

  private func decideNulls(_ passed: Selection, _ left: NumberBlocks, _ right: NumberBlocks) {
    guard left.hasNulls || right.hasNulls else { return }
    let passesOne = ValueComparison.holds(comparator, nil)
    let passesBoth = ValueComparison.holds(comparator, .equal)
    for index in 0..<passed.wordCount {
      // SAFETY: all have the rows of the leaf.
      let a = left.hasNulls ? unsafe left.valid.words[index] : .max
      let b = right.hasNulls ? unsafe right.valid.words[index] : .max
      var word = unsafe passed.words[index] & a & b
      if passesOne { word |= a ^ b }
      if passesBoth { word |= ~(a | b) }
      unsafe passed.words[index] = word
    }
    passed.clearTail()
  }

  override var needsRowGroup: Bool { left.needsRowGroup || right.needsRowGroup }
  override var cost: Double { 20 + left.cost + right.cost }

  override var selectivity: Double {
    let ofComparator =
      switch comparator {
      case .equal: 0.02
      case .notEqual: 0.98
      default: 0.33
      }
    return isNegated ? 1 - ofComparator : ofComparator
  }

  override var summary: String {
    let text = "\(left.text) \(comparator.rawValue) \(right.text)"
    return isNegated ? "not (\(text))" : text
  }
}

extension Selection {
  /// Calls `body` with each run of `length` indices, a multiple of 64, some of which are chosen;
  /// the last run may be shorter.
  @inline(__always)
  fileprivate func forEachBlock(_ length: Int, _ body: (Range<Int>) -> Void) {
    var start = 0
    while start < count {
      let end = min(start + length, count)
      if containsAny(start..<end) { body(start..<end) }
      start = end
    }
  }

  /// Sets or clears each bit of a block; `holds` gets the place in the block, which starts at a
  /// multiple of 64.
  @inline(__always)
  fileprivate func set(_ block: Range<Int>, _ holds: (Int) -> Bool) {
    precondition(block.lowerBound & 63 == 0 && block.upperBound <= count, "bits of the selection")
    var row = 0
    while row < block.count {
      var word: UInt64 = 0
      for bit in 0..<min(64, block.count &- row) {
        word |= (holds(row &+ bit) ? 1 : 0) &<< UInt64(bit)
      }
      // SAFETY: in bounds (above).
      unsafe words[(block.lowerBound &+ row) &>> 6] = word
      row &+= 64
    }
  }

  /// Sets the bits of a block whose number is in one of some closed ranges, or in none of them.
  ///
  /// The ranges ascend and are disjoint; NaN is in none.
  @inline(__always)
  fileprivate func set<T: Comparable>(
    _ block: Range<Int>, _ numbers: UnsafePointer<T>, _ rangeCount: Int,
    _ range: (Int) -> (low: T, high: T), isComplement: Bool
  ) {
    switch rangeCount {
    case 0: set(block) { _ in isComplement }
    case 1:
      let (low, high) = range(0)
      set(block) { row in
        let number = unsafe numbers[row]
        // Both sides are compared, as a branch between them would cost more.
        let isAbove: UInt8 = number >= low ? 1 : 0
        let isBelow: UInt8 = number <= high ? 1 : 0
        return (isAbove & isBelow != 0) != isComplement
      }
    default:
      set(block) { row in
        let number = unsafe numbers[row]
        var first = 0
        var end = rangeCount
        while first < end {
          let middle = (first &+ end) / 2
          if number >= range(middle).low { first = middle + 1 } else { end = middle }
        }
        return (first > 0 && number <= range(first - 1).high) != isComplement
      }
    }
  }
}
