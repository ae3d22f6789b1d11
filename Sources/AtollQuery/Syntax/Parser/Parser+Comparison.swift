extension Parser {
  /// Consumes an arithmetic operator, a comparison operator, or a whole BETWEEN or GEOWITHIN.
  mutating func parseOperator(_ group: inout Group) throws(QuerySyntaxError) -> Bool {
    if let function = arithmeticFunction {
      if group.comparison?.wantsPlainOperand == true {
        throw unexpected(
          ["AND", "OR"],
          hint: "String operators and TEXT take plain operands, without parentheses or arithmetic.")
      }
      group.append(QuerySyntax.Located(function, range: try advance().range))
      return true
    }
    let comparator = self.comparator
    let isOther = isAt(.between) || isAt(.text) || isAt(.geoWithin)
    guard comparator != nil || isOther else { return false }
    try refuseMisplacedComparison(group)

    if let comparator {
      if comparator.comparesStrings { try requirePlainOperand(group) }
      group.compare(try parseComparator(comparator))
      return true
    }
    try requirePlainOperand(group)
    switch token.kind {
    case .keyword(.text):
      try advance()
      try refuseCaseMark("TEXT")
      group.compare(.text)
    case .keyword(.between):
      try parseBetween(&group)
    default:
      try parseGeoWithin(&group)
    }
    return true
  }

  private var arithmeticFunction: QuerySyntax.ArithmeticFunction? {
    switch token.kind {
    case .symbol(.plus): .plus
    case .symbol(.minus): .minus
    case .symbol(.star): .times
    case .symbol(.slash): .dividedBy
    default: nil
    }
  }

  private var comparator: QuerySyntax.Comparator? {
    switch token.kind {
    case .symbol(.equal): .equal
    case .symbol(.notEqual): .notEqual
    case .symbol(.less): .less
    case .symbol(.lessOrEqual): .lessOrEqual
    case .symbol(.greater): .greater
    case .symbol(.greaterOrEqual): .greaterOrEqual
    case .keyword(.in): .in
    case .keyword(.beginsWith): .beginsWith
    case .keyword(.endsWith): .endsWith
    case .keyword(.contains): .contains
    case .keyword(.like): .like
    default: nil
    }
  }

  /// A second comparison in one test, or one in parentheses that stand for a value.
  private func refuseMisplacedComparison(_ group: Group) throws(QuerySyntaxError) {
    if group.comparison != nil {
      throw unexpected(
        ["AND", "OR", "an arithmetic operator"],
        hint: "A test has one comparison; join two tests with AND.")
    }
    guard group.allowsPredicate else {
      throw unexpected(
        [")", "an arithmetic operator"],
        hint: "These parentheses stand for a value, which a test is not.")
    }
  }

  private func requirePlainOperand(_ group: Group) throws(QuerySyntaxError) {
    guard group.operand?.isPlain == true, !group.hasArithmetic else {
      throw unexpected(
        ["==", "!=", "<", "<=", ">", ">=", "IN"],
        hint: "\(quotedToken) takes plain operands, without parentheses or arithmetic.")
    }
  }

  private mutating func parseComparator(
    _ comparator: QuerySyntax.Comparator
  ) throws(QuerySyntaxError) -> PendingComparison.Operation {
    var range = try advance().range
    var folding = QuerySyntax.Folding.exact
    if comparator.acceptsCaseMark, case .foldingMark(let mark) = token.kind {
      range = range.lowerBound..<(try advance().range.upperBound)
      folding = mark
    } else {
      try refuseCaseMark(comparator.rawValue)
    }
    return .comparator(
      QuerySyntax.Located(comparator, range: range), folding: folding)
  }

  private func refuseCaseMark(_ spelling: String) throws(QuerySyntaxError) {
    guard case .foldingMark(let mark) = token.kind else { return }
    throw unexpected(Self.operandStart, hint: "\(spelling) does not take \(mark.rawValue).")
  }

  /// Reads the bounds of BETWEEN; its left side is in the group.
  private mutating func parseBetween(_ group: inout Group) throws(QuerySyntaxError) {
    try advance()
    let hint =
      "The bounds are a list in braces: price BETWEEN {2, 10} or {$0, $1}, or one argument that "
      + "is a list."
    try refuseCaseMark("BETWEEN")
    if case .placeholder(.value(let index)) = token.kind {
      // A list argument stands for the braces and what is in them.
      let range = try advance().range
      group.takeBetween(.argument(QuerySyntax.Located(index, range: range)))
      return
    }
    guard isAt(.leftBrace) || isAt(.any) || isAt(.some) || isAt(.all) || isAt(.none) else {
      throw unexpected(["a list in braces"], hint: hint)
    }
    if isAt(.leftBrace) {
      var excludesHigh = false
      let bounds = try parseBounds(excludesHigh: &excludesHigh)
      group.takeBetween(.list(bounds), excludesHigh: excludesHigh)
      return
    }
    let right = try parseOperand()
    guard case .list(let bounds) = right else {
      throw refused(
        "unexpected \(source.quoted(right.range))", at: right.range,
        expected: ["a list in braces"], hint: hint)
    }
    group.takeBetween(.list(bounds))
  }

  /// Reads the shape or argument behind GEOWITHIN; its left side is in the group.
  private mutating func parseGeoWithin(_ group: inout Group) throws(QuerySyntaxError) {
    guard case .property(let reference)? = group.operand?.expression else {
      throw unexpected(
        ["==", "!=", "<", "<=", ">", ">=", "IN"],
        hint: "The left side of GEOWITHIN is the path of a property that holds a point.")
    }
    try advance()
    try refuseCaseMark("GEOWITHIN")
    let area = try parseGeoArea()
    _ = group.takeValue()
    group.take(
      PredicateDraft(.geoWithin(QuerySyntax.GeoWithin(reference, area)), depth: 2))
  }
}

extension Parser.Group {
  /// Puts a BETWEEN in the place of its left side.
  fileprivate mutating func takeBetween(
    _ bounds: QuerySyntax.Between.Bounds, excludesHigh: Bool = false
  ) {
    guard let left = takeValue() else { return }
    let between = QuerySyntax.Between(left.expression, bounds, excludesHigh: excludesHigh)
    take(PredicateDraft(.between(between), depth: left.depth + 1))
  }
}
