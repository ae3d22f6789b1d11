internal import AtollObjects

/// An object of a class that is known from the file, whatever the program has for it.
///
///     for dog in realm.dynamicObjects("Dog") { print(dog.name ?? "nameless") }
///
/// Properties are asked for by their names in the file. A link leads to a dynamic object, and a
/// collection of objects holds some.
@dynamicMemberLookup
public final class DynamicObject: Object {
  /// The class of an unmanaged object.
  let known: ClassDescriptor?
  /// What was set in an unmanaged object, and the live collections of a managed one, by the
  /// positions of the properties.
  var contents: [Int: Any] = [:]

  /// Makes an object of no class; `Realm.dynamicCreate(_:value:update:)` makes one of a class.
  public required init() {
    known = nil
    super.init()
  }

  init(of descriptor: ClassDescriptor) {
    known = descriptor
    super.init()
  }

  public override class func shouldIncludeInDefaultSchema() -> Bool { false }

  /// The value of a property; setting it has the effect of setting the property of a typed object.
  public subscript(dynamicMember member: String) -> Any? {
    get { self[member] }
    set { self[member] = newValue }
  }
}

/// Chooses what reads and writes the properties of dynamic objects, by the types of their values.
protocol DynamicTyping {
  static func storage(of form: _PropertyForm, position: Int) -> any PropertyStorage
}

/// The storage of a property of type `Value` in dynamic objects.
struct DynamicStorage<Value: _Persistable>: PropertyStorage {
  let position: Int

  func setPosition(_ position: Int, in prototype: ObjectBase) {}

  var hasKnownValues: Bool { false }

  private func known(of object: ObjectBase) -> Value? {
    (object as? DynamicObject)?.contents[position] as? Value
  }

  private func keep(_ value: Value, in object: ObjectBase) {
    (object as? DynamicObject)?.contents[position] = value
  }

  private func take(from object: ObjectBase) -> Value? {
    (object as? DynamicObject)?.contents.removeValue(forKey: position) as? Value
  }

  private func unmanagedValue(of object: ObjectBase) -> Value {
    if let value = known(of: object) { return value }
    let value = Value._default()
    keep(value, in: object)
    return value
  }

  /// What a new object has that was given nothing: zero, as what is made by no initializer.
  private var zero: _StoredValue {
    let stored = Value._form.stored
    return stored.isOptional ? .null : _StoredValue(zeroOf: stored.type)
  }

  func storedValue(of object: ObjectBase, _ context: _RealmContext?) -> _StoredValue {
    known(of: object)?._storePlain(context) ?? zero
  }

  func takeStoredValue(of object: ObjectBase, _ context: _RealmContext?) -> _StoredValue {
    take(from: object)?._storePlain(context) ?? zero
  }

  func value(of object: ObjectBase, position: Int) -> Any {
    guard let row = object._row else { return unmanagedValue(of: object) }
    return Value._isLive ? liveValue(object, row) : Value._read(row, position)
  }

  func set(_ source: Any?, in object: ObjectBase, position: Int) -> Bool {
    guard let value = Value._bridgeProperty(source) else { return false }
    if Value._isLive {
      (object._row.map { liveValue(object, $0) } ?? unmanagedValue(of: object))._assign(value)
    } else if let row = object._row {
      Value._write(row, position, value)
    } else {
      keep(value, in: object)
    }
    return true
  }

  private func liveValue(_ object: ObjectBase, _ row: _ManagedRow) -> Value {
    // Many threads may read a frozen object: nothing is kept in it.
    if row.context.isFrozen { return Value._read(row, position) }
    row.context.checkConfinement()
    if let known = known(of: object), known._belongs(to: row, position) { return known }
    let value = Value._read(row, position)
    keep(value, in: object)
    return value
  }

  func attach(_ object: ObjectBase, _ row: _ManagedRow, position: Int) -> _Contents? {
    if Value._isLive { return unmanagedValue(of: object)._attach(row, position) }
    let old = take(from: object)
    let form = Value._form
    if form.kind == .single, form.stored.target != nil { return .link(old as? ObjectBase) }
    guard form.kind == .single, form.stored.type == .mixed else { return nil }
    let value = old ?? Value._default()
    return .mixed { value._storePlain($0) }
  }

  func stored(_ source: Any?) -> _StoredValue? {
    guard let value = Value._bridgeProperty(source) else { return nil }
    return (value as? any _Storable)?._store(nil)
  }

  func live(_ object: ObjectBase, position: Int) -> Any {
    guard let row = object._row else { return unmanagedValue(of: object) }
    return liveValue(object, row)
  }
}
