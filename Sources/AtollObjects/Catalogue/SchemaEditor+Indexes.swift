extension SchemaEditor {
  /// Adds an index, which is to be filled, to a class.
  ///
  /// - Returns: Whether the class did not have it.
  static func add(
    _ index: IndexSchema, to className: String, of catalogue: inout Catalogue, schema: Schema
  ) throws(ObjectError) -> Bool {
    let table = try schema.requireTable(className)
    try check(index, of: table.schema(in: schema))
    guard table.index(index) == nil else { return false }
    guard table.indexes.count < IndexSchema.indexLimit else {
      throw .invalidSchema(.tooManyIndexes(className: className, limit: IndexSchema.indexLimit))
    }
    let tree = catalogue.newIndex()
    catalogue.change(table.id) { append(index, to: &$0, tree) }
    return true
  }

  /// Adds an index to the record of a class, whose columns are there.
  static func append(
    _ index: IndexSchema, to record: inout ClassRecord, _ tree: ClassRecord.IndexRecord
  ) {
    let columns = index.properties.compactMap { name in
      record.columns.first { $0.name.hasSameBytes(as: name) }?.id
    }
    record.indexes.append(
      ClassRecord.TableIndexRecord(columns: columns, isUnique: index.isUnique, tree: tree))
  }

  /// The pages of the index are given up before.
  static func remove(_ index: TableIndex, from catalogue: inout Catalogue) {
    catalogue.change(index.table) { record in
      record.indexes.removeAll { $0.tree.treeID == index.treeID }
    }
  }

  /// Refuses indexes that a new class cannot have.
  static func checkIndexes(of added: ClassSchema) throws(ObjectError) {
    guard added.indexes.count <= IndexSchema.indexLimit else {
      throw .invalidSchema(.tooManyIndexes(className: added.name, limit: IndexSchema.indexLimit))
    }
    for (position, index) in added.indexes.enumerated() {
      try check(index, of: added)
      let isRepeated = added.indexes[..<position].contains {
        $0.isUnique == index.isUnique && $0.hasSameProperties(as: index)
      }
      guard !isRepeated else {
        throw .invalidSchema(.repeatedIndex(properties: index.properties, className: added.name))
      }
    }
  }

  private static func check(_ index: IndexSchema, of owner: ClassSchema) throws(ObjectError) {
    guard index.properties.count >= (index.isUnique ? 1 : 2),
      index.properties.count <= IndexSchema.propertyLimit
    else {
      throw .invalidSchema(
        .wrongIndexSize(properties: index.properties, className: owner.name))
    }
    guard !owner.isEmbedded, !owner.isAsymmetric else {
      throw .invalidSchema(.indexOfEmbedded(className: owner.name))
    }
    guard !index.isUnique || !owner.isSynced else {
      throw .invalidSchema(.uniqueInSynced(properties: index.properties, className: owner.name))
    }
    var seen: Set<ExactText> = []
    for name in index.properties {
      guard seen.insert(ExactText(name)).inserted else {
        throw .invalidSchema(.duplicateProperty(name, className: owner.name))
      }
      guard let property = owner[name] else {
        throw .invalidSchema(
          .unknownIndexProperty(
            name, className: owner.name,
            nearest: NearestName.find(name, among: owner.properties.map(\.name))))
      }
      guard isIndexable(property.type, property.collection) else {
        let layout = ColumnLayout(
          property.type, property.collection, isOptional: property.isOptional)
        throw .invalidSchema(
          .notIndexable(name, className: owner.name, type: layout.description))
      }
    }
  }

  /// Refuses to let a class become embedded that has indexes which no embedded class has.
  static func checkHasNoIndexes(_ table: TableSchema) throws(ObjectError) {
    guard table.indexes.isEmpty else {
      throw .invalidSchema(.indexOfEmbedded(className: table.name))
    }
  }
}

extension TableSchema {
  /// The index of these properties that is unique or not; nil when there is none.
  package func index(_ index: IndexSchema) -> TableIndex? {
    indexes.first {
      $0.isUnique == index.isUnique && $0.schema.hasSameProperties(as: index)
    }
  }
}
