public import AtollStorage

/// A change in progress: everything it does becomes one new version, or nothing does.
///
/// Holds the database's writer lock until `commit()` or `cancel()`, after which all but `changes` throw
/// `.storage(.transactionEnded)`, and so does what was read from it. Used by one thread at a time. Reading through `table(_:)` and `value(_:_:_:)` shows the
/// transaction's own changes.
///
/// An object is named by its class and its key, a property by its name or its
/// `Column`. Links stay exact: setting one keeps the backlinks of both targets,
/// deleting an object clears every link to it, and embedded objects die with
/// the object that owns them.
public final class Transaction: TreeSource {
  let database: Database
  let storage: WriteTransaction
  let base: VersionCatalogue
  private(set) var catalogue: Catalogue
  public private(set) var schema: Schema
  private(set) var writers: [UInt32: TableWriter] = [:]
  /// Whether objects were deleted whose rows are still there.
  var hasUnsettledDeletions = false
  var pending: PendingLinks
  /// Links of lists whose targets came; they get into the lists when somebody needs those.
  var arrivals: [WaitingPlaces.Property: [PendingLinks.Entry.Arrival]] = [:]
  /// The list to which elements are written one by one.
  var openList: OpenList?
  /// The set or map to which members or entries are written one by one; there is never a list beside it.
  var openParts: OpenParts?
  /// More bytes no set or map gets to which members or entries are written one by one.
  ///
  /// Only when it is closed is it written, and what does not fit then takes all of them along.
  package var partsByteLimit = Int.max
  var addressedWriters: [String: AddressedWriter] = [:]
  private var knownCapture: Capture?
  /// The internal trees that were opened.
  private var namedTrees: [String: NamedTree] = [:]
  private let environment: ClusterEnvironment
  private var isSchemaChanged = false
  /// The schema of which the server has been told, or will be by an entry of the outbox.
  var recordedSchema: Schema
  /// Whether `commit()` made a version; it makes none of a transaction that changed nothing.
  package private(set) var hasMadeVersion = false
  private var isFinished = false
  /// What interrupted a change halfway; the commit throws it, so that no half is published.
  private(set) var failure: ObjectError?

  init(database: Database, storage: WriteTransaction, catalogue: VersionCatalogue) {
    self.database = database
    self.storage = storage
    base = catalogue
    environment = ClusterEnvironment(
      cache: storage.reader.cache,
      store: BlobStore(reader: storage.reader, transaction: storage))
    schema = catalogue.schema
    recordedSchema = catalogue.schema
    // Not lazy: a lazy structure is copied by every change.
    pending = PendingLinks(catalogue.pendingLinks, storage: storage)
    self.catalogue = Catalogue()
    self.catalogue.records = catalogue.records
    self.catalogue.nextTreeID = catalogue.nextTreeID
    self.catalogue.nextClassID = catalogue.nextClassID
    self.catalogue.pendingLinks = catalogue.pendingLinks
    self.catalogue.namedTrees = catalogue.namedTrees
  }

  /// How this transaction comes to its writes; what an app writes is recorded.
  ///
  /// What was written before a change of it is recorded as of then.
  package var origin = WriteOrigin.app {
    willSet { if newValue != origin { closeRecording() } }
    didSet { for writer in writers.values { attachRecorder(to: writer) } }
  }

  /// Records what was written so far; an error ends the commit.
  private func closeRecording() {
    guard origin != .sync else { return recordedSchema = schema }
    guard isSchemaChanged || writers.values.contains(where: { $0.recorder?.isEmpty == false })
    else { return }
    do throws(ObjectError) {
      try closeCollection()
      try settleDeletions()
      try recordOperations()
    } catch { fail(error) }
  }

  /// What is kept for sync, as this transaction sees and changes it.
  package var capture: Capture {
    get throws(ObjectError) {
      if let knownCapture { return knownCapture }
      let capture = try Capture(self, random: database.random)
      knownCapture = capture
      return capture
    }
  }

  /// The version this transaction becomes when it is committed.
  public var version: UInt64 { storage.transaction }

  // MARK: Reading

  public func table(_ className: String) throws(ObjectError) -> Table {
    try table(schema.requireTable(className))
  }

  package func table(id: UInt32) throws(ObjectError) -> Table? {
    guard let schema = schema.table(id: id) else { return nil }
    return try table(schema)
  }

  /// A table of encoded pages: what was changed is flushed first.
  private func table(_ schema: TableSchema) throws(ObjectError) -> Table {
    try settle(schema.id)
    let rows = try record(schema.id).rows
    return Table(
      source: self, schema: schema,
      tree: Tree(
        root: rows.root, form: ClusterLeaf.form(rows.treeID), reader: storage.reader),
      environment: environment)
  }

  package func index(_ column: Column) throws(ObjectError) -> IndexTree? {
    try settle(column.table)
    let record = try record(column.table).columns.first { $0.id == column.id }
    return indexTree(record?.index)
  }

  package func backlinks(_ column: Column) throws(ObjectError) -> IndexTree? {
    try settle(column.table)
    let record = try record(column.table).columns.first { $0.id == column.id }
    return indexTree(record?.backlinks)
  }

  package func fullTextIndex(_ column: Column) throws(ObjectError) -> IndexTree? {
    try settle(column.table)
    let record = try record(column.table).columns.first { $0.id == column.id }
    return indexTree(record?.fullText)
  }

  private func indexTree(_ record: ClassRecord.IndexRecord?) -> IndexTree? {
    record.map { IndexTree(root: $0.root, treeID: $0.treeID, reader: storage.reader) }
  }

  /// A value of one object, whatever has been changed.
  ///
  /// - Throws: `.noSuchObject`, `.noSuchProperty`, `.noSuchClass`.
  public func value(_ className: String, _ key: ObjectKey, _ property: String)
    throws(ObjectError) -> Value
  {
    let writer = try writer(className)
    let column = try writer.schema.requireColumn(property)
    try closeCollection()
    if column.layout.mayHoldLinks { try settleDeletions() }
    guard let value = try writer.value(key.rawValue, column) else {
      throw .noSuchObject(className: className)
    }
    return value
  }

  /// Whether the object exists.
  public func contains(_ className: String, _ key: ObjectKey) throws(ObjectError) -> Bool {
    try writer(className).contains(key.rawValue)
  }

  /// The key of the object with this primary key; nil when there is none.
  public func key(_ className: String, primaryKey: Value) throws(ObjectError) -> ObjectKey? {
    try key(writer(className), primaryKey: primaryKey)
  }

  func key(_ writer: TableWriter, primaryKey value: Value) throws(ObjectError)
    -> ObjectKey?
  {
    guard let key = try storedKey(writer, primaryKey: value), !writer.doomed.contains(key) else {
      return nil
    }
    return ObjectKey(rawValue: key)
  }

  /// The key of the object with this primary key; also of a deleted one whose row is still there.
  func storedKey(_ writer: TableWriter, primaryKey value: Value) throws(ObjectError)
    -> UInt64?
  {
    guard let column = writer.schema.primaryKey else { return nil }
    if writer.schema.isKeyedByPrimaryKey {
      guard case .int(let number) = value else { return nil }
      let key = ObjectKey(integerPrimaryKey: number).rawValue
      if writer.doomed.contains(key) { return key }
      return try writer.contains(key) ? key : nil
    }
    guard let bytes = IndexTree.bytes(of: value), let index = writer.index(column) else {
      return nil
    }
    do throws(StorageError) { return try index.firstKey(of: bytes) } catch {
      throw .storage(error)
    }
  }

  /// The internal tree called `name`, which is there from the first entry on.
  ///
  /// - Throws: `.invalidSchema` for a name that no class could have.
  package func namedTree(_ name: String) throws(ObjectError) -> NamedTree {
    try checkUse()
    if let tree = namedTrees[name] { return tree }
    try SchemaEditor.checkName(name, limit: SchemaEditor.classNameLimit)
    let record =
      catalogue.namedTrees[name]
      ?? ClassRecord.TreeRecord(treeID: catalogue.newTreeID(), root: .empty)
    let tree = NamedTree(name: name, record: record, storage: storage)
    namedTrees[name] = tree
    return tree
  }

  // MARK: Objects

  /// Makes an object.
  ///
  /// What `values`, by property name, leaves out is null, or zero, false or empty where null is not
  /// allowed. Throws `.duplicatePrimaryKey`, `.missingPrimaryKey`, `.typeMismatch`,
  ///   `.nullInRequiredProperty`, `.danglingLink`, `.noSuchProperty`; nothing was made then.
  @discardableResult
  public func create(_ className: String, _ values: [String: Value] = [:]) throws(ObjectError)
    -> ObjectKey
  {
    let writer = try writer(className)
    guard !writer.schema.isEmbedded else {
      throw .embeddedObjectHasOwner(className: className)
    }
    let assignments = try assignments(writer, values)
    return try create(writer, assignments)
  }

  /// Makes the object with this primary key, or changes the one that has it.
  ///
  /// What `values` leaves out stays as it is in an object that exists.
  @discardableResult
  public func upsert(_ className: String, primaryKey: Value, _ values: [String: Value])
    throws(ObjectError) -> (key: ObjectKey, isNew: Bool)
  {
    let writer = try writer(className)
    guard let column = writer.schema.primaryKey else {
      throw .missingPrimaryKey(className: className, property: "")
    }
    var values = values
    values[column.name] = primaryKey
    let assignments = try assignments(writer, values)
    if let key = try key(writer, primaryKey: primaryKey) {
      for (column, value) in assignments {
        try checkOwner(of: value, column, writer, key.rawValue)
      }
      try change { () throws(ObjectError) in
        for (column, value) in assignments where !column.isPrimaryKey {
          try set(writer, key.rawValue, column, value)
        }
      }
      return (key, false)
    }
    return (try create(writer, assignments), true)
  }

  /// Sets one property of an object; a collection as a whole.
  public func set(_ className: String, _ key: ObjectKey, _ property: String, _ value: Value)
    throws(ObjectError)
  {
    let writer = try writer(className)
    let column = try writer.schema.requireColumn(property)
    guard !column.isPrimaryKey else {
      throw .primaryKeyIsFixed(className: className, property: property)
    }
    guard try writer.contains(key.rawValue) else { throw .noSuchObject(className: className) }
    let fitted = try fit(value, column, writer)
    try checkOwner(of: fitted, column, writer, key.rawValue)
    try change { () throws(ObjectError) in try set(writer, key.rawValue, column, fitted) }
  }

  /// Makes an object of an embedded class as the value of a property, or as one more element of it.
  ///
  /// An embedded object that it replaces is deleted.
  @discardableResult
  public func createEmbedded(
    in className: String, _ owner: ObjectKey, _ property: String, mapKey: String? = nil,
    _ values: [String: Value] = [:]
  ) throws(ObjectError) -> ObjectKey {
    let ownerWriter = try writer(className)
    let column = try ownerWriter.schema.requireColumn(property)
    guard column.layout.value == .link,
      let target = schema.table(id: column.layout.linkTable), target.isEmbedded
    else {
      throw .typeMismatch(
        className: className, property: property, expected: column.layout.description,
        found: "embedded object")
    }
    try settleDeletions()
    if column.layout.collection == .list {
      return try createEmbeddedElement(ownerWriter, owner.rawValue, column, at: nil, values)
    }
    guard let current = try ownerWriter.value(owner.rawValue, column) else {
      throw .noSuchObject(className: className)
    }
    let childWriter = try writer(id: target.id)
    let assignments = try assignments(childWriter, values)
    /// What the property holds with the child.
    func value(with child: ObjectKey) -> Value {
      let link = Value.link(ObjectLink(table: target.id, key: child.rawValue))
      switch (column.layout.collection, current) {
      case (.set, .set(let elements)): return .set(elements + [link])
      case (.map, .map(var map)):
        map[mapKey ?? ""] = link
        return .map(map)
      default: return link
      }
    }
    // All links take as many bytes, so any key will do to measure.
    try ownerWriter.checkSize(value(with: ObjectKey(rawValue: 0)), column)
    let child = try create(childWriter, assignments)
    try change { () throws(ObjectError) in
      try setLinks(ownerWriter, owner.rawValue, column, value(with: child))
    }
    return child
  }

  /// Makes an object; `given`: its key, which was checked, if it is not the next one.
  func create(
    _ writer: TableWriter, _ assignments: [(Column, Value)], key given: ObjectKey? = nil
  ) throws(ObjectError) -> ObjectKey {
    let table = writer.schema
    var primaryKey: Value?
    if let column = table.primaryKey {
      guard let value = assignments.first(where: { $0.0 == column })?.1 else {
        throw .missingPrimaryKey(className: table.name, property: column.name)
      }
      guard try key(writer, primaryKey: value) == nil else {
        throw .duplicatePrimaryKey(className: table.name, value: "\(value)")
      }
      primaryKey = value
    }
    for (column, value) in assignments { try checkOwner(of: value, column, writer, nil) }
    // From here on nothing can be refused.
    return try change { () throws(ObjectError) in
      if hasUnsettledDeletions, let primaryKey {
        try settleDeletions(
          beforeReusing: storedKey(writer, primaryKey: primaryKey), of: writer)
      }
      let key: UInt64
      if let given {
        key = given.rawValue
        try settleDeletions(beforeReusing: key, of: writer)
        writer.reserveKey(key)
      } else {
        key = try self.key(forNew: primaryKey, writer)
      }
      try writer.insert(key)
      for (column, value) in assignments {
        if column.layout.value == .link {
          try setLinks(writer, key, column, value)
        } else {
          guard try writer.select(key) else { throw .noSuchObject(className: table.name) }
          try writer.setSelected(column, value)
        }
      }
      if let primaryKey { try resolveWaiting(for: writer, key, primaryKey) }
      return ObjectKey(rawValue: key)
    }
  }

  /// The key of a new object: its primary key, one that it had before, or the next one.
  func key(forNew primaryKey: Value?, _ writer: TableWriter) throws(ObjectError) -> UInt64 {
    if writer.schema.isKeyedByPrimaryKey, case .int(let number)? = primaryKey {
      return ObjectKey(integerPrimaryKey: number).rawValue
    }
    if writer.schema.isSynced, let primaryKey, let key = try keptKey(primaryKey, writer) {
      return key
    }
    return writer.takeKey()
  }

  /// Makes a change of which nothing can be refused any more.
  ///
  /// What it throws has left it half done: the transaction is not committed then.
  func change<Result>(_ body: () throws(ObjectError) -> Result) throws(ObjectError) -> Result {
    do throws(ObjectError) { return try body() } catch {
      fail(error)
      throw error
    }
  }

  /// Refuses the commit: a change was interrupted halfway.
  func fail(_ error: ObjectError) { failure = failure ?? error }

  func set(_ writer: TableWriter, _ key: UInt64, _ column: Column, _ value: Value)
    throws(ObjectError)
  {
    guard column.layout.mayHoldLinks else {
      guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
      return try writer.setSelected(column, value)
    }
    try keepWaiting(writer, key, column, value)
    try setLinks(writer, key, column, value)
  }

  /// Sets a property of links, and deletes embedded objects that lose their owner.
  func setLinks(_ writer: TableWriter, _ key: UInt64, _ column: Column, _ value: Value)
    throws(ObjectError)
  {
    guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
    guard let target = schema.table(id: column.layout.linkTable), target.isEmbedded else {
      return try writer.setSelected(column, value)
    }
    let old = try writer.selectedValue(column).links
    try writer.setSelected(column, value)
    for orphan in Set(old).subtracting(value.links) { try doom(orphan) }
  }

  /// Refuses embedded objects that are not in this property of this object already, or twice.
  ///
  /// `key`: the object; nil for one that is being made.
  func checkOwner(
    of value: Value, _ column: Column, _ writer: TableWriter, _ key: UInt64?
  ) throws(ObjectError) {
    guard column.layout.value == .link,
      let target = schema.table(id: column.layout.linkTable), target.isEmbedded
    else { return }
    let links = value.links
    guard !links.isEmpty else { return }
    let owned = try key.flatMap { key throws(ObjectError) in try writer.value(key, column) }
    let distinct = Set(links)
    guard distinct.count == links.count, distinct.isSubset(of: owned?.links ?? []) else {
      throw .embeddedObjectHasOwner(className: target.name)
    }
  }

  // MARK: Values

  /// Resolves the names and fits the values, so that nothing is half done when one is refused.
  func assignments(_ writer: TableWriter, _ values: [String: Value])
    throws(ObjectError) -> [(Column, Value)]
  {
    var result: [(Column, Value)] = []
    var found = 0
    for column in writer.schema.columns {
      guard let value = values[column.name] else { continue }
      found += 1
      result.append((column, try fit(value, column, writer)))
    }
    if found < values.count {
      for name in values.keys.sorted() { _ = try writer.schema.requireColumn(name) }
    }
    return result
  }

  /// The value in the form in which the column holds it.
  func fit(_ value: Value, _ column: Column, _ writer: TableWriter)
    throws(ObjectError) -> Value
  {
    let fitted = try fitType(value, column, writer)
    try writer.checkSize(fitted, column)
    if column.isIndexed { try writer.checkIndexable(fitted, column) }
    return fitted
  }

  func fitType(_ value: Value, _ column: Column, _ writer: TableWriter)
    throws(ObjectError) -> Value
  {
    switch (column.layout.collection, value) {
    case (.none, _): return try fitSingle(value, column, writer)
    case (.list, .list(let elements)), (.list, .set(let elements)):
      var fitted: [Value] = []
      fitted.reserveCapacity(elements.count)
      for element in elements { fitted.append(try fitSingle(element, column, writer)) }
      return .list(fitted)
    case (.set, .list(let elements)), (.set, .set(let elements)):
      var fitted: [Value] = []
      for element in elements { fitted.append(try fitSingle(element, column, writer)) }
      return Self.normalizedSet(fitted)
    case (.map, .map(let map)):
      var fitted = ValueMap()
      for entry in map.entries {
        fitted[entry.key] = try fitSingle(entry.value, column, writer)
      }
      return .map(fitted)
    default: throw mismatch(value, column, writer)
    }
  }

  func fitSingle(_ value: Value, _ column: Column, _ writer: TableWriter)
    throws(ObjectError) -> Value
  {
    let layout = column.layout
    switch (layout.value, value) {
    case (.mixed, _):
      try checkMixed(value, depth: layout.collection == .none ? 0 : 1, column, writer)
      return value
    case (_, .null):
      let isNullable =
        layout.isOptional || layout.value == .link && layout.collection == .none
      guard isNullable else {
        throw .nullInRequiredProperty(className: writer.schema.name, property: column.name)
      }
      return value
    case (.link, .link(let link)):
      guard link.table == layout.linkTable else { throw mismatch(value, column, writer) }
      guard try self.writer(id: link.table).contains(link.key) else {
        throw .danglingLink(className: writer.schema.name, property: column.name)
      }
      return value
    case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double),
      (.decimal, .decimal), (.string, .string), (.data, .data), (.date, .date),
      (.objectID, .objectID), (.uuid, .uuid):
      return value
    case (.double, .int(let number)):
      guard let double = Double(exactly: number) else { throw mismatch(value, column, writer) }
      return .double(double)
    case (.double, .float(let number)): return .double(Double(number))
    case (.decimal, .int(let number)): return .decimal(Decimal128(number))
    default: throw mismatch(value, column, writer)
    }
  }

  /// Refuses what a mixed property cannot hold: links to objects that do not exist or have an owner,
  /// and collections deeper than their encoding goes.
  private func checkMixed(_ value: Value, depth: Int, _ column: Column, _ writer: TableWriter)
    throws(ObjectError)
  {
    switch value {
    case .link(let link):
      guard let target = schema.table(id: link.table),
        try self.writer(id: link.table).contains(link.key)
      else { throw .danglingLink(className: writer.schema.name, property: column.name) }
      guard !target.isEmbedded else { throw .embeddedObjectHasOwner(className: target.name) }
    case .list(let elements), .set(let elements):
      guard depth < MixedCoding.nestingLimit else { throw mismatch(value, column, writer) }
      for element in elements { try checkMixed(element, depth: depth + 1, column, writer) }
    case .map(let map):
      guard depth < MixedCoding.nestingLimit else { throw mismatch(value, column, writer) }
      for entry in map.entries { try checkMixed(entry.value, depth: depth + 1, column, writer) }
    default: break
    }
  }

  func mismatch(_ value: Value, _ column: Column, _ writer: TableWriter) -> ObjectError {
    .typeMismatch(
      className: writer.schema.name, property: column.name,
      expected: column.layout.description, found: value.typeName)
  }

  /// A set keeps each element once, in the order of mixed values.
  static func normalizedSet(_ elements: [Value]) -> Value {
    var sorted = elements.sorted { Value.sortOrder($0, $1) == .less }
    var previous: Value?
    sorted.removeAll { element in
      defer { previous = element }
      return previous.map { Value.sortOrder($0, element) == .equal } ?? false
    }
    return .set(sorted)
  }

  // MARK: Loading

  /// A writer of one class for loads: typed, one object after the other, no dictionary.
  public func objectWriter(_ className: String) throws(ObjectError) -> ObjectWriter {
    ObjectWriter(try writer(className), transaction: self)
  }

  // MARK: Schema

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
  public func addProperty(_ property: PropertySchema, to className: String)
    throws(ObjectError)
  {
    try flushAll()
    let before = catalogue
    try SchemaEditor.add(property, to: className, of: &catalogue, schema: schema)
    adoptSchema()
    guard property.isIndexed else { return }
    do throws(ObjectError) { try buildIndex(className, property.name) } catch {
      catalogue = before
      adoptSchema()
      throw error
    }
  }

  /// Keeps an ordered index of a property from now on.
  ///
  /// Cost: a pass over the objects.
  public func addIndex(on property: String, of className: String) throws(ObjectError) {
    try checkUse()
    let table = try schema.requireTable(className)
    guard try !table.requireColumn(property).isIndexed else { return }
    try flushAll()
    let before = catalogue
    try SchemaEditor.addIndex(on: property, of: className, to: &catalogue, schema: schema)
    adoptSchema()
    do throws(ObjectError) { try buildIndex(className, property) } catch {
      catalogue = before
      adoptSchema()
      throw error
    }
  }

  /// Keeps a full-text index of a string property from now on.
  ///
  /// Cost: a pass over the objects.
  public func addFullTextIndex(on property: String, of className: String) throws(ObjectError) {
    try checkUse()
    let table = try schema.requireTable(className)
    guard try !table.requireColumn(property).isFullTextIndexed else { return }
    try flushAll()
    let before = catalogue
    try SchemaEditor.addFullTextIndex(
      on: property, of: className, to: &catalogue, schema: schema)
    adoptSchema()
    do throws(ObjectError) { try buildFullTextIndex(className, property) } catch {
      catalogue = before
      adoptSchema()
      throw error
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
    SchemaEditor.makeOptional(column, in: &catalogue)
    adoptSchema()
  }

  /// Records changes of a class for a server from now on; what was done before is not recorded.
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
  /// - Throws: `.noSuchProperty`; `.invalidSchema` when the new name is taken or none.
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
    // What is too long may have come from a server.
    let isSynced =
      writer.schema.isSynced
      || writer.schema.isEmbedded && schema.tables.contains(where: \.isSynced)
    do {
      try table.forEach { object in
        let value = try object.value(column)
        if !isSynced { try writer.checkIndexable(value, column) }
        if let bytes = IndexTree.bytes(of: value) {
          try index.insert(bytes, key: object.key.rawValue)
        }
      }
    } catch {
      try? index.removeAll()
      throw ObjectError(any: error, block: 0)
    }
    writer.touch()
  }

  private func buildFullTextIndex(_ className: String, _ property: String) throws(ObjectError) {
    let table = try table(className)
    let column = try table.column(property)
    let writer = try writer(className)
    guard let index = writer.fullTextIndex(column) else { return }
    do {
      try table.forEach { object in
        guard case .string(let text) = try object.value(column) else { return }
        try index.insertTokens(of: text.utf8.span, key: object.key.rawValue)
      }
    } catch {
      try? index.removeAll()
      throw ObjectError(any: error, block: 0)
    }
    writer.touch()
  }

  /// Takes over the classes and internal trees of another database, without what is in them.
  ///
  /// What is copied is not recorded.
  func adoptEmptied(_ other: VersionCatalogue) {
    origin = .sync
    catalogue.records = other.records.map(\.emptied)
    catalogue.namedTrees = other.namedTrees.mapValues {
      ClassRecord.TreeRecord(treeID: $0.treeID, root: .empty)
    }
    catalogue.nextTreeID = other.nextTreeID
    catalogue.nextClassID = other.nextClassID
    adoptSchema()
  }

  private func adoptSchema() {
    for record in catalogue.records {
      guard let previous = writers[record.id] else { continue }
      previous.isRetired = true
      let writer = TableWriter(
        record: record, continuing: previous, storage: storage, environment: environment,
        newTreeID: newTreeID)
      writer.recorder = previous.recorder
      writers[record.id] = writer
    }
    schema = catalogue.schema
    addressedWriters = [:]
    for writer in writers.values { attachRecorder(to: writer) }
    isSchemaChanged = true
  }

  /// Refuses the use of a transaction that has ended.
  ///
  /// - Throws: `.storage(.transactionEnded)`.
  func checkUse() throws(ObjectError) {
    guard !isFinished else { throw .storage(.transactionEnded(path: database.path)) }
  }

  // MARK: Writers

  func writer(_ className: String) throws(ObjectError) -> TableWriter {
    try writer(id: schema.requireTable(className).id)
  }

  /// The writer of a class that has been used.
  func existingWriter(id: UInt32) -> TableWriter? { writers[id] }

  func writer(id: UInt32) throws(ObjectError) -> TableWriter {
    try checkUse()
    if let writer = writers[id] { return writer }
    let writer = TableWriter(
      record: try record(id), continuing: nil, storage: storage, environment: environment,
      newTreeID: newTreeID)
    writers[id] = writer
    attachRecorder(to: writer)
    return writer
  }

  /// Numbers the trees that writers make.
  private var newTreeID: () -> UInt32 {
    // The transaction has its writers: it is there as long as one of them is used.
    { [unowned self] in catalogue.newTreeID() }
  }

  /// Whether there may be backlinks of a column.
  func hasBacklinks(_ column: Column) -> Bool {
    if let writer = writers[column.table] { return writer.hasBacklinks(column) }
    let record = catalogue.records.first { $0.id == column.table }
    return record?.columns.first { $0.id == column.id }?.backlinks != nil
  }

  private func record(_ id: UInt32) throws(ObjectError) -> ClassRecord {
    guard let record = catalogue.records.first(where: { $0.id == id }) else {
      throw .noSuchClass("#\(id)", nearest: nil)
    }
    return record
  }

  /// Encodes what was changed in a class, so that it can be read as pages.
  private func settle(_ id: UInt32) throws(ObjectError) {
    try checkUse()
    try closeCollection()
    try settleDeletions()
    guard let writer = writers[id], writer.isChanged else { return }
    let record = try writer.flush()
    if let position = catalogue.records.firstIndex(where: { $0.id == id }) {
      catalogue.records[position] = record
    }
  }

  private func flushAll() throws(ObjectError) {
    try checkUse()
    try closeCollection()
    try settleDeletions()
    for id in writers.keys.sorted() { try settle(id) }
  }

  /// Refuses links to objects that do not exist, which the typed path has not looked up.
  ///
  /// All writers are flushed.
  private func checkLinks() throws(ObjectError) {
    for writer in Array(writers.values) {
      for (column, targets) in writer.uncheckedTargets {
        let sorted = DistinctKeys.ascending(targets)
        let target = try self.writer(id: column.layout.linkTable)
        guard !target.schema.isEmbedded else {
          throw .embeddedObjectHasOwner(className: target.schema.name)
        }
        if try target.containsAll(sorted) { continue }
        // Links that were set to something else since, or cleared with their target, do not count.
        for key in sorted where try !target.contains(key) {
          guard try writer.sources(of: key, column).isEmpty else {
            throw .danglingLink(className: writer.schema.name, property: column.name)
          }
        }
      }
      writer.forgetUncheckedTargets()
    }
  }

  // MARK: End

  /// What this transaction did so far.
  public var changes: ChangeSet {
    // A failure is kept: the commit throws it. One that was cancelled has nothing to settle.
    if !isFinished {
      try? closeCollection()
      try? settleDeletions()
    }
    var changes = ChangeSet()
    for table in schema.visibleTables {
      guard let summary = writers[table.id]?.log.summary(table), !summary.isEmpty else { continue }
      changes.classes[table.name] = summary
    }
    return changes
  }

  /// Makes everything this transaction did one new version.
  ///
  /// Does nothing when nothing was changed. When it throws, nothing was published.
  ///
  /// `durability`: what it waits for before it returns; nil: what the database was opened with.
  public func commit(durability: Durability? = nil) throws(ObjectError) {
    try checkUse()
    do {
      if let failure { throw failure }
      try closeCollection()
      try settleDeletions()
      try recordOperations()
      try flushAll()
      try checkLinks()
      let pendingRoot = try pending.flush()
      let isPendingChanged = pendingRoot != catalogue.pendingLinks.root
      catalogue.pendingLinks.root = pendingRoot
      let changed = catalogue.records.filter { record in
        isSchemaChanged || writers[record.id]?.isChanged == true
      }
      let changedTrees = try flushNamedTrees()
      isFinished = true
      let isMetaChanged =
        isSchemaChanged || isPendingChanged || catalogue.nextTreeID != base.nextTreeID
      guard isSchemaChanged || isPendingChanged || !changed.isEmpty || !changedTrees.isEmpty else {
        storage.cancel()
        return
      }
      let tree = MutableKeyValueTree(
        root: storage.base.catalogue, treeID: Catalogue.treeID, transaction: storage)
      for record in changed { try tree.set(record.encoded(), for: record.key) }
      if isMetaChanged { try tree.set(catalogue.encodedMeta(), for: Catalogue.metaKey) }
      for (name, record) in changedTrees {
        try tree.set(record.encoded(), for: Catalogue.namedTreeKey(name))
      }
      try storage.commit(
        catalogue: try tree.flush(), durability: durability ?? database.durability)
      hasMadeVersion = true
      database.adopt(
        VersionCatalogue(transaction: version, catalogue: catalogue, previous: base))
    } catch {
      isFinished = true
      storage.cancel()
      throw ObjectError(any: error, block: 0)
    }
  }

  /// Writes the internal trees that were changed, and returns those in the order of their names.
  private func flushNamedTrees() throws(StorageError)
    -> [(name: String, record: ClassRecord.TreeRecord)]
  {
    guard !namedTrees.isEmpty || isSchemaChanged else { return [] }
    for (name, tree) in namedTrees.sorted(by: { $0.key < $1.key }) where tree.isChanged {
      let record = ClassRecord.TreeRecord(treeID: tree.treeID, root: try tree.flush())
      // One that is empty still has not to be there.
      if record.root == .empty, catalogue.namedTrees[name] == nil { continue }
      catalogue.namedTrees[name] = record
    }
    return catalogue.namedTrees.filter { base.namedTrees[$0.key] != $0.value }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Forgets everything this transaction did.
  public func cancel() {
    isFinished = true
    storage.cancel()
  }
}

extension Value {
  /// The targets in a value of links; one that comes twice twice.
  var links: [ObjectLink] {
    switch self {
    case .link(let link): [link]
    case .list(let elements), .set(let elements): elements.flatMap(\.links)
    case .map(let map): map.entries.flatMap(\.value.links)
    default: []
    }
  }

  /// What the value is, in the words of the query language.
  package var typeName: String {
    switch self {
    case .null: "null"
    case .list: "list"
    case .set: "set"
    case .map: "map"
    default: type?.queryName ?? "null"
    }
  }
}
