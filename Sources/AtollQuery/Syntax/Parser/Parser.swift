/// Reads a query with one token of lookahead.
///
/// Predicates, parentheses, NOT and subqueries are handled with an explicit stack
/// (`Parser+Predicate`); all other rules nest to a fixed depth and are plain functions. The first
/// offending token ends the parse.
struct Parser {
  private(set) var lexer: Lexer

  /// The next token, not yet consumed.
  private(set) var token: Token

  /// The last token consumed.
  private(set) var previous: Token?

  /// The byte offsets of the brackets that are open before `token`, outermost first.
  private(set) var openBrackets: [Int] = []

  var source: SourceText { lexer.source }

  init(_ text: String) throws(QuerySyntaxError) {
    lexer = Lexer(SourceText(text))
    token = try lexer.next()
  }

  /// Consumes a token and returns it.
  @discardableResult
  mutating func advance() throws(QuerySyntaxError) -> Token {
    let consumed = token
    previous = consumed
    switch consumed.kind {
    case .symbol(.leftParenthesis), .symbol(.leftBrace), .symbol(.leftBracket):
      openBrackets.append(consumed.range.lowerBound)
    case .symbol(.rightParenthesis), .symbol(.rightBrace), .symbol(.rightBracket):
      _ = openBrackets.popLast()
    default: break
    }
    token = try lexer.next()
    return consumed
  }

  /// Whether the next token is `symbol`.
  func isAt(_ symbol: Token.Symbol) -> Bool { token.kind == .symbol(symbol) }

  /// Whether the next token is `keyword`.
  func isAt(_ keyword: Keyword) -> Bool { token.kind == .keyword(keyword) }

  /// Consumes `symbol` if it comes next.
  mutating func skip(_ symbol: Token.Symbol) throws(QuerySyntaxError) -> Bool {
    guard isAt(symbol) else { return false }
    try advance()
    return true
  }

  /// Consumes `symbol`, which must come next.
  @discardableResult
  mutating func expect(
    _ symbol: Token.Symbol, hint: String? = nil
  ) throws(QuerySyntaxError) -> Token {
    guard isAt(symbol) else { throw unexpected([symbol.rawValue], hint: hint) }
    return try advance()
  }

  /// The text of the next token.
  var tokenText: String { source.text(in: token.range) }

  /// The text of the next token in quotes, for an error message.
  var quotedToken: String { source.quoted(token.range) }

  /// Says that the next token cannot stand where it does.
  ///
  /// An open bracket that is the likely cause goes into the hint; then comes `hint`, and without
  /// one what `habitHint` makes of the token.
  func unexpected(
    _ expected: [String], hint: String? = nil, message: String? = nil
  ) -> QuerySyntaxError {
    let found =
      token.kind == .endOfQuery
      ? "unexpected end of query" : "unexpected \(quotedToken)"
    return QuerySyntaxError(
      message ?? found, in: source, at: token.range, expected: expected,
      hint: bracketHint ?? hint ?? habitHint)
  }

  /// Says that the piece of text in `range` is refused.
  func refused(
    _ message: String, at range: Range<Int>, expected: [String] = [], hint: String? = nil
  ) -> QuerySyntaxError {
    QuerySyntaxError(message, in: source, at: range, expected: expected, hint: hint)
  }

  /// Which bracket is open when the query ends or another kind of bracket is closed; or that none
  /// is.
  private var bracketHint: String? {
    let opener: Token.Symbol?
    switch token.kind {
    case .endOfQuery: opener = nil
    case .symbol(.rightParenthesis): opener = .leftParenthesis
    case .symbol(.rightBrace): opener = .leftBrace
    case .symbol(.rightBracket): opener = .leftBracket
    default: return nil
    }
    guard let open = openBrackets.last else {
      return opener.map { "There is no open `\($0.rawValue)` to close." }
    }
    let text = source.text(in: open..<open + 1)
    guard text != opener?.rawValue else { return nil }
    let (line, column) = source.position(of: open)
    return "The `\(text)` at line \(line), column \(column) is still open."
  }
}
