/// Splits text into the words that full-text search knows.
///
/// A word is a longest run of letters, marks and numbers of any script; all else separates words:
/// blanks, punctuation, hyphens, apostrophes, symbols. `WordLetters` says what each character is.
/// Chinese characters, also in Japanese text, stand for words without blanks between them, so each
/// is a token by itself; of other scripts without blanks (kana, Thai) a run is a word.
///
/// The token of a word is in small letters. From Latin to Arabic it is without accents, vowel
/// points and other marks; å is a letter of its own, and so are those that are no letter with a
/// mark, such as æ, ø, ł and ß. Parts of Korean syllables and Japanese letters with separate voice
/// marks become the letters that they stand for (`ComposedLetters`). A token has at most 64 bytes
/// of UTF-8: whole letters that go further are left out, with the rest of the word.
///
/// Stored text and patterns go through here alike, and tokens are stored: what a character is
/// comes from tables of this package, not from the library of the system.
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
    // The letter that ends the token, when one that follows could become one with it; else 0.
    var last: UInt32 = 0
    var isCut = false
    var index = 0
    while index < text.count {
      let byte = text[index]
      let small = fold(ascii: byte)
      if small != 0 {
        index += 1
        isCut = isCut || length == tokenByteLimit
        if isCut { continue }
        token[length] = small
        length += 1
        last = 0
        continue
      }
      var letter = WordLetters.separator
      var scalar: UInt32 = 0
      var byteCount = 1
      if byte >= 0x80 {
        (scalar, byteCount) = decode(text, at: index)
        letter = WordLetters.folded(scalar)
      }
      index += byteCount
      if letter == WordLetters.dropped {
        // An a with a ring is no a, however it is written.
        guard scalar == ring, !isCut, length > 0, token[length - 1] == UInt8(ascii: "a") else {
          continue
        }
        length -= 1
        letter = WordLetters.aWithRing
      }
      if last != 0, !isCut, let composed = ComposedLetters.composed(last, letter) {
        // As many bytes as it had.
        length -= utf8Count(last)
        letter = composed
      }
      last = 0
      let isWordByItself = WordLetters.isIdeograph(letter)
      if letter == WordLetters.separator || isWordByItself {
        if length > 0 { try body(token.span.extracting(0..<length)) }
        length = 0
        isCut = false
        if !isWordByItself { continue }
      }
      isCut = isCut || length + utf8Count(letter) > tokenByteLimit
      if isCut { continue }
      append(letter, to: &token, &length)
      if ComposedLetters.canBegin(letter) { last = letter }
      if isWordByItself {
        try body(token.span.extracting(0..<length))
        length = 0
      }
    }
    if length > 0 { try body(token.span.extracting(0..<length)) }
  }

  /// Whether nothing in `text` separates: its tokens, if any, are written as one word.
  package static func isUnbroken(_ text: Span<UInt8>) -> Bool {
    var index = 0
    var isBroken = false
    var hasLetters = false
    while index < text.count {
      let (scalar, byteCount) = decode(text, at: index)
      index += byteCount
      let letter = WordLetters.folded(scalar)
      if letter == WordLetters.dropped { continue }
      if letter == WordLetters.separator {
        isBroken = hasLetters
      } else {
        if isBroken { return false }
        hasLetters = true
      }
    }
    return true
  }

  /// U+030A, which stands behind the letter that has the ring.
  private static let ring: UInt32 = 0x30A

  /// The letter or digit in small form; 0 for what separates.
  @inline(__always)
  private static func fold(ascii byte: UInt8) -> UInt8 {
    if byte >= 0x80 { return 0 }
    let small = byte | 0x20
    if small >= UInt8(ascii: "a"), small <= UInt8(ascii: "z") { return small }
    return byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? byte : 0
  }

  // MARK: UTF-8

  /// The character at `index` and how many bytes it has; 0 and one byte when they are none.
  private static func decode(_ text: Span<UInt8>, at index: Int) -> (UInt32, Int) {
    let first = UInt32(text[index])
    if first < 0x80 { return (first, 1) }
    let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard first >= 0xC2, first <= 0xF4, index + count <= text.count else { return (0, 1) }
    var scalar = first & (0x7F >> UInt32(count))
    for offset in 1..<count {
      let byte = UInt32(text[index + offset])
      guard byte & 0xC0 == 0x80 else { return (0, 1) }
      scalar = scalar << 6 | byte & 0x3F
    }
    // One that could be shorter is none; halves of surrogate pairs separate as they are.
    return utf8Count(scalar) == count ? (scalar, count) : (0, 1)
  }

  private static func utf8Count(_ scalar: UInt32) -> Int {
    scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
  }

  /// Appends a letter that has room.
  private static func append(
    _ letter: UInt32, to token: inout InlineArray<64, UInt8>, _ length: inout Int
  ) {
    let count = utf8Count(letter)
    if count == 1 {
      token[length] = UInt8(truncatingIfNeeded: letter)
    } else {
      for offset in 0..<count {
        let bits = letter >> UInt32(6 * (count - 1 - offset))
        token[length + offset] = UInt8(truncatingIfNeeded: 0x80 | bits & 0x3F)
      }
      let mark: UInt8 = count == 2 ? 0xC0 : count == 3 ? 0xE0 : 0xF0
      token[length] = mark | UInt8(truncatingIfNeeded: letter >> UInt32(6 * (count - 1)))
    }
    length += count
  }
}
