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
/// A property that was not set has its declared default, or else the first case. So it reads where
/// the file holds a raw value that the enum does not know, as one that a newer program wrote, and
/// nil if it is optional; an element of a collection reads as the first case, or nil. `where { }`
/// and what is looked for in collections go by what is read. Queries in text form, `rawValue`, and
/// the comparison of two properties go by the raw value that is stored, and so does every order.
public protocol PersistableEnum: _Scalar, _QueryOrdered, _QueryStored, RawRepresentable,
  CaseIterable, Comparable
where RawValue: _EnumRawValue, _Stored == RawValue {}

extension PersistableEnum {
  public static var _storedType: _StoredType { RawValue._storedType }

  public static func _default() -> Self {
    guard let first = allCases.first else { Misuse.trap("the enum \(Self.self) has no case") }
    return first
  }

  public static var _knownValues: [_StoredValue]? { allCases.map { $0.rawValue._store(nil) } }

  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    _loadOptional(value, context) ?? _default()
  }

  public static func _loadOptional(_ value: _StoredValue, _ context: _RealmContext) -> Self? {
    Self(rawValue: RawValue._load(value, context))
  }

  public func _store(_ context: _RealmContext?) -> _StoredValue { rawValue._store(context) }

  public static func _read(_ row: _ManagedRow, _ position: Int) -> Self {
    Self(rawValue: RawValue._read(row, position)) ?? unset(row, position)
  }

  /// What a property reads as whose raw value is none of the enum's.
  private static func unset(_ row: _ManagedRow, _ position: Int) -> Self {
    guard let stored = row.access.descriptor.property(at: position).unset else { return _default() }
    return _load(stored, row.context)
  }

  public static func _readOptional(_ row: _ManagedRow, _ position: Int) -> Self? {
    RawValue._readOptional(row, position).flatMap { Self(rawValue: $0) }
  }

  public static func _bridge(_ source: Any) -> Self? {
    let source = AnyBridge.unwrapped(source) ?? source
    return (source as? Self) ?? RawValue._bridge(source).flatMap { Self(rawValue: $0) }
  }

  public static func _bridgeOptional(_ source: Any) -> Self?? {
    if let value = _bridge(source) { return .some(value) }
    return RawValue._bridge(source) == nil ? nil : .some(nil)
  }

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
