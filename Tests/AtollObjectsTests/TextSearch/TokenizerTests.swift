import AtollObjects
import TestSupport
import TestThreads
import Testing

/// Text becomes the tokens that the rules say, whatever its bytes.
@Suite(.computing) struct TokenizerTests {
  static let examples: [(text: String, tokens: [String])] = [
    ("", []), (" -'.,", []), ("Sailing-master, retired", ["sailing", "master", "retired"]),
    ("Åse på båt", ["åse", "på", "båt"]), ("ase", ["ase"]),
    ("É è Ê ë", ["e", "e", "e", "e"]), ("Ñandú Çà Ïö Ý", ["nandu", "ca", "io", "y"]),
    ("ÅÆÐØÞß åæðøþ", ["åæðøþß", "åæðøþ"]), ("a×b÷c", ["a", "b", "c"]),
    ("aÿb¿c", ["ayb", "c"]), ("c++ C99", ["c", "c99"]), ("don't", ["don", "t"]),
    ("e\u{301}a", ["ea"]), ("🚢sail🚢", ["sail"]), ("m² ½ µm Nº", ["m²", "½", "μm", "nº"]),
    // Letters with marks in all of Latin, Greek and Cyrillic; those without decomposition stay.
    ("Constanţa Constanța Đà Nẵng Łódź", ["constanta", "constanta", "đa", "nang", "łodz"]),
    ("İstanbul ISTANBUL ıslak", ["istanbul", "istanbul", "ıslak"]),
    ("Ἀθῆναι ΑΘΗΝΑΙ Ὀδυσσεύς ΟΔΥΣΣΕΎΣ", ["αθηναι", "αθηναι", "οδυσσευσ", "οδυσσευσ"]),
    ("Москва МОСКВА Ёлка Київ", ["москва", "москва", "елка", "киів"]),
    // A mark may stand behind its letter; å stays itself in every spelling.
    ("A\u{30A}se a\u{301}\u{30A} Ǻ \u{212B} o\u{308}", ["åse", "å", "å", "å", "o"]),
    ("\u{30A}a a \u{30A}", ["a", "a"]),
    // Vowel points and joiners do not count, the marks of other scripts are letters.
    ("שָׁלוֹם שלום", ["שלום", "שלום"]),
    ("القَاهِرَة الـقاهرة", ["القاهرة", "القاهرة"]), ("نمی\u{200C}دانم", ["نمیدانم"]),
    ("soft\u{AD}ware", ["software"]), ("हिन्दी", ["हिन्दी"]),
    // Chinese characters are words, runs of kana, Hangul and Thai are.
    ("東京タワー", ["東", "京", "タワー"]), ("iPhone手机x", ["iphone", "手", "机", "x"]),
    ("葛\u{E0100}飾", ["葛", "飾"]), ("서울특별시 서울", ["서울특별시", "서울"]),
    // In parts, as some systems write the names of files.
    ("\u{1109}\u{1165}\u{110B}\u{116E}\u{11AF}", ["서울"]),
    ("\u{1100}\u{1161}\u{11A8}\u{11A8}", ["각\u{11A8}"]),
    (
      "서\u{11AF} 설\u{11AF} \u{1161}\u{11A8} a\u{1161}",
      ["설", "설\u{11AF}", "\u{1161}\u{11A8}", "a\u{1161}"]
    ),
    ("カ\u{3099}ラス ハ\u{309A}ン ヲ\u{3099} う\u{3099}", ["ガラス", "パン", "ヺ", "ゔ"]),
    ("カ\u{309A} 京\u{3099} ー\u{3099}", ["カ\u{309A}", "京", "\u{3099}", "ー\u{3099}"]),
    ("กรุงเทพมหานคร", ["กรุงเทพมหานคร"]), ("𠮷野家", ["𠮷", "野", "家"]),
    ("٢٠٢٦ ２", ["٢٠٢٦", "２"]),
    ("a\u{0}b", ["a", "b"]), ("one two one", ["one", "two", "one"]),
  ]

  @Test(arguments: examples.indices)
  func textHasItsTokens(example: Int) {
    let (text, tokens) = Self.examples[example]
    #expect(Self.tokens(Array(text.utf8)) == tokens)
    #expect(NaiveWords.tokens(of: text) == tokens)
  }

  /// What is written in parts is what it is in one, as the system's library composes it.
  @Test func partsAreComposed() {
    let firsts: [UInt32] =
      Array(0x1100...0x1114) + Array(0x3041...0x30FF) + [0xAC00, 0xAC01, 0xD788]
    let seconds: [UInt32] = Array(0x1160...0x1177) + Array(0x11A6...0x11C4) + [0x3099, 0x309A]
    for first in firsts {
      for second in seconds {
        let text = [first, second].compactMap { Unicode.Scalar($0 as UInt32) }
          .reduce(into: "") { $0.unicodeScalars.append($1) }
        let tokens = Self.tokens(Array(text.utf8)).map { Array($0.utf8) }
        if tokens != NaiveWords.tokens(of: text).map({ Array($0.utf8) }) {
          Issue.record("U+\(String(first, radix: 16)) U+\(String(second, radix: 16))")
        }
      }
    }
    let long = String(repeating: "カ\u{3099}", count: 30)
    #expect(Self.tokens(Array(long.utf8)) == [String(repeating: "ガ", count: 21)])
  }

  /// All characters that have names, and some that have none.
  private static let characters = (Array(0..<0x3_2400) + Array(0xE_0000..<0xE_0200))
    .compactMap { Unicode.Scalar($0 as UInt32) }

  @Test func everyCharacterIsWhatTheSystemsLibrariesSay() {
    for scalar in Self.characters {
      let text = "x\(scalar)x"
      let bytes = Self.tokens(Array(text.utf8)).map { Array($0.utf8) }
      if bytes != NaiveWords.tokens(of: text).map({ Array($0.utf8) }) {
        Issue.record("U+\(String(scalar.value, radix: 16))")
      }
    }
  }

  /// The tokens of all characters, of which stored indexes consist.
  ///
  /// Another number means that the indexes in files do not fit the tokenizer any more.
  @Test func tokensOfAllCharactersAreThoseOfTheFormat() {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for scalar in Self.characters {
      for token in Self.tokens(Array("a\(scalar)b".utf8)) {
        for byte in Array(token.utf8) + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      }
    }
    #expect(hash == 1_214_026_553_805_291_367)
  }

  @Test func tokensAreCutBeforeTheLetterThatDoesNotFit() {
    let a64 = String(repeating: "a", count: 64)
    let cases: [(String, String)] = [
      (a64, a64), (a64 + "b", a64), (String(a64.dropLast()) + "åb", String(a64.dropLast())),
      (String(a64.dropLast(2)) + "åb", String(a64.dropLast(2)) + "å"),
      // Diacritics take no room.
      (String(repeating: "é", count: 70), String(repeating: "e", count: 64)),
      (a64 + "\u{30A}b", String(a64.dropLast())),
      (String(repeating: "я", count: 33), String(repeating: "я", count: 32)),
      (String(repeating: "ก", count: 22), String(repeating: "ก", count: 21)),
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
      // Longer than needed, half of a surrogate pair, beyond the last character, cut off.
      ([0xC1, 0xA1, a], ["a"]), ([0xE0, 0x81, 0xA1], []), ([a, 0xED, 0xA0, 0x80, a], ["a", "a"]),
      ([0xF4, 0x90, 0x80, 0x80, a], ["a"]), ([a, 0xE4, 0xBA], ["a"]), ([0xF0, 0xA0, 0xAE], []),
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
