internal import AtollObjects
internal import AtollStorage

/// Leaves that are found by keys, rather than one after the other.
extension Execution {
  /// Visits the leaves that hold objects with the given keys, which ascend, with those of their
  /// rows that pass `test`.
  func visit(
    _ table: TableAccess, _ keys: [UInt64], _ test: RowTest,
    _ body: (Leaf, Selection) throws -> Bool
  ) throws {
    let rows = selections.take()
    defer { selections.give(rows) }
    var position = 0
    while position < keys.count {
      guard let page = try table.table.tree.leafPage(for: TreeKey(keys[position])) else { return }
      let leaf = Leaf(table, try table.table.rowGroup(page))
      leavesRead += 1
      let count = leaf.rowCount
      rows.fill(count, false)
      // The keys in this leaf; at least one is taken, so that the loop ends.
      let last = count > 0 ? leaf.rowGroup.key(count - 1) : 0
      repeat {
        if let row = leaf.rowGroup.row(ofKey: keys[position]) { rows[row] = true }
        position += 1
      } while position < keys.count && keys[position] <= last
      rowsTested += rows.trueCount
      try test.narrow(rows, in: leaf)
      if !rows.isEmpty, try !body(leaf, rows) { return }
    }
  }

  /// Visits the leaves that hold objects with keys in the given ranges, which ascend and do not
  /// overlap, with those of their rows that pass `test`.
  func visit(
    _ table: TableAccess, _ ranges: [ClosedRange<UInt64>], _ test: RowTest,
    _ body: (Leaf, Selection) throws -> Bool
  ) throws {
    let rows = selections.take()
    defer { selections.give(rows) }
    var number = 0
    while number < ranges.count {
      var cursor = table.table.tree.cursor(from: TreeKey(ranges[number].lowerBound))
      // The leaves from there on, as long as a range goes on behind them.
      var isInside = true
      while isInside {
        guard let entry = try cursor.next() else { return }
        let leaf = Leaf(table, try table.table.rowGroup(entry.reference))
        let rowGroup = leaf.rowGroup
        let count = rowGroup.rowCount
        guard count > 0 else { continue }
        leavesRead += 1
        let last = rowGroup.key(count - 1)
        rows.fill(count, false)
        isInside = false
        repeat {
          let range = ranges[number]
          let first = rowGroup.lowerBound(ofKey: range.lowerBound)
          let end =
            range.upperBound >= last ? count : rowGroup.lowerBound(ofKey: range.upperBound + 1)
          if first < end { rows.set(first..<end) }
          // A single key is in the leaf that it belongs to, or nowhere.
          isInside = range.upperBound > last && range.lowerBound < range.upperBound
          if !isInside { number += 1 }
        } while !isInside && number < ranges.count && ranges[number].lowerBound <= last
        if rows.isEmpty { continue }
        rowsTested += rows.trueCount
        try test.narrow(rows, in: leaf)
        if !rows.isEmpty, try !body(leaf, rows) { return }
      }
    }
  }
}

extension Selection {
  /// Sets the bits of a range.
  func set(_ range: Range<Int>) {
    for index in range { self[index] = true }
  }
}
