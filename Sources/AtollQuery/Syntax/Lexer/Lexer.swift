/// Cuts a query into tokens, one at a time and greedily: the longest token wins.
///
/// Blanks separate tokens and there are no comments. A token never spans a quote that it did not
/// open, so a copy of the lexer can look ahead at any time. Each byte is read a bounded number of
/// times: cutting up a whole query costs time linear in its length.
///
/// Greed decides how arithmetic must be spelled: `berths-1` is one name and `-1` one number, so a
/// subtraction needs blanks around its sign.
struct Lexer: Sendable {
  let source: SourceText

  /// Where the next token is searched.
  var offset = 0

  /// How the arguments so far are written.
  var argumentForm = ArgumentPlaceholder.Form.undecided

  init(_ source: SourceText) {
    self.source = source
  }

  /// Reads the next token; at the end of the query, always `endOfQuery`.
  mutating func next() throws(QuerySyntaxError) -> Token {
    skipBlanks()
    let start = offset
    guard let byte = source.byte(at: start) else {
      return Token(kind: .endOfQuery, range: start..<start)
    }
    if byte.startsName { return try scanWord() }
    if byte.isDigit { return try scanNumber() }
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return try scanString(quote: byte)
    case UInt8(ascii: "@"): return try scanAtWord()
    case UInt8(ascii: "%"):
      if source.byte(at: start + 1) == byte { return try scanWord() }
      if let placeholder = try scanFormatPlaceholder() { return placeholder }
    case UInt8(ascii: "\\"):
      if nameEscape(at: start) != nil { return try scanWord() }
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      if let number = try scanSignedNumber() { return number }
    default: break
    }
    return try scanSymbol(byte)
  }

  /// The first byte of the next token, without reading it.
  func nextByte() -> UInt8? {
    var ahead = self
    ahead.skipBlanks()
    return source.byte(at: ahead.offset)
  }

  /// Ends the token that began at `start` before `end`.
  mutating func finish(_ kind: Token.Kind, from start: Int, to end: Int) -> Token {
    offset = end
    return Token(kind: kind, range: start..<end)
  }

  func failure(
    _ message: String, at range: Range<Int>, expected: [String] = [], hint: String? = nil
  ) -> QuerySyntaxError {
    QuerySyntaxError(message, in: source, at: range, expected: expected, hint: hint)
  }

  private mutating func skipBlanks() {
    while let byte = source.byte(at: offset), byte.isBlank { offset += 1 }
  }
}

extension Lexer {
  /// Reads a number or signed infinity whose first byte is a sign or a point; nil when the byte
  /// stands alone.
  private mutating func scanSignedNumber() throws(QuerySyntaxError) -> Token? {
    let start = offset
    var digit = start
    if source.byte(at: digit) != UInt8(ascii: ".") {
      if let special = scanSignedSpecial() { return special }
      digit += 1
    }
    if source.byte(at: digit) == UInt8(ascii: ".") { digit += 1 }
    guard let byte = source.byte(at: digit), byte.isDigit else { return nil }
    return try scanNumber()
  }

  /// Reads `-inf`, `+infinity`, `-nan`… in any letter case.
  private mutating func scanSignedSpecial() -> Token? {
    let start = offset
    let isNegative = source.byte(at: start) == UInt8(ascii: "-")
    for keyword in [Keyword.infinity, .inf, .nan] {
      let end = start + 1 + keyword.rawValue.utf8.count
      guard end <= source.bytes.count else { continue }
      guard Keyword(ignoringCase: source.bytes[start + 1..<end]) == keyword else { continue }
      // NaN has no sign.
      let kind: Token.Kind = keyword == .nan ? .notANumber : .infinity(isNegative: isNegative)
      return finish(kind, from: start, to: end)
    }
    return nil
  }

  /// Reads `@count` and its kin.
  private mutating func scanAtWord() throws(QuerySyntaxError) -> Token {
    let start = offset
    var end = start + 1
    while let byte = source.byte(at: end), byte.isLetter || byte.isDigit || byte == 0x5F {
      end += 1
    }
    let range = start..<end
    guard let word = Token.AtWord(spelling: source.text(in: start + 1..<end)) else {
      let followsDigit = source.byte(at: start + 1)?.isDigit == true
      throw failure(
        "unknown word \(source.quoted(range))", at: range,
        expected: Token.AtWord.allCases.map { "@\($0.rawValue)" },
        hint: followsDigit ? Self.dateHint : "The words that begin with @ are in lower case.")
    }
    return finish(.atWord(word), from: start, to: end)
  }

  /// Reads an operator or a bracket.
  private mutating func scanSymbol(_ byte: UInt8) throws(QuerySyntaxError) -> Token {
    let start = offset
    let second = source.byte(at: start + 1)
    func pair(_ character: Unicode.Scalar) -> Bool { second == UInt8(ascii: character) }

    switch Unicode.Scalar(byte) {
    case "=":
      if pair("<") { return finish(.symbol(.lessOrEqual), from: start, to: start + 2) }
      if pair(">") { return finish(.symbol(.greaterOrEqual), from: start, to: start + 2) }
      return finish(.symbol(.equal), from: start, to: pair("=") ? start + 2 : start + 1)
    case "!":
      if pair("=") { return finish(.symbol(.notEqual), from: start, to: start + 2) }
    case "<":
      if pair("=") { return finish(.symbol(.lessOrEqual), from: start, to: start + 2) }
      if pair(">") { return finish(.symbol(.notEqual), from: start, to: start + 2) }
    case ">":
      if pair("=") { return finish(.symbol(.greaterOrEqual), from: start, to: start + 2) }
    case "&":
      if pair("&") { return finish(.symbol(.and), from: start, to: start + 2) }
    case "|":
      if pair("|") { return finish(.symbol(.or), from: start, to: start + 2) }
    case "[":
      for folding in QuerySyntax.Folding.allCases.dropFirst()
      where source.bytes[start...].starts(with: folding.rawValue.utf8) {
        return finish(
          .foldingMark(folding), from: start, to: start + folding.rawValue.utf8.count)
      }
    default: break
    }
    // The double symbols are through; a single one may still be a token of its own.
    guard let symbol = Token.Symbol(rawValue: String(Unicode.Scalar(byte))) else {
      let isControl = byte < 0x20 || byte == 0x7F
      throw failure(
        isControl
          ? "unexpected control character 0x\(String(byte, radix: 16))"
          : "unexpected character `\(Unicode.Scalar(byte))`",
        at: start..<start + 1, hint: Self.hint(forCharacter: Unicode.Scalar(byte)))
    }
    return finish(.symbol(symbol), from: start, to: start + 1)
  }

  /// What a byte that starts no token was probably meant to be.
  private static func hint(forCharacter character: Unicode.Scalar) -> String {
    switch character {
    case "&": "Write && or AND."
    case "|": "Write || or OR."
    case "%":
      "Arguments are written $0, $1, … or %@; an argument that names a path is written $K0 or %K."
    case ":": dateHint
    case "\\": #"In a name, only a blank, n, r or t may follow a backslash."#
    case "`": "Names stand without quotes, strings in '…' or \"…\"."
    case "#", ";": "There are no comments, and a query is one predicate."
    default: "A property whose name has such a character is reached with an argument, $K0."
    }
  }
}
