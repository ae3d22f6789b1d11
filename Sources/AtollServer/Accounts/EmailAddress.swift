#if Sync
internal import Foundation

/// The form in which e-mail addresses are compared.
///
/// Two that look alike are one account or no address: letters of either case and forms of a
/// character that mean the same are one (NFKC, Unicode Standard Annex 15); and what is, beyond ASCII,
/// no letter, mark or digit, or mixes scripts, is none.
enum EmailAddress {
  /// No address is longer, in bytes.
  private static let byteLimit = 254

  /// Returns the normal form; nil for what is no address.
  static func normalForm(_ text: String) -> String? {
    guard text.utf8.count <= byteLimit else { return nil }
    let form = text.precomposedStringWithCompatibilityMapping.lowercased()
      .precomposedStringWithCompatibilityMapping
      // Names of hosts may have it in place of a dot (Unicode Technical Standard 46).
      .replacingOccurrences(of: "\u{3002}", with: ".")
    let parts = form.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, form.utf8.count <= byteLimit,
      form.unicodeScalars.allSatisfy(isPlain), let name = parts.first, let domain = parts.last,
      isPlain(name), isPlain(domain), !domain.contains("..")
    else { return nil }
    let labels = domain.split { $0 == "." || $0 == "-" }
    guard !labels.isEmpty, labels.allSatisfy(isOfOneScript), isOfOneScript(name) else {
      return nil
    }
    return form
  }

  /// Returns the form that older servers stored; nil for what was no address to them.
  static func olderForm(_ text: String) -> String? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    let isPlain = text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), isPlain,
      text.utf8.count <= byteLimit
    else { return nil }
    return text.lowercased()
  }

  /// Whether a part has something, and no dot at an end: mail systems ignore one, or refuse it.
  private static func isPlain(_ part: Substring) -> Bool {
    !part.isEmpty && part.first != "." && part.last != "."
  }

  /// Whether a character is one of ASCII that can be seen, or a letter, a mark or a digit.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value > 0x20 && scalar.value != 0x7F }
    if scalar.properties.isDefaultIgnorableCodePoint || isTwin(scalar) || isLoose(scalar) {
      return false
    }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber:
      true
    default: false
    }
  }

  /// Whether a letter is one of a phonetic alphabet, many of which look like those of Latin, or
  /// another of Latin that looks like one of ASCII or like a sign.
  private static func isTwin(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Letters of Azerbaijani, Hausa, Akan, Ewe and others, which are no others' twins.
    case 0x253, 0x254, 0x256, 0x257, 0x259, 0x25B, 0x263, 0x272, 0x28A, 0x28B: false
    case 0x250...0x2FF, 0x1D00...0x1DBF, 0xA720...0xA7FF, 0xAB30...0xAB6F: true
    // A sign of tone, wynn and the clicks, a J without a dot.
    case 0x185, 0x1BF...0x1C3, 0x237: true
    default: false
    }
  }

  /// Whether a character is a mark that has composed with no letter, of Latin, Greek, Cyrillic, kana
  /// or no script, or one that only lengthens or repeats others (RFC 5892).
  private static func isLoose(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x300...0x36F, 0x483...0x489, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF,
      0x2DE0...0x2DFF, 0x302A...0x302F, 0x3099...0x309A, 0xA66F...0xA67D, 0xA69E...0xA69F,
      0xFE20...0xFE2F:
      true
    case 0x640, 0x7FA, 0x3031...0x3035, 0x303B: true
    default: false
    }
  }

  /// Whether letters, marks and digits are of one script, and marks follow others of it.
  ///
  /// Punctuation and digits of ASCII are of every script; but all digits are of one kind.
  private static func isOfOneScript(_ part: Substring) -> Bool {
    var scripts: Set<UInt32> = []
    var zeros: Set<UInt32> = []
    var mayHaveMark = false
    for scalar in part.unicodeScalars {
      let properties = scalar.properties
      switch properties.generalCategory {
      case .nonspacingMark, .spacingMark:
        guard mayHaveMark else { return false }
      case .decimalNumber:
        zeros.insert(scalar.value &- UInt32(properties.numericValue ?? 0))
      default: break
      }
      mayHaveMark = !scalar.isASCII
      if !scalar.isASCII || properties.isAlphabetic { scripts.insert(script(of: scalar)) }
    }
    if !scripts.isDisjoint(with: besideHan) { scripts.remove(han) }
    return scripts.count <= 1 && zeros.count <= 1
  }

  private static let han: UInt32 = 0x4E00
  /// Hangul, kana and Bopomofo, each of which is written together with Han.
  private static let besideHan: Set<UInt32> = [0x1100, 0x3040, 0x3100]

  /// The script of a letter, a mark or a digit, named by a code point of it.
  ///
  /// Of scripts that are not listed, those with code points in the same 256 are one.
  private static func script(of scalar: Unicode.Scalar) -> UInt32 {
    let value = scalar.value
    return switch value {
    // Latin, Greek, Coptic, Cyrillic, Armenian.
    case 0...0x2AF, 0x1E00...0x1EFF: 0
    case 0x3E2...0x3EF, 0x2C80...0x2CFF: 0x2C80
    case 0x370...0x3FF, 0x1F00...0x1FFF: 0x370
    case 0x400...0x52F, 0x1C80...0x1C8F, 0xA640...0xA69F: 0x400
    case 0x530...0x58F: 0x530
    // Hebrew, Arabic, Syriac, Thaana, Devanagari.
    case 0x590...0x5FF: 0x590
    case 0x600...0x6FF, 0x750...0x77F, 0x870...0x8FF: 0x600
    case 0x700...0x74F, 0x860...0x86F: 0x710
    case 0x780...0x7BF: 0x780
    case 0x900...0x97F, 0xA8E0...0xA8FF: 0x900
    // The others of India, Sinhala, Thai and Lao have 128 code points each.
    case 0x980...0xEFF: value & ~0x7F
    // Myanmar, Georgian, Ethiopic, Cherokee, Canadian syllabics, Khmer, Mongolian.
    case 0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F: 0x1000
    case 0x10A0...0x10FF, 0x1C90...0x1CBF, 0x2D00...0x2D2F: 0x10A0
    case 0x1200...0x139F, 0x2D80...0x2DDF, 0xAB00...0xAB2F, 0x1E7E0...0x1E7FF: 0x1200
    case 0x13A0...0x13FF, 0xAB70...0xABBF: 0x13A0
    case 0x1400...0x167F, 0x18B0...0x18FF: 0x1400
    case 0x1780...0x17FF: 0x1780
    case 0x1800...0x18AF: 0x1800
    // Hangul, kana, Bopomofo, Han.
    case 0x1100...0x11FF, 0xA960...0xA97F, 0xAC00...0xD7FF: 0x1100
    case 0x3040...0x30FF, 0x31F0...0x31FF, 0x1AFF0...0x1B16F: 0x3040
    case 0x3100...0x312F, 0x31A0...0x31BF: 0x3100
    case 0x3005...0x3006, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
      han
    // Yi, Lisu, Vai.
    case 0xA000...0xA4CF: 0xA000
    case 0xA4D0...0xA4FF: 0xA4D0
    case 0xA500...0xA63F: 0xA500
    default: value & ~0xFF
    }
  }
}
#endif
