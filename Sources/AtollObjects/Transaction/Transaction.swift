public import AtollStorage

/// A change in progress: everything it does becomes one new version, or nothing does.
///
/// Holds the database's writer lock until `commit()` or `cancel()`, after which all but `changes`
/// throw `.storage(.transactionEnded)`, and so does what was read from it. Used by one thread at a
/// time. Reading through `table(_:)` and `value(_:_:_:)` shows the transaction's own changes.
///
/// An object is named by its class and its key, a property by its name or its
/// `Column`. Links stay exact: setting one keeps the backlinks of both targets,
/// deleting an object clears every link to it, and embedded objects die with
/// the object that owns them.
public final class Transaction: TreeSource {
  package let database: Database
  let storage: WriteTransaction
  let base: VersionCatalogue
  var catalogue: Catalogue
  /// The classes, with the changes that the transaction has made to them.
  public internal(set) var schema: Schema
  var writers: [UInt32: TableWriter] = [:] { didSet { lastWriter = nil } }
  /// The one that was asked for last: mostly it is the next one too.
  private var lastWriter: TableWriter?
  /// Whether objects were deleted whose rows are still there.
  package internal(set) var hasUnsettledDeletions = false
  var pending: PendingLinks
  /// Links of lists whose targets came; they get into the lists when those are needed.
  var arrivals: [WaitingPlaces.Property: [PendingLinks.Entry.Arrival]] = [:]
  /// The layer above that takes part in the transaction; nil when there is none.
  ///
  /// One that comes later sees what is changed from then on.
  package var participant: (any TransactionParticipant)? {
    didSet { attachWitnesses() }
  }
  /// Whether the participant has put off changes, which `writeDeferred` makes.
  package var hasDeferredWrites = false
  /// Whether the writes repeat those of another file: each says all that a property is to hold.
  ///
  /// Else an assignment of a collection keeps the links that wait in it for deleted objects.
  package var isReplaying = false
  /// The deletions that the commit is to judge.
  var denied = DeniedDeletions()
  /// The internal trees that were opened.
  private var namedTrees: [String: NamedTree] = [:]
  let environment: RowGroupEnvironment
  package internal(set) var isSchemaChanged = false
  /// The classes that the version before does not have, or has with other properties.
  var redefinedTables: Set<UInt32> = []
  /// What `commit()` made a version of; nil where it made none, as nothing was changed.
  package private(set) var committedChanges: CommittedChanges?
  var isFinished = false
  /// What interrupted a change halfway; the commit throws it, so that no half is published.
  var failure: ObjectError?
  /// A change that was not made and could not be reported where it was asked for; the commit throws
  /// it.
  var refusal: ObjectError?
  /// Whether the version leaves out the free blocks at the end of the file.
  ///
  /// Only with full durability: a shorter file is on the disk before it is cut.
  var shortensFile = false

  init(database: Database, storage: WriteTransaction, catalogue: VersionCatalogue) {
    self.database = database
    self.storage = storage
    base = catalogue
    environment = RowGroupEnvironment(
      cache: storage.reader.cache,
      store: BlobStore(reader: storage.reader, transaction: storage))
    schema = catalogue.schema
    // Not lazy: a lazy structure is copied by every change.
    pending = PendingLinks(catalogue.pendingLinks, storage: storage)
    self.catalogue = Catalogue()
    self.catalogue.records = catalogue.records
    self.catalogue.nextTreeID = catalogue.nextTreeID
    self.catalogue.nextClassID = catalogue.nextClassID
    self.catalogue.pendingLinks = catalogue.pendingLinks
    self.catalogue.namedTrees = catalogue.namedTrees
    participant = database.participant?.join(self)
  }

  /// The version this transaction becomes when it is committed.
  public var version: UInt64 { storage.transaction }

  // MARK: Reading

  /// Returns the objects of a class, with the changes of the transaction so far.
  ///
  /// - Throws: `.noSuchClass` with the nearest name; `.storage`, also after the transaction's end.
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
        root: rows.root, form: MutableRowGroup.form(rows.treeID), reader: storage.reader),
      environment: environment)
  }

  package func index(_ column: Column) throws(ObjectError) -> Index? {
    try settle(column.table)
    let record = try record(column.table).columns.first { $0.id == column.id }
    return openIndex(record?.index)
  }

  package func backlinks(_ column: Column) throws(ObjectError) -> Index? {
    try settle(column.table)
    let record = try record(column.table).columns.first { $0.id == column.id }
    return openIndex(record?.backlinks)
  }

  package func fullTextIndex(_ column: Column) throws(ObjectError) -> Index? {
    try settle(column.table)
    let record = try record(column.table).columns.first { $0.id == column.id }
    return openIndex(record?.fullText)
  }

  func openIndex(_ record: ClassRecord.IndexRecord?) -> Index? {
    record.map { Index(root: $0.root, treeID: $0.treeID, reader: storage.reader) }
  }

  /// A value of one object, whatever has been changed.
  ///
  /// - Throws: `.noSuchObject`, `.noSuchProperty`, `.noSuchClass`.
  public func value(_ className: String, _ key: ObjectKey, _ property: String)
    throws(ObjectError) -> Value
  {
    let writer = try writer(className)
    let column = try writer.schema.requireColumn(property)
    try writeDeferred()
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

  package func key(_ writer: TableWriter, primaryKey value: Value) throws(ObjectError)
    -> ObjectKey?
  {
    guard let key = try storedKey(writer, primaryKey: value), !writer.doomed.contains(key) else {
      return nil
    }
    return ObjectKey(rawValue: key)
  }

  /// The key of the object with this primary key; also of a deleted one whose row is still there.
  package func storedKey(_ writer: TableWriter, primaryKey value: Value) throws(ObjectError)
    -> UInt64?
  {
    guard let column = writer.schema.primaryKey else { return nil }
    if writer.schema.isKeyedByPrimaryKey {
      guard case .int(let number) = value else { return nil }
      let key = ObjectKey(integerPrimaryKey: number).rawValue
      if writer.doomed.contains(key) { return key }
      return try writer.contains(key) ? key : nil
    }
    guard let bytes = Index.bytes(of: value), let index = writer.index(column) else {
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

  // MARK: Loading

  /// A writer of one class for loads: typed, one object after the other, no dictionary.
  public func objectWriter(_ className: String) throws(ObjectError) -> ObjectWriter {
    ObjectWriter(try writer(className), transaction: self)
  }

  // MARK: Writers

  package func writer(_ className: String) throws(ObjectError) -> TableWriter {
    try writer(id: schema.requireTable(className).id)
  }

  /// The writer of a class that has been used.
  package func existingWriter(id: UInt32) -> TableWriter? {
    if let last = lastWriter, last.id == id { return last }
    guard let writer = writers[id] else { return nil }
    lastWriter = writer
    return writer
  }

  package func writer(id: UInt32) throws(ObjectError) -> TableWriter {
    try checkUse()
    if let writer = existingWriter(id: id) { return writer }
    let writer = TableWriter(
      record: try record(id), continuing: nil, storage: storage, environment: environment,
      newTreeID: newTreeID)
    writers[id] = writer
    attachWitness(to: writer)
    return writer
  }

  /// Numbers the trees that writers make.
  var newTreeID: () -> UInt32 {
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
  func settle(_ id: UInt32) throws(ObjectError) {
    try checkUse()
    try writeDeferred()
    try settleDeletions()
    guard let writer = writers[id], writer.isChanged else { return }
    let record = try writer.flush()
    if let position = catalogue.records.firstIndex(where: { $0.id == id }) {
      catalogue.records[position] = record
    }
  }

  func flushAll() throws(ObjectError) {
    try checkUse()
    try writeDeferred()
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

  /// Whether this transaction did anything to objects so far, be it that it was undone.
  ///
  /// - Complexity: The number of classes.
  package var hasChanges: Bool {
    hasUnsettledDeletions || hasDeferredWrites || writers.values.contains { !$0.log.isEmpty }
  }

  /// What this transaction did so far.
  public var changes: ChangeSet {
    // A failure is kept: the commit throws it. One that was cancelled has nothing to settle.
    if !isFinished {
      try? writeDeferred()
      try? settleDeletions()
    }
    var changes = ChangeSet()
    for table in schema.visibleTables {
      guard let summary = writers[table.id]?.log.summary(table), !summary.isEmpty else { continue }
      changes.classes[ExactText(table.name)] = summary
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
      if let error = failure ?? refusal { throw error }
      try writeDeferred()
      try settleDeletions()
      try participant?.willCommit()
      try flushAll()
      try checkLinks()
      try checkUnique()
      try checkDenials()
      try checkRecording()
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
      guard isSchemaChanged || isPendingChanged || !changed.isEmpty || !changedTrees.isEmpty
      else { return storage.cancel() }
      let tree = MutableKeyValueTree(
        root: storage.base.catalogue, treeID: Catalogue.treeID, transaction: storage)
      for record in changed { try tree.set(record.encoded(), for: record.key) }
      if isSchemaChanged {
        for record in base.records where schema.table(id: record.id) == nil {
          try tree.set(nil, for: record.key)
        }
      }
      if isMetaChanged { try tree.set(catalogue.encodedMeta(), for: Catalogue.metaKey) }
      for (name, record) in changedTrees {
        try tree.set(record.encoded(), for: Catalogue.namedTreeKey(name))
      }
      let root = try tree.flush()
      let changes = CommittedChanges(
        writers.mapValues(\.log).filter { !$0.value.isEmpty }, areAll: !isSchemaChanged,
        version: version, catalogue: root)
      database.changeHistory.note(changes, onto: storage.base.catalogue)
      try storage.commit(
        catalogue: root, durability: durability ?? database.durability, shortening: shortensFile)
      database.changeHistory.confirm(changes)
      committedChanges = changes
      database.adopt(VersionCatalogue(transaction: version, catalogue: catalogue, previous: base))
    } catch {
      isFinished = true
      storage.cancel()
      throw ObjectError(any: error)
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
