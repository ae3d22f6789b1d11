extension Parser {
  /// Reads `GROUP(…)` and the SORT and LIMIT behind it.
  mutating func parseGrouping() throws(QuerySyntaxError) -> QuerySyntax.Grouping {
    try advance()
    let hint = "Write GROUP(city, @count, @sum.score): keys and aggregates, with commas between."
    guard isAt(.leftParenthesis) else { throw unexpected(["("], hint: hint) }
    let columns = try parseKeys { (parser) throws(QuerySyntaxError) in
      try parser.parseGroupColumn()
    }
    var steps: [QuerySyntax.GroupStep] = []
    while token.kind != .endOfQuery {
      switch token.kind {
      case .keyword(.sort):
        try advance()
        steps.append(
          .sort(
            try parseKeys { (parser) throws(QuerySyntaxError) in
              let column = try parser.parseGroupColumn()
              return QuerySyntax.GroupSortKey(
                column, isAscending: try parser.parseDirection())
            }))
      case .keyword(.limit):
        try advance()
        steps.append(.limit(try parseLimit()))
      default:
        throw unexpected(
          ["SORT", "LIMIT", "the end of the query"],
          hint: "Behind GROUP there are rows of values, which can be sorted and cut.")
      }
    }
    return QuerySyntax.Grouping(columns, steps: steps)
  }

  /// Reads a path, `@count`, or an aggregate with the path of what it is taken of.
  private mutating func parseGroupColumn() throws(QuerySyntaxError) -> QuerySyntax.GroupColumn {
    let function: QuerySyntax.AggregateFunction
    switch token.kind {
    case .atWord(.count), .atWord(.size):
      try advance()
      return .count
    case .atWord(.min): function = .minimum
    case .atWord(.max): function = .maximum
    case .atWord(.sum): function = .sum
    case .atWord(.avg): function = .average
    default: return .key(try parseKeyPath())
    }
    try advance()
    try expect(.dot, hint: "Write what it is taken of: \(function.rawValue).score.")
    return .aggregate(function, try parseKeyPath())
  }
}
