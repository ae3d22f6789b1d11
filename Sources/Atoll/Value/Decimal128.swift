public import AtollObjects
public import Foundation

/// A decimal number of 34 significant digits, with NaN and infinities.
public struct Decimal128: Sendable {
  let stored: AtollObjects.Decimal128

  init(_ stored: AtollObjects.Decimal128) { self.stored = stored }

  /// Zero.
  public init() { self.init(.zero) }

  /// Reads a decimal number: `-12.50`, `1E-7`, `Infinity`, `NaN`.
  ///
  /// - Throws: `Realm.Error` with the code `invalidInput` for anything else.
  public init(string: String) throws {
    guard let stored = AtollObjects.Decimal128(string) else {
      throw Realm.Error(.invalidInput, "'\(string)' is no decimal number")
    }
    self.init(stored)
  }

  /// Converts a number, exactly where it has no more than 34 digits.
  public init(value: Double) { self.init(Self.converted("\(value)")) }

  /// Converts a number exactly.
  public init(value: Int) { self.init(AtollObjects.Decimal128(Int64(value))) }

  /// Converts a number of Foundation.
  public init(value: Decimal) { self.init(Self.converted("\(value)")) }

  /// Converts a number of Foundation.
  public init(number: NSNumber) { self.init(Self.converted("\(number)")) }

  /// Converts an integer of at most 64 bits, a `Double` or `Float`, a number of Foundation, or a text
  /// that is a number; anything else ends the process.
  public init(value: Any) {
    guard let number = Self._bridge(value) else {
      Misuse.trap(
        "a value of type \(type(of: value)) was made a Decimal128, which takes integers of at most 64 "
          + "bits, Double, Float, numbers of Foundation, and texts that are numbers")
    }
    self = number
  }

  /// A number as Swift prints it; NaN for what is none.
  private static func converted(_ text: String) -> AtollObjects.Decimal128 {
    AtollObjects.Decimal128(text) ?? .nan
  }

  /// The number as text: the same as `description`.
  public var stringValue: String { description }
  /// Whether the number is NaN.
  public var isNaN: Bool { stored.isNaN }
  /// Whether the number is an infinity of either sign.
  public var isInfinite: Bool { stored.isInfinite }
  /// Whether the number is neither an infinity nor NaN.
  public var isFinite: Bool { stored.isFinite }
  /// Whether the sign is minus, also that of a zero or NaN.
  public var isSignMinus: Bool { stored.isNegative }
  /// The number without its sign.
  public var magnitude: Decimal128 { Decimal128(stored.magnitude) }

  /// The number as a double, as near as one can be.
  public var doubleValue: Double { Double(stored.description) ?? .nan }

  /// The number as Foundation has it.
  public var decimalValue: Decimal { Decimal(string: stored.description) ?? .nan }

  /// Zero.
  public static var zero: Decimal128 { Decimal128(.zero) }
  /// NaN, which equals nothing, itself included.
  public static var nan: Decimal128 { Decimal128(.nan) }
  /// Positive infinity.
  public static var infinity: Decimal128 { Decimal128(.infinity) }
  /// The greatest finite number, thirty-four nines: 9.999…E+6144.
  public static var greatestFiniteMagnitude: Decimal128 { Decimal128(.greatestFiniteMagnitude) }
  /// The greatest finite number.
  public static var max: Decimal128 { greatestFiniteMagnitude }
  /// The least finite number.
  public static var min: Decimal128 { -greatestFiniteMagnitude }
}

extension Decimal128: Hashable, Comparable {
  public static func == (a: Decimal128, b: Decimal128) -> Bool { a.stored == b.stored }
  public static func < (a: Decimal128, b: Decimal128) -> Bool { a.stored < b.stored }
  public func hash(into hasher: inout Hasher) { hasher.combine(stored) }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, LosslessStringConvertible
{
  public init(integerLiteral value: Int64) { self.init(AtollObjects.Decimal128(value)) }
  public init(floatLiteral value: Double) { self.init(value: value) }

  /// Reads a number in the source; NaN for what is none.
  public init(stringLiteral value: String) { self.init(Self.converted(value)) }

  public init?(_ description: String) {
    guard let stored = AtollObjects.Decimal128(description) else { return nil }
    self.init(stored)
  }

  public var description: String { stored.description }
}

extension Decimal128: Numeric {
  /// Converts an integer; nil where it has more than 34 significant digits.
  public init?(exactly source: some BinaryInteger) {
    let text = "\(source)"
    let digits = text.drop { $0 == "-" }.reversed().drop { $0 == "0" }
    guard digits.count <= 34, let stored = AtollObjects.Decimal128(text) else { return nil }
    self.init(stored)
  }

  /// Returns the number with the other sign, also a zero or NaN.
  public static prefix func - (value: Decimal128) -> Decimal128 { Decimal128(-value.stored) }
  /// Returns the sum, rounded to 34 digits; infinities of opposite signs give NaN.
  public static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
    Decimal128(a.stored + b.stored)
  }
  /// Returns the difference, rounded to 34 digits; infinities of one sign give NaN.
  public static func - (a: Decimal128, b: Decimal128) -> Decimal128 {
    Decimal128(a.stored - b.stored)
  }
  /// Returns the product, rounded to 34 digits; an infinity times zero gives NaN.
  public static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
    Decimal128(a.stored * b.stored)
  }
  /// Returns the quotient, rounded to 34 digits.
  ///
  /// Zero over zero and infinity over infinity give NaN, another number over zero an infinity.
  public static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
    Decimal128(a.stored / b.stored)
  }
  public static func += (a: inout Decimal128, b: Decimal128) { a = a + b }
  public static func -= (a: inout Decimal128, b: Decimal128) { a = a - b }
  public static func *= (a: inout Decimal128, b: Decimal128) { a = a * b }
  public static func /= (a: inout Decimal128, b: Decimal128) { a = a / b }
}

extension Decimal128: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      try self.init(string: text)
    } else {
      self.init(value: try container.decode(Double.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Decimal128: _Scalar, _DefaultConstructible {
  public static var _storedType: _StoredType { _StoredType(.decimal) }
  public static func _default() -> Decimal128 { Decimal128() }
  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Decimal128 {
    value.decimal.map { Decimal128($0) } ?? Decimal128()
  }
  public func _store(_ context: _RealmContext?) -> _StoredValue { .decimal(stored) }
  public static func _bridge(_ source: Any) -> Decimal128? {
    switch AnyBridge.swiftValue(source) {
    case let value as Decimal128: value
    case let value as any BinaryInteger: exact(value)
    case let value as String: Decimal128(value)
    case let value as Double: Decimal128(value: value)
    case let value as Float: Decimal128(converted("\(value)"))
    case let value as Decimal: Decimal128(value: value)
    default: nil
    }
  }

  /// An integer of at most 64 bits, signed or not; nil for a larger one.
  private static func exact(_ value: some BinaryInteger) -> Decimal128? {
    if let value = Int64(exactly: value) { return Decimal128(.init(value)) }
    return UInt64(exactly: value).map { Decimal128(.init($0)) }
  }
}
