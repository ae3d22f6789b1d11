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

  @inlinable
  public static subscript<Enclosing: ObjectBase>(
    _enclosingInstance object: Enclosing,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<Enclosing, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<Enclosing, Persisted<Value>>
  ) -> Value {
    get {
      guard let row = object._row else {
        if let value = object[keyPath: storageKeyPath].value, object._tracer == nil {
          return value
        }
        return unsetValue(object, storageKeyPath)
      }
      // SAFETY: the prototype of a row is an instance of the class of its objects.
      let prototype = unsafe unsafeDowncast(row.prototype, to: Enclosing.self)
      let position = Int(prototype[keyPath: storageKeyPath].position)
      if Value._isLive { return liveValue(object, storageKeyPath, row, position) }
      return Value._read(row, position)
    }
    set {
      guard let row = object._row else {
        if Value._isLive {
          unsetValue(object, storageKeyPath)._assign(newValue)
        } else {
          object[keyPath: storageKeyPath].value = newValue
        }
        return
      }
      // SAFETY: as above.
      let prototype = unsafe unsafeDowncast(row.prototype, to: Enclosing.self)
      let position = Int(prototype[keyPath: storageKeyPath].position)
      if Value._isLive {
        liveValue(object, storageKeyPath, row, position)._assign(newValue)
      } else {
        Value._write(row, position, newValue)
      }
    }
  }

  /// The value of a property of an unmanaged object that was never set, which it keeps from now on.
  @usableFromInline
  static func unsetValue<Enclosing: ObjectBase>(
    _ object: Enclosing,
    _ storageKeyPath: ReferenceWritableKeyPath<Enclosing, Persisted<Value>>
  ) -> Value {
    if let tracer = object._tracer {
      let prototype = ClassDescriptor.of(type(of: object)).prototype
      // SAFETY: the prototype is an instance of the object's class.
      let typed = unsafe unsafeDowncast(prototype, to: Enclosing.self)
      tracer.note(Int(typed[keyPath: storageKeyPath].position), of: object)
      // A type of an application need not have a default of its own.
      if !Value._isLive, Value._form.stored.target == nil,
        let value = object[keyPath: storageKeyPath].value
      {
        return value
      }
      return Value._traced(tracer)
    }
    if let value = object[keyPath: storageKeyPath].value { return value }
    let value = Value._default()
    object[keyPath: storageKeyPath].value = value
    return value
  }

  /// The one instance of a live collection of a managed object.
  @usableFromInline
  static func liveValue<Enclosing: ObjectBase>(
    _ object: Enclosing,
    _ storageKeyPath: ReferenceWritableKeyPath<Enclosing, Persisted<Value>>,
    _ row: _ManagedRow, _ position: Int
  ) -> Value {
    // Many threads may read a frozen object: nothing is kept in it.
    if row.context.isFrozen { return Value._read(row, position) }
    row.context.checkConfinement()
    // An instance made for a row may hold a collection that the class's initializer made.
    if let value = object[keyPath: storageKeyPath].value, value._belongs(to: row, position) {
      return value
    }
    let value = Value._read(row, position)
    object[keyPath: storageKeyPath].value = value
    return value
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
