#if Sync
internal import Foundation

/// The form in which e-mail addresses are compared.
///
/// Two that look alike are one account or no address: letters of either case and forms of a
/// character that mean the same are one (NFKC, Unicode Standard Annex 15); and what is, beyond ASCII,
/// no letter and no digit, or mixes letters of scripts that look alike, is none.
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
    if scalar.properties.isDefaultIgnorableCodePoint || isPhonetic(scalar) { return false }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber:
      true
    default: false
    }
  }

  /// Whether a letter is one of a phonetic alphabet, many of which look like those of Latin.
  private static func isPhonetic(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Letters of Azerbaijani, Hausa, Akan, Ewe and others, which are no others' twins.
    case 0x253, 0x254, 0x256, 0x257, 0x259, 0x25B, 0x263, 0x272, 0x28A, 0x28B: false
    case 0x250...0x2FF, 0x1D00...0x1DBF, 0xA720...0xA7FF, 0xAB30...0xAB6F: true
    default: false
    }
  }

  /// Whether letters are of no two scripts of which some look alike.
  private static func isOfOneScript(_ part: Substring) -> Bool {
    var found: Set<Int> = []
    for scalar in part.unicodeScalars where scalar.properties.isAlphabetic {
      switch scalar.value {
      // Latin, Greek, Cyrillic, Armenian, Georgian, Cherokee, Coptic, Lisu.
      case 0...0x2AF, 0x1E00...0x1EFF: found.insert(0)
      case 0x3E2...0x3EF, 0x2C80...0x2CFF: found.insert(6)
      case 0x370...0x3FF, 0x1F00...0x1FFF: found.insert(1)
      case 0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F: found.insert(2)
      case 0x530...0x58F: found.insert(3)
      case 0x10A0...0x10FF, 0x1C90...0x1CBF, 0x2D00...0x2D2F: found.insert(4)
      case 0x13A0...0x13FF, 0xAB70...0xABBF: found.insert(5)
      case 0xA4D0...0xA4FF: found.insert(7)
      default: break
      }
    }
    return found.count <= 1
  }
}
#endif
