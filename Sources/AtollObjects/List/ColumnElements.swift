internal import AtollStorage

// The elements of one row's list, wherever they lie.

extension ColumnView {
  /// The elements of a range of row `row`'s list, which is inside of it.
  func elements(_ row: Int, _ range: Range<Int>) throws -> [Value] {
    precondition(layout.collection == .list && row >= 0 && row < count, "a row of lists")
    let store = store
    do {
      if let value = external?.find(row) {
        guard let store else { throw ColumnError.corrupted(.externalWithoutStore) }
        return try store.elements(value, layout, range)
      }
      let all = elements(row)
      precondition(range.lowerBound >= 0 && range.upperBound <= all.count, "elements of the list")
      return try range.map {
        try values.value(all.lowerBound + $0, linkTable: layout.linkTable, store: store)
      }
    } catch { throw placed(error) }
  }
}

extension ColumnBuilder {
  /// The number of elements of row `row`, which is one of lists.
  func listCount(_ row: Int) -> Int {
    switch rows[row] {
    case .elements(_, let count): count
    case .external(let value): Int(clamping: value.byteCount)
    case .list(let list): list.count
    }
  }

  /// The elements of a range of row `row`'s list, which is inside of it.
  func elements(_ row: Int, _ range: Range<Int>, store: (any ExternalStore)?) throws -> [Value] {
    switch rows[row] {
    case .list(let list): return try list.elements(range)
    case .external(let value):
      guard let store else { throw ColumnError.corrupted(.externalWithoutStore) }
      return try store.elements(value, layout, range)
    case .elements(let start, _):
      return try range.map {
        try values.value(start + $0, linkTable: layout.linkTable, store: store)
      }
    }
  }

  /// Inserts an element before the one at `index`, or at the end.
  func insertElement(_ row: Int, at index: Int, _ element: Value, store: (any ExternalStore)?)
    throws
  {
    if let list = try openList(row, store: store) { return try list.insert(element, at: index) }
    let count = listCount(row)
    if count >= ExternalValue.maximumInlineElementCount, let store {
      return try moveOut(row, to: store).insert(element, at: index)
    }
    if index == count, try appendLastElement(row, element) { return }
    try changeElements(row, store: store) { $0.insert(element, at: index) }
  }

  func setElement(_ row: Int, at index: Int, _ element: Value, store: (any ExternalStore)?) throws {
    if let list = try openList(row, store: store) { return try list.set(index, element) }
    try changeElements(row, store: store) { $0[index] = element }
  }

  func removeElement(_ row: Int, at index: Int, store: (any ExternalStore)?) throws {
    if let list = try openList(row, store: store) { return try list.remove(at: index) }
    try changeElements(row, store: store) { $0.remove(at: index) }
  }

  /// Puts the elements of a row that lie here into a list outside.
  func moveOut(_ row: Int, to store: any ExternalStore) throws -> any OutsideList {
    let list = try store.makeList(layout)
    for element in try elements(row, 0..<listCount(row), store: store) {
      try list.insert(element, at: list.count)
    }
    replace(row, with: list)
    return list
  }

  private func changeElements(
    _ row: Int, store: (any ExternalStore)?, _ change: (inout [Value]) -> Void
  ) throws {
    var elements = try elements(row, 0..<listCount(row), store: store)
    change(&elements)
    try set(row, .list(elements))
  }
}

extension RowGroupBuilder {
  /// Reads a column in whichever form it is, without decoding it.
  func read<Result>(
    _ id: UInt32, decoded: (ColumnBuilder) throws -> Result, stored: (ColumnView) throws -> Result
  ) throws -> Result {
    guard let builder = decodedColumn(id) else { return try stored(view(of: id)) }
    do { return try decoded(builder) } catch { throw placed(error, id) }
  }
}
