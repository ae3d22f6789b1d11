internal import AtollObjects

/// What a `TEXT` search requires of a text: words that must be in it, and words that must not.
///
/// Written as words between blanks: `word` must occur whole, `word*` must begin a word, `-word`
/// must not occur. Each word has one token, the one it would have in a stored text; a word of
/// Chinese characters has one for each of these, which must all occur, and the star is for the
/// last.
package struct TextPattern: Equatable, Sendable {
  /// A token that must occur, whole or as the beginning of one.
  package struct Word: Hashable, Sendable {
    package var token: [UInt8]
    package var isPrefix: Bool
  }

  /// In the order of the pattern, each once.
  package private(set) var wanted: [Word] = []
  package private(set) var unwanted: [Word] = []

  /// Why a pattern is refused.
  enum Problem: Error, Equatable {
    case empty
    /// The word has no token.
    case noLetters(word: String)
    /// The word has several tokens.
    case severalWords(word: String)
    /// The word has several tokens, as its characters are words, and only one can be excluded.
    case excludedCharacters(word: String)
    /// A `*` that is not the last character.
    case misplacedStar(word: String)
    case excludedPrefix(word: String)
    /// The word is wanted and excluded.
    case contradiction(word: String)
  }

  init(_ text: String) throws(Problem) {
    var known: [Word: Bool] = [:]
    for slice in text.utf8.split(whereSeparator: Self.isBlank) {
      let written = String(decoding: slice, as: UTF8.self)
      var rest = slice
      let isExcluded = rest.first == UInt8(ascii: "-")
      if isExcluded { rest.removeFirst() }
      let isPrefix = rest.last == UInt8(ascii: "*")
      if isPrefix { rest.removeLast() }
      if rest.contains(UInt8(ascii: "*")) { throw .misplacedStar(word: written) }
      let tokens = Self.tokens(rest)
      if tokens.isEmpty { throw .noLetters(word: written) }
      if tokens.count > 1 {
        guard Tokenizer.isUnbroken(Array(rest).span) else { throw .severalWords(word: written) }
        if isExcluded { throw .excludedCharacters(word: written) }
      }
      if isExcluded, isPrefix { throw .excludedPrefix(word: written) }
      for (index, token) in tokens.enumerated() {
        let word = Word(token: token, isPrefix: isPrefix && index == tokens.count - 1)
        if let wasExcluded = known.updateValue(isExcluded, forKey: word) {
          guard wasExcluded == isExcluded else { throw .contradiction(word: written) }
          continue
        }
        if isExcluded { unwanted.append(word) } else { wanted.append(word) }
      }
    }
    if wanted.isEmpty, unwanted.isEmpty { throw .empty }
  }

  /// Whether a text passes; null is a text without words.
  func matches(_ value: Value) -> Bool {
    let text = if case .string(let text) = value { text } else { "" }
    let tokens = TokenSet(text)
    return wanted.allSatisfy { tokens.contains($0.token, isPrefix: $0.isPrefix) }
      && !unwanted.contains { tokens.contains($0.token, isPrefix: $0.isPrefix) }
  }

  /// The pattern in a plan, in folded letters.
  var planText: String {
    let words =
      wanted.map { String(decoding: $0.token, as: UTF8.self) + ($0.isPrefix ? "*" : "") }
      + unwanted.map { "-" + String(decoding: $0.token, as: UTF8.self) }
    return Value.string(words.joined(separator: " ")).planText
  }

  /// The tokens of a word as it is written, in their order.
  private static func tokens(_ word: Substring.UTF8View) -> [[UInt8]] {
    var tokens: [[UInt8]] = []
    Tokenizer.forEachToken(in: Array(word).span) { token in
      tokens.append(token.indices.map { token[$0] })
    }
    return tokens
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte >= 9 && byte <= 13 }
}

extension TextPattern.Problem: CustomStringConvertible {
  /// What is wrong with the pattern, to stand behind the name of a property and a colon.
  var description: String {
    switch self {
    case .empty: "the pattern has no words"
    case .noLetters(let word):
      "the word '\(QuerySyntaxError.shortened(word))' has no letter or digit"
    case .severalWords(let word):
      "'\(QuerySyntaxError.shortened(word))' is more than one word"
    case .excludedCharacters(let word):
      "'\(QuerySyntaxError.shortened(word))' excludes several words at once: each character is one"
    case .misplacedStar(let word):
      "'\(QuerySyntaxError.shortened(word))' has a `*` before its end"
    case .excludedPrefix(let word):
      "'\(QuerySyntaxError.shortened(word))' excludes a beginning, and only whole words can be"
    case .contradiction(let word):
      "the word '\(QuerySyntaxError.shortened(word))' is both wanted and excluded"
    }
  }

  var hint: String? {
    switch self {
    case .severalWords: "separate words with blanks; all of them must occur"
    case .misplacedStar: "a `*` stands at the end of a word, for any letters that follow"
    default: nil
    }
  }
}
