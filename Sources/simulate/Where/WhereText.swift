internal import AtollQuery
internal import Foundation
internal import TestSupport

/// Spells the text of a condition in another way, as people write it: constants and lists as
/// arguments, `%@` for `$0`, `== ANY {…}` for `IN {…}`.
struct WhereText {
  private var random: SplitMix64
  private let given: [Any]
  private(set) var text = ""
  private(set) var arguments: [Any] = []

  /// - Throws: `QuerySyntaxError` for a text that cannot be read.
  init(_ text: String, _ arguments: [Any], _ random: SplitMix64) throws {
    self.random = random
    given = arguments
    let predicate = predicate(try QuerySyntax.parse(text).predicate)
    self.text = predicate.description
    // Arguments are numbered in the order of the text.
    if chance(50) {
      self.text = self.text.replacing(/\$[0-9]+/, with: "%@")
    }
  }

  private mutating func chance(_ percent: Int) -> Bool { WhereWorld.chance(percent, &random) }

  private mutating func argument(_ value: Any) -> Int {
    arguments.append(value)
    return arguments.count - 1
  }

  private mutating func predicate(_ predicate: QuerySyntax.Predicate) -> QuerySyntax.Predicate {
    switch predicate {
    case .and(let terms): return .and(terms.map { self.predicate($0) })
    case .or(let terms): return .or(terms.map { self.predicate($0) })
    case .not(let inner): return .not(self.predicate(inner))
    case .comparison(let comparison): return .comparison(self.comparison(comparison))
    case .between(var between):
      between.operand = expression(between.operand)
      if case .list(let bounds) = between.bounds {
        if !between.excludesHigh, chance(50), let values = constants(bounds) {
          between.bounds = .argument(.init(argument(values)))
        } else {
          between.bounds = .list(list(bounds))
        }
      }
      return .between(between)
    case .text, .geoWithin, .true, .false: return predicate
    }
  }

  private mutating func comparison(
    _ comparison: QuerySyntax.Comparison
  ) -> QuerySyntax.Comparison {
    var comparison = comparison
    comparison.left = expression(comparison.left)
    guard comparison.comparator.value == .in, case .list(var chosen) = comparison.right,
      chosen.quantifier == nil
    else {
      comparison.right = expression(comparison.right)
      return comparison
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      chosen = list(chosen)
      chosen.quantifier = .init(.any)
      // Any of several values is what a path with several stands for.
      if case .property(var reference) = comparison.left, reference.quantifier?.value == .any {
        reference.quantifier = nil
        comparison.left = .property(reference)
      }
      comparison.comparator = .init(.equal)
      comparison.right = .list(chosen)
    case 1, 2:
      if let values = constants(chosen) {
        comparison.right = .argument(nil, .init(argument(values)))
      } else {
        comparison.right = .list(list(chosen))
      }
    default: comparison.right = .list(list(chosen))
    }
    return comparison
  }

  private mutating func expression(_ expression: QuerySyntax.Expression) -> QuerySyntax.Expression {
    switch expression {
    case .literal(let literal):
      let changed = self.literal(literal.value)
      if case .argument(let number) = changed { return .argument(nil, .init(number)) }
      return .literal(.init(changed))
    case .list(let elements): return .list(list(elements))
    case .argument(let quantifier, let number):
      return .argument(quantifier, .init(argument(given[number.value])))
    case .subquery(var subquery):
      subquery.value.predicate = predicate(subquery.value.predicate)
      return .subquery(subquery)
    case .property, .aggregate, .arithmetic: return expression
    }
  }

  private mutating func list(_ list: QuerySyntax.ListLiteral) -> QuerySyntax.ListLiteral {
    var list = list
    list.elements.value = list.elements.value.map { .init(literal($0.value)) }
    return list
  }

  private mutating func literal(_ literal: QuerySyntax.Literal) -> QuerySyntax.Literal {
    if case .argument(let number) = literal { return .argument(argument(given[number])) }
    guard chance(30), let value = Self.constant(literal) else { return literal }
    return .argument(argument(value))
  }

  /// The values of a list of constants; nil where something else is in it.
  private func constants(_ list: QuerySyntax.ListLiteral) -> [Any]? {
    let values = list.elements.value.compactMap { element -> Any? in
      if case .argument(let number) = element.value { return given[number] }
      return Self.constant(element.value)
    }
    return values.count == list.elements.value.count ? values : nil
  }

  /// The value of a constant as an application has it; nil for objects.
  private static func constant(_ literal: QuerySyntax.Literal) -> Any? {
    switch literal {
    case .null: NSNull()
    case .bool(let value): value
    case .int(let value): Int(value)
    case .double(let number): number.doubleValue
    case .float32(let number): number.floatValue
    case .infinity(let isNegative): isNegative ? -Double.infinity : Double.infinity
    case .notANumber: Double.nan
    case .string(let text): text
    case .data(let bytes): Data(bytes)
    case .date(let seconds, let nanoseconds):
      Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9)
    case .uuid(let bytes): uuid(bytes)
    case .decimal, .objectID, .object, .argument: nil
    }
  }

  private static func uuid(_ bytes: [UInt8]) -> UUID? {
    let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    var text = digits
    for place in [20, 16, 12, 8] {
      text.insert("-", at: text.index(text.startIndex, offsetBy: place))
    }
    return UUID(uuidString: text)
  }
}
