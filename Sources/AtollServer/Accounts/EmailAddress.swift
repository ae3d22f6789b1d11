#if Sync
internal import Foundation

/// The form in which e-mail addresses are compared.
///
/// Two that look alike are one account or no address: letters of either case and forms of a
/// character that mean the same are one (NFKC, Unicode Standard Annex 15), and what cannot be seen,
/// or mixes letters of scripts that look alike, is none.
enum EmailAddress {
  /// No address is longer, in bytes.
  private static let byteLimit = 254

  /// Returns the normal form; nil for what is no address.
  static func normalForm(_ text: String) -> String? {
    guard text.utf8.count <= byteLimit else { return nil }
    let form = text.precomposedStringWithCompatibilityMapping.lowercased()
      .precomposedStringWithCompatibilityMapping
    let parts = form.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, form.utf8.count <= byteLimit,
      form.unicodeScalars.allSatisfy(isVisible), let name = parts.first, let domain = parts.last,
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

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isDefaultIgnorableCodePoint { return false }
    return switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator,
      .lineSeparator, .paragraphSeparator:
      false
    default: true
    }
  }

  /// Whether letters are of no two scripts of which some look alike: Latin, Greek, Cyrillic.
  private static func isOfOneScript(_ part: Substring) -> Bool {
    var found: Set<Int> = []
    for scalar in part.unicodeScalars where scalar.properties.isAlphabetic {
      switch scalar.value {
      case 0...0x24F, 0x1E00...0x1EFF: found.insert(0)
      case 0x370...0x3FF, 0x1F00...0x1FFF: found.insert(1)
      case 0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F: found.insert(2)
      default: break
      }
    }
    return found.count <= 1
  }
}
#endif
