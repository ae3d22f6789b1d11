import ArgumentParser
import AtollImport
import AtollObjects
import AtollQuery

/// A value for `$0`, `$1`… of a query.
struct QueryArgument: ExpressibleByArgument, Equatable {
  /// Null for an object, which is looked up in the queried version.
  let value: Value
  private let object: ObjectLiteral?
  /// The argument as text has it, with digits that the value does not keep; else nil.
  private let digits: QuerySyntax.Constant?

  /// Reads JSON, a date in ISO 8601 with time and zone, or a constant of the query language that
  /// has no other notation; anything else is a string.
  ///
  /// Text that begins like a JSON string, list or object and is none is refused: it is more
  /// likely a slip than a string.
  init?(argument: String) {
    object = ObjectLiteral(argument)
    guard object == nil else {
      value = .null
      digits = nil
      return
    }
    var reader = JSONReader(MemorySource(argument))
    guard let parsed = try? reader.onlyValue() else {
      digits = nil
      guard let first = argument.utf8.first, !Array("\"[{".utf8).contains(first) else {
        guard argument.isEmpty else { return nil }
        value = .string("")
        return
      }
      value = Self.constant(argument) ?? .string(argument)
      return
    }
    guard let value = Value(parsed) else { return nil }
    self.value = value
    digits = Self.hasDigits(parsed) ? QuerySyntax.Constant(parsed) : nil
  }

  /// Whether a number in it has more digits than its value, so that its text is to be taken.
  var hasDigits: Bool { digits != nil }

  /// The argument in the text of a query; nil for a list in a list, which no text has.
  ///
  /// `value`: that of `value(in:)`.
  func constant(_ value: Value) -> QuerySyntax.Constant? {
    digits
      ?? value.queryConstant { _ in object.map { ($0.className, $0.primaryKey) } }
  }

  private static func hasDigits(_ value: DataValue) -> Bool {
    switch value {
    case .longInt, .longDouble: true
    // A decimal is compared with a double by the digits that every double keeps.
    case .double(let number, let digits):
      number.isFinite && Decimal128(digits) != Decimal128(number)
    case .list(let elements): elements.contains { hasDigits($0.value) }
    default: false
    }
  }

  /// The value, of an object the link to it.
  func value(in snapshot: Snapshot) throws -> Value {
    guard let object else { return value }
    let table = try snapshot.table(object.className)
    guard let primaryKey = table.schema.primaryKey else {
      throw CommandError(
        "--arg: class '\(table.name)' has no primary key to find an object by", status: .usage)
    }
    guard object.primaryKey.type == primaryKey.layout.value else {
      throw CommandError(
        "--arg: the primary key '\(table.name).\(primaryKey.name)' is of type "
          + "\(primaryKey.layout.value.queryName), not \(object.primaryKey.typeName)",
        status: .usage)
    }
    guard let found = try table.object(primaryKey: object.primaryKey) else {
      throw CommandError(
        "--arg names an object that is not there: \(object.className) \(object.primaryKey)",
        status: .usage)
    }
    return .link(ObjectLink(table: table.schema.id, key: found.key.rawValue))
  }

  /// A date, an identifier or data; nil for other text.
  private static func constant(_ text: String) -> Value? {
    if text.last == "Z", text.contains("T"), let date = Timestamp(text) { return .date(date) }
    // Words such as `inf` and `T20:15` stay strings.
    guard text.last == ")" || text.contains("@"), let literal = Value(queryLiteral: text) else {
      return nil
    }
    switch literal {
    case .date, .objectID, .uuid, .data: return literal
    default: return nil
    }
  }
}

extension Value {
  /// The value of JSON data; nil for objects, which no argument can be, and for a number that is
  /// larger than any decimal.
  fileprivate init?(_ value: DataValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let value, _): self = .double(value)
    case .longInt(let digits), .longDouble(let digits):
      guard let number = Decimal128(digits), number.isFinite else { return nil }
      self = .decimal(number)
    case .typed(let value): self = value
    case .string(let text), .text(let text): self = .string(text)
    case .list(let elements):
      var values: [Value] = []
      for element in elements {
        guard let value = Value(element.value) else { return nil }
        values.append(value)
      }
      self = .list(values)
    case .object, .link: return nil
    }
  }
}

extension QuerySyntax.Constant {
  /// JSON data as text has it, a number with all its digits; nil for what no text has.
  fileprivate init?(_ data: DataValue) {
    guard case .list(let elements) = data else {
      guard let literal = Self.literal(data) else { return nil }
      self = .literal(literal)
      return
    }
    var literals: [QuerySyntax.Literal] = []
    for element in elements {
      guard let literal = Self.literal(element.value) else { return nil }
      literals.append(literal)
    }
    self = .list(literals)
  }

  private static func literal(_ data: DataValue) -> QuerySyntax.Literal? {
    switch data {
    case .longInt(let digits): .decimal(digits)
    case .double(let number, let digits) where number.isFinite:
      Decimal128(digits).flatMap { QuerySyntax.Literal(.decimal($0)) }
    case .longDouble(let digits):
      Decimal128(digits).flatMap { QuerySyntax.Literal(.decimal($0)) }
    default: Value(data).flatMap { $0.queryLiteral() }
    }
  }
}
