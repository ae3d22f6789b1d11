extension Parser {
  /// Reads a predicate, any number of descriptors, perhaps a GROUP, and the end of the query.
  mutating func parseRequest() throws(QuerySyntaxError) -> QuerySyntax.Request {
    if token.kind == .endOfQuery {
      throw unexpected(
        ["a comparison", "a predicate"], hint: "TRUEPREDICATE matches every object.",
        message: "the query is empty")
    }
    let predicate = try parsePredicate()
    var descriptors: [QuerySyntax.Descriptor] = []
    while token.kind != .endOfQuery {
      if isAt(.group) {
        let grouping = try parseGrouping()
        return QuerySyntax.Request(predicate, descriptors: descriptors, grouping: grouping)
      }
      descriptors.append(try parseDescriptor())
    }
    return QuerySyntax.Request(predicate, descriptors: descriptors)
  }

  /// Reads `SORT(…)`, `DISTINCT(…)` or `LIMIT(…)`.
  private mutating func parseDescriptor() throws(QuerySyntaxError) -> QuerySyntax.Descriptor {
    switch token.kind {
    case .keyword(.sort):
      try advance()
      return .sort(
        try parseKeys { (parser) throws(QuerySyntaxError) in try parser.parseSortKey() })
    case .keyword(.distinct):
      try advance()
      return .distinct(
        try parseKeys { (parser) throws(QuerySyntaxError) in try parser.parseKeyPath() })
    case .keyword(.limit):
      try advance()
      return .limit(try parseLimit())
    default:
      throw unexpected(["SORT", "DISTINCT", "LIMIT", "GROUP", "the end of the query"])
    }
  }

  /// Reads keys in parentheses, at least one, with commas between.
  mutating func parseKeys<Key>(
    _ parseKey: (inout Parser) throws(QuerySyntaxError) -> Key
  ) throws(QuerySyntaxError) -> [Key] {
    try expect(.leftParenthesis)
    var keys = [try parseKey(&self)]
    while try skip(.comma) { keys.append(try parseKey(&self)) }
    guard try skip(.rightParenthesis) else { throw unexpected([",", ")"]) }
    return keys
  }

  /// Reads a path and its direction.
  private mutating func parseSortKey() throws(QuerySyntaxError) -> QuerySyntax.SortKey {
    let path = try parseKeyPath()
    return QuerySyntax.SortKey(path, isAscending: try parseDirection())
  }

  /// Reads whether values ascend.
  mutating func parseDirection() throws(QuerySyntaxError) -> Bool {
    switch token.kind {
    case .keyword(.asc), .keyword(.ascending):
      try advance()
      return true
    case .keyword(.desc), .keyword(.descending):
      try advance()
      return false
    default:
      throw unexpected(
        ["ASC", "ASCENDING", "DESC", "DESCENDING"], hint: "Every sort key states its direction.")
    }
  }

  /// A path by which objects are ordered or told apart.
  mutating func parseKeyPath() throws(QuerySyntaxError) -> QuerySyntax.Path {
    if case .placeholder = token.kind {
      throw unexpected(
        ["a property name"], hint: "An argument cannot name a key of SORT, DISTINCT or GROUP.",
        message: "argument \(quotedToken) as a key")
    }
    return try parseBarePath(as: "a key of SORT, DISTINCT or GROUP")
  }

  /// Reads the count behind LIMIT, in parentheses.
  mutating func parseLimit() throws(QuerySyntaxError) -> Int64 {
    let hint = "LIMIT takes one number in plain decimal digits; there is no offset."
    try expect(.leftParenthesis)
    guard case .integer(let count, .unsigned) = token.kind else {
      throw unexpected(["one unsigned integer"], hint: hint)
    }
    try advance()
    try expect(.rightParenthesis, hint: hint)
    return count
  }
}
