internal import AtollObjects
internal import AtollQuery

/// Where a managed object lies: its realm, its class and its key.
///
/// One belongs to each managed instance.
@safe
public final class _ManagedRow {
  let context: _RealmContext
  @usableFromInline let access: ClassAccess
  let key: ObjectKey
  /// The number of the write that made the object, as its realm counts them; 0 for any other
  /// object.
  ///
  /// If that write is cancelled, the object has never been there.
  let birth: UInt32
  /// The realm's count of invalidations when the instance was made.
  private let epoch: UInt32
  /// The realm's count of objects that were made again when the instance was made.
  private let life: UInt32
  private let kind: Kind
  /// The number of the write in which the instance was given to `delete`; 0: of none.
  ///
  /// If that write is cancelled, its collections and observers go on.
  private var death: UInt32 = 0
  /// The realm's stamp for which the instance is known to be of use.
  // SAFETY: the run-time checks of exclusive access are left out: one thread at a time uses a row that
  // is not of a frozen realm, and no access calls back.
  @exclusivity(unchecked) private var usableStamp: UInt64 = 0

  private enum Kind {
    /// That of an object with a key.
    case plain
    /// That of an instance that was given to `delete`.
    case deleted
    /// That of an element that cannot be read, or of an object that cannot be added: it has no key,
    /// and nothing in it. A change of it, and a link to it, make the write fail.
    case unreadable
  }

  init(context: _RealmContext, access: ClassAccess, key: ObjectKey, birth: UInt32 = 0) {
    self.context = context
    self.access = access
    self.key = key
    self.birth = birth
    epoch = context.epoch
    life = context.writes.lives.count
    kind = .plain
    if birth == 0 { unsafe usableStamp = context.readState.stamp }
  }

  /// The row of an object that no open write has made.
  @inline(__always)
  init(of rows: RowPattern, _ key: ObjectKey, in context: _RealmContext) {
    self.context = context
    (access, self.key, birth) = (rows.access, key, 0)
    (epoch, life, kind) = (rows.epoch, rows.life, .plain)
    unsafe usableStamp = rows.stamp
  }

  private init(deleted row: _ManagedRow) {
    (context, access, key) = (row.context, row.access, row.key)
    (birth, epoch, life) = (row.birth, row.epoch, row.life)
    kind = .deleted
  }

  /// The row of an object of a class that cannot be read.
  init(unreadable descriptor: ClassDescriptor, context: _RealmContext, birth: UInt32 = 0) {
    self.context = context
    access = ClassAccess(unreadable: descriptor)
    key = ObjectKey(rawValue: 0)
    self.birth = birth
    epoch = context.epoch
    life = context.writes.lives.count
    kind = .unreadable
    context.noteUnreadable()
  }

  /// Takes note that the instance was given to `delete` in the open write.
  ///
  /// - Returns: The instance's row from now on, which is of no use, whatever becomes of the write.
  func deleted() -> _ManagedRow {
    death = context.writes.noteDeletedRow()
    context.knownTrackedReads?.noteGivenUp(address)
    return _ManagedRow(deleted: self)
  }

  /// Whether it is the row of an element that cannot be read.
  var isUnreadable: Bool { kind == .unreadable }

  /// Whether the instance itself is of use, whatever the file holds; one that cannot be read is not.
  var isUsable: Bool {
    kind == .plain && !access.isGone && epoch == context.epoch
      && (birth == 0 || !context.writes.isCancelled(birth))
      && (death == 0 || context.writes.isCancelled(death))
      && (context.writes.lives.isPlain || context.writes.lives.isPresent(address, life))
  }

  /// The prototype of the object's class, which the access holds.
  @inlinable
  @inline(__always)
  var lentPrototype: Unmanaged<ObjectBase> { unsafe access.lentPrototype }

  /// The address of the object.
  var address: ObjectLink { ObjectLink(table: access.table.id, key: key.rawValue) }

  /// The address as links hold it; that of nothing for an element that cannot be read.
  var link: _StoredValue { .link(isUnreadable ? .toNothing : address) }

  /// Whether the object exists in the current version.
  ///
  /// What cannot be read is not known to be gone.
  var isValid: Bool {
    if isUnreadable { return isKept }
    return isUsable && context.contains(self)
  }

  /// As `isValid`, false for what cannot be read; throws where the file fails.
  func exists() throws -> Bool {
    if isUsable { return try context.holds(self) }
    noteUnread()
    return false
  }

  /// Of an element that cannot be read: whether neither its realm was invalidated nor the write
  /// cancelled that was to add it.
  private var isKept: Bool {
    epoch == context.epoch && (birth == 0 || !context.writes.isCancelled(birth))
  }

  var realm: Realm? {
    isUsable || isUnreadable && isKept ? Realm(context) : nil
  }

  func isSameRow(as other: _ManagedRow) -> Bool {
    if isUnreadable || other.isUnreadable { return self === other }
    return key == other.key && access.table.id == other.access.table.id
      && (context === other.context || context.isSameVersion(as: other.context))
  }

  /// A dynamic instance of the object; nil for one that cannot be read.
  var dynamicObject: DynamicObject? { isUnreadable ? nil : context.dynamicObject(address) }

  func column(_ position: Int) -> Column { access.columns[position] }

  // MARK: Reading

  /// Takes note that a property is read in a block of `withObservationTracking`, also where the value
  /// is known.
  @inline(__always)
  func noteRead(_ position: Int) {
    if context.isTracking { context.noteRead(self, position) }
  }

  /// How what is asked for is read.
  private enum Way {
    /// By a reader that stands at the object.
    case reader(ObjectReader)
    /// By the realm: in a write that changed the class, in a frozen realm, and once more when the
    /// file fails, which is told then.
    case realm
    /// Not at all: the object cannot be read, or it is gone, which may follow from a failure.
    case nowhere
  }

  func int(_ position: Int) -> Int64? {
    switch way(position) {
    case .reader(let reader):
      do { return try reader.int(position) } catch { tell(of: error) }
      return nil
    case .realm: return context.value(self, position).int
    case .nowhere: return nil
    }
  }

  func double(_ position: Int) -> Double? {
    switch way(position) {
    case .reader(let reader):
      do { return try reader.double(position) } catch { tell(of: error) }
      return nil
    case .realm: return context.value(self, position).double
    case .nowhere: return nil
    }
  }

  func bool(_ position: Int) -> Bool? {
    switch way(position) {
    case .reader(let reader):
      do { return try reader.bool(position) } catch { tell(of: error) }
      return nil
    case .realm: return context.value(self, position).bool
    case .nowhere: return nil
    }
  }

  func string(_ position: Int) -> String? {
    switch way(position) {
    case .reader(let reader):
      do { return try reader.string(position) } catch { tell(of: error) }
      return nil
    case .realm: return context.value(self, position).string
    case .nowhere: return nil
    }
  }

  func value(_ position: Int) -> _StoredValue {
    switch way(position) {
    case .reader(let reader):
      do { return try reader.value(position) } catch { tell(of: error) }
      return .null
    case .realm: return context.value(self, position)
    case .nowhere: return .null
    }
  }

  /// As `value`; throws where the file fails.
  func storedValue(_ position: Int) throws -> _StoredValue {
    switch way(position) {
    case .reader(let reader): try reader.value(position)
    case .realm: try context.storedValue(self, position)
    case .nowhere: .null
    }
  }

  /// The number of elements of a collection; 0 when the object is gone.
  func elementCount(_ position: Int) -> Int {
    context.checkConfinement()
    noteRead(position)
    guard isUsable else {
      noteUnread()
      return 0
    }
    guard let reader = access.reader(in: context), let isFound = access.select(key, reader) else {
      return context.elementCount(self, position) ?? 0
    }
    guard isFound else { return 0 }
    do { return try reader.elementCount(position) } catch { tell(of: error) }
    return 0
  }

  /// A member of a set, or the value of a key of a map; nil when it is not there.
  func part(_ position: Int, _ part: _StoredValue) -> _StoredValue? {
    context.checkConfinement()
    noteRead(position)
    guard isUsable else {
      noteUnread()
      return nil
    }
    guard let reader = access.reader(in: context), let isFound = access.select(key, reader) else {
      return context.part(self, position, part)
    }
    guard isFound else { return nil }
    do { return try reader.part(position, part) } catch { tell(of: error) }
    return nil
  }

  /// The elements of a range of a collection, which is inside of it; none when the file fails.
  func elements(_ position: Int, _ range: Range<Int>) -> [_StoredValue] {
    switch way(position) {
    case .reader(let reader):
      do { return try reader.elements(position, range) } catch { tell(of: error) }
      return []
    case .realm:
      if let elements = context.elements(self, position, range) { return elements }
      refuseDeleted()
      return []
    case .nowhere: return []
    }
  }

  /// The primary key of the object that a link waits for; nil when it waits for none.
  func awaitedKey(_ position: Int) -> _StoredValue? {
    if isUnreadable { return nil }
    return context.reading(cannotBeRead, or: nil) {
      if let transaction = context.transaction {
        return try transaction.absentTarget(of: key, column(position))
      }
      return try context.snapshot.absentTarget(of: key, column(position))
    }
  }

  private func way(_ position: Int) -> Way {
    context.checkConfinement()
    noteRead(position)
    guard isUsable else {
      checkAlive()
      return .nowhere
    }
    guard let reader = access.reader(in: context), let isFound = access.select(key, reader) else {
      return .realm
    }
    guard isFound else {
      refuseDeleted()
      return .nowhere
    }
    if !context.isFrozen {
      unsafe usableStamp = context.readState.stamp
      access.beginQuickReads(in: context)
    }
    return .reader(reader)
  }

  /// Reads without a look at what cannot have changed since the last one; nil when that is not known,
  /// or when the file fails, and it is to be read in the ordinary way.
  ///
  /// Nothing of an application is called, so that the row need not be retained.
  @inline(__always)
  func quick<Result>(_ read: (ObjectReader) throws -> Result?) -> Result? {
    let stamp = context.readState.stamp
    // The probe of `isTracking` costs most, and is asked once more where no quick reads have begun.
    guard unsafe usableStamp == stamp, context.readState.isOnLastThread,
      access.hasQuickReads(stamp), !context.isTracking,
      let reader = unsafe access.quickReader(of: key, stamp)
    else { return nil }
    // SAFETY: the access holds the reader, and nothing replaces it during the read.
    return unsafe reader._withUnsafeGuaranteedRef { try? read($0) }
  }

  @inline(never)
  private func tell(of error: any Error) { context.tell(of: error, cannotBeRead) }

  /// The beginning of the sentence of a failure.
  var cannotBeRead: String { "'\(access.descriptor.name)' cannot be read" }

  /// Ends the process for an object that is gone.
  ///
  /// - Returns: Whether it can be read: one that cannot, or may be gone by a failure, has nothing in
  ///   it.
  @discardableResult
  func checkAlive() -> Bool {
    if isUsable { return true }
    if isUnreadable, isKept { noteUnread() } else { refuseDeleted() }
    return false
  }

  /// Takes note that what cannot be read was read, and nothing found.
  func noteUnread() {
    if isUnreadable { context.noteUnread() }
  }

  /// Ends the process for an object that is gone; where that may follow from a failure, it has
  /// nothing in it.
  func refuseDeleted() {
    context.refuse(
      "an object of class '\(access.descriptor.name)' was used that has been deleted, or whose "
        + "realm was invalidated; test isInvalidated before")
  }

  /// Ends the process for an embedded object that is given to another property than its own.
  func refuseOwned(by owner: _ManagedRow) {
    owner.context.refuse(
      "an object of the embedded class '\(access.descriptor.name)' belongs to another property "
        + "already; make a new one, or a copy with init(value:)")
  }

  // MARK: Writing

  /// Ends the process for an object that is gone; a write that is to change, or to link to, one that
  /// cannot be read fails.
  ///
  /// - Returns: Whether it can be changed.
  func checkChangeable() -> Bool {
    if isUsable { return true }
    if isUnreadable, isKept {
      _ = context.requireWrite("an object of class '\(access.descriptor.name)' was changed")
      context.failWrite()
    } else {
      refuseDeleted()
    }
    return false
  }

  func set(_ position: Int, _ value: _StoredValue) {
    guard checkChangeable() else { return }
    context.set(self, position, value)
  }

  /// Sets a link to one object, which is added if it is not managed.
  func setLink(_ position: Int, _ target: ObjectBase?) {
    guard checkChangeable() else { return }
    context.setLink(self, position, target)
  }
}
