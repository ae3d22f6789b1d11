internal import AtollStorage

// Columns that became optional.

extension TableWriter {
  /// Writes the values of a column into the leaves that are older than the column.
  ///
  /// There they are read as zero as long as the column is required, and would be null from then on.
  /// All changes are flushed. Cost: a look at every leaf.
  ///
  /// `value`: gives what each object gets; nil: what is read.
  func writeOut(_ column: Column, _ value: (() -> Value)? = nil) throws(ObjectError) {
    try endSelection()
    do {
      try forEachLeaf(where: { $0.entries(of: column.id).isEmpty }) { leaf in
        let vector = try leaf.column(column.id)
        if let value { for row in 0..<leaf.rowCount { try vector.set(row, value()) } }
      }
    } catch { throw ObjectError(any: error, className: schema.name) }
  }

  /// Makes leaves mutable one after the other, so that not all are in memory at once.
  func forEachLeaf(
    where isMeant: (RowGroupPage) -> Bool, _ body: (RowGroupBuilder) throws -> Void
  ) throws {
    let tree = Tree(
      root: record.rows.root, form: MutableRowGroup.form(record.rows.treeID),
      reader: storage.reader)
    var firstKeys: [UInt64] = []
    var cursor = tree.cursor()
    while let entry = try cursor.next() {
      let rowGroup = try RowGroupPage(tree.leafPage(entry.reference), environment: environment)
      if rowGroup.rowCount > 0, isMeant(rowGroup) { firstKeys.append(rowGroup.key(0)) }
    }
    for (index, key) in firstKeys.enumerated() {
      try body(Self.builder(of: rows.mutableLeaf(for: TreeKey(key))))
      isChanged = true
      if index % 256 == 255 { _ = try flush() }
    }
  }
}
