/// Korean syllables and Japanese letters that are written in parts.
///
/// File names of some systems and some keyboards decompose them. The tokens of a text are those of
/// its composed form (Unicode 15.0.0, 3.11 and 3.12, for these scripts), as readers take both for
/// one.
enum ComposedLetters {
  /// Whether a letter may be the first part of another.
  @inline(__always)
  static func canBegin(_ letter: UInt32) -> Bool {
    switch letter {
    case firstConsonants, kanaLetters: true
    default: isOpenSyllable(letter)
    }
  }

  /// The letter that two parts stand for; nil when they are no parts of one.
  ///
  /// It has as many bytes of UTF-8 as the first part.
  static func composed(_ first: UInt32, _ second: UInt32) -> UInt32? {
    switch second {
    case vowels:
      guard firstConsonants.contains(first) else { return nil }
      let index =
        (first - firstConsonants.lowerBound) * UInt32(vowels.count) + second - vowels.lowerBound
      return syllables.lowerBound + index * finalCount
    case finalConsonants:
      // The final 0 is none.
      return isOpenSyllable(first) ? first + second - finalConsonants.lowerBound + 1 : nil
    case voicedMark, halfVoicedMark: return voiced(first, isHalf: second == halfVoicedMark)
    default: return nil
    }
  }

  private static let firstConsonants: ClosedRange<UInt32> = 0x1100...0x1112
  private static let vowels: ClosedRange<UInt32> = 0x1161...0x1175
  private static let finalConsonants: ClosedRange<UInt32> = 0x11A8...0x11C2
  private static let syllables: ClosedRange<UInt32> = 0xAC00...0xD7A3
  private static let finalCount: UInt32 = 28
  private static let kanaLetters: ClosedRange<UInt32> = 0x3046...0x30FD
  private static let voicedMark: UInt32 = 0x3099
  private static let halfVoicedMark: UInt32 = 0x309A

  /// Whether a letter is a syllable that takes a final consonant.
  @inline(__always)
  private static func isOpenSyllable(_ letter: UInt32) -> Bool {
    syllables.contains(letter) && (letter - syllables.lowerBound) % finalCount == 0
  }

  /// A kana with its voice mark: the next in the block, or the one behind that.
  private static func voiced(_ letter: UInt32, isHalf: Bool) -> UInt32? {
    // Katakana lie as hiragana do, 0x60 further on.
    let hiragana = letter >= 0x30A1 ? letter - 0x60 : letter
    switch hiragana {
    // ha hi fu he ho, each followed by its two voiced forms.
    case 0x306F, 0x3072, 0x3075, 0x3078, 0x307B: return letter + (isHalf ? 2 : 1)
    case _ where isHalf: return nil
    // ka to ti; then tsu te to behind the small tsu, and the sign of repetition.
    case 0x304B...0x3061: return hiragana % 2 == 1 ? letter + 1 : nil
    case 0x3064, 0x3066, 0x3068, 0x309D: return letter + 1
    case 0x3046: return letter + 0x4E
    // wa wi we wo have voiced forms in katakana only.
    case 0x308F...0x3092: return letter == hiragana ? nil : letter + 8
    default: return nil
    }
  }
}
