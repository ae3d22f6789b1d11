internal import AtollStorage

/// The changes of a schema, as changes of the catalogue's records.
///
/// Checks everything before it changes anything.
enum SchemaEditor {
  static let classNameLimit = ClassSchema.nameByteLimit
  static let propertyNameLimit = PropertySchema.nameByteLimit
  /// Properties that a class may have had; their numbers are given out once.
  ///
  /// Each has seven vectors in a row group at most, whose directory counts them in 16 bits.
  static let columnIDLimit: UInt32 = 8192

  static func add(_ classes: [ClassSchema], to catalogue: inout Catalogue) throws(ObjectError) {
    var names = Set(catalogue.records.map { ExactText($0.name) })
    let asymmetric = Set(
      catalogue.records.filter { $0.flags.contains(.asymmetric) }.map { ExactText($0.name) }
        + classes.filter(\.isAsymmetric).map { ExactText($0.name) })
    for added in classes {
      try checkName(added.name, limit: classNameLimit)
      guard names.insert(ExactText(added.name)).inserted else {
        throw .invalidSchema(.classExists(added.name))
      }
    }
    try checkSyncedNames(
      of: catalogue.records.map { ($0.name, $0.flags.contains(.synced)) }
        + classes.map { ($0.name, $0.isSynced) })
    let embedded = Set(
      catalogue.records.filter { $0.flags.contains(.embedded) }.map { ExactText($0.name) }
        + classes.filter(\.isEmbedded).map { ExactText($0.name) })
    for added in classes {
      try check(added, classNames: names)
      for property in added.properties {
        try checkRule(property, of: added.name, isAsymmetric: added.isAsymmetric, embedded)
      }
      for property in added.properties { try checkTarget(property, of: added.name, asymmetric) }
      guard added.properties.count < columnIDLimit else {
        throw .invalidSchema(
          .tooManyProperties(className: added.name, limit: Int(columnIDLimit) - 1))
      }
    }

    var ids = Dictionary(
      uniqueKeysWithValues: catalogue.records.map { (ExactText($0.name), $0.id) })
    for (offset, added) in classes.enumerated() {
      ids[ExactText(added.name)] = catalogue.nextClassID + UInt32(offset)
    }
    for added in classes {
      var record = ClassRecord(
        id: catalogue.nextClassID, name: added.name, flags: added.flags, nextKey: 1,
        nextColumnID: 1, primaryKeyColumn: 0,
        rows: ClassRecord.TreeRecord(treeID: catalogue.newTreeID(), root: .empty), columns: [])
      catalogue.nextClassID += 1
      for property in added.properties {
        append(property, to: &record, primaryKey: added.primaryKey, ids: ids, &catalogue)
      }
      for index in added.indexes { append(index, to: &record, catalogue.newIndex()) }
      catalogue.records.append(record)
    }
  }

  static func add(
    _ property: PropertySchema, to className: String, of catalogue: inout Catalogue,
    schema: Schema
  ) throws(ObjectError) {
    let table = try schema.requireTable(className)
    guard table.column(property.name) == nil else {
      throw .invalidSchema(.propertyExists(property.name, className: className))
    }
    if table.isSynced {
      try checkSyncedProperties(table.columns.map(\.name) + [property.name], of: className)
    }
    try check(property, of: className, classNames: Set(schema.tables.map { ExactText($0.name) }))
    try checkTarget(
      property, of: className, Set(schema.tables.filter(\.isAsymmetric).map { ExactText($0.name) }))
    try checkRule(
      property, of: className, isAsymmetric: table.isAsymmetric,
      Set(schema.tables.filter(\.isEmbedded).map { ExactText($0.name) }))
    let ids = Dictionary(
      uniqueKeysWithValues: catalogue.records.map { (ExactText($0.name), $0.id) })
    guard let position = catalogue.records.firstIndex(where: { $0.id == table.id }) else { return }
    var record = catalogue.records[position]
    guard record.nextColumnID < columnIDLimit else {
      throw .invalidSchema(
        .tooManyProperties(className: className, limit: Int(columnIDLimit) - 1))
    }
    append(property, to: &record, primaryKey: nil, ids: ids, &catalogue)
    catalogue.records[position] = record
  }

  static func addIndex(
    on property: String, of className: String, to catalogue: inout Catalogue, schema: Schema
  ) throws(ObjectError) {
    let table = try schema.requireTable(className)
    let column = try table.requireColumn(property)
    guard isIndexable(column.layout.value, column.layout.collection) else {
      throw .invalidSchema(
        .notIndexable(property, className: className, type: column.layout.description))
    }
    let tree = catalogue.newIndex()
    catalogue.change(column) { $0.index = tree }
  }

  static func addFullTextIndex(
    on property: String, of className: String, to catalogue: inout Catalogue, schema: Schema
  ) throws(ObjectError) {
    let table = try schema.requireTable(className)
    let column = try table.requireColumn(property)
    guard isFullTextIndexable(column.layout.value, column.layout.collection) else {
      throw .invalidSchema(
        .notFullTextIndexable(property, className: className, type: column.layout.description))
    }
    let tree = catalogue.newIndex()
    catalogue.change(column) { $0.fullText = tree }
  }

  /// The pages of the index are given up before.
  static func removeFullTextIndex(_ column: Column, from catalogue: inout Catalogue) {
    catalogue.change(column) { $0.fullText = nil }
  }

  /// Records changes of a class from now on.
  static func markSynced(_ className: String, in catalogue: inout Catalogue, schema: Schema)
    throws(ObjectError)
  {
    let table = try schema.requireTable(className)
    guard table.isEmbedded || table.primaryKey != nil else {
      throw .invalidSchema(.syncedWithoutPrimaryKey(className))
    }
    try checkSyncedNames(
      of: catalogue.records.map { ($0.name, $0.flags.contains(.synced) || $0.id == table.id) })
    try checkSyncedProperties(table.columns.map(\.name), of: className)
    if let unique = table.indexes.first(where: \.isUnique) {
      throw .invalidSchema(
        .uniqueInSynced(properties: unique.schema.properties, className: className))
    }
    catalogue.change(table.id) { $0.flags.insert(.synced) }
  }

  static func setOptional(_ column: Column, _ isOptional: Bool, in catalogue: inout Catalogue) {
    catalogue.change(column) { $0.layout.isOptional = isOptional }
  }

  /// The pages of the index are given up before.
  static func removeIndex(_ column: Column, from catalogue: inout Catalogue) {
    catalogue.change(column) { $0.index = nil }
  }

  static func remove(_ column: Column, from catalogue: inout Catalogue) {
    catalogue.change(column.table) { record in record.columns.removeAll { $0.id == column.id } }
  }

  static func setEmbedded(_ table: UInt32, _ isEmbedded: Bool, in catalogue: inout Catalogue) {
    catalogue.change(table) { record in
      if isEmbedded { record.flags.insert(.embedded) } else { record.flags.remove(.embedded) }
    }
  }

  /// Refuses changes that a server, and other devices, do not know of.
  static func checkIsLocal(_ table: TableSchema, in schema: Schema) throws(ObjectError) {
    guard !table.isSynced, !table.isEmbedded || !schema.tables.contains(where: \.isSynced) else {
      throw .invalidSchema(.fixedBySync(className: table.name))
    }
  }

  static func checkPrimaryKey(_ column: Column, of table: TableSchema) throws(ObjectError) {
    guard !table.isEmbedded else { throw .invalidSchema(.embeddedWithPrimaryKey(table.name)) }
    guard primaryKeyTypes.contains(column.layout.value), column.layout.collection == .none else {
      throw .invalidSchema(
        .notAPrimaryKey(
          column.name, className: table.name, type: column.layout.value.queryName))
    }
  }

  private static let primaryKeyTypes: Set<ValueType> = [.int, .string, .objectID, .uuid]

  static func rename(
    _ property: String, of className: String, to name: String, in catalogue: inout Catalogue,
    schema: Schema
  ) throws(ObjectError) {
    let table = try schema.requireTable(className)
    let column = try table.requireColumn(property)
    try checkIsLocal(table, in: schema)
    try checkName(name, limit: propertyNameLimit)
    guard table.column(name) == nil else {
      throw .invalidSchema(.propertyExists(name, className: className))
    }
    catalogue.change(column) { $0.name = name }
  }

  private static func append(
    _ property: PropertySchema, to record: inout ClassRecord, primaryKey: String?,
    ids: [ExactText: UInt32], _ catalogue: inout Catalogue
  ) {
    let isPrimaryKey = primaryKey.map(property.name.hasSameBytes(as:)) ?? false
    let isLink = property.type == .link
    let layout = ColumnLayout(
      property.type, property.collection,
      isOptional: property.isOptional || isLink && property.collection == .none,
      linkTable: property.linkTarget.flatMap { ids[ExactText($0)] } ?? 0)
    // An object whose key is its primary key is found without an index.
    let isKey = isPrimaryKey && property.type == .int && !property.isOptional
    record.columns.append(
      ClassRecord.ColumnRecord(
        id: record.nextColumnID, name: property.name, layout: layout,
        index: (property.isIndexed || isPrimaryKey) && !isKey ? catalogue.newIndex() : nil,
        backlinks: isLink ? catalogue.newIndex() : nil,
        fullText: property.isFullTextIndexed ? catalogue.newIndex() : nil,
        deletionRule: property.deletionRule))
    if isPrimaryKey { record.primaryKeyColumn = record.nextColumnID }
    record.nextColumnID += 1
  }

  private static func check(_ added: ClassSchema, classNames: Set<ExactText>) throws(ObjectError) {
    var names: Set<ExactText> = []
    for property in added.properties {
      guard names.insert(ExactText(property.name)).inserted else {
        throw .invalidSchema(.duplicateProperty(property.name, className: added.name))
      }
      try check(property, of: added.name, classNames: classNames)
    }
    try checkSync(added)
    try checkIndexes(of: added)
    guard let primaryKey = added.primaryKey else { return }
    guard !added.isEmbedded else {
      throw .invalidSchema(.embeddedWithPrimaryKey(added.name))
    }
    guard let property = added[primaryKey] else {
      throw .invalidSchema(
        .unknownPrimaryKey(
          primaryKey, className: added.name,
          nearest: NearestName.find(primaryKey, among: added.properties.map(\.name))))
    }
    guard primaryKeyTypes.contains(property.type), property.collection == .none else {
      throw .invalidSchema(
        .notAPrimaryKey(primaryKey, className: added.name, type: property.type.queryName))
    }
  }

  private static func checkTarget(
    _ property: PropertySchema, of className: String, _ asymmetric: Set<ExactText>
  ) throws(ObjectError) {
    guard let target = property.linkTarget, asymmetric.contains(ExactText(target)) else { return }
    throw .invalidSchema(
      .linkToAsymmetric(target, className: className, property: property.name))
  }

  private static func checkSync(_ added: ClassSchema) throws(ObjectError) {
    guard !added.isAsymmetric || added.isSynced && !added.isEmbedded else {
      throw .invalidSchema(.asymmetricWithoutSync(added.name))
    }
    guard !added.isSynced || added.isEmbedded || added.primaryKey != nil else {
      throw .invalidSchema(.syncedWithoutPrimaryKey(added.name))
    }
    if added.isSynced { try checkSyncedProperties(added.properties.map(\.name), of: added.name) }
  }

  // A file tells names apart by their bytes, sync by their text: what is sent must differ in both.

  private static func checkSyncedNames(of classes: [(name: String, isSynced: Bool)])
    throws(ObjectError)
  {
    var seen: [String: Bool] = [:]
    for (name, isSynced) in classes {
      if let other = seen.updateValue(isSynced, forKey: name), other || isSynced {
        throw .invalidSchema(.equivalentSyncedName(className: name, property: nil))
      }
    }
  }

  private static func checkSyncedProperties(_ names: [String], of className: String)
    throws(ObjectError)
  {
    var seen: Set<String> = []
    for name in names where !seen.insert(name).inserted {
      throw .invalidSchema(.equivalentSyncedName(className: className, property: name))
    }
  }

  private static func check(
    _ property: PropertySchema, of className: String, classNames: Set<ExactText>
  ) throws(ObjectError) {
    try checkName(property.name, limit: propertyNameLimit)
    if property.type == .link {
      guard let target = property.linkTarget else {
        throw .invalidSchema(
          .missingLinkTarget(className: className, property: property.name))
      }
      guard classNames.contains(ExactText(target)) else {
        throw .invalidSchema(
          .unknownLinkTarget(target, className: className, property: property.name))
      }
    }
    let layout = ColumnLayout(
      property.type, property.collection, isOptional: property.isOptional)
    if property.isIndexed, !isIndexable(property.type, property.collection) {
      throw .invalidSchema(
        .notIndexable(property.name, className: className, type: layout.description))
    }
    if property.isFullTextIndexed, !isFullTextIndexable(property.type, property.collection) {
      throw .invalidSchema(
        .notFullTextIndexable(property.name, className: className, type: layout.description))
    }
  }

  static func checkName(_ name: String, limit: Int) throws(ObjectError) {
    guard !name.isEmpty else { throw .invalidSchema(.emptyName) }
    guard name.utf8.count <= limit else {
      throw .invalidSchema(.nameTooLong(name, limit: limit))
    }
  }

  static func isIndexable(_ type: ValueType, _ collection: CollectionKind) -> Bool {
    collection == .none && type != .mixed && type != .link
  }

  static func isFullTextIndexable(_ type: ValueType, _ collection: CollectionKind) -> Bool {
    collection == .none && type == .string
  }
}

extension Catalogue {
  mutating func newIndex() -> ClassRecord.IndexRecord {
    ClassRecord.IndexRecord(treeID: newTreeID(), root: .empty)
  }

  /// Changes the record of a column.
  fileprivate mutating func change(
    _ column: Column, _ body: (inout ClassRecord.ColumnRecord) -> Void
  ) {
    change(column.table) { record in
      for index in record.columns.indices where record.columns[index].id == column.id {
        body(&record.columns[index])
      }
    }
  }

  /// The numbers of all columns.
  var columns: [(table: UInt32, id: UInt32)] {
    records.flatMap { record in record.columns.map { (record.id, $0.id) } }
  }

  /// Changes the record of a class.
  mutating func change(_ table: UInt32, _ body: (inout ClassRecord) -> Void) {
    for position in records.indices where records[position].id == table {
      body(&records[position])
    }
  }
}
