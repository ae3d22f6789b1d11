extension Parser {
  /// Reads a constant; nil, with nothing consumed, when the next token begins none.
  ///
  /// Lists and arguments are not read here.
  mutating func parseLiteral() throws(QuerySyntaxError)
    -> QuerySyntax.Located<QuerySyntax.Literal>?
  {
    let literal: QuerySyntax.Literal
    switch token.kind {
    case .integer(let value, _): literal = .int(value)
    case .double(let number): literal = .double(number)
    case .float32(let number): literal = .float32(number)
    case .infinity(let isNegative): literal = .infinity(isNegative: isNegative)
    case .notANumber: literal = .notANumber
    case .string(let text): literal = .string(text)
    case .base64(let bytes): literal = .string(try text(bytes))
    case .date(let seconds, let nanoseconds):
      literal = .date(seconds: seconds, nanoseconds: nanoseconds)
    case .objectID(let bytes): literal = .objectID(bytes)
    case .uuid(let bytes): literal = .uuid(bytes)
    case .decimal(let digits): literal = .decimal(digits)
    case .keyword(.true): literal = .bool(true)
    case .keyword(.false): literal = .bool(false)
    case .keyword(.null), .keyword(.nil): literal = .null
    case .keyword(.obj): return try parseObjectLiteral()
    case .keyword(.bin), .keyword(.binary):
      // Without a parenthesis the word is a property name.
      guard lexer.nextByte() == UInt8(ascii: "(") else { return nil }
      return try parseDataLiteral()
    default: return nil
    }
    return QuerySyntax.Located(literal, range: try advance().range)
  }

  /// Base64 outside `bin()` is text.
  private func text(_ bytes: [UInt8]) throws(QuerySyntaxError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw refused(
        "the base64 text does not hold UTF-8", at: token.range,
        hint: #"Data is written bin(B64"…")."#)
    }
    return text
  }

  /// Reads `bin('…')` or `bin(B64"…")`.
  private mutating func parseDataLiteral() throws(QuerySyntaxError)
    -> QuerySyntax.Located<QuerySyntax.Literal>
  {
    let start = try advance().range.lowerBound
    try expect(.leftParenthesis)
    let bytes: [UInt8]
    switch token.kind {
    case .string(let text): bytes = Array(text.utf8)
    case .base64(let decoded): bytes = decoded
    default: throw unexpected(["a string", #"B64"…""#])
    }
    try advance()
    let end = try expect(.rightParenthesis).range.upperBound
    return QuerySyntax.Located(.data(bytes), range: start..<end)
  }

  /// Reads `obj('Class', key)`.
  private mutating func parseObjectLiteral() throws(QuerySyntaxError)
    -> QuerySyntax.Located<QuerySyntax.Literal>
  {
    let start = try advance().range.lowerBound
    try expect(
      .leftParenthesis, hint: "`obj` is reserved; a property of this name is reached with $K0.")
    guard case .string(let name) = token.kind else {
      throw unexpected(["the class name in quotes"], hint: "Write obj('Port', 'OSL').")
    }
    let origin = QuerySyntax.Located(name, range: try advance().range)
    guard try skip(.comma) else {
      throw unexpected([","], hint: "Write obj('Port', 'OSL'): the class, then the primary key.")
    }
    let key: QuerySyntax.ObjectKey
    switch token.kind {
    case .integer(let value, _): key = .int(value)
    case .string(let text): key = .string(text)
    case .objectID(let bytes): key = .objectID(bytes)
    case .uuid(let bytes): key = .uuid(bytes)
    case .placeholder(.value(let index)): key = .argument(index)
    default:
      throw unexpected(
        ["an integer", "a string", "oid(…)", "uuid(…)", "an argument"],
        hint: "A primary key is written as one of these.")
    }
    let located = QuerySyntax.Located(key, range: try advance().range)
    let end = try expect(.rightParenthesis).range.upperBound
    return QuerySyntax.Located(.object(class: origin, key: located), range: start..<end)
  }

  /// Reads literals and arguments in braces, possibly none.
  mutating func parseList(
    quantifier: QuerySyntax.Located<QuerySyntax.Quantifier>?
  ) throws(QuerySyntaxError) -> QuerySyntax.ListLiteral {
    var excludesHigh: Bool?
    return try parseList(quantifier, &excludesHigh)
  }

  /// Reads the two bounds of a range in braces, of which `<` before the second one says that it is
  /// outside of the range.
  mutating func parseBounds(
    excludesHigh: inout Bool
  ) throws(QuerySyntaxError) -> QuerySyntax.ListLiteral {
    var isExcluded: Bool? = false
    defer { excludesHigh = isExcluded ?? false }
    return try parseList(nil, &isExcluded)
  }

  /// `excludesHigh`: nil where the list is no range.
  private mutating func parseList(
    _ quantifier: QuerySyntax.Located<QuerySyntax.Quantifier>?, _ excludesHigh: inout Bool?
  ) throws(QuerySyntaxError) -> QuerySyntax.ListLiteral {
    let open = try expect(.leftBrace, hint: "A list is written in braces: {1, 2}.").range
    var elements: [QuerySyntax.Located<QuerySyntax.Literal>] = []
    if !isAt(.rightBrace) {
      elements.append(try parseElement())
      while try skip(.comma) {
        if excludesHigh == false, elements.count == 1, try skip(.less) { excludesHigh = true }
        elements.append(try parseElement())
      }
    }
    guard isAt(.rightBrace) else { throw unexpected([",", "}"]) }
    let end = try advance().range.upperBound
    if isAt(.dot) || isAt(.leftBracket) {
      throw unexpected(
        ["an operator"], hint: "Counts, aggregates and indexes follow paths, not lists in braces.")
    }
    return QuerySyntax.ListLiteral(
      QuerySyntax.Located(elements, range: open.lowerBound..<end), quantifier: quantifier)
  }

  /// An element of a list: a constant or an argument.
  private mutating func parseElement() throws(QuerySyntaxError)
    -> QuerySyntax.Located<QuerySyntax.Literal>
  {
    if case .placeholder(.value(let index)) = token.kind {
      return QuerySyntax.Located(.argument(index), range: try advance().range)
    }
    if let literal = try parseLiteral() { return literal }
    throw unexpected(
      ["a literal", "an argument"],
      hint: "Braces hold literals and arguments only, with commas between.")
  }
}
