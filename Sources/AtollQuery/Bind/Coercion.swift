internal import AtollObjects

/// How a constant is made fit for what it is compared with (rules of numeric and text constants).
enum Coercion {
  /// The constant as a property of type `type` would be compared with it; nil when the two do not
  /// compare.
  ///
  /// `digits`: the digits of a literal, from which a decimal is read at full precision.
  static func coerced(_ value: Value, digits: String? = nil, to type: ValueType) -> Value? {
    switch (type, value) {
    case (_, .null), (.mixed, _): return value
    case (.bool, .bool), (.data, .data), (.date, .date), (.objectID, .objectID), (.uuid, .uuid),
      (.string, .string), (.link, .link), (.int, .int), (.int, .decimal), (.double, .double),
      (.double, .int), (.double, .float), (.double, .decimal), (.float, .int), (.float, .float),
      (.float, .decimal), (.decimal, .decimal):
      return value
    case (.int, .double(let number)): return integer(number) ?? value
    case (.int, .float(let number)): return integer(Double(number)) ?? value
    case (.float, .double(let number)):
      // A literal is rounded once, from its digits.
      return .float(digits.flatMap { Float($0) } ?? Float(number))
    case (.decimal, .int(let number)): return .decimal(Decimal128(number))
    case (.decimal, .double(let number)):
      return .decimal(digits.flatMap { Decimal128($0) } ?? Decimal128(number))
    case (.decimal, .float(let number)):
      return .decimal(digits.flatMap { Decimal128($0) } ?? Decimal128(number))
    case (.int, .string(let text)): return integer(text).map { .int($0) }
    case (.float, .string(let text)): return number(text).map { .float(Float($0)) }
    case (.double, .string(let text)): return number(text).map { .double($0) }
    case (.decimal, .string(let text)): return Decimal128(text).map { .decimal($0) }
    default: return nil
    }
  }

  /// The integer of exactly this value.
  private static func integer(_ number: Double) -> Value? {
    Int64(exactly: number).map { .int($0) }
  }

  /// The whole number that the whole text spells, with a point or an exponent or without.
  private static func integer(_ text: String) -> Int64? {
    if let integer = Int64(text) { return integer }
    return number(text) == nil ? nil : Decimal128(text)?.exactInt64
  }

  /// Whether a literal with these digits is infinite only because its type has no number so large.
  static func isOutOfRange(_ value: Value, digits: String?) -> Bool {
    digits != nil && isNotFinite(value)
  }

  /// The number that the whole text spells; not the names of infinities and NaN.
  private static func number(_ text: String) -> Double? {
    guard let first = text.utf8.first, first < UInt8(ascii: "A") else { return nil }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  /// Whether the value is a number that is not finite, which integers do not compare with.
  static func isNotFinite(_ value: Value) -> Bool {
    switch value {
    case .double(let number): !number.isFinite
    case .float(let number): !number.isFinite
    default: false
    }
  }
}

extension BoundConstant {
  /// The value of the constant in a run with these arguments.
  func value(_ arguments: [Value]) -> Value {
    switch self {
    case .value(let value): return value
    case .argument(let index, let type):
      guard index < arguments.count else { return .null }
      guard let type else { return arguments[index] }
      return Coercion.coerced(arguments[index], to: type) ?? arguments[index]
    case .object: return .null
    }
  }
}
