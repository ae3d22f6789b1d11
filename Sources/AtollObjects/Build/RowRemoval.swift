/// Rows that are taken out of a row group at once, so that what stays is moved once.
struct RowRemoval {
  /// Ascending.
  let rows: [Int]

  init(_ rows: [Int]) {
    for index in rows.indices.dropFirst() {
      precondition(rows[index - 1] < rows[index], "rows are removed in ascending order")
    }
    self.rows = rows
  }

  /// Calls `body` with each range of rows that moves, from left to right, and with where its first
  /// row goes, among `count` rows before the removal.
  @inline(__always)
  func forEachMove(of count: Int, _ body: (_ rows: Range<Int>, _ target: Int) -> Void) {
    guard let first = rows.first, let last = rows.last else { return }
    precondition(first >= 0 && last < count, "rows that are there are removed")
    var target = first
    for index in rows.indices {
      let end = index + 1 < rows.count ? rows[index + 1] : count
      let start = rows[index] + 1
      if start < end { body(start..<end, target) }
      target += end - start
    }
  }

  /// Takes the rows out of an array.
  func apply<Element>(to array: inout [Element]) {
    forEachMove(of: array.count) { rows, target in
      var target = target
      for row in rows {
        array[target] = array[row]
        target += 1
      }
    }
    array.removeLast(rows.count)
  }
}
