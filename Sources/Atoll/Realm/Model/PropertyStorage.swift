internal import AtollObjects

/// Reads and writes one property of any instance of its class, without knowing its type.
protocol PropertyStorage: Sendable {
  /// Tells a prototype's wrapper its position.
  func setPosition(_ position: Int, in prototype: ObjectBase)
  /// Whether the property's type has few values, as an enum has.
  var hasKnownValues: Bool { get }
  /// The value of a single property of an unmanaged object, as the file is to hold it.
  func storedValue(of object: ObjectBase, _ context: _RealmContext?) -> _StoredValue
  /// The value as Swift has it, of a managed or unmanaged object.
  func value(of object: ObjectBase, position: Int) -> Any
  /// Sets the value of a managed or unmanaged object; false when the source is of another type.
  func set(_ source: Any?, in object: ObjectBase, position: Int) -> Bool
  /// Gives up the single value of an object that is added.
  ///
  /// - Returns: what the file is to hold; of a link null.
  func takeStoredValue(of object: ObjectBase, _ context: _RealmContext?) -> _StoredValue
  /// Gives up the link or the collection of an object that is added; a live collection belongs to
  /// its row then.
  ///
  /// - Returns: what it held.
  func attach(_ object: ObjectBase, _ row: _ManagedRow, position: Int) -> _Contents?
  /// What the file holds for a value of the property's type, given as any; nil for another type.
  func stored(_ source: Any?) -> _StoredValue?
  /// The live collection of an object.
  func live(_ object: ObjectBase, position: Int) -> Any
}

/// The storage of a property of type `Value`, which lies at the same place in all instances.
@safe
struct TypedStorage<Value: _Persistable>: PropertyStorage {
  /// From the start of the instance.
  let byteOffset: Int
  private let isLink = Value._form.kind == .single && Value._form.stored.target != nil
  private let isMixed = Value._form.kind == .single && Value._form.stored.type == .mixed

  init(byteOffset: Int) { self.byteOffset = byteOffset }

  /// Lends the wrapper in `object`.
  private func withWrapper<Result>(
    of object: ObjectBase, _ body: (inout Persisted<Value>) -> Result
  ) -> Result {
    let start = unsafe Unmanaged.passUnretained(object).toOpaque()
    defer { withExtendedLifetime(object) {} }
    // SAFETY: reflection found a stored property of this type at this offset of the object's class;
    // `body` does not call out, so there is no other access.
    return unsafe body(
      &(start + byteOffset).assumingMemoryBound(to: Persisted<Value>.self).pointee)
  }

  var hasKnownValues: Bool { (Value.self as? any _Storable.Type)?._knownValues != nil }

  func setPosition(_ position: Int, in prototype: ObjectBase) {
    withWrapper(of: prototype) { $0.position = Int32(position) }
  }

  private func unmanagedValue(of object: ObjectBase) -> Value {
    if let value = withWrapper(of: object, { $0.value }) { return value }
    let value = Value._default()
    withWrapper(of: object) { $0.value = value }
    return value
  }

  func storedValue(of object: ObjectBase, _ context: _RealmContext?) -> _StoredValue {
    unmanagedValue(of: object)._storePlain(context)
  }

  func takeStoredValue(of object: ObjectBase, _ context: _RealmContext?) -> _StoredValue {
    let start = unsafe Unmanaged.passUnretained(object).toOpaque()
    defer { withExtendedLifetime(object) {} }
    // SAFETY: as in `withWrapper`; the function ends its access before it calls out.
    return unsafe Value._takeStored(
      (start + byteOffset).assumingMemoryBound(to: Persisted<Value>.self), context)
  }

  func value(of object: ObjectBase, position: Int) -> Any {
    guard let row = object._row else { return unmanagedValue(of: object) }
    return Value._isLive ? liveValue(object, row, position) : Value._read(row, position)
  }

  func set(_ source: Any?, in object: ObjectBase, position: Int) -> Bool {
    guard let value = Value._bridgeProperty(source) else { return false }
    if Value._isLive {
      if let row = object._row {
        liveValue(object, row, position)._assign(value)
      } else {
        unmanagedValue(of: object)._assign(value)
      }
    } else if let row = object._row {
      Value._write(row, position, value)
    } else {
      withWrapper(of: object) { $0.value = value }
    }
    return true
  }

  private func liveValue(_ object: ObjectBase, _ row: _ManagedRow, _ position: Int) -> Value {
    if row.context.isFrozen { return Value._read(row, position) }
    let known = withWrapper(of: object) { $0.value }
    // An instance made for a row may hold a collection that the class's initializer made.
    if let known, known._belongs(to: row, position) { return known }
    let value = Value._read(row, position)
    // The old value is in `known`, so that it goes after the access has ended.
    withWrapper(of: object) { $0.value = value }
    return value
  }

  func attach(_ object: ObjectBase, _ row: _ManagedRow, position: Int) -> _Contents? {
    if Value._isLive { return unmanagedValue(of: object)._attach(row, position) }
    // As above.
    let old = withWrapper(of: object) { $0.value.take() }
    if isLink { return .link(old as? ObjectBase) }
    guard isMixed else { return nil }
    let value = old ?? Value._default()
    return .mixed { value._storePlain($0) }
  }

  func stored(_ source: Any?) -> _StoredValue? {
    guard let value = Value._bridgeProperty(source) else { return nil }
    return (value as? any _Storable)?._store(nil)
  }

  func live(_ object: ObjectBase, position: Int) -> Any {
    guard let row = object._row else { return unmanagedValue(of: object) }
    return liveValue(object, row, position)
  }
}

/// Where the stored properties of a class lie.
enum FieldLayout {
  /// The offset of a stored property from the start of an instance; the inherited ones come first.
  static func byteOffset(ofField index: Int, in type: ObjectBase.Type) -> Int {
    childOffset(type, index: index)
  }

  /// The runtime's own answer, which `Mirror` reads the property with.
  @_silgen_name("swift_reflectionMirror_recursiveChildOffset")
  private static func childOffset(_ type: Any.Type, index: Int) -> Int
}
