import Testing

@testable import AtollQuery

@Suite struct LikePatternTests {
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
}
