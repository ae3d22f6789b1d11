/// The width of a text in columns of a terminal.
///
/// Follows common terminals, as there is no complete standard: a scalar that East Asian typography
/// sets wide takes two columns (UAX #11), a combining or invisible one none, any other one; an
/// emoji sequence takes two as a whole. Ambiguous scalars count one.
enum DisplayWidth {
  static func of(_ text: String) -> Int {
    var isASCII = true
    for byte in text.utf8 where byte >= 0x80 {
      isASCII = false
      break
    }
    return isASCII ? text.utf8.count : text.reduce(0) { $0 + of($1) }
  }

  static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    // A base with a selector for its emoji form, a joined sequence, or a flag.
    let isEmoji = scalars.contains { scalar in
      scalar.properties.isEmojiPresentation || scalar == "\u{FE0F}"
    }
    if isEmoji { return 2 }
    return scalars.reduce(0) { $0 + of($1) }
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return scalar == "\u{AD}" ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Vowels and final consonants of conjoining Hangul draw into the syllable before them.
    if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FB).contains(scalar.value) {
      return 0
    }
    return isWide(scalar) ? 2 : 1
  }

  /// Whether East_Asian_Width is Wide or Fullwidth, emoji aside.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x1100 else { return false }
    return wideRanges.contains { $0.contains(scalar.value) }
  }

  /// Whole blocks, unassigned scalars included, as EastAsianWidth.txt recommends.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x4E00...0xA4CF, 0xAC00...0xD7A3, 0x3041...0x3247, 0x3250...0x4DBF, 0x2E80...0x303E,
    0x1100...0x115F, 0x2329...0x232A, 0xA960...0xA97F, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
    0x1F200...0x1F2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]

  /// The longest beginning of `text` that fits in `columnCount`, ending in `…` if it was cut.
  static func truncated(_ text: String, to columnCount: Int) -> String {
    guard of(text) > columnCount else { return text }
    guard columnCount > 0 else { return "" }
    var kept = ""
    var width = 0
    for character in text {
      let next = of(character)
      guard width + next <= columnCount - 1 else { break }
      kept.append(character)
      width += next
    }
    return kept + "…"
  }
}
