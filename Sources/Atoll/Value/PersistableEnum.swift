public import AtollObjects

/// A type that the raw value of a persisted enum may have.
public protocol _EnumRawValue: _Scalar, Comparable {}

extension Int: _EnumRawValue {}
extension Int8: _EnumRawValue {}
extension Int16: _EnumRawValue {}
extension Int32: _EnumRawValue {}
extension Int64: _EnumRawValue {}
extension Float: _EnumRawValue {}
extension Double: _EnumRawValue {}
extension String: _EnumRawValue {}

/// An enum that properties can have, kept as its raw value.
///
///     enum Kind: String, PersistableEnum { case small, large }
///
/// A property that was not set has the first case. So has one whose file holds a raw value that the
/// enum does not know, unless it is optional: then it is nil.
public protocol PersistableEnum: _Scalar, _QueryOrdered, RawRepresentable, CaseIterable,
  Comparable
where RawValue: _EnumRawValue {}

extension PersistableEnum {
  public static var _storedType: _StoredType { RawValue._storedType }

  public static func _default() -> Self {
    guard let first = allCases.first else { Misuse.trap("the enum \(Self.self) has no case") }
    return first
  }

  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    Self(rawValue: RawValue._load(value, context)) ?? _default()
  }

  public func _store(_ context: _RealmContext?) -> _StoredValue { rawValue._store(context) }

  public static func _read(_ row: _ManagedRow, _ position: Int) -> Self {
    Self(rawValue: RawValue._read(row, position)) ?? _default()
  }

  public static func _readOptional(_ row: _ManagedRow, _ position: Int) -> Self? {
    RawValue._readOptional(row, position).flatMap { Self(rawValue: $0) }
  }

  public static func _bridge(_ source: Any) -> Self? {
    let source = AnyBridge.unwrapped(source) ?? source
    return (source as? Self) ?? RawValue._bridge(source).flatMap { Self(rawValue: $0) }
  }

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
