internal import AtollObjects
internal import Synchronization

/// The classes that a realm was asked for, as it has them.
///
/// Objects have the access to their class that is here, for which a class has one as long as it is
/// in the schema.
struct ClassesInUse {
  private var accesses: [ObjectIdentifier: ClassAccess] = [:]
  /// Those of classes that are known from the file, by the numbers of their tables.
  private var dynamic: [UInt32: ClassAccess] = [:]
  /// The one that was asked for last.
  var last: ClassAccess?
  /// What was lacking, of the classes of which the file did not have all.
  private var lacks: [ObjectIdentifier: ClassLack] = [:]
  /// Those of a frozen realm, which several threads may ask for: it has no others.
  let shared = SharedClasses()

  /// The access to a class; nil while there is none.
  subscript(type: ObjectBase.Type) -> ClassAccess? { accesses[ObjectIdentifier(type)] }

  /// Keeps the access to a class, which is nil while the file does not have it.
  mutating func keep(_ access: ClassAccess?, of type: ObjectBase.Type) {
    accesses[ObjectIdentifier(type)] = access
    last = access
  }

  /// Takes over the classes of another version; those that are not in it are forgotten.
  mutating func adopt(_ schema: AtollObjects.Schema) {
    last = nil
    for (type, access) in accesses where !access.adopt(schema) { accesses[type] = nil }
    for (table, access) in dynamic where !access.adopt(schema) { dynamic[table] = nil }
  }

  /// A class of the program that another version has with other properties; nil when there is none.
  func misfit(_ schema: AtollObjects.Schema) -> ClassDescriptor? {
    accesses.values.first { !$0.fits(schema) }?.descriptor
  }

  /// The access to a class that is known from the file; nil while there is none.
  func dynamicAccess(ofTable table: UInt32) -> ClassAccess? { dynamic[table] }

  /// Keeps the access to a class that is known from the file.
  mutating func keep(dynamic access: ClassAccess) { dynamic[access.table.id] = access }

  /// Lets all objects of a class that is known from the file be of no use.
  mutating func retireDynamic(ofTable table: UInt32) {
    dynamic.removeValue(forKey: table)?.retire()
  }

  /// The classes that were asked for as those of the file.
  var dynamicDescriptors: [ClassDescriptor] { dynamic.values.map(\.descriptor) }

  /// What a version with this schema lacks of a class; nil when that is not known.
  func lack(of type: ObjectBase.Type, in schema: AtollObjects.Schema) -> ClassLack? {
    guard let lack = lacks[ObjectIdentifier(type)], lack.schema === schema else { return nil }
    return lack
  }

  mutating func keep(_ lack: ClassLack) { lacks[ObjectIdentifier(lack.descriptor.type)] = lack }

  /// The classes that the version read has with fewer properties.
  var lacking: [ClassDescriptor] { accesses.values.filter(\.isLacking).map(\.descriptor) }

  /// All of them, also those that the file does not have.
  var descriptors: [ClassDescriptor] {
    accesses.values.map(\.descriptor) + lacks.values.map(\.descriptor)
  }

  /// The class with this table; nil when none of them has it.
  func type(ofTable table: UInt32) -> ObjectBase.Type? {
    if let last, last.table.id == table { return last.descriptor.type }
    return accesses.values.first { $0.table.id == table }?.descriptor.type
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
    var dynamic: [UInt32: ClassAccess] = [:]
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

  /// The access to a class that is known from the file.
  func dynamicAccess(ofTable table: UInt32, _ make: () -> ClassAccess?) -> ClassAccess? {
    // SAFETY: as above.
    if let access = known.withLock({ Shared($0.dynamic[table]) }).value { return access }
    let access = Shared(make())
    return known.withLock { known in
      let kept = known.dynamic[table] ?? access.value
      known.dynamic[table] = kept
      return Shared(kept)
    }.value
  }

  func lack(of type: ObjectBase.Type, _ make: () -> ClassLack) -> ClassLack {
    let id = ObjectIdentifier(type)
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
