extension Parser {
  /// Consumes an opening parenthesis around a predicate or a value.
  mutating func openParenthesis(
    _ group: inout Group, _ outer: inout [Group], allowsPredicate: Bool
  ) throws(QuerySyntaxError) {
    if let comparison = group.comparison, comparison.wantsPlainOperand {
      throw unexpected(
        ["a literal", "a property path", "an argument"],
        hint: "String operators and TEXT take plain operands, without parentheses or arithmetic.")
    }
    try push(
      Group(.parentheses, start: token.range, allowsPredicate: allowsPredicate), &group, &outer)
    try advance()
  }

  func push(
    _ inner: Group, _ group: inout Group, _ outer: inout [Group]
  ) throws(QuerySyntaxError) {
    guard outer.count < QueryLimits.openParentheses else {
      throw refused(
        "more than \(QueryLimits.openParentheses) parentheses are open", at: inner.start,
        hint: "Leave out redundant parentheses.")
    }
    outer.append(group)
    group = inner
  }

  /// Consumes a closing parenthesis and hands what it encloses to the group around it.
  mutating func closeGroup(
    _ group: inout Group, _ outer: inout [Group]
  ) throws(QuerySyntaxError) {
    if group.isBareValue, case .parentheses = group.purpose {
      guard let value = group.takeValue(), let parent = outer.popLast() else { return }
      try checkDepth(value.depth, group)
      try advance()
      group = parent
      group.take(Operand(expression: value.expression, depth: value.depth, isPlain: false))
      return
    }
    try finishTest(&group)
    let draft = try checkedDepth(group.finish(), group)
    guard let parent = outer.popLast() else { return }
    try advance()
    let purpose = group.purpose
    group = parent
    if case .subquery(let header) = purpose {
      group.take(try finishSubquery(header, draft))
    } else {
      group.take(draft)
    }
  }

  /// The result of a group that ends behind a test, unless it is too deep.
  func checkedDepth(
    _ draft: PredicateDraft?, _ group: Group
  ) throws(QuerySyntaxError) -> PredicateDraft {
    guard let draft else { throw unexpected(["a comparison", "a predicate"]) }
    try checkDepth(draft.depth, group)
    return draft
  }

  private func checkDepth(_ depth: Int, _ group: Group) throws(QuerySyntaxError) {
    guard depth > QueryLimits.depth else { return }
    throw refused(
      "the query nests more than \(QueryLimits.depth) levels deep from here",
      at: group.start,
      hint: "Chains of one operator do not nest; only alternating operators and parentheses do.")
  }
}
