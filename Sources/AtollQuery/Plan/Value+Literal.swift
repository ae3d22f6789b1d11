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
