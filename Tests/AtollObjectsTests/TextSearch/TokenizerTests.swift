import AtollObjects
import TestSupport
import Testing

/// Text becomes the tokens that the rules say, whatever its bytes.
@Suite struct TokenizerTests {
  static let examples: [(text: String, tokens: [String])] = [
    ("", []), (" -'.,", []), ("Sailing-master, retired", ["sailing", "master", "retired"]),
    ("Åse på båt", ["åse", "på", "båt"]), ("ase", ["ase"]),
    ("É è Ê ë", ["e", "e", "e", "e"]), ("Ñandú Çà Ïö Ý", ["nandu", "ca", "io", "y"]),
    ("ÅÆÐØÞß åæðøþ", ["åæðøþß", "åæðøþ"]), ("a×b÷c", ["a", "b", "c"]),
    // U+00FF and U+00BF lie just outside.
    ("aÿb¿c", ["a", "b", "c"]), ("c++ C99", ["c", "c99"]), ("don't", ["don", "t"]),
    ("日本 Москва Łódź", ["od"]), ("e\u{301}a", ["e", "a"]), ("🚢sail🚢", ["sail"]),
    ("a\u{0}b", ["a", "b"]), ("one two one", ["one", "two", "one"]),
  ]

  @Test(arguments: examples.indices)
  func textHasItsTokens(example: Int) {
    let (text, tokens) = Self.examples[example]
    #expect(Self.tokens(Array(text.utf8)) == tokens)
    #expect(NaiveWords.tokens(of: text) == tokens)
  }

  @Test func tokensAreCutBeforeTheLetterThatDoesNotFit() {
    let a64 = String(repeating: "a", count: 64)
    let cases = [
      (a64, a64), (a64 + "b", a64), (String(a64.dropLast()) + "åb", String(a64.dropLast())),
      (String(a64.dropLast(2)) + "åb", String(a64.dropLast(2)) + "å"),
      // Diacritics take no room.
      (String(repeating: "é", count: 70), String(repeating: "e", count: 64)),
    ]
    for (text, token) in cases {
      #expect(Self.tokens(Array(text.utf8)) == [token])
      #expect(Self.tokens(Array((text + " x").utf8)) == [token, "x"])
    }
  }

  @Test func bytesThatAreNoTextSeparate() {
    let a = UInt8(ascii: "a")
    let cases: [([UInt8], [String])] = [
      ([0xC3], []), ([a, 0xC3], ["a"]), ([a, 0xC3, a], ["a", "a"]), ([0xC3, 0xC3, 0xA9], ["e"]),
      ([0xE2, 0xC3, 0xA9], ["e"]), ([a, 0x80, a], ["a", "a"]),
      ([a, 0xFF, 0xC3, 0xC0, a], ["a", "a"]),
      ([0xC3, 0x97, a], ["a"]), ([0xC2, 0xA9, a], ["a"]), ([0xC3, 0xA9, 0xA9, a], ["e", "a"]),
    ]
    for (bytes, tokens) in cases { #expect(Self.tokens(bytes) == tokens) }
  }

  @Test(arguments: UInt64(0)..<4)
  func randomTextHasTheTokensOfTheNaiveReading(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let text = random.words()
      let expected = NaiveWords.tokens(of: text)
      #expect(Self.tokens(Array(text.utf8)) == expected)
      let set = TokenSet(text)
      let distinct = Set(expected).map { Array($0.utf8) }
        .sorted { $0.lexicographicallyPrecedes($1) }
      #expect((0..<set.count).map { set.token($0) } == distinct)
    }
  }

  @Test(arguments: UInt64(0)..<4)
  func anyBytesGiveTokensWithinTheLimit(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
        Bool.random(using: &random)
          ? UInt8.random(in: 0...255, using: &random)
          : [0xC3, 0xA5, 0x61].randomElement(using: &random) ?? 0
      }
      Tokenizer.forEachToken(in: bytes.span) { token in
        #expect(token.count >= 1 && token.count <= Tokenizer.tokenByteLimit)
        let array = token.indices.map { token[$0] }
        #expect(String(validating: array, as: UTF8.self) != nil)
      }
    }
  }

  private static func tokens(_ bytes: [UInt8]) -> [String] {
    var tokens: [String] = []
    Tokenizer.forEachToken(in: bytes.span) { token in
      tokens.append(String(decoding: token.indices.map { token[$0] }, as: UTF8.self))
    }
    return tokens
  }
}
