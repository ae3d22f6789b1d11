/// What a declaration says about a property beside its type.
public struct _PropertyTraits: OptionSet, Sendable {
  public let rawValue: Int32

  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static var primaryKey: Self { Self(rawValue: 1) }
  public static var indexed: Self { Self(rawValue: 2) }
  public static var fullText: Self { Self(rawValue: 4) }
}

/// Which index a property has.
public enum IndexType: Sendable {
  /// None.
  case none
  /// An ordered index, for equality, ranges and sorting.
  case general
  /// An index of the words of a string, which `TEXT` asks.
  case fullText

  var traits: _PropertyTraits {
    switch self {
    case .none: []
    case .general: .indexed
    case .fullText: .fullText
    }
  }
}

/// Makes a property of a model class persistent.
///
///     class Dog: Object {
///       @Persisted(primaryKey: true) var _id: ObjectId
///       @Persisted var name: String
///       @Persisted var age = 0
///     }
///
/// While the object is unmanaged, the wrapper holds the value. In a managed object it holds nothing
/// (but the one instance of a live collection): the object knows its row, and the class's
/// prototype, an instance that every managed object leads to, knows in the same place which
/// property this is.
@propertyWrapper
public struct Persisted<Value: _Persistable> {
  /// The position of the property in its class, in a prototype; -1 in any other object.
  @usableFromInline var position: Int32 = -1
  @usableFromInline let traits: _PropertyTraits
  /// The value of an unmanaged object, nil for one that was never set; a live collection of a
  /// managed one.
  @usableFromInline var value: Value?

  @usableFromInline
  init(value: Value?, traits: _PropertyTraits) {
    self.traits = traits
    self.value = value
  }

  @available(*, unavailable, message: "@Persisted is for properties of model classes")
  public var wrappedValue: Value {
    get { Misuse.trap("@Persisted is for properties of model classes") }
    // swift-format-ignore: OmitExplicitReturns
    set { _ = newValue }
  }

  /// Declares a property that has the default of its type.
  @inlinable
  public init() { self.init(value: nil, traits: []) }

  /// Declares a property with a default.
  @inlinable
  public init(wrappedValue: Value) { self.init(value: wrappedValue, traits: []) }

  /// The value of the property.
  ///
  /// The compiler knows where the wrapper lies as long as the key path is only projected here, in the
  /// application's accessor; where it is handed on, each access makes one.
  @inlinable
  public static subscript<Enclosing: ObjectBase>(
    _enclosingInstance object: Enclosing,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<Enclosing, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<Enclosing, Persisted<Value>>
  ) -> Value {
    @inline(__always)
    get {
      if let row = unsafe object._lentRow {
        // SAFETY: the object, which lives until the end, holds the row, and the row the prototype,
        // which is an instance of the class of its objects; `_readQuickly` calls nothing that could
        // replace the row.
        defer { withExtendedLifetime(object) {} }
        let (position, value) = unsafe row._withUnsafeGuaranteedRef { row in
          let position = unsafe row.lentPrototype._withUnsafeGuaranteedRef { prototype in
            let prototype = unsafe unsafeDowncast(prototype, to: Enclosing.self)
            return Int(prototype[keyPath: storageKeyPath].position)
          }
          return (position, Value._readQuickly(row, position))
        }
        if let value { return value }
        if !Value._isLive { return managedValue(object, position) }
        checkUse(of: object)
        let live = liveValue(object, position, object[keyPath: storageKeyPath].value)
        if live.isNew { object[keyPath: storageKeyPath].value = live.value }
        return live.value
      }
      if object._tracer != nil {
        return tracedValue(
          object, prototype(of: object)[keyPath: storageKeyPath].position,
          object[keyPath: storageKeyPath].value)
      }
      if let value = object[keyPath: storageKeyPath].value { return value }
      // One that was never set: it keeps its value from now on.
      let value = Value._default()
      object[keyPath: storageKeyPath].value = value
      return value
    }
    @inline(__always)
    set {
      if let row = unsafe object._lentRow {
        // SAFETY: as above.
        defer { withExtendedLifetime(object) {} }
        let position = unsafe row._withUnsafeGuaranteedRef { row in
          unsafe row.lentPrototype._withUnsafeGuaranteedRef { prototype in
            let prototype = unsafe unsafeDowncast(prototype, to: Enclosing.self)
            return Int(prototype[keyPath: storageKeyPath].position)
          }
        }
        if Value._isLive {
          checkUse(of: object)
          let live = liveValue(object, position, object[keyPath: storageKeyPath].value)
          if live.isNew { object[keyPath: storageKeyPath].value = live.value }
          live.value._assign(newValue)
        } else {
          assign(newValue, object, position)
        }
      } else if Value._isLive {
        let value = object[keyPath: storageKeyPath].value ?? Value._default()
        object[keyPath: storageKeyPath].value = value
        value._assign(newValue)
      } else {
        object[keyPath: storageKeyPath].value = newValue
      }
    }
  }

  /// The value of a managed object where it cannot be read quickly.
  @usableFromInline
  static func managedValue(_ object: ObjectBase, _ position: Int) -> Value {
    guard let row = object._row else { preconditionFailure("a managed object has a row") }
    return Value._read(row, position)
  }

  @usableFromInline
  static func assign(_ newValue: Value, _ object: ObjectBase, _ position: Int) {
    guard let row = object._row else { preconditionFailure("a managed object has a row") }
    Value._write(row, position, newValue)
  }

  /// Ends the process where a managed object is used in another place than that of its realm.
  @usableFromInline
  static func checkUse(of object: ObjectBase) {
    if let context = object._row?.context, !context.isFrozen { context.checkConfinement() }
  }

  /// The prototype of an object that is not managed.
  @usableFromInline
  static func prototype<Enclosing: ObjectBase>(of object: Enclosing) -> Enclosing {
    // SAFETY: the prototype is an instance of the object's class.
    unsafe unsafeDowncast(ClassDescriptor.of(type(of: object)).prototype, to: Enclosing.self)
  }

  /// What stands for a property of an instance that traces key paths, and takes note of it.
  @usableFromInline
  static func tracedValue(_ object: ObjectBase, _ position: Int32, _ value: Value?) -> Value {
    guard let tracer = object._tracer else { preconditionFailure("the object traces") }
    tracer.note(Int(position), of: object)
    // A type of an application need not have a default of its own.
    if !Value._isLive, Value._form.stored.target == nil, let value { return value }
    return Value._traced(tracer)
  }

  /// The one instance of a live collection of a managed object.
  ///
  /// - Parameters:
  ///   - object: The managed object.
  ///   - position: The position of the property in its class.
  ///   - known: The collection in the wrapper; nil for none.
  /// - Returns: The collection, and whether the wrapper is to keep it.
  @usableFromInline
  static func liveValue(
    _ object: ObjectBase, _ position: Int, _ known: Value?
  ) -> (value: Value, isNew: Bool) {
    guard let row = object._row else { preconditionFailure("a managed object has a row") }
    // Many threads may read a frozen object: nothing is kept in it.
    if row.context.isFrozen { return (Value._read(row, position), false) }
    // An instance made for a row may hold a collection that the class's initializer made.
    if let known, known._belongs(to: row, position) { return (known, false) }
    return (Value._read(row, position), true)
  }
}

extension Persisted where Value: _PrimaryKey {
  /// Declares the property that identifies an object of its class.
  @inlinable
  public init(primaryKey: Bool) {
    self.init(value: nil, traits: primaryKey ? .primaryKey : [])
  }

  /// Declares the property that identifies an object of its class, with a default.
  @inlinable
  public init(wrappedValue: Value, primaryKey: Bool) {
    self.init(value: wrappedValue, traits: primaryKey ? .primaryKey : [])
  }
}

extension Persisted where Value: _Indexable {
  /// Declares a property with an ordered index.
  @inlinable
  public init(indexed: Bool) { self.init(value: nil, traits: indexed ? .indexed : []) }

  /// Declares a property with an ordered index and a default.
  @inlinable
  public init(wrappedValue: Value, indexed: Bool) {
    self.init(value: wrappedValue, traits: indexed ? .indexed : [])
  }

  /// Declares a property with an index of a kind.
  public init(indexed: IndexType) { self.init(value: nil, traits: indexed.traits) }

  /// Declares a property with an index of a kind, and a default.
  public init(wrappedValue: Value, indexed: IndexType) {
    self.init(value: wrappedValue, traits: indexed.traits)
  }
}
