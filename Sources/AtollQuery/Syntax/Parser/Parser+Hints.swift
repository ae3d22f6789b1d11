extension Parser {
  /// What the next token, where nothing allows it, was probably meant to be.
  ///
  /// Covers habits from other languages and from NSPredicate. Looks at the offending token and at
  /// the one before it; computed only when an error is made.
  var habitHint: String? {
    if let hint = mixedCaseHint ?? descriptorHint { return hint }
    if let previous, case .date = previous.kind,
      previous.range.upperBound == token.range.lowerBound
    {
      return Lexer.dateHint
    }
    switch token.kind {
    case .integer, .double, .float32, .infinity, .notANumber:
      return gluedSignHint
    case .keyword(.not):
      return isAfterOperand ? "NOT stands before the whole test: NOT title IN {…}." : nil
    case .name(let name):
      if Self.hasTypographicQuote(name) { return Self.quoteHint }
      return Self.foreignWordHint(name) ?? misspeltWordHint(token) ?? afterNameHint
    case .symbol(.not):
      return isAfterOperand ? "Inequality is written != without a blank." : nil
    case .symbol(.comma):
      return "Lists are written in braces: {1, 2}."
    case .symbol(.leftParenthesis):
      return callHint
    case .symbol(.equal):
      return previous?.kind == .symbol(.equal) ? "Equality is written = or ==." : nil
    case .foldingMark(let mark):
      return "\(mark.rawValue) follows ==, !=, IN, BEGINSWITH, ENDSWITH, CONTAINS or LIKE, "
        + "and nothing else."
    case .symbol(.leftBracket):
      return caseMarkHint
    case .symbol(.plus), .symbol(.minus):
      return isAfterOperand ? nil : "There is no sign before an expression: write 0 - berths."
    case .symbol(.slash):
      return previous?.kind == .symbol(.slash) ? "There are no comments." : nil
    case .symbol(.dot):
      if case .placeholder(.value)? = previous?.kind { return Self.placeholderHint }
      return nil
    case .placeholder(.value):
      return previous?.kind == .symbol(.dot) ? Self.placeholderHint : nil
    case .atWord:
      return isAfterOperand ? "A dot stands between a path and a word that begins with @." : nil
    default:
      return nil
    }
  }

  /// The offending token, or the name before it, would be a keyword in another letter case.
  private var mixedCaseHint: String? {
    for candidate in [token, previous] {
      guard
        let candidate, case .name = candidate.kind,
        let keyword = Keyword(ignoringCase: source.bytes[candidate.range]),
        keyword.needsUniformCase
      else { continue }
      let word = keyword.rawValue
      return "Write `\(word)` or `\(word.uppercased())`: in mixed case it is a property name."
    }
    return nil
  }

  /// A descriptor as other languages write it: `GROUP BY title`, `LIMIT 5`.
  private var descriptorHint: String? {
    switch token.kind {
    case .name, .integer: break
    default: return nil
    }
    guard case .keyword(let keyword)? = previous?.kind else { return nil }
    switch keyword {
    case .sort, .distinct, .limit, .group:
      let word = keyword.rawValue.uppercased()
      return "\(word) follows a predicate, with parentheses: TRUEPREDICATE \(word)(…)."
    default: return nil
    }
  }

  /// A number whose sign made it a token of its own: `berths -1`.
  private var gluedSignHint: String? {
    guard let sign = source.byte(at: token.range.lowerBound), isAfterOperand else { return nil }
    guard sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else { return nil }
    let character = Unicode.Scalar(sign)
    return "Put blanks around `\(character)`: directly before a digit it belongs to the number."
  }

  /// Whether the token before can end an operand.
  private var isAfterOperand: Bool {
    switch previous?.kind {
    case .name, .integer, .double, .float32, .string, .placeholder, .atWord: true
    case .symbol(.rightParenthesis), .symbol(.rightBracket), .symbol(.rightBrace): true
    case .keyword(let keyword): keyword.mayBeName
    default: false
    }
  }

  /// Words that other query languages have.
  private static func foreignWordHint(_ name: String) -> String? {
    switch name.uppercased() {
    case "IS": "A missing value is tested with == NULL or != NULL."
    case "MATCHES": "Regular expressions are not part of the language; LIKE knows * and ?."
    case "INCLUDE": "INCLUDE is not part of the language; use SORT, DISTINCT and LIMIT."
    case "ORDER": "The order is written behind the predicate: SORT(path ASC)."
    case "STARTSWITH": "The operator is called BEGINSWITH."
    case "WHERE": "A query is the predicate alone, without WHERE."
    case "XOR": "Write (a OR b) AND NOT (a AND b) with the two tests as a and b."
    default: nil
    }
  }

  /// The token before is a name that looks like a word of this or another language.
  private var afterNameHint: String? {
    guard let previous, case .name(let name) = previous.kind else { return nil }
    return Self.foreignWordHint(name)
  }

  /// A name where an operator, a connective or a descriptor should stand, and almost is one.
  private func misspeltWordHint(_ token: Token) -> String? {
    guard isAfterOperand else { return nil }
    let word = source.bytes[token.range].map { $0 & 0xDF }
    return Self.infixWords.first { Self.isAlmost(word, Array($0.utf8)) }
      .map { "Did you mean \($0)?" }
  }

  /// Words that stand behind an operand.
  private static let infixWords = [
    "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "BETWEEN", "TEXT", "GEOWITHIN", "SORT",
    "DISTINCT", "LIMIT", "GROUP", "AND",
  ]

  /// Whether one edit, or letters at the end, make the keyword of the word.
  private static func isAlmost(_ word: [UInt8], _ keyword: [UInt8]) -> Bool {
    if word.count > 3, keyword.starts(with: word) { return true }
    guard keyword.count > 2, abs(word.count - keyword.count) < 2 else { return false }
    let start = zip(word, keyword).prefix { $0 == $1 }.count
    let rest = word.dropFirst(start)
    let keywordRest = keyword.dropFirst(start)
    let end = zip(rest.reversed(), keywordRest.reversed()).prefix { $0 == $1 }.count
    let middle = rest.dropLast(end)
    let keywordMiddle = keywordRest.dropLast(end)
    if middle.count < 2, keywordMiddle.count < 2 { return true }
    return middle.count == 2 && middle.elementsEqual(keywordMiddle.reversed())
  }

  /// A parenthesis directly behind a word.
  private var callHint: String? {
    guard let previous, case .name(let name) = previous.kind else { return nil }
    if let hint = Self.foreignWordHint(name) { return hint }
    switch name.lowercased() {
    case "uuid", "oid", "b64":
      return "The prefix is written \(name == "B64" ? "B64" : name.lowercased()), without blanks."
    default:
      return "There are no functions in the language."
    }
  }

  /// A bracket where an operator's operand should begin.
  private var caseMarkHint: String? {
    let rest = source.bytes[token.range.upperBound...].prefix(16)
    let inside = rest.prefix { $0 != UInt8(ascii: "]") }
    let mark = String(decoding: inside, as: UTF8.self)
    switch mark.filter({ $0 != " " }) {
    case "C", "c": return "The mark for comparison without case is written [c], without blanks."
    case "d", "D": return "The mark for comparison without accents is written [d], without blanks."
    case "cd", "dc", "CD", "DC", "Cd", "cD", "dC", "Dc":
      return "The mark for comparison without case and accents is written [cd], without blanks."
    default: break
    }
    if case .keyword? = previous?.kind { return "Lists are written in braces: {1, 2}." }
    return isAfterOperand ? nil : "Lists are written in braces: {1, 2}."
  }

  /// Quotes that word processors and telephones put in place of straight ones; in a name they are
  /// letters like others.
  static func hasTypographicQuote(_ name: String) -> Bool {
    name.unicodeScalars.contains { scalar in
      switch scalar {
      case "\u{2018}"..."\u{201F}", "\u{AB}", "\u{BB}": true
      default: false
      }
    }
  }

  static let quoteHint = "Strings stand in straight quotes: 'Oslo' or \"Oslo\"."

  private static let placeholderHint =
    "An argument stands for a value; a path is spliced in with $K0."
}
