package import AtollObjects

extension Value {
  /// The value as a constant of a query; read back it is the same, but for an infinite or NaN
  /// float, which becomes a double.
  ///
  /// Nil for what the query language has no text for: a map, a list with more than single values in
  /// it, and a link whose object has no primary key or is not known.
  ///
  /// `address`: the class and the primary key of the object that a link leads to.
  package func queryConstant(
    address: (ObjectLink) -> (className: String, primaryKey: Value)? = { _ in nil }
  ) -> QuerySyntax.Constant? {
    switch self {
    case .list(let elements), .set(let elements):
      var literals: [QuerySyntax.Literal] = []
      literals.reserveCapacity(elements.count)
      for element in elements {
        guard let literal = element.queryLiteral(address: address) else { return nil }
        literals.append(literal)
      }
      return .list(literals)
    default: return queryLiteral(address: address).map { .literal($0) }
    }
  }

  /// A single value as a literal; see `queryConstant`.
  package func queryLiteral(
    address: (ObjectLink) -> (className: String, primaryKey: Value)? = { _ in nil }
  ) -> QuerySyntax.Literal? {
    switch self {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .int(let value): return .int(value)
    case .float(let value):
      return NumberText(value).map { .float32($0) } ?? Self.special(Double(value))
    case .double(let value): return NumberText(value).map { .double($0) } ?? Self.special(value)
    case .decimal(let value): return .decimal(value.description)
    case .string(let value): return .string(value)
    case .data(let bytes): return .data(bytes)
    case .date(let date): return .date(seconds: date.seconds, nanoseconds: date.nanoseconds)
    case .objectID(let id): return .objectID(Self.bytes(id.description))
    case .uuid(let id): return .uuid(Self.bytes(id.description))
    case .link(let link):
      guard let (className, primaryKey) = address(link), let key = primaryKey.queryObjectKey else {
        return nil
      }
      return .object(class: QuerySyntax.Located(className), key: QuerySyntax.Located(key))
    case .list, .set, .map: return nil
    }
  }

  /// The value as the primary key in an object literal.
  private var queryObjectKey: QuerySyntax.ObjectKey? {
    switch self {
    case .int(let number): .int(number)
    case .string(let text): .string(text)
    case .objectID(let id): .objectID(Self.bytes(id.description))
    case .uuid(let id): .uuid(Self.bytes(id.description))
    default: nil
    }
  }

  /// The bytes that hexadecimal digits spell, hyphens left out.
  private static func bytes(_ text: String) -> [UInt8] {
    let digits = text.utf8.compactMap(\.hexadecimalValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static func special(_ number: Double) -> QuerySyntax.Literal {
    number.isNaN ? .notANumber : .infinity(isNegative: number < 0)
  }
}
