public import AtollObjects

/// A type of an application that is kept as a value of another type.
public protocol CustomPersistable: _Scalar {
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

  public func _store(_ context: _RealmContext?) -> _StoredValue { persistableValue._store(context) }

  public static func _bridge(_ source: Any) -> Self? {
    let source = AnyBridge.unwrapped(source) ?? source
    return (source as? Self) ?? PersistedType._bridge(source).map { Self(persistedValue: $0) }
  }
}

/// A type of an application that is kept as a value of another type, of which not all have a
/// meaning.
///
/// What has none is nil for an optional property, and ends the process for any other.
public protocol FailableCustomPersistable: _Scalar {
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

  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    made(of: PersistedType._load(value, context))
  }

  public static func _readOptional(_ row: _ManagedRow, _ position: Int) -> Self? {
    PersistedType._readOptional(row, position).flatMap { Self(persistedValue: $0) }
  }

  public func _store(_ context: _RealmContext?) -> _StoredValue { persistableValue._store(context) }

  private static func made(of value: PersistedType) -> Self {
    guard let made = Self(persistedValue: value) else {
      Misuse.trap("'\(value)' cannot be made a \(Self.self), and the property is not optional")
    }
    return made
  }
}
