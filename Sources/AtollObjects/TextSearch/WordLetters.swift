internal import AtollStorage

/// What each character is to full-text search: part of a word, in which form, or not.
///
/// Characters of general category L, M or N in Unicode 15.0.0 are parts of words, and so is all of
/// the planes 2 and 3, which are reserved for ideographs. A character becomes the simple case
/// folding of its base: of what is left of its canonical decomposition without nonspacing marks,
/// when that is one character before U+0700, from Latin to Arabic; else of itself. In the same
/// scripts a mark by itself is dropped. A token is stored, so what is said here is part of the
/// file's format.
enum WordLetters {
  /// Not part of a word.
  static let separator: UInt32 = 0
  /// Neither part of a word nor between two.
  static let dropped: UInt32 = .max

  static let aWithRing: UInt32 = 0xE5

  /// What a character becomes in a token.
  ///
  /// Cost: a table's entry before U+2000, beyond it two or three binary searches in some hundred
  /// ranges, but for the most frequent scripts of East Asia.
  static func folded(_ scalar: UInt32) -> UInt32 {
    if scalar < denseCount {
      let folded = dense[Int(scalar)]
      return folded == .max ? dropped : UInt32(folded)
    }
    // Kana, ideographs and Hangul syllables, of which none changes.
    switch scalar {
    case 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FFF, 0xAC00...0xD7A3: return scalar
    default: return search(scalar)
    }
  }

  /// Whether a character of words is one by itself: the ideographs of China and Japan.
  @inline(__always)
  static func isIdeograph(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x3005: false
    case 0x3005, 0x3007, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
    default: false
    }
  }

  private static let denseCount: UInt32 = 0x2000

  /// `search` of the first characters; none of these becomes one beyond U+FFFE.
  private static let dense: [UInt16] = (0..<denseCount).map { scalar in
    UInt16(truncatingIfNeeded: search(scalar))
  }

  private static func search(_ scalar: UInt32) -> UInt32 {
    if contains(WordTables.dropped, scalar) { return dropped }
    guard contains(WordTables.words, scalar) else { return separator }
    switch scalar {
    // Å, also with an acute accent and as the sign for ångström.
    case 0xC5, 0xE5, 0x1FA, 0x1FB, 0x212B: return aWithRing
    default: return FoldingTables.caseFolded(base(of: scalar))
    }
  }

  private static func base(of scalar: UInt32) -> UInt32 {
    let bases = FoldingTables.bases(of: scalar)
    guard bases.count == 1, let base = bases.first, base & 0xFFFF_FFFF < 0x700 else {
      return scalar
    }
    return UInt32(truncatingIfNeeded: base)
  }

  /// Whether one of the ranges, given by their first and last characters, has `scalar`.
  private static func contains(_ ranges: [UInt32], _ scalar: UInt32) -> Bool {
    let low = binarySearch(0..<ranges.count / 2) { ranges[2 * $0 + 1] < scalar }
    return 2 * low < ranges.count && ranges[2 * low] <= scalar
  }
}
