internal import AtollStorage

// Collections element by element: a change costs what it changes, and not the collection.

extension TableWriter {
  // MARK: Reading

  /// The number of elements of a collection; nil when there is no such object.
  package func elementCount(_ key: UInt64, _ column: Column) throws(ObjectError) -> Int? {
    try readElements(key, column) { builder, row throws in
      try builder.listCount(row, store: environment.store)
    } stored: { view, row throws in
      try view.countElements(row)
    }
  }

  /// The elements of a range of a collection, which is inside of it; nil when there is no such
  /// object.
  package func elements(_ key: UInt64, _ column: Column, _ range: Range<Int>) throws(ObjectError)
    -> [Value]?
  {
    try readElements(key, column) { builder, row throws in
      try builder.elements(row, range, store: environment.store)
    } stored: { view, row throws in
      try view.elements(row, range)
    }
  }

  /// Where a member of a set, or a key of a map, is, and what lies there; nil when there is no such
  /// object.
  ///
  /// `isStored`: also of a deleted object whose row is still there.
  package func part(_ key: UInt64, _ column: Column, _ part: Value, isStored: Bool = false)
    throws(ObjectError) -> (place: PartPlace, value: Value?)?
  {
    let near = lastPart.flatMap { $0.key == key && $0.column == column.id ? $0.index : nil }
    let found: (place: PartPlace, value: Value?)? = try readElements(
      key, column, isStored: isStored
    ) { builder, row throws in
      let place = try builder.place(row, of: part, near: near, store: environment.store)
      guard place.isThere else { return (place, nil) }
      return (
        place,
        try builder.elements(row, place.index..<place.index + 1, store: environment.store).first
      )
    } stored: { view, row throws in
      let place = try view.place(row, of: part, near: near)
      guard place.isThere else { return (place, nil) }
      return (place, try view.elements(row, place.index..<place.index + 1).first)
    }
    if let found { lastPart = (key, column.id, found.place.index) }
    return found
  }

  /// The bytes of a collection's elements, if they lie outside of the leaf one by one.
  package func listByteCount(_ key: UInt64, _ column: Column) throws(ObjectError) -> Int? {
    try readElements(key, column) { builder, row throws in
      try builder.listByteCount(row, store: environment.store)
    } stored: { view, row throws in
      try view.listByteCount(row)
    } ?? nil
  }

  /// Whether a set or map lies outside of the leaf as one value, as builds before wrote it.
  package func isOneValue(_ key: UInt64, _ column: Column) throws(ObjectError) -> Bool {
    try readElements(key, column) { builder, row throws in
      builder.isOneValue(row)
    } stored: { view, row throws in
      view.elementCount(row) == nil
    } ?? false
  }

  private func readElements<Result>(
    _ key: UInt64, _ column: Column, isStored: Bool = false,
    mutable: (ColumnBuilder, Int) throws -> Result,
    stored: (ColumnView, Int) throws -> Result
  ) throws(ObjectError) -> Result? {
    if !isStored, !doomed.isEmpty, doomed.contains(key) { return nil }
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

  // `part`: of a set the member, of a map the key; nil for a list. `place`: of a list the element's
  // index among all, those that wait included.

  /// Inserts an element that fits the column before the one at `index`, or at the end.
  package func insertElement(
    _ column: Column, at index: Int, _ element: Value, part: Value? = nil, place: Int? = nil
  ) throws(ObjectError) {
    let key = column.layout.collection == .map ? part?.string : nil
    try changeElement(
      column, part, .insert(at: place ?? index), from: nil, to: element
    ) { builder, store in
      try builder.insertElement(selectedRow, at: index, element, key: key, store: store)
    }
  }

  /// Puts an element that fits the column in the place of `old`.
  package func setElement(
    _ column: Column, at index: Int, from old: Value, to element: Value, part: Value? = nil,
    place: Int? = nil
  ) throws(ObjectError) {
    try changeElement(column, part, .set(at: place ?? index, old), from: old, to: element) {
      builder, store in
      try builder.setElement(selectedRow, at: index, element, store: store)
    }
  }

  /// Removes `old`.
  package func removeElement(
    _ column: Column, at index: Int, _ old: Value, part: Value? = nil, place: Int? = nil
  ) throws(ObjectError) {
    try changeElement(column, part, .remove(at: place ?? index, old), from: old, to: nil) {
      builder, store in
      try builder.removeElement(selectedRow, at: index, store: store)
    }
  }

  /// As `change` for a whole value: tells the witness, writes, and keeps the backlinks.
  private func changeElement(
    _ column: Column, _ part: Value?, _ change: ElementChange, from old: Value?,
    to new: Value?, _ write: (ColumnBuilder, (any ExternalStore)?) throws -> Void
  ) throws(ObjectError) {
    guard let slot = slot(column) else { throw noSuchProperty(column) }
    do {
      var byteCount = new.map { Self.byteCount($0, column) } ?? 0
      if column.layout.collection == .map { byteCount += part?.string?.utf8.count ?? 0 }
      if byteCount > ExternalValue.maximumInlineByteCount {
        try selectedRowGroup.makeRoom(for: byteCount, in: column.id)
      }
      let builder = try builder(slot)
      if builder.count == selectedRow {
        builder.appendDefault()
        noteFilled()
      }
      if let part {
        try witness?.willChange(part, in: column, of: selectedKey, self)
      } else {
        try witness?.willChange(change, in: column, of: selectedKey, self)
      }
      try write(builder, environment.store)
      recordChange(column)
      if column.layout.value == .mixed {
        try keepMixedLinks(slot, old ?? .null, new ?? .null)
      } else if let backlinks = slot.backlinks {
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
