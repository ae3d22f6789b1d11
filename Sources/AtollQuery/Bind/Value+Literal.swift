package import AtollObjects

extension Value {
  /// The value of a constant as a query has it: `uuid(…)`, `oid(…)`, `bin(…)`, a date, a number, a
  /// string in quotes.
  ///
  /// Nil for any other text, and for `obj(…)`, which only a query can look up.
  package init?(queryLiteral text: String) {
    guard var parser = try? Parser(text), let literal = try? parser.parseLiteral(),
      parser.token.kind == .endOfQuery
    else { return nil }
    switch literal.value {
    case .argument, .object: return nil
    default: self = Binder.value(of: literal.value).0
    }
  }
}

extension QuerySyntax.Literal {
  /// The literal whose value is `value`; nil for links and collections, which have none.
  ///
  /// A decimal beside a property of another type is the number that its digits spell there.
  package init?(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .int(let number): self = .int(number)
    case .float(let number):
      if let text = NumberText(number) {
        self = .float32(text)
      } else {
        self = number.isNaN ? .notANumber : .infinity(isNegative: number < 0)
      }
    case .double(let number):
      if let text = NumberText(number) {
        self = .double(text)
      } else {
        self = number.isNaN ? .notANumber : .infinity(isNegative: number < 0)
      }
    case .decimal(let number): self = Self.decimal(number)
    case .string(let text): self = .string(text)
    case .data(let bytes): self = .data(bytes)
    case .date(let moment):
      self = .date(seconds: moment.seconds, nanoseconds: moment.nanoseconds)
    case .objectID(let id): self = .objectID(Self.bytes(hexadecimal: id.description))
    case .uuid(let id):
      self = .uuid(
        Self.bytes(hexadecimal: id.description.split(separator: "-").joined()))
    case .link, .list, .set, .map: return nil
    }
  }

  private static func decimal(_ number: Decimal128) -> Self {
    guard number.isFinite else {
      return number.isNaN ? .notANumber : .infinity(isNegative: number.isNegative)
    }
    let digits = number.description
    if let integer = Int64(digits) { return .int(integer) }
    // Without a point or an exponent the text would be an integer, and too large for one.
    let isInteger = digits.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") }
    guard let text = NumberText(digits: isInteger ? digits + ".0" : digits) else {
      return .notANumber
    }
    return .double(text)
  }

  /// The bytes of an even number of digits.
  private static func bytes(hexadecimal text: String) -> [UInt8] {
    let digits = Array(text.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).map { place in
      UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16) ?? 0
    }
  }
}

/// `obj('Class', key)` as a query has it.
package struct ObjectLiteral: Equatable, Sendable {
  package let className: String
  package let primaryKey: Value

  /// Nil for any other text, and for a key that is an argument.
  package init?(_ text: String) {
    guard var parser = try? Parser(text), let literal = try? parser.parseLiteral(),
      parser.token.kind == .endOfQuery, case .object(let className, let key) = literal.value
    else { return nil }
    if case .argument = key.value { return nil }
    self.className = className.value
    primaryKey = Binder.value(of: key.value.literal).0
  }
}
