import AtollStorage

// Changes of the schema.

extension Transaction {
  /// Makes all changes of the schema that `body` makes, or none of them.
  ///
  /// When it throws, the transaction is as it was before and can go on; only after an error of the
  /// storage, or once an index was given up or values were written out, nothing can be committed.
  package func changeSchema(_ body: () throws -> Void) throws {
    try flushAll()
    let before = catalogue
    let wasSchemaChanged = isSchemaChanged
    do { try body() } catch {
      if case ObjectError.storage(let error) = error { fail(.storage(error)) }
      try? change { () throws(ObjectError) in try restoreSchema(before, ObjectError(any: error)) }
      isSchemaChanged = wasSchemaChanged
      throw error
    }
  }

  private func changeAtOnce(_ body: () throws(ObjectError) -> Void) throws(ObjectError) {
    do { try changeSchema(body) } catch { throw ObjectError(any: error) }
  }

  /// Goes back to the classes that there were, and gives up the indexes that were made since.
  ///
  /// - Throws: `error` where that is not possible.
  private func restoreSchema(_ before: Catalogue, _ error: ObjectError) throws(ObjectError) {
    try flushAll()
    // The pages of what was removed are given up.
    let columns = Set(catalogue.columns.map { [$0.table, $0.id] })
    guard before.columns.allSatisfy({ columns.contains([$0.table, $0.id]) }),
      before.records.allSatisfy({ old in catalogue.records.contains { $0.id == old.id } })
    else { throw error }
    for record in catalogue.records {
      let old = before.records.first { $0.id == record.id }
      if let old, old.rows.root != record.rows.root { throw error }
      try restoreIndexes(of: record, old, error)
      for column in record.columns {
        let old = old?.columns.first { $0.id == column.id }
        if old?.fullText != nil, column.fullText == nil { throw error }
        if old?.index != nil, column.index == nil { throw error }
        let writer = writers[record.id]
        let slot = writer?.slots.first { $0.column.id == column.id }
        do throws(StorageError) {
          if old?.index == nil { try slot?.index?.removeAll() }
          if old?.fullText == nil { try slot?.fullText?.removeAll() }
        } catch { throw .storage(error) }
      }
    }
    catalogue = before
    adoptSchema()
  }

  /// Gives up the indexes of several properties that were made since.
  ///
  /// - Throws: `error` where one was given up that there was before.
  private func restoreIndexes(
    of record: ClassRecord, _ old: ClassRecord?, _ error: ObjectError
  ) throws(ObjectError) {
    let before = Set(old?.indexes.map(\.tree.treeID) ?? [])
    let now = Set(record.indexes.map(\.tree.treeID))
    guard before.isSubset(of: now) else { throw error }
    for slot in writers[record.id]?.tableIndexes ?? []
    where !before.contains(slot.description.treeID) {
      do throws(StorageError) { try slot.index.removeAll() } catch { throw .storage(error) }
    }
  }

  /// Adds classes, which may link to each other and to those that exist.
  ///
  /// - Throws: `.invalidSchema`; nothing was added then.
  public func addClasses(_ classes: [ClassSchema]) throws(ObjectError) {
    try flushAll()
    try SchemaEditor.add(classes, to: &catalogue)
    adoptSchema()
  }

  /// Adds a class.
  public func addClass(_ schema: ClassSchema) throws(ObjectError) { try addClasses([schema]) }

  /// Adds a property to a class; its objects have null, zero or nothing there.
  ///
  /// That is how they are read from then on: cost does not depend on their number.
  public func addProperty(_ property: PropertySchema, to className: String)
    throws(ObjectError)
  {
    try changeAtOnce { () throws(ObjectError) in
      try SchemaEditor.add(property, to: className, of: &catalogue, schema: schema)
      adoptSchema()
      if property.isIndexed { try buildIndex(className, property.name) }
    }
  }

  /// Adds a single property without any index to a class, and gives each of its objects a value.
  ///
  /// That is part of the new schema and no change of the objects: no witness hears of it.
  /// Cost: a pass over the objects, as values of their type.
  public func addProperty(
    _ property: PropertySchema, to className: String, filledWith value: () -> Value
  ) throws(ObjectError) {
    precondition(
      !property.isIndexed && !property.isFullTextIndexed,
      "an index is built when the values are there")
    try addProperty(property, to: className)
    let column = try schema.requireTable(className).requireColumn(property.name)
    try withoutActuallyEscaping(value) { value throws(ObjectError) in
      try writer(className).writeOut(column, value)
    }
    try flushAll()
  }

  /// Keeps an ordered index of a property from now on.
  ///
  /// Cost: a pass over the objects.
  public func addIndex(on property: String, of className: String) throws(ObjectError) {
    try checkUse()
    let table = try schema.requireTable(className)
    guard try !table.requireColumn(property).isIndexed else { return }
    try changeAtOnce { () throws(ObjectError) in
      try SchemaEditor.addIndex(on: property, of: className, to: &catalogue, schema: schema)
      adoptSchema()
      try buildIndex(className, property)
    }
  }

  /// Keeps a full-text index of a string property from now on.
  ///
  /// Cost: a pass over the objects.
  public func addFullTextIndex(on property: String, of className: String) throws(ObjectError) {
    try checkUse()
    let table = try schema.requireTable(className)
    guard try !table.requireColumn(property).isFullTextIndexed else { return }
    try changeAtOnce { () throws(ObjectError) in
      try SchemaEditor.addFullTextIndex(
        on: property, of: className, to: &catalogue, schema: schema)
      adoptSchema()
      try buildFullTextIndex(className, property)
    }
  }

  /// Keeps no full-text index of a property any more; does nothing when there is none.
  public func removeFullTextIndex(on property: String, of className: String)
    throws(ObjectError)
  {
    try checkUse()
    let column = try schema.requireTable(className).requireColumn(property)
    guard column.isFullTextIndexed else { return }
    try flushAll()
    let index = try writer(id: column.table).fullTextIndex(column)
    do throws(StorageError) { try index?.removeAll() } catch { throw .storage(error) }
    SchemaEditor.removeFullTextIndex(column, from: &catalogue)
    adoptSchema()
  }

  /// Keeps no ordered index of a property any more; does nothing when there is none, and for a primary
  /// key, which needs it.
  public func removeIndex(on property: String, of className: String) throws(ObjectError) {
    try checkUse()
    let column = try schema.requireTable(className).requireColumn(property)
    guard column.isIndexed, !column.isPrimaryKey else { return }
    try flushAll()
    let index = try writer(id: column.table).index(column)
    do throws(StorageError) { try index?.removeAll() } catch { throw .storage(error) }
    SchemaEditor.removeIndex(column, from: &catalogue)
    adoptSchema()
  }

  /// Allows null in a property from now on.
  public func makeOptional(_ property: String, of className: String) throws(ObjectError) {
    try checkUse()
    let table = try schema.requireTable(className)
    let column = try table.requireColumn(property)
    guard !column.layout.isOptional, !column.isPrimaryKey else { return }
    try flushAll()
    if column.layout.collection == .none {
      try writer(className).writeOut(column)
      try flushAll()
    }
    SchemaEditor.setOptional(column, true, in: &catalogue)
    adoptSchema()
  }

  /// Marks a class as synced: changes of its objects are recorded from now on, where the database
  /// has a participant that does so.
  ///
  /// - Throws: `.noSuchClass`; `.invalidSchema` for a class without primary key.
  public func markSynced(_ className: String) throws(ObjectError) {
    try checkUse()
    guard try !schema.requireTable(className).isSynced else { return }
    try flushAll()
    try SchemaEditor.markSynced(className, in: &catalogue, schema: schema)
    adoptSchema()
  }

  /// Gives a property another name; its values, its index and links stay.
  ///
  /// - Throws: `.noSuchProperty`; `.invalidSchema` when the new name is taken or none, and in a synced
  ///   class.
  public func renameProperty(_ property: String, of className: String, to name: String)
    throws(ObjectError)
  {
    try checkUse()
    try flushAll()
    try SchemaEditor.rename(property, of: className, to: name, in: &catalogue, schema: schema)
    adoptSchema()
  }

  private func buildIndex(_ className: String, _ property: String) throws(ObjectError) {
    let table = try table(className)
    let column = try table.column(property)
    let writer = try writer(className)
    guard let index = writer.index(column) else { return }
    writer.touch()
    // What is too long may have come from a server.
    let isSynced =
      writer.schema.isSynced
      || writer.schema.isEmbedded && schema.tables.contains(where: \.isSynced)
    do {
      try table.forEach { object in
        let value = try object.value(column)
        if !isSynced { try writer.checkIndexable(value, column) }
        if let bytes = Index.bytes(of: value) {
          try index.insert(bytes, key: object.key.rawValue)
        }
      }
    } catch { throw ObjectError(any: error) }
  }

  private func buildFullTextIndex(_ className: String, _ property: String) throws(ObjectError) {
    let table = try table(className)
    let column = try table.column(property)
    let writer = try writer(className)
    guard let index = writer.fullTextIndex(column) else { return }
    writer.touch()
    do {
      try table.forEach { object in
        guard case .string(let text) = try object.value(column) else { return }
        try index.insertTokens(of: text.utf8.span, key: object.key.rawValue)
      }
    } catch { throw ObjectError(any: error) }
  }

  /// Takes over the classes and internal trees of another database, without what is in them.
  ///
  /// Nothing takes part in what follows: the copy gets the trees of all layers as they are.
  func adoptEmptied(_ other: VersionCatalogue) {
    participant = nil
    isReplaying = true
    catalogue.records = other.records.map(\.emptied)
    catalogue.namedTrees = other.namedTrees.mapValues {
      ClassRecord.TreeRecord(treeID: $0.treeID, root: .empty)
    }
    catalogue.nextTreeID = other.nextTreeID
    catalogue.nextClassID = other.nextClassID
    adoptSchema()
  }

  /// Leaves out the trees that are made of others, which are made again when they are needed.
  func leaveOutDerivedTrees() {
    catalogue.namedTrees = catalogue.namedTrees.filter {
      !$0.key.hasPrefix(NamedTree.derivedPrefix)
    }
  }

  func adoptSchema() {
    for record in catalogue.records {
      guard let previous = writers[record.id] else { continue }
      previous.isRetired = true
      let writer = TableWriter(
        record: record, continuing: previous, storage: storage, environment: environment,
        newTreeID: newTreeID)
      writer.witness = previous.witness
      // What was written is in the record: the class does not read as in the version before.
      writer.isChanged = previous.isChanged
      writers[record.id] = writer
    }
    schema = catalogue.schema
    redefinedTables = Set(
      schema.tables.filter { base.schema.table(id: $0.id) != $0 }.map(\.id))
    participant?.didChangeSchema()
    attachWitnesses()
    isSchemaChanged = true
  }

  /// Refuses the use of a transaction that has ended.
  ///
  /// - Throws: `.storage(.transactionEnded)`.
  package func checkUse() throws(ObjectError) {
    guard !isFinished else { throw .storage(.transactionEnded(path: database.path)) }
  }
}
