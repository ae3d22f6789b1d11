public import AtollObjects

/// A type of an application that is kept as a value of another type.
public protocol CustomPersistable: _Scalar, _QueryCustom where _Stored == PersistedType {
  /// The type that the file keeps: any that a property can have alone, but no other custom type.
  associatedtype PersistedType: _Scalar

  /// Makes the value of what the file keeps.
  init(persistedValue: PersistedType)
  /// What the file keeps.
  var persistableValue: PersistedType { get }
}

extension CustomPersistable {
  public static var _storedType: _StoredType { PersistedType._storedType }
  public static func _default() -> Self { Self(persistedValue: PersistedType._default()) }

  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    Self(persistedValue: PersistedType._load(value, context))
  }

  public static func _loadOptional(_ value: _StoredValue, _ context: _RealmContext) -> Self? {
    PersistedType._loadOptional(value, context).map { Self(persistedValue: $0) }
  }

  public static func _read(_ row: _ManagedRow, _ position: Int) -> Self {
    Self(persistedValue: PersistedType._read(row, position))
  }

  public static func _readOptional(_ row: _ManagedRow, _ position: Int) -> Self? {
    PersistedType._readOptional(row, position).map { Self(persistedValue: $0) }
  }

  public static var _knownValues: [_StoredValue]? { PersistedType._knownValues }

  public func _store(_ context: _RealmContext?) -> _StoredValue { persistableValue._store(context) }

  public static func _bridge(_ source: Any) -> Self? {
    let source = AnyBridge.unwrapped(source) ?? source
    return (source as? Self) ?? PersistedType._bridge(source).map { Self(persistedValue: $0) }
  }

  public static func _bridgeOptional(_ source: Any) -> Self?? {
    if let value = AnyBridge.unwrapped(source) as? Self { return .some(value) }
    return PersistedType._bridgeOptional(source).map { $0.map { Self(persistedValue: $0) } }
  }
}

/// A type of an application that is kept as a value of another type, of which not all have a
/// meaning.
///
/// What has none reads as nil where the type is optional. Elsewhere it reads as the default that
/// the property declares; without one, and in a collection, as what the default of `PersistedType`
/// means; where that has no meaning either, reading ends the process, also reading what a failure of
/// the file makes nothing. Queries compare what the file keeps.
public protocol FailableCustomPersistable: _Scalar, _QueryCustom
where _Stored == PersistedType {
  /// The type that the file keeps: any that a property can have alone, but no other custom type.
  associatedtype PersistedType: _Scalar

  /// Makes the value of what the file keeps; nil for what has no meaning.
  init?(persistedValue: PersistedType)
  /// What the file keeps.
  var persistableValue: PersistedType { get }
}

extension FailableCustomPersistable {
  public static var _storedType: _StoredType { PersistedType._storedType }

  public static func _default() -> Self { made(of: PersistedType._default()) }

  public static func _defaultIfAny() -> Self? { Self(persistedValue: PersistedType._default()) }

  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    _loadOptional(value, context)
      ?? Self(persistedValue: PersistedType._default())
      ?? made(of: PersistedType._load(value, context), in: context)
  }

  public static func _loadOptional(_ value: _StoredValue, _ context: _RealmContext) -> Self? {
    PersistedType._loadOptional(value, context).flatMap { Self(persistedValue: $0) }
  }

  public static func _read(_ row: _ManagedRow, _ position: Int) -> Self {
    if let value = Self(persistedValue: PersistedType._read(row, position)) { return value }
    let unset = row.access.descriptor.property(at: position).unset
    return _load(unset ?? row.value(position), row.context)
  }

  public static func _readOptional(_ row: _ManagedRow, _ position: Int) -> Self? {
    PersistedType._readOptional(row, position).flatMap { Self(persistedValue: $0) }
  }

  public func _store(_ context: _RealmContext?) -> _StoredValue { persistableValue._store(context) }

  public static func _bridge(_ source: Any) -> Self? {
    let source = AnyBridge.unwrapped(source) ?? source
    return (source as? Self) ?? PersistedType._bridge(source).flatMap { Self(persistedValue: $0) }
  }

  public static func _bridgeOptional(_ source: Any) -> Self?? {
    if let value = _bridge(source) { return .some(value) }
    return PersistedType._bridge(source) == nil ? nil : .some(nil)
  }

  private static func made(of value: PersistedType, in context: _RealmContext? = nil) -> Self {
    if let made = Self(persistedValue: value) { return made }
    // There is no value of the type that could stand for one that cannot be read, either.
    let cause = context?.failures.last.map { "; the file has failed before: \($0)" } ?? ""
    Misuse.trap(
      "'\(value)' cannot be made a \(Self.self): declare the property as \(Self.self)?, or with a "
        + "default\(cause)")
  }
}
