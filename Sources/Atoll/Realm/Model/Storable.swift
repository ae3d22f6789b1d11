public import AtollObjects

// The protocols that connect Swift types with what the file keeps. Applications meet their names in
// generic constraints; the requirements belong to this module.

/// A type whose values a file keeps as one value: scalars, enums, objects, and optionals of them.
public protocol _Storable {
  static var _storedType: _StoredType { get }

  /// The value for what the file holds.
  static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Self

  /// The value for what the file holds in a place of a managed object.
  static func _load(_ value: _StoredValue, at place: _ValuePlace) -> Self

  /// What the file holds for the value; adds an object that is not managed yet.
  ///
  /// `context`: nil where nothing can be added, as in a query.
  func _store(_ context: _RealmContext?) -> _StoredValue

  /// The value that a loosely typed source means: a dictionary, a query argument; nil for none.
  static func _bridge(_ source: Any) -> Self?

  /// What the file holds for each value of a type that has few, as enums have; nil for any other.
  ///
  /// A file may hold more: see `_meaning`. The first is what a type that is not optional has by
  /// default.
  static var _knownValues: [_StoredValue]? { get }
}

extension _Storable {
  public static func _load(_ value: _StoredValue, at place: _ValuePlace) -> Self {
    _load(value, place.row.context)
  }

  public static func _bridge(_ source: Any) -> Self? { source as? Self }

  public static var _knownValues: [_StoredValue]? { nil }

  /// Gives what a value of a file reads as, where it is none of the type's own.
  ///
  /// `unset`: what a property reads as that was not set; nil for the default of the type.
  static func _meaning(unset: _StoredValue? = nil) -> ((_StoredValue) -> _StoredValue)? {
    guard let known = _knownValues else { return nil }
    let other = _storedType.isOptional ? .null : unset ?? known.first ?? .null
    return { known.contains($0) ? $0 : other }
  }
}

/// A type that `@Persisted` can hold.
public protocol _Persistable {
  static var _form: _PropertyForm { get }

  /// What is wrong with a property of this type, as the rest of a sentence; nil for nothing.
  static var _problem: String? { get }

  /// The value of a property that was not set.
  static func _default() -> Self
  /// The same; nil for a type of an application that has no such value.
  static func _defaultIfAny() -> Self?

  /// Whether the value is a live collection, of which a property keeps one instance.
  static var _isLive: Bool { get }

  static func _read(_ row: _ManagedRow, _ position: Int) -> Self
  static func _write(_ row: _ManagedRow, _ position: Int, _ value: Self)
  /// As `_read`, where nothing is to be looked up or told; nil where there is, and where the value may
  /// be null.
  ///
  /// The row is lent: no code of an application may be called.
  static func _readQuickly(_ row: _ManagedRow, _ position: Int) -> Self?

  /// What the file holds for a single value that is no link; null for any other.
  func _storePlain(_ context: _RealmContext?) -> _StoredValue
  /// Takes the value out of a wrapper, and returns what the file holds for it.
  ///
  /// A requirement, so that a type that is known has code of its own: what is generic looks up types
  /// for each value.
  @unsafe
  static func _takeStored(
    _ wrapper: UnsafeMutablePointer<Persisted<Self>>, _ context: _RealmContext?
  ) -> _StoredValue
  /// Whether a live collection is the one of this property of this row.
  func _belongs(to row: _ManagedRow, _ position: Int) -> Bool
  /// Replaces the contents of a live collection.
  func _assign(_ contents: Self)
  /// Gives a live collection the object that it belongs to from now on; returns what it held.
  func _attach(_ row: _ManagedRow, _ position: Int) -> _Contents?

  /// A value that goes on with the path that is being traced.
  static func _traced(_ tracer: _KeyPathTracer) -> Self

  static func _bridgeProperty(_ source: Any?) -> Self?
}

extension _Persistable {
  public static var _problem: String? { nil }
  @inlinable public static var _isLive: Bool { false }
  @inlinable
  public static func _readQuickly(_ row: _ManagedRow, _ position: Int) -> Self? { nil }
  public func _storePlain(_ context: _RealmContext?) -> _StoredValue { .null }

  @unsafe
  @inline(__always)
  public static func _takeStored(
    _ wrapper: UnsafeMutablePointer<Persisted<Self>>, _ context: _RealmContext?
  ) -> _StoredValue {
    // The old value goes after the access has ended: its end may run code of the application.
    let value = unsafe wrapper.pointee.value.take()
    return (value ?? _default())._storePlain(context)
  }

  public func _belongs(to row: _ManagedRow, _ position: Int) -> Bool { false }
  public func _assign(_ contents: Self) {}
  public func _attach(_ row: _ManagedRow, _ position: Int) -> _Contents? { nil }
  public static func _traced(_ tracer: _KeyPathTracer) -> Self { _default() }
  public static func _defaultIfAny() -> Self? { _default() }
}

extension _Persistable where Self: _Storable {
  public static var _form: _PropertyForm { _PropertyForm(.single, _storedType) }

  public func _storePlain(_ context: _RealmContext?) -> _StoredValue { _store(context) }

  public static func _read(_ row: _ManagedRow, _ position: Int) -> Self {
    _load(row.value(position), row.context)
  }

  public static func _write(_ row: _ManagedRow, _ position: Int, _ value: Self) {
    row.set(position, value._store(row.context))
  }

  public static func _bridgeProperty(_ source: Any?) -> Self? { source.flatMap(_bridge) }
}

/// A type whose optional `@Persisted` can hold: scalars, enums, custom types, and objects.
public protocol _PersistableInsideOptional: _Storable {
  /// The value for what the file holds, which is not null; nil for what means none.
  static func _loadOptional(_ value: _StoredValue, _ context: _RealmContext) -> Self?
  /// As `_bridge`, for an optional: what means none of the type's values is nil.
  static func _bridgeOptional(_ source: Any) -> Self??
  static func _readOptional(_ row: _ManagedRow, _ position: Int) -> Self?
  static func _writeOptional(_ row: _ManagedRow, _ position: Int, _ value: Self?)
  static func _tracedOptional(_ tracer: _KeyPathTracer) -> Self?
  /// As `_takeStored`, of an optional: `wrapper` is the address of a `Persisted<Self?>`, which a class
  /// that is not final cannot name in a requirement.
  @unsafe
  static func _takeStoredOptional(
    _ wrapper: UnsafeMutableRawPointer, _ context: _RealmContext?
  ) -> _StoredValue
}

extension _PersistableInsideOptional {
  @unsafe
  @inline(__always)
  public static func _takeStoredOptional(
    _ wrapper: UnsafeMutableRawPointer, _ context: _RealmContext?
  ) -> _StoredValue {
    // As in `_takeStored`.
    let value = unsafe wrapper.assumingMemoryBound(to: Persisted<Self?>.self).pointee.value.take()
    return (value ?? nil)?._store(context) ?? .null
  }

  public static func _readOptional(_ row: _ManagedRow, _ position: Int) -> Self? {
    let value = row.value(position)
    return value.isNull ? nil : _loadOptional(value, row.context)
  }

  public static func _bridgeOptional(_ source: Any) -> Self?? { _bridge(source).map { .some($0) } }

  public static func _loadOptional(_ value: _StoredValue, _ context: _RealmContext) -> Self? {
    _load(value, context)
  }

  public static func _writeOptional(_ row: _ManagedRow, _ position: Int, _ value: Self?) {
    row.set(position, value?._store(row.context) ?? .null)
  }

  public static func _tracedOptional(_ tracer: _KeyPathTracer) -> Self? { nil }
}

extension Optional where Wrapped: _PersistableInsideOptional {
  @unsafe
  public static func _takeStored(
    _ wrapper: UnsafeMutablePointer<Persisted<Wrapped?>>, _ context: _RealmContext?
  ) -> _StoredValue {
    unsafe Wrapped._takeStoredOptional(wrapper, context)
  }
}

/// A type that maps can have as values.
public protocol _MapValue: Hashable, _Storable {}

/// A type that lists, sets and results can have as elements.
public protocol RealmCollectionValue: _MapValue {}

/// A type that an element of a collection may be as an optional.
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue {}

/// A type that can identify an object.
public protocol _PrimaryKey {}

/// A type that can have an ordered index.
public protocol _Indexable {}

/// A type whose `init()` makes a sensible default.
public protocol _DefaultConstructible { init() }

/// A type that `Realm.objects(_:)` gives results of.
public protocol RealmFetchable: RealmCollectionValue {}

/// A value type that needs no conversion of its own.
public protocol _Scalar: _Persistable, _PersistableInsideOptional,
  _RealmCollectionValueInsideOptional
{}

/// What a link or a collection of an unmanaged object holds when the object is added.
public enum _Contents {
  case link(ObjectBase?)
  /// Values that are no objects.
  case values(_StoredValue)
  /// Values among which objects may be, which are added when it is called.
  case mixed((_RealmContext) -> _StoredValue)
  case objects([ObjectBase])
  /// Of a map; some keys may have no object.
  case entries([(key: String, object: ObjectBase?)])
}
