public import AtollObjects
public import Foundation

extension Bool: _Scalar, _PrimaryKey, _Indexable, _DefaultConstructible {
  public static var _storedType: _StoredType { _StoredType(.bool) }
  public static func _default() -> Bool { false }
  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Bool {
    value.bool ?? false
  }
  public func _store(_ context: _RealmContext?) -> _StoredValue { .bool(self) }
  public static func _read(_ row: _ManagedRow, _ position: Int) -> Bool {
    row.bool(position) ?? false
  }
  public static func _readQuickly(_ row: _ManagedRow, _ position: Int) -> Bool? {
    row.quick { try $0.bool(position) }
  }
  public static func _readOptional(_ row: _ManagedRow, _ position: Int) -> Bool? {
    row.bool(position)
  }
}

/// An integer of any width, kept as 64 bits.
public protocol _StoredInteger: FixedWidthInteger, SignedInteger, _Scalar, _PrimaryKey, _Indexable,
  _DefaultConstructible
{}

extension _StoredInteger {
  public static var _storedType: _StoredType { _StoredType(.int) }
  public static func _default() -> Self { 0 }
  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    Self(truncatingIfNeeded: value.int ?? 0)
  }
  public func _store(_ context: _RealmContext?) -> _StoredValue { .int(Int64(self)) }
  public static func _read(_ row: _ManagedRow, _ position: Int) -> Self {
    Self(truncatingIfNeeded: row.int(position) ?? 0)
  }
  public static func _readQuickly(_ row: _ManagedRow, _ position: Int) -> Self? {
    row.quick { try $0.int(position) }.map { Self(truncatingIfNeeded: $0) }
  }
  public static func _readOptional(_ row: _ManagedRow, _ position: Int) -> Self? {
    row.int(position).map { Self(truncatingIfNeeded: $0) }
  }
  public static func _bridge(_ source: Any) -> Self? {
    switch AnyBridge.swiftValue(source) {
    case let value as Self: value
    case let value as Bool: value ? 1 : 0
    case let value as any BinaryInteger: Self(exactly: value)
    case let value as Double: Self(exactly: value)
    case let value as Float: Self(exactly: value)
    case let value as Decimal: Self("\(value)")
    default: nil
    }
  }
}

extension Int: _StoredInteger {
  public static func _read(_ row: _ManagedRow, _ position: Int) -> Int {
    Int(truncatingIfNeeded: row.int(position) ?? 0)
  }
  public static func _readQuickly(_ row: _ManagedRow, _ position: Int) -> Int? {
    row.quick { try $0.int(position) }.map { Int(truncatingIfNeeded: $0) }
  }
}
extension Int8: _StoredInteger {}
extension Int16: _StoredInteger {}
extension Int32: _StoredInteger {}
extension Int64: _StoredInteger {}

extension Double: _Scalar, _DefaultConstructible {
  public static var _storedType: _StoredType { _StoredType(.double) }
  public static func _default() -> Double { 0 }
  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Double {
    value.double ?? 0
  }
  public func _store(_ context: _RealmContext?) -> _StoredValue { .double(self) }
  public static func _read(_ row: _ManagedRow, _ position: Int) -> Double {
    row.double(position) ?? 0
  }
  public static func _readQuickly(_ row: _ManagedRow, _ position: Int) -> Double? {
    row.quick { try $0.double(position) }
  }
  public static func _readOptional(_ row: _ManagedRow, _ position: Int) -> Double? {
    row.double(position)
  }
  public static func _bridge(_ source: Any) -> Double? {
    guard let source = AnyBridge.unwrapped(source) else { return nil }
    return switch AnyBridge.swiftValue(source) {
    case let value as Double: value
    case let value as Float: Double(value)
    case let value as any BinaryInteger: converted(value, from: source)
    case let value as Decimal: Double("\(value)")
    default: nil
    }
  }

  /// JSON has numbers of one kind, so that one of Foundation is as near as a double can be; an
  /// integer of Swift loses no digits.
  private static func converted(_ value: some BinaryInteger, from source: Any) -> Double? {
    if AnyBridge.instance(of: NSNumber.self, source) != nil { return Double(value) }
    return Double(exactly: Int64(clamping: value))
  }
}

extension Float: _Scalar, _DefaultConstructible {
  public static var _storedType: _StoredType { _StoredType(.float) }
  public static func _default() -> Float { 0 }
  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Float {
    if case .float(let float) = value { float } else { 0 }
  }
  public func _store(_ context: _RealmContext?) -> _StoredValue { .float(self) }
  public static func _bridge(_ source: Any) -> Float? {
    (AnyBridge.swiftValue(source) as? Float) ?? Double._bridge(source).map { Float($0) }
  }
}

extension String: _Scalar, _PrimaryKey, _Indexable, _DefaultConstructible {
  public static var _storedType: _StoredType { _StoredType(.string) }
  public static func _default() -> String { "" }
  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> String {
    value.string ?? ""
  }
  public func _store(_ context: _RealmContext?) -> _StoredValue { .string(self) }
  public static func _read(_ row: _ManagedRow, _ position: Int) -> String {
    row.string(position) ?? ""
  }
  public static func _readQuickly(_ row: _ManagedRow, _ position: Int) -> String? {
    row.quick { try $0.string(position) }
  }
  public static func _readOptional(_ row: _ManagedRow, _ position: Int) -> String? {
    row.string(position)
  }
  public static func _bridge(_ source: Any) -> String? {
    switch AnyBridge.unwrapped(source) {
    case let value as String: value
    case let value as Substring: String(value)
    case let value as StaticString: "\(value)"
    default: nil
    }
  }
}

extension Data: _Scalar, _DefaultConstructible {
  public static var _storedType: _StoredType { _StoredType(.data) }
  public static func _default() -> Data { Data() }
  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Data {
    Data(value.data ?? [])
  }
  public func _store(_ context: _RealmContext?) -> _StoredValue { .data([UInt8](self)) }
}

extension UUID: _Scalar, _PrimaryKey, _Indexable, _DefaultConstructible {
  public static var _storedType: _StoredType { _StoredType(.uuid) }
  public static func _default() -> UUID { UUID() }
  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> UUID {
    UUID(value.uuid ?? UniqueID(high: 0, low: 0))
  }
  public func _store(_ context: _RealmContext?) -> _StoredValue { .uuid(UniqueID(self)) }
  public static func _bridge(_ source: Any) -> UUID? {
    switch AnyBridge.unwrapped(source) {
    case let value as UUID: value
    case let value as String: UUID(uuidString: value)
    default: nil
    }
  }
}

extension UUID {
  init(_ id: UniqueID) {
    func byte(_ half: UInt64, _ index: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: half >> (56 - index * 8))
    }
    let (a, b) = (id.high, id.low)
    self.init(
      uuid: (
        byte(a, 0), byte(a, 1), byte(a, 2), byte(a, 3), byte(a, 4), byte(a, 5), byte(a, 6),
        byte(a, 7), byte(b, 0), byte(b, 1), byte(b, 2), byte(b, 3), byte(b, 4), byte(b, 5),
        byte(b, 6), byte(b, 7)
      ))
  }
}

extension UniqueID {
  init(_ id: UUID) {
    let u = id.uuid
    let high: [UInt8] = [u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7]
    let low: [UInt8] = [u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15]
    func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: number(high), low: number(low))
  }
}
