internal import AtollStorage

// Columns that a class is about to lose, and has lost.

extension TableWriter {
  /// Gives up the indexes of a column, and what its values have outside of the leaves.
  ///
  /// All changes are flushed. Cost: a look at every leaf.
  func giveUp(_ column: Column) throws(ObjectError) {
    try endSelection()
    guard let slot = slot(column) else { throw noSuchProperty(column) }
    let empty = Value(defaultOf: column.layout)
    do {
      for index in [slot.index, slot.backlinks, slot.fullText] { try index?.removeAll() }
      isChanged = true
      try forEachLeaf(where: { $0.hasValuesOutside(column.id) }) { leaf in
        let values = try leaf.column(column.id)
        for row in 0..<leaf.rowCount { try values.set(row, empty) }
      }
    } catch { throw ObjectError(any: error, className: schema.name, property: column.name) }
  }

  /// Rewrites the leaves that still hold a column which was removed from the class.
  ///
  /// All changes are flushed. The other columns are copied as they lie.
  func rewriteLeaves(with column: UInt32) throws(ObjectError) {
    do { try forEachLeaf(where: { !$0.entries(of: column).isEmpty }) { _ in } } catch {
      throw ObjectError(any: error, className: schema.name)
    }
  }
}
