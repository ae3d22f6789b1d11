extension Parser {
  /// Reads `SUBQUERY(path, $v,` and begins the predicate behind it.
  mutating func openSubquery(
    _ group: inout Group, _ outer: inout [Group]
  ) throws(QuerySyntaxError) {
    let hint = "Write SUBQUERY(crew, $s, $s.age > 40).@count > 0."
    let keyword = try advance().range
    try expect(.leftParenthesis, hint: hint)
    guard nameAhead != nil || isAtPathWord else {
      throw unexpected(["the path of a list"], hint: hint)
    }
    let source = try parseBarePath(as: "what a subquery searches")
    try expect(.comma, hint: hint)
    guard case .name(let name) = token.kind, name.utf8.first == UInt8(ascii: "$"),
      name.utf8.count > 1
    else { throw unexpected(["a variable that begins with $"], hint: variableHint) }
    let variable = QuerySyntax.Located(name, range: try advance().range)
    try expect(.comma, hint: hint)
    let header = SubqueryHeader(start: keyword.lowerBound, source: source, variable: variable)
    try push(Group(.subquery(header), start: keyword), &group, &outer)
  }

  private var isAtPathWord: Bool {
    switch token.kind {
    case .atWord, .placeholder(.keyPath): true
    default: false
    }
  }

  private var variableHint: String {
    if case .placeholder = token.kind {
      return "\(quotedToken) is an argument; a variable has a letter behind the $, such as $s."
    }
    return "The second part of SUBQUERY is a variable such as $s."
  }

  /// Reads the count behind a subquery.
  mutating func finishSubquery(
    _ header: SubqueryHeader, _ draft: PredicateDraft
  ) throws(QuerySyntaxError) -> Operand {
    let hint = "A subquery ends in .@count or .@size."
    guard try skip(.dot) else { throw unexpected([".@count", ".@size"], hint: hint) }
    guard token.kind == .atWord(.count) || token.kind == .atWord(.size) else {
      throw unexpected(["@count", "@size"], hint: hint)
    }
    let end = try advance().range.upperBound
    guard !isAt(.dot), !isAt(.leftBracket) else {
      throw unexpected(["an operator"], hint: "Nothing may follow the count of a subquery.")
    }
    let subquery = QuerySyntax.Subquery(
      header.source, variable: header.variable, draft.predicate())
    return Operand(
      expression: .subquery(QuerySyntax.Located(subquery, range: header.start..<end)),
      depth: draft.depth + 1, isPlain: true)
  }
}
