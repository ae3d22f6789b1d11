extension Parser {
  /// A path and what it ends in.
  struct ParsedPath {
    var path: QuerySyntax.Path
    var ending: Ending = .plain

    enum Ending {
      case plain
      case suffix(QuerySyntax.Located<QuerySyntax.Suffix>)
      case aggregate(
        QuerySyntax.Located<QuerySyntax.AggregateFunction>, property: QuerySyntax.Located<String>?)
    }
  }

  private typealias Step = QuerySyntax.Located<QuerySyntax.PathStep>

  /// The name that the next token spells, if it can be one.
  var nameAhead: String? {
    switch token.kind {
    case .name(let name): name
    case .keyword(let keyword) where keyword.mayBeName: tokenText
    default: nil
    }
  }

  /// Consumes a name; `what` says which kind of name is missing otherwise.
  mutating func parseName(
    _ what: String, or alternatives: [String] = [], hint: String? = nil
  ) throws(QuerySyntaxError) -> QuerySyntax.Located<String> {
    guard let name = nameAhead else {
      throw unexpected([what] + alternatives, hint: reservedWordHint ?? hint)
    }
    return QuerySyntax.Located(name, range: try advance().range)
  }

  /// How to reach a property whose name the next token is, although it is a keyword.
  var reservedWordHint: String? {
    guard case .keyword(let keyword) = token.kind, !keyword.mayBeName else { return nil }
    return "\(quotedToken) is reserved; a property of this name is reached with an argument, $K0."
  }

  /// Reads a path and the suffix or aggregate behind it, if there is one.
  mutating func parsePath() throws(QuerySyntaxError) -> ParsedPath {
    var parsed = ParsedPath(path: QuerySyntax.Path([]))
    try parseFirstStep(&parsed)
    while case .plain = parsed.ending {
      if isAt(.dot) {
        try refuseExtendedArgument(parsed)
        try advance()
        try parseDottedStep(&parsed)
      } else if isAt(.leftBracket) {
        try refuseExtendedArgument(parsed)
        try parseIndex(&parsed)
      } else {
        return parsed
      }
    }
    if isAt(.dot) || isAt(.leftBracket) {
      let hint: String
      switch parsed.ending {
      case .suffix(let suffix): hint = "Nothing may follow \(suffix.value.rawValue)."
      default: hint = "An aggregate takes exactly one property name."
      }
      throw unexpected(["an operator"], hint: hint)
    }
    return parsed
  }

  /// Reads a path that may not end in a count, a type or an aggregate.
  mutating func parseBarePath(as role: String) throws(QuerySyntaxError) -> QuerySyntax.Path {
    let parsed = try parsePath()
    let range: Range<Int>
    switch parsed.ending {
    case .plain: return parsed.path
    case .suffix(let suffix): range = suffix.range
    case .aggregate(let function, _): range = function.range
    }
    throw refused(
      "unexpected \(source.quoted(range))", at: range,
      hint: "A count, type or aggregate cannot be \(role).")
  }

  private mutating func parseFirstStep(_ parsed: inout ParsedPath) throws(QuerySyntaxError) {
    switch token.kind {
    case .placeholder(.keyPath(let index)):
      parsed.path.steps.append(Step(.keyPathArgument(index), range: try advance().range))
    case .atWord(.links):
      try parseLinks(&parsed)
    case .atWord(.keys):
      parsed.path.steps.append(Step(.keys, range: try advance().range))
    case .atWord(.values):
      parsed.path.steps.append(Step(.values, range: try advance().range))
    case .atWord:
      throw unexpected(["a property name"], hint: "\(quotedToken) follows a path and a dot.")
    default:
      let name = try parseName("a property name")
      parsed.path.steps.append(Step(.property(name.value), range: name.range))
    }
  }

  /// `$K0` is a whole path; only a count, type or aggregate may come behind it.
  private func refuseExtendedArgument(_ parsed: ParsedPath) throws(QuerySyntaxError) {
    guard case .keyPathArgument? = parsed.path.steps.first?.value else { return }
    if isAt(.dot) {
      var ahead = lexer
      switch try ahead.next().kind {
      case .atWord(.count), .atWord(.size), .atWord(.type), .atWord(.min), .atWord(.max),
        .atWord(.sum), .atWord(.avg):
        return
      default: break
      }
    }
    throw unexpected(
      ["an operator"], hint: "A key-path argument is a whole path; put the rest into the argument.")
  }

  /// Reads what follows a dot.
  private mutating func parseDottedStep(_ parsed: inout ParsedPath) throws(QuerySyntaxError) {
    switch token.kind {
    case .atWord(.links):
      try parseLinks(&parsed)
    case .atWord(.keys):
      parsed.path.steps.append(Step(.keys, range: try advance().range))
    case .atWord(.values):
      parsed.path.steps.append(Step(.values, range: try advance().range))
    case .atWord(.count), .atWord(.size):
      parsed.ending = .suffix(QuerySyntax.Located(.count, range: try advance().range))
    case .atWord(.type):
      parsed.ending = .suffix(QuerySyntax.Located(.type, range: try advance().range))
    case .atWord(.min): try parseAggregate(.minimum, &parsed)
    case .atWord(.max): try parseAggregate(.maximum, &parsed)
    case .atWord(.sum): try parseAggregate(.sum, &parsed)
    case .atWord(.avg): try parseAggregate(.average, &parsed)
    default:
      let name = try parseName("a property name", or: ["a word that begins with @"])
      parsed.path.steps.append(Step(.property(name.value), range: name.range))
    }
  }

  /// The at-word, then at most one property name.
  private mutating func parseAggregate(
    _ function: QuerySyntax.AggregateFunction, _ parsed: inout ParsedPath
  ) throws(QuerySyntaxError) {
    let range = try advance().range
    var property: QuerySyntax.Located<String>?
    if try skip(.dot) {
      property = try parseName("a property name")
    }
    parsed.ending = .aggregate(QuerySyntax.Located(function, range: range), property: property)
  }

  /// `@links`, then a count or a class and one of its properties.
  private mutating func parseLinks(_ parsed: inout ParsedPath) throws(QuerySyntaxError) {
    let hint = "Write @links.Class.property, or @links.@count for every reference."
    let links = try advance().range
    guard try skip(.dot) else { throw unexpected([".Class.property", ".@count"], hint: hint) }
    switch token.kind {
    case .atWord(.count), .atWord(.size):
      parsed.path.steps.append(Step(.incomingLinks, range: links))
      parsed.ending = .suffix(QuerySyntax.Located(.count, range: try advance().range))
    default:
      let origin = try parseName("a class name", or: ["@count"], hint: hint)
      let missing = "a property of class \(source.quoted(origin.range))"
      guard try skip(.dot) else { throw unexpected(["a dot and \(missing)"], hint: hint) }
      let property = try parseName(missing, hint: hint)
      parsed.path.steps.append(
        Step(
          .backlinks(origin: origin, property: property),
          range: links.lowerBound..<property.range.upperBound))
    }
  }

  /// Reads an index in brackets, or the suffix `[SIZE]`.
  private mutating func parseIndex(_ parsed: inout ParsedPath) throws(QuerySyntaxError) {
    let open = try advance().range
    let index = token
    let step: QuerySyntax.PathStep?
    switch index.kind {
    case .integer(let value, .unsigned): step = .index(value)
    case .keyword(.first): step = .first
    case .keyword(.last): step = .last
    case .keyword(.size): step = nil
    case .symbol(.star): step = .all
    case .string(let key): step = .key(key)
    case .placeholder(.value(let argument)): step = .indexArgument(argument)
    case .placeholder(.keyPath(let argument)): step = .placeArgument(argument)
    default:
      throw unexpected(
        ["an unsigned integer", "FIRST", "LAST", "SIZE", "*", "a string", "an argument"],
        hint: "An index counts from zero; the key of a map stands in quotes.")
    }
    try advance()
    let end = try expect(.rightBracket).range.upperBound
    let range = open.lowerBound..<end
    if let step {
      parsed.path.steps.append(Step(step, range: range))
    } else {
      parsed.ending = .suffix(QuerySyntax.Located(.count, range: range))
    }
  }
}
