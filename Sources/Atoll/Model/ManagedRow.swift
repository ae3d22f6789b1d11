internal import AtollObjects

/// Where a managed object lies: its realm, its class and its key.
///
/// One belongs to each managed instance.
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
  /// Whether it is the row of an instance that was given to `delete`.
  private let isDeleted: Bool
  /// The number of the write in which the instance was given to `delete`; 0: of none.
  ///
  /// If that write is cancelled, its collections and observers go on.
  private var death: UInt32 = 0

  init(context: _RealmContext, access: ClassAccess, key: ObjectKey, birth: UInt32 = 0) {
    self.context = context
    self.access = access
    self.key = key
    self.birth = birth
    epoch = context.epoch
    life = context.lives.count
    isDeleted = false
  }

  private init(deleted row: _ManagedRow) {
    (context, access, key) = (row.context, row.access, row.key)
    (birth, epoch, life) = (row.birth, row.epoch, row.life)
    isDeleted = true
  }

  /// Takes note that the instance was given to `delete` in the open write.
  ///
  /// - Returns: The instance's row from now on, which is of no use, whatever becomes of the write.
  func deleted() -> _ManagedRow {
    death = context.writeNumber
    context.hasDeletedRows = true
    return _ManagedRow(deleted: self)
  }

  /// Whether the instance itself is of use, whatever the file holds.
  var isUsable: Bool {
    !isDeleted && !access.isGone && epoch == context.epoch
      && (birth == 0 || !context.isCancelled(birth))
      && (death == 0 || context.isCancelled(death))
      && (context.lives.isPlain || context.lives.isPresent(address, life))
  }

  @inlinable
  @inline(__always)
  var prototype: ObjectBase { access.prototype }

  /// The address of the object.
  var address: ObjectLink { ObjectLink(table: access.table.id, key: key.rawValue) }

  /// The address as links hold it.
  var link: _StoredValue { .link(address) }

  /// Whether the object exists in the current version.
  var isValid: Bool {
    isUsable && context.contains(self)
  }

  var realm: Realm? {
    isUsable ? Realm(context) : nil
  }

  func isSameRow(as other: _ManagedRow) -> Bool {
    key == other.key && access.descriptor === other.access.descriptor
      && (context === other.context || context.isSameVersion(as: other.context))
  }

  func column(_ position: Int) -> Column { access.columns[position] }

  // MARK: Reading

  func int(_ position: Int) -> Int64? {
    if let reader = reader() { return read { () throws in try reader.int(position) } }
    return context.value(self, position).int
  }

  func double(_ position: Int) -> Double? {
    if let reader = reader() { return read { () throws in try reader.double(position) } }
    return context.value(self, position).double
  }

  func bool(_ position: Int) -> Bool? {
    if let reader = reader() { return read { () throws in try reader.bool(position) } }
    return context.value(self, position).bool
  }

  func string(_ position: Int) -> String? {
    if let reader = reader() { return read { () throws in try reader.string(position) } }
    return context.value(self, position).string
  }

  func value(_ position: Int) -> _StoredValue {
    if let reader = reader() { return read { () throws in try reader.value(position) } }
    return context.value(self, position)
  }

  /// The number of elements of a collection; 0 when the object is gone.
  func elementCount(_ position: Int) -> Int {
    context.checkConfinement()
    guard isUsable else { return 0 }
    guard let reader = access.reader(in: context) else {
      return context.elementCount(self, position) ?? 0
    }
    guard access.select(key, reader) else { return 0 }
    return read { () throws in try reader.elementCount(position) }
  }

  /// A member of a set, or the value of a key of a map; nil when it is not there.
  func part(_ position: Int, _ part: _StoredValue) -> _StoredValue? {
    context.checkConfinement()
    guard isUsable else { return nil }
    guard let reader = access.reader(in: context) else {
      return context.part(self, position, part)
    }
    guard access.select(key, reader) else { return nil }
    return read { () throws in try reader.part(position, part) }
  }

  /// The elements of a range of a collection, which is inside of it.
  func elements(_ position: Int, _ range: Range<Int>) -> [_StoredValue] {
    if let reader = reader() { return read { () throws in try reader.elements(position, range) } }
    guard let elements = context.elements(self, position, range) else { trapDeleted() }
    return elements
  }

  /// A reader that stands at the object; nil where the class must be read another way.
  private func reader() -> ObjectReader? {
    context.checkConfinement()
    checkAlive()
    guard let reader = access.reader(in: context) else { return nil }
    if access.select(key, reader) { return reader }
    trapDeleted()
  }

  private func read<Result>(_ body: () throws -> Result) -> Result {
    Misuse.unwrapped("'\(access.descriptor.name)' cannot be read", body)
  }

  func checkAlive() {
    if !isUsable { trapDeleted() }
  }

  func trapDeleted() -> Never {
    Misuse.trap(
      "an object of class '\(access.descriptor.name)' was used that has been deleted, or whose "
        + "realm was invalidated; test isInvalidated before")
  }

  /// Ends the process for an embedded object that is given to another property than its own.
  func trapOwned() -> Never {
    Misuse.trap(
      "an object of the embedded class '\(access.descriptor.name)' belongs to another property "
        + "already; make a new one, or a copy with init(value:)")
  }

  // MARK: Writing

  func set(_ position: Int, _ value: _StoredValue) {
    checkAlive()
    context.set(self, position, value)
  }

  /// Sets a link to one object, which is added if it is not managed.
  func setLink(_ position: Int, _ target: ObjectBase?) {
    checkAlive()
    context.setLink(self, position, target)
  }
}
