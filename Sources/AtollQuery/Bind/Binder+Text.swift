internal import AtollObjects

extension Binder {
  /// Binds `path TEXT pattern`.
  ///
  /// The path ends in a single string that has a full-text index; the pattern is constant.
  mutating func bind(
    _ search: QuerySyntax.TextSearch, on table: TableSchema
  ) throws(QueryError) -> BoundPredicate {
    let operand = try bindOperand(search.operand, on: table)
    guard case .expression(let expression, let type) = operand.form else {
      throw error(
        .binding,
        "TEXT searches a property, and \(source.quoted(operand.range)) is a constant",
        at: operand.range)
    }
    guard case .path(let path) = expression, case .value(let column, let steps) = path.terminal,
      steps.isEmpty, column.layout.value == .string, column.layout.collection == .none
    else {
      let found =
        if case .path(let path) = expression, path.endsInCollection {
          "a collection"
        } else {
          "of type \(type.name(in: schema))"
        }
      throw error(
        .binding,
        "TEXT searches a single string, and \(source.quoted(operand.range)) is \(found)",
        at: operand.range)
    }
    let name = "'\(name(of: column))'"
    guard column.isFullTextIndexed else {
      throw error(
        .binding, "TEXT needs a full-text index, and \(name) has none", at: operand.range,
        hint: "make the property with isFullTextIndexed: true, or with `atoll import --full-text "
          + "\(column.name)`; CONTAINS[c] needs no index")
    }
    let pattern = try textPattern(search.pattern, for: name, on: table)
    return .text(
      BoundTextSearch(
        path: path, column: column, quantifier: operand.quantifier, pattern: pattern))
  }

  private mutating func textPattern(
    _ expression: QuerySyntax.Expression, for name: String, on table: TableSchema
  ) throws(QueryError) -> TextPattern {
    let operand = try bindOperand(expression, on: table)
    guard case .constant(let constant) = operand.form else {
      throw error(
        .binding,
        "TEXT on \(name) needs one constant string, not \(source.quoted(operand.range))",
        at: operand.range)
    }
    let kind = constant.argument == nil ? QueryError.Kind.binding : .argument
    // The words of an argument decide whether the query is one.
    if constant.argument != nil { fitsOtherArguments = false }
    guard constant.object == nil, case .string(let text) = constant.value else {
      let type = self.type(of: constant).name(in: schema)
      throw error(
        kind,
        "TEXT on \(name) needs a string, and \(source.quoted(operand.range)) is of type \(type)",
        at: operand.range)
    }
    do throws(TextPattern.Problem) { return try TextPattern(text) } catch {
      throw self.error(
        kind, "TEXT on \(name): \(error)", at: operand.range, hint: error.hint)
    }
  }
}
