/// Splits text into the words that full-text search knows.
///
/// A word is a longest run of ASCII letters, ASCII digits and the Latin-1 letters U+00C0 to U+00FE
/// (not × and ÷). All else separates words: blanks, punctuation, hyphens, apostrophes, and every
/// character outside of Latin-1, so that text in other scripts has no words. The token of a word is
/// in small letters, without diacritics on a, c, e, i, n, o, u and y; å, æ, ø, ð, þ and ß are
/// letters of their own. A token has at most 64 bytes of UTF-8: whole letters that go further are
/// left out, with the rest of the word.
///
/// Stored text and patterns go through here alike.
package enum Tokenizer {
  /// Bytes of the longest token.
  package static let tokenByteLimit = 64

  /// Calls `body` with each token of `text`, in the order of the text, one that comes twice twice.
  ///
  /// Any bytes are taken; those that are no UTF-8 separate. A token is valid during the call.
  /// Cost: a pass over the bytes, no allocation.
  package static func forEachToken<Failure: Error>(
    in text: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    var token = InlineArray<64, UInt8>(repeating: 0)
    var length = 0
    var isCut = false
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      var folded = fold(ascii: byte)
      if byte == latinLead, index < text.count {
        folded = fold(latinTrail: text[index])
        if folded != 0 { index += 1 }
      }
      if folded == 0 {
        if length > 0 { try body(token.span.extracting(0..<length)) }
        length = 0
        isCut = false
        continue
      }
      let byteCount = folded < 0x80 ? 1 : 2
      isCut = isCut || length + byteCount > tokenByteLimit
      if isCut { continue }
      if byteCount == 2 { token[length] = latinLead }
      token[length + byteCount - 1] = folded
      length += byteCount
    }
    if length > 0 { try body(token.span.extracting(0..<length)) }
  }

  /// The first byte of the letters U+00C0 to U+00FF.
  private static let latinLead: UInt8 = 0xC3

  /// The letter or digit in small form; 0 for what separates.
  @inline(__always)
  private static func fold(ascii byte: UInt8) -> UInt8 {
    if byte >= 0x80 { return 0 }
    let small = byte | 0x20
    if small >= UInt8(ascii: "a"), small <= UInt8(ascii: "z") { return small }
    return byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? byte : 0
  }

  /// What the letter becomes whose second byte is `trail`: a small ASCII letter, the second byte of
  /// the letter that it is kept as, or 0 for what separates.
  private static func fold(latinTrail trail: UInt8) -> UInt8 {
    switch trail {
    case 0x80...0x84, 0xA0...0xA4: UInt8(ascii: "a")
    case 0x85, 0xA5: 0xA5  // å
    case 0x86, 0xA6: 0xA6  // æ
    case 0x87, 0xA7: UInt8(ascii: "c")
    case 0x88...0x8B, 0xA8...0xAB: UInt8(ascii: "e")
    case 0x8C...0x8F, 0xAC...0xAF: UInt8(ascii: "i")
    case 0x90, 0xB0: 0xB0  // ð
    case 0x91, 0xB1: UInt8(ascii: "n")
    case 0x92...0x96, 0xB2...0xB6: UInt8(ascii: "o")
    case 0x98, 0xB8: 0xB8  // ø
    case 0x99...0x9C, 0xB9...0xBC: UInt8(ascii: "u")
    case 0x9D, 0xBD: UInt8(ascii: "y")
    case 0x9E, 0xBE: 0xBE  // þ
    case 0x9F: 0x9F  // ß
    default: 0
    }
  }
}
