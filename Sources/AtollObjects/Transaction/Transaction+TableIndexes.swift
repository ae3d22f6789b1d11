internal import AtollStorage

// Indexes of several properties, and unique ones. A unique index is judged when the write commits: of
// two objects whose values change places, one has the other's for a while.

extension Transaction {
  package func index(_ index: TableIndex) throws(ObjectError) -> Index? {
    try settle(index.table)
    let record = catalogue.records.first { $0.id == index.table }
    let tree = record?.indexes.first { $0.tree.treeID == index.treeID }?.tree
    return openIndex(tree)
  }

  /// Keeps an index of several properties from now on, or a unique one; does nothing when there is
  /// one.
  ///
  /// Cost: a pass over the objects.
  ///
  /// - Throws: `.notUnique` with two objects that a unique index does not allow; `.invalidSchema`
  ///   for properties that an index cannot have, and for a unique one in a synced class;
  ///   `.valueTooLarge`. Nothing was changed then.
  public func addIndex(_ index: IndexSchema, of className: String) throws(ObjectError) {
    try checkUse()
    do {
      try changeSchema {
        guard
          try SchemaEditor.add(index, to: className, of: &catalogue, schema: schema)
        else { return }
        adoptSchema()
        try build(index, className)
      }
    } catch { throw ObjectError(any: error) }
  }

  /// Keeps an index of several properties no more, or a unique one; does nothing when there is none.
  ///
  /// Its pages are free with the commit.
  public func removeIndex(_ index: IndexSchema, of className: String) throws(ObjectError) {
    try checkUse()
    guard let found = try schema.requireTable(className).index(index) else { return }
    try flushAll()
    try remove(found)
  }

  /// Gives up the indexes in which a property is that is to be removed.
  func removeIndexes(with column: Column) throws(ObjectError) {
    while let index = schema.table(id: column.table)?.indexes
      .first(where: { $0.columns.contains { $0.id == column.id } })
    {
      try remove(index)
    }
  }

  private func remove(_ index: TableIndex) throws(ObjectError) {
    let slot = try writer(id: index.table).tableIndex(index)
    do throws(StorageError) { try slot?.index.removeAll() } catch { throw .storage(error) }
    SchemaEditor.remove(index, from: &catalogue)
    adoptSchema()
  }

  /// Lists all objects of a class in a new index of it.
  private func build(_ index: IndexSchema, _ className: String) throws(ObjectError) {
    let table = try table(className)
    let writer = try writer(className)
    guard let description = writer.schema.index(index),
      let slot = writer.tableIndex(description)
    else { return }
    writer.touch()
    do {
      try table.forEach { object in
        let values = try description.columns.map { column in
          let value = try object.value(column)
          // What is too long may have come from a server.
          if !writer.schema.isSynced { try writer.checkJointly(value, column) }
          return value
        }
        guard let bytes = Index.bytes(ofAll: values) else { return }
        try slot.insert(bytes, key: object.key.rawValue)
      }
    } catch { throw ObjectError(any: error) }
    try flushAll()
    // Not the others, which only the commit judges.
    try checkUnique(slot, of: writer)
  }

  /// Refuses two objects with the same values where a unique index allows one.
  ///
  /// All writers are flushed. A copy of another file is as that one is: `Database.check` tells of a
  /// damaged one.
  func checkUnique() throws(ObjectError) {
    guard !isReplaying else { return }
    for id in writers.keys.sorted() {
      guard let writer = writers[id] else { continue }
      for slot in writer.tableIndexes { try checkUnique(slot, of: writer) }
    }
  }

  /// Whether two objects have the same values since the transaction began.
  func isBroken(_ index: TableIndex) throws(ObjectError) -> Bool {
    try flushAll()
    guard let slot = try writer(id: index.table).tableIndex(index) else { return false }
    return try firstRepeated(in: slot) != nil
  }

  private func firstRepeated(
    in slot: TableIndexSlot
  ) throws(ObjectError) -> (value: [UInt8], first: UInt64, second: UInt64)? {
    do {
      let tree = try slot.index.flush()
      return try UniqueIndex.firstRepeated(
        among: slot.unchecked, in: slot.index,
        Index(root: tree, treeID: slot.description.treeID, reader: storage.reader))
    } catch { throw ObjectError(any: error) }
  }

  private func checkUnique(_ slot: TableIndexSlot, of writer: TableWriter) throws(ObjectError) {
    guard !slot.unchecked.isEmpty else { return }
    if let found = try firstRepeated(in: slot) {
      throw .notUnique(
        className: writer.schema.name, properties: slot.description.schema.properties,
        values: UniqueIndex.text(found.value), first: try name(of: found.first, writer),
        second: try name(of: found.second, writer))
    }
    slot.forgetUnchecked()
  }

  /// What an object of a class is told from others by, as text.
  func name(of key: UInt64, _ writer: TableWriter) throws(ObjectError) -> String {
    if let primaryKey = try primaryKey(of: key, writer) { return primaryKey.description }
    return "number \(key)"
  }
}
