internal import AtollObjects

/// Passes rows whose text has the words of a pattern.
final class TextTest: RowTest {
  private let lookup: TextLookup
  private let execution: Execution

  init(_ lookup: TextLookup, _ execution: Execution) {
    self.lookup = lookup
    self.execution = execution
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    guard lookup.hasIndex else {
      let view = try leaf.column(lookup.column)
      return try rows.filter { lookup.pattern.matches(try view.value($0)) }
    }
    guard leaf.rowCount > 0 else { return }
    let keys = try lookup.keys()
    let rowGroup = leaf.rowGroup
    // The keys that lie in the leaf.
    let start = Self.position(of: rowGroup.key(0), in: keys[...])
    let last = rowGroup.key(leaf.rowCount - 1)
    var end = Self.position(of: last, in: keys[start...])
    if end < keys.count, keys[end] == last { end += 1 }
    let found = execution.selections.take()
    defer { execution.selections.give(found) }
    found.fill(leaf.rowCount, false)
    if end - start <= rows.trueCount * 8 {
      for key in keys[start..<end] {
        if let row = rowGroup.row(ofKey: key) { found[row] = true }
      }
    } else {
      rows.forEach { row in
        let key = rowGroup.key(row)
        let position = Self.position(of: key, in: keys[start..<end])
        if position < end, keys[position] == key { found[row] = true }
      }
    }
    if lookup.isComplement { rows.subtract(found) } else { rows.formIntersection(found) }
  }

  /// The index of the first of the ascending keys that is not below `key`.
  private static func position(of key: UInt64, in keys: ArraySlice<UInt64>) -> Int {
    var low = keys.startIndex
    var high = keys.endIndex
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  override func indexedKeys() throws -> [UInt64]? {
    lookup.hasIndex && !lookup.isComplement ? try lookup.keys() : nil
  }

  override var cost: Double { lookup.hasIndex ? 20 : 5000 }
  override var selectivity: Double { lookup.selectivity }
  override var summary: String { "'\(lookup.column.name)' TEXT \(lookup.pattern.planText)" }
}
