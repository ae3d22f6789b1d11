// Changes of the schema that ask more of the objects that there are.

extension Transaction {
  /// Refuses null in a property from now on; zero, false or nothing takes its place, also as the
  /// element of a collection.
  ///
  /// A single link can always be null, and so can a mixed value: then nothing is changed. Of the links
  /// in a collection those that are null go. Cost: a pass over the objects, and a change of those that
  /// hold null.
  ///
  /// - Throws: `.noSuchClass`, `.noSuchProperty`; `.invalidSchema` in a synced class;
  ///   `.primaryKeyIsFixed` for a primary key. Nothing was changed then.
  public func makeRequired(_ property: String, of className: String) throws(ObjectError) {
    try checkUse()
    let table = try schema.requireTable(className)
    let column = try table.requireColumn(property)
    let layout = column.layout
    guard layout.isOptional, layout.value != .mixed,
      layout.value != .link || layout.collection != .none
    else { return }
    try SchemaEditor.checkIsLocal(table, in: schema)
    guard !column.isPrimaryKey else {
      throw .primaryKeyIsFixed(className: className, property: property)
    }
    try change { () throws(ObjectError) in
      let writer = try writer(id: table.id)
      for (key, value) in try requiredValues(of: column) { try set(writer, key, column, value) }
      try flushAll()
      SchemaEditor.setOptional(column, false, in: &catalogue)
      adoptSchema()
    }
  }

  /// What the objects that hold null in a property hold without it.
  private func requiredValues(of column: Column) throws(ObjectError) -> [(UInt64, Value)] {
    var changes: [(UInt64, Value)] = []
    do {
      try table(id: column.table)?.forEach { object in
        let value = try object.value(column)
        if let required = value.required(column.layout) {
          changes.append((object.key.rawValue, required))
        }
      }
    } catch { throw ObjectError(any: error) }
    return changes
  }

  /// Makes a class embedded, so that each of its objects belongs to the one that links to it, or ends
  /// that.
  ///
  /// Cost: to embed, a look at the links to each object.
  ///
  /// - Throws: `.noSuchClass`; `.invalidSchema` for a synced class, one with a primary key, and where
  ///   an object does not have exactly one owner. Nothing was changed then.
  public func setEmbedded(_ className: String, _ isEmbedded: Bool) throws(ObjectError) {
    try checkUse()
    let table = try schema.requireTable(className)
    guard table.isEmbedded != isEmbedded else { return }
    try SchemaEditor.checkIsLocal(table, in: schema)
    if isEmbedded {
      guard table.primaryKey == nil else {
        throw .invalidSchema(.embeddedWithPrimaryKey(className))
      }
      try SchemaEditor.checkHasNoIndexes(table)
      try flushAll()
      try checkOwners(of: table)
    }
    try flushAll()
    SchemaEditor.setEmbedded(table.id, isEmbedded, in: &catalogue)
    adoptSchema()
  }

  private func checkOwners(of table: TableSchema) throws(ObjectError) {
    let links = schema.incomingLinks(to: table.id)
    let mixed = schema.mixedColumns.filter { hasBacklinks($0.column) }
    for key in try keys(of: table) {
      var ownerCount = 0
      for (_, column) in links {
        ownerCount += try writer(id: column.table).sources(of: key, column).count
      }
      // A mixed value owns nothing, and nothing but its owner links to what is owned.
      var isLinked = false
      for (origin, column) in mixed {
        let target = ObjectLink(table: table.id, key: key)
        let sources = try writer(id: origin.id).sources(ofMixed: target, column)
        isLinked = isLinked || !sources.isEmpty
      }
      guard ownerCount == 1, !isLinked else {
        throw .invalidSchema(
          .notOwnedOnce(
            className: table.name, key: ObjectKey(rawValue: key), ownerCount: ownerCount))
      }
    }
  }
}

extension Value {
  /// The value without null, in a column of this layout; nil when it holds none.
  fileprivate func required(_ layout: ColumnLayout) -> Value? {
    let zero = Value(zeroOf: layout.value)
    func filled(_ element: Value) -> Value? {
      guard case .null = element else { return element }
      return layout.value == .link ? nil : zero
    }
    func hasNull(_ elements: some Sequence<Value>) -> Bool {
      elements.contains { if case .null = $0 { true } else { false } }
    }
    switch self {
    case .null: return layout.collection == .none ? zero : nil
    case .list(let elements):
      return hasNull(elements) ? .list(elements.compactMap(filled)) : nil
    case .set(let elements):
      return hasNull(elements) ? Value.normalizedSet(elements.compactMap(filled)) : nil
    case .map(let map):
      guard hasNull(map.entries.map(\.value)) else { return nil }
      return .map(
        ValueMap(
          map.entries.compactMap { entry in filled(entry.value).map { (key: entry.key, value: $0) }
          }
        ))
    default: return nil
    }
  }
}
