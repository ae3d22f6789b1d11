internal import AtollStorage

// Changes of the schema by which data goes. Not in synced classes: what a server and other devices
// have would stay.

extension Transaction {
  /// Removes a property with its values, the indexes that it is in, and the embedded objects that it holds.
  ///
  /// Its pages are free with the commit. Cost: a pass over the leaves of the class, of which the other
  /// values are copied as they lie.
  ///
  /// - Throws: `.noSuchClass`, `.noSuchProperty`; `.invalidSchema` for a primary key, and in a synced
  ///   class. Nothing was removed then.
  public func removeProperty(_ property: String, of className: String) throws(ObjectError) {
    try checkUse()
    let table = try schema.requireTable(className)
    let column = try table.requireColumn(property)
    try SchemaEditor.checkIsLocal(table, in: schema)
    guard !column.isPrimaryKey else {
      throw .invalidSchema(.removedPrimaryKey(property, className: className))
    }
    try change { () throws(ObjectError) in
      try removeOwned(by: column)
      try flushAll()
      for key in try pending.sources(column, of: 0...UInt64.max) {
        try pending.remove(source: ObjectLink(table: table.id, key: key), column: column.id)
      }
      try removeIndexes(with: column)
      try writer(id: table.id).giveUp(column)
      try flushAll()
      SchemaEditor.remove(column, from: &catalogue)
      adoptSchema()
      try writer(id: table.id).rewriteLeaves(with: column.id)
      try flushAll()
    }
  }

  /// Removes a class with its objects, and the embedded objects that they own.
  ///
  /// Links of mixed values to its objects become null. Its pages are free with the commit.
  ///
  /// - Throws: `.noSuchClass`; `.invalidSchema` as long as a property of another class links to it,
  ///   and for a synced class. Nothing was removed then.
  public func removeClass(_ className: String) throws(ObjectError) {
    try checkUse()
    let table = try schema.requireTable(className)
    try SchemaEditor.checkIsLocal(table, in: schema)
    for (origin, column) in schema.incomingLinks(to: table.id) where origin.id != table.id {
      throw .invalidSchema(
        .stillLinked(className: className, from: origin.name, property: column.name))
    }
    try change { () throws(ObjectError) in
      for key in try keys(of: table) { try doom(ObjectLink(table: table.id, key: key)) }
      try flushAll()
      let writer = try writer(id: table.id)
      try writer.removeAll()
      writer.isRetired = true
      writers[table.id] = nil
      catalogue.records.removeAll { $0.id == table.id }
      adoptSchema()
    }
  }

  /// Deletes the embedded objects that a property holds.
  private func removeOwned(by column: Column) throws(ObjectError) {
    guard column.layout.value == .link,
      schema.table(id: column.layout.linkTable)?.isEmbedded == true
    else { return }
    let table = try table(id: column.table)
    var owned: [ObjectLink] = []
    do { try table?.forEach { owned += try $0.value(column).links } } catch {
      throw ObjectError(any: error)
    }
    for link in owned { try doom(link) }
  }

  /// The keys of all objects, ascending.
  func keys(of table: TableSchema) throws(ObjectError) -> [UInt64] {
    var keys: [UInt64] = []
    do { try self.table(id: table.id)?.forEach { keys.append($0.key.rawValue) } } catch {
      throw ObjectError(any: error)
    }
    return keys
  }
}
