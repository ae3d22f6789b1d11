internal import AtollObjects
internal import Synchronization

// The classes of a realm. To read a class that the file does not have, or not with all of its
// properties, writes nothing and waits for no writer: what is missing has nothing in it. A write
// adds it, at the first use of the class in it.

extension _RealmContext {
  // MARK: One class

  /// Ends the process for a class that the realm does not have, and of which it shows an object.
  func refuseClass(_ type: ObjectBase.Type) {
    refuse(
      "the realm has no class '\(type.className())', and it is added only in a write of a realm "
        + "that is neither frozen nor read-only")
  }

  /// The class in this realm; nil while the file does not have it, so that there are no objects.
  ///
  /// In a write it is added.
  func readAccess(_ type: ObjectBase.Type) -> ClassAccess? {
    if let lastAccess, lastAccess.descriptor.type == type,
      lastAccess.isComplete || transaction == nil
    {
      return lastAccess
    }
    if isFrozen { return sharedClasses.access(type) { newAccess(ClassDescriptor.of(type)) } }
    let id = ObjectIdentifier(type)
    if let access = accesses[id], access.isComplete || transaction == nil {
      lastAccess = access
      return access
    }
    let access = newAccess(ClassDescriptor.of(type))
    accesses[id] = access
    lastAccess = access
    return access
  }

  private func newAccess(_ descriptor: ClassDescriptor) -> ClassAccess? {
    checkConfinement()
    checkIsAmongTypes(descriptor)
    let isComplete =
      if transaction == nil {
        lack(of: descriptor).map { $0.presumed == nil } ?? false
      } else {
        require(descriptor)
      }
    guard let table = schema.table(descriptor.name) else { return nil }
    // Objects have the access that there is.
    let access =
      isFrozen ? nil : accesses[ObjectIdentifier(descriptor.type)]
    let found = access ?? ClassAccess(descriptor, table, in: schema)
    found.isComplete = isComplete
    return found
  }

  /// Sees to it that the file has a class now.
  func require(_ type: ObjectBase.Type) {
    let descriptor = ClassDescriptor.of(type)
    checkConfinement()
    checkIsAmongTypes(descriptor)
    require(descriptor)
  }

  /// - Returns: Whether the file has it.
  @discardableResult
  private func require(_ descriptor: ClassDescriptor) -> Bool {
    if transaction != nil, hasHalfDoneChange { return false }
    let isThere: Void? = changing("the class '\(descriptor.name)' cannot be used") {
      try requireClasses([descriptor])
    }
    return isThere != nil
  }

  // MARK: What the file lacks

  /// What queries of a class are asked of: the version that is read, with all that the class and
  /// those that it leads to declare.
  func source(of type: ObjectBase.Type) -> any TreeSource {
    let access = readAccess(type)
    if let transaction { return transaction }
    if let access, access.isComplete { return snapshot }
    guard let lack = lack(of: ClassDescriptor.of(type)) else { return snapshot }
    guard let presumed = lack.presumed else {
      if !isFrozen { access?.isComplete = true }
      return snapshot
    }
    return PresumedVersion(snapshot, schema: presumed)
  }

  /// What the version that is read lacks of a class and those that it leads to; nil when the file
  /// fails.
  ///
  /// What cannot be presumed is added to the file, and waits for other writers; so are the classes
  /// of a realm that holds everything, which comes only for classes that the file has.
  private func lack(of descriptor: ClassDescriptor) -> ClassLack? {
    let id = ObjectIdentifier(descriptor.type)
    if isFrozen {
      // To find out what a frozen version lacks reads nothing.
      return sharedClasses.lack(id) {
        newLack(of: descriptor) ?? ClassLack(descriptor, snapshot.schema, presumed: nil)
      }
    }
    if let lack = lacks[id], lack.schema === snapshot.schema { return lack }
    guard let lack = newLack(of: descriptor) else { return nil }
    lacks[id] = lack
    return lack
  }

  private func newLack(of descriptor: ClassDescriptor) -> ClassLack? {
    reading("the class '\(descriptor.name)' cannot be used", or: nil) {
      let change = SchemaChange(
        from: snapshot.schema, to: ClassClosure.of([descriptor]), configuration)
      if change.isEmpty, change.problems.isEmpty {
        return ClassLack(descriptor, snapshot.schema, presumed: nil)
      }
      // What does not fit is no matter where nothing is ever added.
      if isFrozen || configuration.readOnly {
        return ClassLack(
          descriptor, snapshot.schema, presumed: try? change.presumedSchema(of: snapshot))
      }
      try change.check()
      let isNew = snapshot.schema.table(descriptor.name) == nil
      if !change.isPresumable(isOfNewClass: isNew) || impliedSubscriptions != nil {
        try requireClasses([descriptor])
        return ClassLack(descriptor, snapshot.schema, presumed: nil)
      }
      return ClassLack(
        descriptor, snapshot.schema, presumed: try change.presumedSchema(of: snapshot))
    }
  }

  // MARK: All classes

  /// Takes over the classes of the version that is read now; those that are not in it are
  /// forgotten.
  func adoptSchema() { adopt(schema) }

  func adopt(_ schema: AtollObjects.Schema) {
    lastAccess = nil
    for (type, access) in accesses where !access.adopt(schema) { accesses[type] = nil }
  }

  /// The classes with objects in use that the version read has with fewer properties.
  var lackingClasses: [ClassDescriptor] {
    accesses.values.filter(\.isLacking).map(\.descriptor)
  }

  /// The classes that the realm was opened with, and those that were used since, with all that
  /// their links lead to.
  var knownClasses: [ClassDescriptor] {
    let opened = configuration.objectTypes ?? RegisteredModels.all
    return ClassClosure.of(
      opened.map { ClassDescriptor.of($0) } + accesses.values.map(\.descriptor)
        + lacks.values.map(\.descriptor))
  }

  /// The class with a name: one of this realm's; where any class is admitted, else one of the
  /// program's.
  ///
  /// A program may have several of one name, in different modules.
  func descriptor(named name: String) -> ClassDescriptor? {
    if let known = knownClasses.first(where: { $0.name == name }) { return known }
    return configuration.objectTypes == nil ? ClassDescriptor.known(named: name) : nil
  }

  /// The class of the objects of a table; nil where the program has none for it.
  func modelClass(ofTable table: UInt32) -> ObjectBase.Type? {
    if let lastAccess, lastAccess.table.id == table { return lastAccess.descriptor.type }
    if let access = accesses.values.first(where: { $0.table.id == table }) {
      return access.descriptor.type
    }
    return schema.table(id: table).flatMap { descriptor(named: $0.name) }?.type
  }

  /// Takes in the classes of another opening at this place; nil: any class.
  func admit(_ types: [ObjectBase.Type]?) {
    guard let known = configuration.objectTypes else { return }
    guard let types else {
      admitTypes(nil)
      return
    }
    let new = types.filter { type in !known.contains { $0 == type } }
    if !new.isEmpty { admitTypes(known + new) }
  }

  /// Ends the process for a class that the configuration does not name.
  private func checkIsAmongTypes(_ descriptor: ClassDescriptor) {
    if let types = configuration.objectTypes,
      !knownClasses.contains(where: { $0 === descriptor })
    {
      let names = types.map { $0.className() }.joined(separator: ", ")
      Misuse.trap(
        "the class '\(descriptor.name)' is not among the objectTypes of the realm's configuration "
          + "(\(names))")
    }
  }
}

/// What a version lacks of a class.
struct ClassLack {
  let descriptor: ClassDescriptor
  /// That of the version.
  let schema: AtollObjects.Schema
  /// The same with what is missing; nil when that is nothing.
  let presumed: AtollObjects.Schema?

  init(
    _ descriptor: ClassDescriptor, _ schema: AtollObjects.Schema, presumed: AtollObjects.Schema?
  ) {
    self.descriptor = descriptor
    self.schema = schema
    self.presumed = presumed
  }
}

/// The classes of a realm that several threads read; each is found once and never changes.
final class SharedClasses: Sendable {
  // SAFETY: a frozen realm's accesses make no reader, so nothing in them changes.
  private struct Known: @unchecked Sendable {
    var accesses: [ObjectIdentifier: ClassAccess?] = [:]
    var lacks: [ObjectIdentifier: ClassLack] = [:]
  }

  private let known = Mutex(Known())

  func access(_ type: ObjectBase.Type, _ make: () -> ClassAccess?) -> ClassAccess? {
    let id = ObjectIdentifier(type)
    // SAFETY: as above.
    if let access = known.withLock({ Shared($0.accesses[id]) }).value { return access }
    let access = Shared(make())
    // Another thread may have been first.
    return known.withLock { known in
      let kept = known.accesses[id] ?? access.value
      known.accesses[id] = .some(kept)
      return Shared(kept)
    }.value
  }

  func lack(_ id: ObjectIdentifier, _ make: () -> ClassLack) -> ClassLack {
    if let lack = known.withLock({ Shared($0.lacks[id]) }).value { return lack }
    let lack = Shared(make())
    known.withLock { $0.lacks[id] = lack.value }
    return lack.value
  }

  // SAFETY: what it holds of a frozen realm is read only, by any thread, once it was made.
  private struct Shared<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }
}
