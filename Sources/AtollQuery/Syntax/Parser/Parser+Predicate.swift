extension Parser {
  /// Reads a predicate up to a descriptor or the end of the query.
  ///
  /// An operator-precedence parser. `group` is what is being read, `outer` the groups around it;
  /// a parenthesis or subquery pushes, a closing parenthesis pops.
  mutating func parsePredicate() throws(QuerySyntaxError) -> QuerySyntax.Predicate {
    var outer: [Group] = []
    var group = Group(.request, start: token.range)
    while true {
      if group.operand == nil, group.unit == nil {
        try parseUnit(&group, &outer)
        continue
      }
      if group.operand != nil, try parseOperator(&group) { continue }
      if isAt(.rightParenthesis), !outer.isEmpty {
        try closeGroup(&group, &outer)
        continue
      }
      // What follows ends a test, so there has to be one.
      try finishTest(&group)
      if try parseConnective(&group) { continue }
      guard outer.isEmpty, isAtPredicateEnd else { throw unexpectedAfterTest(outer.isEmpty) }
      let draft = try checkedDepth(group.finish(), group)
      return draft.predicate()
    }
  }

  private var isAtPredicateEnd: Bool {
    switch token.kind {
    case .endOfQuery, .keyword(.sort), .keyword(.distinct), .keyword(.limit), .keyword(.group):
      true
    default: false
    }
  }

  private func unexpectedAfterTest(_ isOutermost: Bool) -> QuerySyntaxError {
    let end =
      isOutermost ? ["SORT", "DISTINCT", "LIMIT", "GROUP", "the end of the query"] : [")"]
    return unexpected(["AND", "OR"] + end)
  }

  /// Turns a comparison whose right side has been read into the unit of the group.
  func finishTest(_ group: inout Group) throws(QuerySyntaxError) {
    guard let operand = group.operand else { return }
    guard group.comparison != nil else {
      throw unexpected(
        group.allowsPredicate
          ? ["a comparison operator", "an arithmetic operator"]
          : [")", "an arithmetic operator"],
        hint: habitHint ?? valueAloneHint(operand))
    }
    group.finishComparison()
  }

  private func valueAloneHint(_ operand: Operand) -> String {
    let value = source.quoted(operand.expression.range)
    return "A comparison or predicate is expected, and \(value) alone is a value."
  }

  /// Consumes AND or OR after a test.
  private mutating func parseConnective(_ group: inout Group) throws(QuerySyntaxError) -> Bool {
    switch token.kind {
    case .symbol(.and), .keyword(.and):
      group.finishUnit()
    case .symbol(.or), .keyword(.or):
      group.finishUnit()
      group.finishConjunction()
    default:
      return false
    }
    try advance()
    return true
  }
}

extension Parser {
  /// Reads a NOT, an opening parenthesis, a constant predicate, or an operand.
  private mutating func parseUnit(
    _ group: inout Group, _ outer: inout [Group]
  ) throws(QuerySyntaxError) {
    let allowsPredicate = group.allowsPredicate && group.isAtUnitStart
    switch token.kind {
    case .symbol(.not), .keyword(.not):
      guard allowsPredicate else { throw unexpected(Self.operandStart, hint: negationHint(group)) }
      group.negate()
      try advance()
    case .keyword(.truePredicate), .keyword(.falsePredicate):
      guard allowsPredicate else {
        throw unexpected(Self.operandStart, hint: "A constant predicate is not a value.")
      }
      let isTrue = isAt(.truePredicate)
      group.take(PredicateDraft(isTrue ? .true : .false, depth: 1))
      try advance()
    case .symbol(.leftParenthesis):
      try openParenthesis(&group, &outer, allowsPredicate: allowsPredicate)
    case .keyword(.subquery):
      try openSubquery(&group, &outer)
    default:
      try refuseLeadingDescriptor(group, outer)
      guard !allowsPredicate || canStartTest else {
        throw unexpected(["a comparison", "a predicate"], hint: emptyTestHint)
      }
      let expression = try parseOperand()
      group.take(Operand(expression: expression, depth: 1, isPlain: true))
    }
  }

  private func negationHint(_ group: Group) -> String {
    if case .comparator(let comparator, _)? = group.comparison?.operation,
      comparator.value == .equal, token.kind == .symbol(.not)
    {
      return "Inequality is written != or <>."
    }
    return "NOT stands before a whole test: NOT title == 'Fram'."
  }

  /// Whether the next token can begin an operand, or at least looks like a value.
  private var canStartTest: Bool {
    switch token.kind {
    case .symbol(.leftBrace): true
    case .symbol, .endOfQuery, .keyword(.and), .keyword(.or): false
    default: true
    }
  }

  private var emptyTestHint: String? {
    switch token.kind {
    case .symbol(.equal), .symbol(.notEqual), .symbol(.less), .symbol(.lessOrEqual),
      .symbol(.greater), .symbol(.greaterOrEqual):
      previous?.kind == .symbol(.not) && token.kind == .symbol(.equal)
        ? "Inequality is written != without a blank." : "The left side of the test is missing."
    case .symbol(.minus), .symbol(.plus):
      "There is no sign before an expression: write 0 - berths."
    case .symbol(.leftBracket): "Lists are written in braces: {1, 2}."
    case .keyword(.and), .keyword(.or), .symbol(.and), .symbol(.or):
      "AND and OR stand between two tests."
    default: nil
    }
  }

  /// SORT, DISTINCT or LIMIT with a parenthesis, where the query should begin with a predicate.
  private func refuseLeadingDescriptor(
    _ group: Group, _ outer: [Group]
  ) throws(QuerySyntaxError) {
    guard isAtPredicateEnd, token.kind != .endOfQuery, lexer.nextByte() == UInt8(ascii: "(") else {
      return
    }
    throw unexpected(
      ["a comparison", "a predicate"],
      hint: "A predicate comes first: TRUEPREDICATE \(tokenText.uppercased())(…).")
  }
}
