internal import AtollObjects

/// The elements that one row has in a collection.
enum RowElements {
  /// They lie in the leaf: their places among the elements of all its rows.
  case inLeaf(Range<Int>)
  /// They lie in the external store.
  case external([Value])
}

extension ColumnView {
  /// Calls `body` with each chosen row, ascending, and its elements.
  ///
  /// - Precondition: the column is a collection.
  @inline(__always)
  func forEachRow(_ rows: Selection, _ body: (Int, RowElements) throws -> Void) throws {
    guard let counts else { preconditionFailure("a collection has counts of elements") }
    let external = external
    // The rows before `counted` have the elements before `element`.
    var counted = 0
    var element = 0
    try rows.forEach { row in
      // The counts were checked to be small and not negative.
      while counted < row {
        element += Int(counts[counted])
        counted += 1
      }
      if let external, external.find(row) != nil {
        try body(row, .external(value(row).elements))
      } else {
        try body(row, .inLeaf(element..<(element + Int(counts[row]))))
      }
    }
  }

  /// Keeps the chosen rows whose elements pass `body`.
  ///
  /// - Precondition: the column is a collection.
  @inline(__always)
  func filter(_ rows: Selection, _ body: (RowElements) throws -> Bool) throws {
    try forEachRow(rows) { row, elements in rows[row] = try body(elements) }
  }

  /// Returns whether `body` holds for the key of an object that one of the elements links to.
  ///
  /// - Precondition: the column is a collection of links.
  @inline(__always)
  func containsLink(
    in elements: RowElements, where body: (UInt64) throws -> Bool
  ) rethrows -> Bool {
    switch elements {
    case .inLeaf(let range):
      guard let keys = ints else { preconditionFailure("a collection of links has keys") }
      for index in range where !values.isNull(index) {
        if try body(UInt64(bitPattern: keys[index])) { return true }
      }
    case .external(let elements):
      for case .link(let link) in elements {
        if try body(link.key) { return true }
      }
    }
    return false
  }

  /// Calls `body` with the key of every object that the elements link to.
  @inline(__always)
  func forEachLink(in elements: RowElements, _ body: (UInt64) throws -> Void) rethrows {
    _ = try containsLink(in: elements) { key in
      try body(key)
      return false
    }
  }

  /// How many elements the chosen rows have together.
  ///
  /// A row counts with 2²⁴ at most, and one whose set or map lies in the external store with an
  /// eighth of its bytes: it is known how many look-ups are to come, and no sum overflows.
  func elementCount(of rows: Selection) -> Int {
    var sum = 0
    rows.forEach { row in
      let count = elementCount(row) ?? Int(clamping: external?.find(row)?.byteCount ?? 0) / 8
      sum += min(count, 1 << 24)
    }
    return sum
  }
}

extension Value {
  /// The elements of a collection, of a map its values; none of another value.
  var elements: [Value] {
    switch self {
    case .list(let elements), .set(let elements): elements
    case .map(let map): map.entries.map(\.value)
    default: []
    }
  }
}
