internal import AtollObjects
internal import AtollStorage

/// Visits that stop when the time of their query is over.
extension Execution {
  /// Visits the leaves that hold objects with the given keys, which ascend, with those of their
  /// rows that pass `test`, until the budget is spent; at least one object is tested.
  ///
  /// - Returns: How many of the keys were tested.
  /// - Throws: `QueryTooExpensive`, and `ObjectError` if the file is damaged.
  func visit(
    _ table: TableAccess, _ keys: [UInt64], _ test: RowTest, within budget: QueryBudget,
    _ body: (Leaf, Selection) throws -> Void
  ) throws -> Int {
    let rows = selections.take()
    defer { selections.give(rows) }
    var step = BoundedStep(test, budget)
    var position = 0
    while position < keys.count {
      guard let page = try table.table.tree.leafPage(for: TreeKey(keys[position])) else {
        return keys.count
      }
      let leaf = Leaf(table, try table.table.rowGroup(page))
      leavesRead += 1
      let count = leaf.rowCount
      let last = count > 0 ? leaf.rowGroup.key(count - 1) : 0
      repeat {
        rows.fill(count, false)
        var chosen = 0
        // At least one key is taken, so that the loop ends.
        repeat {
          if let row = leaf.rowGroup.row(ofKey: keys[position]) {
            rows[row] = true
            chosen += 1
          }
          position += 1
        } while position < keys.count && keys[position] <= last && chosen < step.rowCount
        if try step.run(rows, chosen, in: leaf, self) { try body(leaf, rows) }
        if position < keys.count, step.isOver { return position }
      } while position < keys.count && keys[position] <= last
    }
    return position
  }

  /// Visits the leaves that hold objects with keys in the given ranges, which ascend and do not
  /// overlap, with those of their rows that pass `test`, until the budget is spent; at least one
  /// object is tested.
  ///
  /// Objects with keys below `start` are left out.
  ///
  /// - Returns: The first key that was not tested; nil when all were.
  /// - Throws: `QueryTooExpensive`, and `ObjectError` if the file is damaged.
  func visit(
    _ table: TableAccess, _ ranges: [ClosedRange<UInt64>], from start: UInt64, _ test: RowTest,
    within budget: QueryBudget, _ body: (Leaf, Selection) throws -> Void
  ) throws -> UInt64? {
    let rows = selections.take()
    defer { selections.give(rows) }
    var step = BoundedStep(test, budget)
    for range in ranges where range.upperBound >= start {
      let lower = max(range.lowerBound, start)
      var cursor = table.table.tree.cursor(from: TreeKey(lower))
      leaves: while let entry = try cursor.next() {
        let summary = entry.summary
        let verdict = summary.isEmpty ? .some : test.verdict(Zones(summary))
        if verdict == .none, range.upperBound == .max {
          leavesSkipped += 1
          continue
        }
        let leaf = Leaf(table, try table.table.rowGroup(entry.reference))
        let rowGroup = leaf.rowGroup
        let count = rowGroup.rowCount
        guard count > 0 else { continue }
        leavesRead += 1
        let end =
          range.upperBound >= rowGroup.key(count - 1)
          ? count : rowGroup.lowerBound(ofKey: range.upperBound + 1)
        var row = rowGroup.lowerBound(ofKey: lower)
        while row < end {
          let stop = min(end, row + step.rowCount)
          rows.fill(count, false)
          rows.set(row..<stop)
          let passes =
            try verdict == .all || verdict != .none && step.run(rows, stop - row, in: leaf, self)
          if passes { try body(leaf, rows) }
          if verdict == .all { step.look() }
          row = stop
          guard step.isOver else { continue }
          if row < end { return rowGroup.key(row) }
          let last = rowGroup.key(count - 1)
          if end == count, last < range.upperBound { return last + 1 }
          break leaves
        }
        if end < count { break }
      }
      if step.isOver, range.upperBound < .max, range.upperBound < ranges.last?.upperBound ?? 0 {
        return range.upperBound + 1
      }
    }
    return nil
  }
}

/// How many rows a bounded visit tests before it looks at the clock.
private struct BoundedStep {
  /// How many rows the next step may have.
  private(set) var rowCount: Int
  private let test: RowTest
  private let budget: QueryBudget
  /// Whether the time was over after the last step.
  private(set) var isOver = false

  /// A step shorter than this is followed by one of twice as many rows, one four times as long by
  /// fewer.
  private static let nanoseconds: UInt64 = 500_000

  init(_ test: RowTest, _ budget: QueryBudget) {
    self.test = test
    self.budget = budget
    // The cost is in tenths of a nanosecond, of a usual row.
    rowCount = max(1, Int(min(1e6, Double(Self.nanoseconds) * 10 / max(1, test.cost)))) / 16 + 1
  }

  /// Looks at the clock after rows that needed no test.
  mutating func look() { isOver = budget.isSpent }

  /// Tests the chosen rows, and notes how long it took.
  ///
  /// - Returns: Whether one passes.
  mutating func run(
    _ rows: Selection, _ chosen: Int, in leaf: Leaf, _ execution: Execution
  ) throws -> Bool {
    execution.rowsTested += chosen
    let start = budget.now
    try test.narrow(rows, in: leaf)
    let time = budget.elapsed(since: start)
    if time < Self.nanoseconds {
      rowCount = min(rowCount * 2, 1 << 20)
    } else if time > Self.nanoseconds * 4 {
      rowCount = max(1, rowCount / 4)
    }
    isOver = budget.isSpent
    return !rows.isEmpty
  }
}
