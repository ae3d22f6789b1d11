import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

@Suite(.computing) struct LikePatternTests {
  private func matches(_ pattern: [UInt8], _ text: [UInt8], isText: Bool) -> Bool {
    unsafe text.withUnsafeBytes { unsafe LikePattern(pattern, isText: isText).matches($0) }
  }

  /// In a text a question mark stands for a character of any length, and no piece begins in one.
  @Test func ofTextsItemsAreCharacters() {
    #expect(matches(Array("?ngström".utf8), Array("Ångström".utf8), isText: true))
    #expect(matches(Array("*m?".utf8), Array("Ångström€".utf8), isText: true))
    #expect(!matches(Array("??".utf8), Array("Å".utf8), isText: true))
  }

  /// Data has no characters: every byte is one item and every place a beginning.
  @Test func ofDataItemsAreBytes() {
    let star = UInt8(ascii: "*")
    let one = UInt8(ascii: "?")
    let data: [UInt8] = [0x41, 0x80, 0x42]
    #expect(matches([star, 0x80, star], data, isText: false))
    #expect(matches([star, 0x80, 0x42], data, isText: false))
    #expect(matches([star, 0x80, 0x42, star], data, isText: false))
    #expect(matches([one, one, one], data, isText: false))
    #expect(!matches([one, one], data, isText: false))
    #expect(matches([0x41, one, 0x42], data, isText: false))
    #expect(matches([star, one], data, isText: false))
  }

  /// Patterns that almost match everywhere cost what the text costs, not its product with theirs.
  @Test(arguments: [
    "aaab", "aaba", "baaa", "a?ab", "aa?b", "abab?b", "?aab", "b?", "åååe", "å?åe",
  ])
  func aPieceIsFoundInLinearTime(piece: String) throws {
    let letters = piece.split(separator: "")
    let repeated = String(repeating: String(letters[1]), count: 150)
    for pattern in [
      "*\(repeated)\(piece)*", "*\(piece)\(repeated)*", "*\(repeated)\(piece)\(repeated)*",
    ] {
      for ending in ["", pattern.replacing("*", with: "").replacing("?", with: "x")] {
        let text = String(repeating: String(letters[0]) + repeated, count: 20) + ending
        let bytes = Array(text.utf8)
        var compared = 0
        let end = unsafe bytes.withUnsafeBytes {
          unsafe LikePattern(Array(pattern.utf8), isText: true)
            .endOfFirstMatch(in: $0, compared: &compared)
        }
        #expect(end == Self.naiveEnd(pattern, text))
        #expect(compared < 40 * bytes.count, "\(pattern)")
      }
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func piecesAreFoundWhereTheyAre(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func make(_ alphabet: [String], _ count: Int) -> String {
      (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }.joined()
    }
    for length in [1, 3, 9, 70, 130] {
      let alphabet = ["a", "a", "a", "a", "å", "b"]
      let text = make(alphabet, Int.random(in: 0...2000, using: &random))
      // Mostly a part of the text, with a few characters made into question marks.
      var characters = Array(text.suffix(Int.random(in: 0...800, using: &random)).prefix(length))
      for index in characters.indices where Int.random(in: 0..<8, using: &random) == 0 {
        characters[index] = ["?", "?", "b"][Int.random(in: 0..<3, using: &random)]
      }
      let pattern = "*" + (characters.isEmpty ? "ab" : String(characters)) + "*"
      var compared = 0
      let end = unsafe Array(text.utf8).withUnsafeBytes {
        unsafe LikePattern(Array(pattern.utf8), isText: true)
          .endOfFirstMatch(in: $0, compared: &compared)
      }
      #expect(end == Self.naiveEnd(pattern, text), "\(pattern) in \(text)")
    }
  }

  /// The byte behind the first match of a pattern's one piece, a character at a time.
  private static func naiveEnd(_ pattern: String, _ text: String) -> Int? {
    let items = Array(pattern.dropFirst().dropLast().unicodeScalars)
    let scalars = Array(text.unicodeScalars)
    guard scalars.count >= items.count else { return nil }
    let start = (0...(scalars.count - items.count)).first { start in
      items.indices.allSatisfy { items[$0] == "?" || items[$0] == scalars[start + $0] }
    }
    guard let start else { return nil }
    return scalars[..<(start + items.count)].reduce(0) { $0 + UTF8.width($1) }
  }
}
