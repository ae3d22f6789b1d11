internal import AtollStorage

// Lists element by element: a change costs what it changes, and not the list.

extension TableWriter {
  // MARK: Reading

  /// The number of elements of a list; nil when there is no such object.
  func elementCount(_ key: UInt64, _ column: Column) throws(ObjectError) -> Int? {
    try readList(key, column) { builder, row throws in
      builder.listCount(row)
    } stored: { view, row throws in
      view.elementCount(row) ?? 0
    }
  }

  /// The elements of a range of a list, which is inside of it; nil when there is no such object.
  func elements(_ key: UInt64, _ column: Column, _ range: Range<Int>) throws(ObjectError)
    -> [Value]?
  {
    try readList(key, column) { builder, row throws in
      try builder.elements(row, range, store: environment.store)
    } stored: { view, row throws in
      try view.elements(row, range)
    }
  }

  private func readList<Result>(
    _ key: UInt64, _ column: Column, mutable: (ColumnBuilder, Int) throws -> Result,
    stored: (ColumnView, Int) throws -> Result
  ) throws(ObjectError) -> Result? {
    if !doomed.isEmpty, doomed.contains(key) { return nil }
    try fillSelected()
    do {
      switch try rows.locate(TreeKey(key)) {
      case .nowhere: return nil
      case .mutable(let leaf):
        let rowGroup = Self.builder(of: leaf)
        guard let row = rowGroup.row(ofKey: key) else { return nil }
        return try rowGroup.read(column.id) { builder in
          try mutable(builder, row)
        } stored: { view in
          try stored(view, row)
        }
      case .stored(let page):
        let rowGroup = try RowGroupPage(page, environment: environment)
        guard let row = rowGroup.row(ofKey: key) else { return nil }
        return try stored(rowGroup.column(column.id, column.layout), row)
      }
    } catch {
      throw ObjectError(any: error, className: schema.name, property: column.name)
    }
  }

  // MARK: Changing the selected object

  /// Inserts an element that fits the column before the one at `index`, or at the end.
  func insertElement(_ column: Column, at index: Int, _ element: Value) throws(ObjectError) {
    try changeElement(column, from: nil, to: element) { builder, store in
      try builder.insertElement(selectedRow, at: index, element, store: store)
    }
  }

  /// Puts an element that fits the column in the place of `old`.
  func setElement(_ column: Column, at index: Int, from old: Value, to element: Value)
    throws(ObjectError)
  {
    try changeElement(column, from: old, to: element) { builder, store in
      try builder.setElement(selectedRow, at: index, element, store: store)
    }
  }

  /// Removes `old`.
  func removeElement(_ column: Column, at index: Int, _ old: Value) throws(ObjectError) {
    try changeElement(column, from: old, to: nil) { builder, store in
      try builder.removeElement(selectedRow, at: index, store: store)
    }
  }

  /// As `change` for a whole value: tells the witness, writes, and keeps the backlinks.
  private func changeElement(
    _ column: Column, from old: Value?, to new: Value?,
    _ write: (ColumnBuilder, (any ExternalStore)?) throws -> Void
  ) throws(ObjectError) {
    guard let slot = slot(column) else { throw noSuchProperty(column) }
    do {
      let byteCount = new.map { Self.byteCount($0, column) } ?? 0
      if byteCount > ExternalValue.maximumInlineByteCount {
        try selectedRowGroup.makeRoom(for: byteCount, in: column.id)
      }
      let builder = try builder(slot)
      if builder.count == selectedRow {
        builder.appendDefault()
        noteFilled()
      }
      try witness?.willChange(column, of: selectedKey, self)
      try write(builder, environment.store)
      recordChange(column)
      if let backlinks = slot.backlinks {
        if case .link(let link)? = old {
          try backlinks.removeInt(link.key.orderedSigned, key: selectedKey)
        }
        if case .link(let link)? = new {
          try backlinks.insertInt(link.key.orderedSigned, key: selectedKey)
        }
      }
    } catch {
      throw ObjectError(any: error, className: schema.name, property: column.name)
    }
  }
}
