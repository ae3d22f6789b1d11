package import AtollObjects

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
