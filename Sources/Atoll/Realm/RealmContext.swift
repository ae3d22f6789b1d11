internal import AtollObjects
internal import Foundation
internal import Synchronization

/// An open realm: a file in its current version, confined to one place.
///
/// `Realm` values, objects and collections share it. The current version is a snapshot, or the
/// transaction of a write. All members but those of a frozen realm are for the place that it is
/// confined to.
public final class _RealmContext {
  let file: SharedFile
  /// What it was opened with first, and the classes of all openings; for the place of the realm.
  private(set) var configuration: Realm.Configuration
  let confinement: Confinement
  /// What reads ask first; each change of what they would find out is told to it.
  let readState = ReadState()
  /// The version that is read.
  var version: ReadVersion { didSet { readState.change() } }
  /// The write that is open.
  var transaction: Transaction? {
    didSet {
      readState.change()
      file.noteWrite(of: self, isOpen: transaction != nil)
      if transaction == nil { OpenWrites.letGo(of: self) }
    }
  }
  /// Whether the thread keeps the realm as long as its write is open.
  var isKeptByThread = false
  /// What keeps the realm elsewhere as long as its write is open.
  weak var kept: KeptRealm?
  /// What becomes of the open write, for references to what it has made; nil while there are none.
  private var knownFate: WriteFate?
  /// Of a realm that only names things, for references to them: the schema with what the open write
  /// has added.
  private let namedSchema: AtollObjects.Schema?
  /// How often what it shows has changed.
  var counts = ChangeCounts() { didSet { readState.change() } }
  /// What its writes have made of the instances of objects.
  var writes = WriteHistory() { didSet { readState.change() } }
  /// The first failure that the open write, or the open update of the subscriptions, has met, and
  /// which its end throws; where none is open, why `beginWrite()` could not begin one.
  var writeFailure: Realm.Error?
  /// Whether a failure has left a change of the open write half done: nothing more is changed then.
  var hasHalfDoneChange = false
  /// The failures that were met in reads and writes.
  let failures = MetFailures()
  /// Whether what is read now is what observers are to be told of.
  var isReadingForObservers = false
  /// Who tells the observers of the realm; nil while there has been none.
  var knownNotifier: RealmNotifier?
  /// What was read in blocks of `withObservationTracking`; nil while there has been none.
  var knownTrackedReads: TrackedReads?
  /// Finds out whether the thread is in such a block; nil in a frozen realm, which never changes.
  let probe: ReadProbe?
  /// Whether observers are being called, during which the realm does not move.
  var isNotifying = false
  /// The frozen form of the version that was frozen last.
  weak var lastFrozen: _RealmContext?
  /// In a realm that consists of copies, finds the one that queries ask in the place of an object;
  /// nil for any other realm.
  var copies: ((ObjectBase) -> ObjectBase?)?
  /// Whether it was told that the realm cannot go on to a version with other classes.
  var hasToldOfClasses = false
  /// In the realms of a migration, what is under way; nil for any other realm.
  var migration: MigrationWork?
  /// What is adding objects now.
  var activeAdder: ObjectAdder?
  /// Grows with `invalidate()`: what was made before is invalid.
  private(set) var epoch: UInt32 = 0 { didSet { readState.change() } }
  /// Keeps the session of the file going.
  private let use: FileUse
  let isFrozen: Bool
  /// The number that `OpenRealms` knows it by, which lets go of it at its end; nil: it does not.
  var openNumber: UInt64?
  var autorefresh = true
  /// The classes in use.
  var classes = ClassesInUse()
  /// The writes that were asked for to be done later.
  private(set) lazy var asyncWrites = AsyncWrites(self)

  /// The update of the subscription set that is open.
  var subscriptionUpdate: SubscriptionUpdate? {
    didSet { file.noteUpdate(by: self, isOpen: subscriptionUpdate != nil) }
  }

  // MARK: Hooks

  /// Is called when the realm has moved to another version, where it is confined.
  var didAdvance: ((Advance) -> Void)?
  /// Is called instead when there is a newer version and the realm does not move by itself.
  var refreshRequired: (() -> Void)?
  /// May refuse a write before its commit, with the error that the application gets.
  var commitCheck: ((Transaction) throws -> Void)?

  /// Why a realm has moved.
  enum Advance {
    /// It committed a write of its own, of which some observers are not to be told.
    ///
    /// `version`: what the write made; nil when it changed nothing. The realm may have moved
    /// further.
    case commit(version: UInt64?, withoutNotifying: [NotificationToken])
    /// It began a write after others had committed.
    case begin
    /// `refresh()` was called, or others committed and the realm refreshed itself.
    case refresh
  }

  init(
    file: SharedFile, configuration: Realm.Configuration, confinement: Confinement,
    version: ReadVersion, isFrozen: Bool = false, naming namedSchema: AtollObjects.Schema? = nil
  ) {
    self.file = file
    use = FileUse(file)
    self.configuration = configuration
    self.confinement = confinement
    self.isFrozen = isFrozen
    probe = isFrozen ? nil : ReadProbe()
    self.namedSchema = namedSchema
    self.version = version
  }

  /// A write that is left open is undone.
  deinit {
    if let openNumber { OpenRealms.remove(self, openNumber) }
    if let transaction {
      transaction.cancel()
      knownFate?.end(.cancelled)
      file.noteWrite(of: self, isOpen: false)
    }
    // Nothing has thrown it.
    if let writeFailure { configuration.tell(writeFailure) }
  }

  // MARK: Confinement

  /// Ends the process when the realm is used where it does not belong.
  ///
  /// Cost: a comparison of thread numbers; the executor is asked only when they differ.
  @inline(__always)
  func checkConfinement() {
    if !readState.isOnLastThread { checkExecutor() }
  }

  @inline(never)
  private func checkExecutor() {
    if isFrozen { return }
    confinement.check()
    readState.noteThread(ThreadNumber.current)
  }

  // MARK: Reading

  /// What is read: the snapshot, or the transaction with its changes.
  var source: any TreeSource {
    if let transaction { return transaction }
    return snapshot
  }

  var schema: AtollObjects.Schema { namedSchema ?? source.schema }

  /// Whether the realm only names things, and nothing is read from it.
  var isNaming: Bool { namedSchema != nil }

  /// The version that is read; in a write, the one that it began with.
  var snapshot: Snapshot {
    if let settled = version.settled { return settled }
    return foundSnapshot()
  }

  /// The newest version; the one that is read when the file was deleted or damaged meanwhile.
  var newestSnapshot: Snapshot { (try? file.database.snapshot()) ?? snapshot }

  /// Reads another version from now on.
  func pin(_ snapshot: Snapshot?) {
    version.pin(snapshot)
    counts.noteVersion()
    if let schema = transaction?.schema ?? snapshot?.schema { classes.adopt(schema) }
  }

  /// Reads the version before the last commit until the newest one can be read, for which each use
  /// looks again.
  func stayBehind() {
    version.stayBehind()
    counts.noteVersion()
  }

  /// Admits these classes from now on; nil: any class.
  func admitTypes(_ types: [ObjectBase.Type]?) {
    configuration.objectTypes = types
    // What is frozen from now on has the new classes, too.
    lastFrozen = nil
  }

  /// Takes in what another opening at this place wants of commits: the stronger of both.
  func admitDurability(_ durability: Realm.Configuration.Durability) {
    guard durability == .full, configuration.durability != .full else { return }
    configuration.durability = .full
    // What is frozen from now on leads back to such a realm.
    lastFrozen = nil
  }

  /// Takes over the failure handler of another opening at this place, where the first has none.
  func admitFailureHandler(_ handler: (@Sendable (Realm.Error) -> Void)?) {
    guard let handler, configuration.failureHandler == nil else { return }
    configuration.failureHandler = handler
    lastFrozen = nil
  }

  /// The snapshot, if it tells what the objects of a class hold now and one thread reads it.
  func readableSnapshot(of table: UInt32) -> Snapshot? {
    if isFrozen { return nil }
    if let transaction, transaction.isChanged(table: table) { return nil }
    return snapshot
  }

  /// A managed instance of the object with this key.
  func object<T: ObjectBase>(_ type: T.Type, _ key: ObjectKey) -> T {
    let object = type.init()
    object._row =
      readState.rows(of: type).map { _ManagedRow(of: $0, key, in: self) } ?? row(type, key)
    return object
  }

  /// The row of an object with this key, which exists.
  func row(_ type: ObjectBase.Type, _ key: ObjectKey) -> _ManagedRow {
    guard let access = readAccess(type) else { return unreadableRow(ClassDescriptor.of(type)) }
    let row = row(access, key)
    if access.hasQuickReads(readState.stamp) {
      readState.note(
        RowPattern(
          type: type, access: access, epoch: epoch, life: writes.lives.count,
          stamp: readState.stamp))
    }
    return row
  }

  /// As `row`, of a class of the program or of the file.
  func row(_ descriptor: ClassDescriptor, _ key: ObjectKey) -> _ManagedRow {
    if let access = access(descriptor) { return row(access, key) }
    return unreadableRow(descriptor)
  }

  private func unreadableRow(_ descriptor: ClassDescriptor) -> _ManagedRow {
    refuseClass(descriptor)
    return _ManagedRow(unreadable: descriptor, context: self)
  }

  @inline(__always)
  private func row(_ access: consuming ClassAccess, _ key: ObjectKey) -> _ManagedRow {
    // One that this write made is gone when the write is cancelled.
    let isNew =
      writes.hasNewObjects && transaction?.hasMade(table: access.table.id, key) ?? false
    return _ManagedRow(context: self, access: access, key: key, birth: isNew ? writes.number : 0)
  }

  /// A managed instance of the object that a link of a mixed value leads to: a dynamic one where
  /// the program has no class for it.
  func object(_ link: ObjectLink) -> Object? {
    // In a migration the program's classes are not those of the old version, nor yet of the new one.
    guard migration == nil, let type = modelClass(ofTable: link.table) as? Object.Type else {
      return dynamicObject(link)
    }
    return object(type, ObjectKey(rawValue: link.key))
  }

  /// A dynamic instance of the object that a link leads to; nil where there is no such class.
  func dynamicObject(_ link: ObjectLink) -> DynamicObject? {
    guard let access = dynamicAccess(ofTable: link.table) else { return nil }
    let object = DynamicObject(of: access.descriptor)
    object._row = row(access, ObjectKey(rawValue: link.key))
    return object
  }

  /// The class of the object that a link leads to; nil where the program has none for it.
  func targetClass(of link: ObjectLink) -> ObjectBase.Type? { modelClass(ofTable: link.table) }

  func contains(_ row: _ManagedRow) -> Bool {
    // What cannot be read is not known to be gone.
    reading(row.cannotBeRead, or: true) { try holds(row) }
  }

  /// As `contains`; throws where the file fails.
  func holds(_ row: _ManagedRow) throws -> Bool {
    if let transaction {
      return try transaction.contains(table: row.access.table.id, row.key)
    }
    if namedSchema != nil { return true }
    if let reader = row.access.reader(in: self),
      let isFound = row.access.select(row.key, reader)
    {
      return isFound
    }
    return try object(row, in: snapshot) != nil
  }

  /// A value where no reader helps: in a write that changed the class, in a frozen realm, and when
  /// the file fails.
  func value(_ row: _ManagedRow, _ position: Int) -> _StoredValue {
    reading(row.cannotBeRead, or: .null) { try storedValue(row, position) }
  }

  /// As `value`; throws where the file fails.
  func storedValue(_ row: _ManagedRow, _ position: Int) throws -> _StoredValue {
    let column = row.access.columns[position]
    let found =
      if let transaction {
        try transaction.value(row.key, column)
      } else {
        try object(row, in: snapshot)?.value(column)
      }
    if found == nil { row.refuseDeleted() }
    return found ?? .null
  }

  /// What a version holds of an object; nil also where it does not have the class.
  private func object(
    _ row: _ManagedRow, in snapshot: Snapshot
  ) throws -> AtollObjects.Object? {
    try snapshot.table(id: row.access.table.id)?.object(row.key)
  }

  /// The number of elements of a collection, where no reader helps; nil when the object is gone.
  func elementCount(_ row: _ManagedRow, _ position: Int) -> Int? {
    readElements(row, position) { transaction, column throws in
      try transaction.elementCount(row.key, column)
    } frozen: { object, column throws in
      try object.elementCount(column)
    }
  }

  /// A member of a set, or the value of a key of a map, where no reader helps.
  func part(_ row: _ManagedRow, _ position: Int, _ part: _StoredValue) -> _StoredValue? {
    let found: _StoredValue?? = readElements(row, position) { transaction, column throws in
      try transaction.part(row.key, column, part)
    } frozen: { object, column throws in
      try object.part(column, part)
    }
    return found ?? nil
  }

  /// The elements of a range of a collection, which is inside of it, where no reader helps; none
  /// when the file fails, and nil when the object is gone.
  func elements(_ row: _ManagedRow, _ position: Int, _ range: Range<Int>) -> [_StoredValue]? {
    readElements(row, position, or: []) { transaction, column throws in
      try transaction.elements(row.key, column, range)
    } frozen: { object, column throws in
      try object.elements(column, range)
    }
  }

  private func readElements<Result>(
    _ row: _ManagedRow, _ position: Int,
    or fallback: @autoclosure () -> Result? = nil,
    changed: (Transaction, Column) throws -> Result?,
    frozen: (AtollObjects.Object, Column) throws -> Result
  ) -> Result? {
    let column = row.access.columns[position]
    return reading(row.cannotBeRead, or: fallback()) {
      if let transaction {
        return try changed(transaction, column)
      }
      return try object(row, in: snapshot).map { try frozen($0, column) }
    }
  }

  /// Whether both read the same version of the same file.
  func isSameVersion(as other: _RealmContext) -> Bool {
    file === other.file && isFrozen && other.isFrozen
      && snapshot.version == other.snapshot.version
  }

  // MARK: References

  /// A realm for references to what this one shows: frozen, or while a write is open one that names
  /// things only, as no version has them.
  func placeOfReferences() -> _RealmContext {
    guard let transaction else { return frozen() }
    return _RealmContext(
      file: file, configuration: configuration, confinement: confinement,
      version: ReadVersion(snapshot), isFrozen: true, naming: transaction.schema)
  }

  /// What becomes of the open write; nil when none is open.
  var openFate: WriteFate? {
    guard transaction != nil else { return nil }
    let fate = knownFate ?? WriteFate()
    knownFate = fate
    return fate
  }

  /// The open write has ended.
  func endFate(_ outcome: WriteFate.Outcome) {
    knownFate?.end(outcome)
    knownFate = nil
  }

  /// Gives up the version and all objects and collections of the realm.
  func invalidate() {
    checkConfinement()
    if isWriteOpen { cancel() }
    epoch &+= 1
    pin(nil)
    knownTrackedReads?.tellAll()
  }
}
