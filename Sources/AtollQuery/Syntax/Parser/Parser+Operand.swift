extension Parser {
  /// What every operand may begin with, for error messages.
  static let operandStart = ["a literal", "a property path", "an argument", "a list in braces"]

  /// Reads an operand: `Literal | ListLiteral | PropertyRef | Aggregate`.
  ///
  /// Subqueries and parentheses contain predicates and are read by `parsePredicate`.
  mutating func parseOperand() throws(QuerySyntaxError) -> QuerySyntax.Expression {
    if let quantifier = try parseQuantifier() {
      return try parseQuantified(quantifier)
    }
    if case .placeholder(.value(let index)) = token.kind {
      return .argument(nil, QuerySyntax.Located(index, range: try advance().range))
    }
    if isAt(.leftBrace) { return .list(try parseList(quantifier: nil)) }
    if let literal = try parseLiteral() { return .literal(literal) }
    guard nameAhead != nil || startsPath else {
      throw unexpected(Self.operandStart, hint: reservedWordHint)
    }
    return try parseProperty(quantifier: nil)
  }

  /// Whether the next token begins a path, other than with a name.
  private var startsPath: Bool {
    switch token.kind {
    case .atWord, .placeholder(.keyPath): true
    default: false
    }
  }

  /// Consumes ANY, SOME, ALL or NONE.
  private mutating func parseQuantifier() throws(QuerySyntaxError)
    -> QuerySyntax.Located<QuerySyntax.Quantifier>?
  {
    let quantifier: QuerySyntax.Quantifier
    switch token.kind {
    case .keyword(.any), .keyword(.some): quantifier = .any
    case .keyword(.all): quantifier = .all
    case .keyword(.none): quantifier = .none
    default: return nil
    }
    return QuerySyntax.Located(quantifier, range: try advance().range)
  }

  private mutating func parseQuantified(
    _ quantifier: QuerySyntax.Located<QuerySyntax.Quantifier>
  ) throws(QuerySyntaxError) -> QuerySyntax.Expression {
    if case .placeholder(.value(let index)) = token.kind {
      return .argument(quantifier, QuerySyntax.Located(index, range: try advance().range))
    }
    if isAt(.leftBrace) { return .list(try parseList(quantifier: quantifier)) }
    guard nameAhead != nil || startsPath else {
      throw unexpected(
        ["a property path", "a list in braces", "a list argument"],
        hint: reservedWordHint
          ?? "\(quantifier.value.rawValue) ranges over several values; here is only one.")
    }
    return try parseProperty(quantifier: quantifier)
  }

  /// Reads `Path, [Suffix]` or the aggregate `Path, at-word, [Name]`.
  private mutating func parseProperty(
    quantifier: QuerySyntax.Located<QuerySyntax.Quantifier>?
  ) throws(QuerySyntaxError) -> QuerySyntax.Expression {
    let parsed = try parsePath()
    switch parsed.ending {
    case .plain:
      return .property(QuerySyntax.PropertyReference(parsed.path, quantifier: quantifier))
    case .suffix(let suffix):
      return .property(
        QuerySyntax.PropertyReference(parsed.path, quantifier: quantifier, suffix: suffix))
    case .aggregate(let function, let property):
      if let quantifier {
        throw refused(
          "quantifier \(source.quoted(quantifier.range)) before an aggregate",
          at: quantifier.range,
          hint: "\(function.value.rawValue) makes one value of many; leave the quantifier out.")
      }
      return .aggregate(QuerySyntax.Aggregate(parsed.path, function, of: property))
    }
  }
}
