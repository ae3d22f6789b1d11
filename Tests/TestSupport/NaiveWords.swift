import Foundation
import Synchronization

/// The words of a text as the rules of full-text search read, scalar by scalar, with what the
/// libraries of the system know of characters.
package enum NaiveWords {
  /// What a character is to the rules.
  private enum Role {
    case separator, dropped
    case letter(String)
    /// A letter that is a word by itself.
    case word(String)
  }

  private static let roles = Mutex<[Unicode.Scalar: Role]>([:])

  private static func role(_ scalar: Unicode.Scalar) -> Role {
    roles.withLock { roles in
      if let known = roles[scalar] { return known }
      let role = decide(scalar)
      roles[scalar] = role
      return role
    }
  }

  private static func decide(_ scalar: Unicode.Scalar) -> Role {
    let value = scalar.value
    if [0xAD, 0x640, 0x200C, 0x200D].contains(value) { return .dropped }
    if value >= 0x20000, value < 0x40000 { return .word(String(scalar)) }
    guard let age = scalar.properties.age, age <= (15, 0) else { return .separator }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark:
      switch value {
      case 0..<0x700, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE2F,
        0xE0100...0xE01EF:
        return .dropped
      default: break
      }
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber:
      break
    default: return .separator
    }
    let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
    let bases = parts.filter { $0.properties.generalCategory != .nonspacingMark }
    var base = scalar
    if bases.count == 1, let first = bases.first, first.value < 0x700 { base = first }
    if base == "a" || base == "A", parts.contains("\u{30A}") { return .letter("å") }
    let letter = folded(base)
    let isIdeograph = scalar.properties.isIdeographic && !isTangutOrNushu(value)
    return isIdeograph || value == 0x3005 || (0xF900...0xFAFF).contains(value)
      ? .word(letter) : .letter(letter)
  }

  /// Ideographs of other scripts, and the Hangzhou numerals, are letters.
  private static func isTangutOrNushu(_ value: UInt32) -> Bool {
    value >= 0x16FE0 && value < 0x20000 || value == 0x3006 || (0x3021...0x303A).contains(value)
  }

  private static func folded(_ scalar: Unicode.Scalar) -> String {
    let (upper, small) = (scalar.properties.uppercaseMapping, scalar.properties.lowercaseMapping)
    switch scalar.value {
    // The dotless i is a letter of its own.
    case 0x131: return String(scalar)
    // Cherokee folds to capitals.
    case 0x13A0...0x13FD, 0xAB70...0xABBF: return upper
    default: break
    }
    if upper.unicodeScalars.count == 1, let capital = upper.unicodeScalars.first {
      let both = capital.properties.lowercaseMapping
      if both.unicodeScalars.count == 1 { return both }
    }
    return small.unicodeScalars.count == 1 ? small : String(scalar)
  }

  /// The tokens, in the order of the text.
  package static func tokens(of text: String) -> [String] {
    var words: [[String]] = [[]]
    for scalar in text.unicodeScalars {
      switch role(scalar) {
      case .separator: words.append([])
      case .dropped:
        if scalar == "\u{30A}", words[words.count - 1].last == "a" {
          words[words.count - 1].removeLast()
          words[words.count - 1].append("å")
        }
      case .letter(let letter): words[words.count - 1].append(letter)
      case .word(let letter): words += [[letter], []]
      }
    }
    return words.filter { !$0.isEmpty }.map { letters in
      var token = ""
      for letter in letters {
        if token.utf8.count + letter.utf8.count > 64 { break }
        token.unicodeScalars += letter.unicodeScalars
      }
      return token
    }
  }

  /// Whether a text passes a pattern that is well formed.
  package static func matches(_ text: String?, _ pattern: String) -> Bool {
    let tokens = tokens(of: text ?? "")
    return pattern.split(separator: " ").allSatisfy { word in
      let wanted = self.tokens(of: String(word))
      if word.hasPrefix("-") { return !tokens.contains(wanted[0]) }
      return wanted.enumerated().allSatisfy { index, wanted in
        word.hasSuffix("*") && index == self.tokens(of: String(word)).count - 1
          ? tokens.contains { $0.utf8.starts(with: wanted.utf8) } : tokens.contains(wanted)
      }
    }
  }
}

extension SplitMix64 {
  /// A text of few words in letters that fold, letters that stay, and characters that separate.
  package mutating func words() -> String {
    let stems = [
      "sail", "sailing", "Sailor", "MASTER", "Åse", "åse", "ase", "båt", "fjord", "Ærø", "ærø", "ß",
      "straße", "Þór", "þor", "é", "e", "naïve", "Ñandú", "x2", "2", "résumé", "ÿ", "日本", "Москва",
      "МОСКВА", "Constanţa", "Łódź", "Αθήνα", "Αθηνα", "a\u{30A}se", "タワー", "กรุงเทพ", "القاهرة",
    ]
    let separators = [" ", "-", "'", ", ", "\t", "×", "÷", "·", "日", "\u{0}", "、", "🚢", "e\u{301}"]
    var text = ""
    for _ in 0..<Int.random(in: 0...6, using: &self) {
      switch Int.random(in: 0..<10, using: &self) {
      case 0:
        let scalars = (0..<Int.random(in: 60...70, using: &self)).map { _ in
          ["a", "é", "å", "z"].randomElement(using: &self) ?? "a"
        }
        text += scalars.joined()
      case 1:
        for _ in 0..<Int.random(in: 1...5, using: &self) {
          text.unicodeScalars.append(
            Unicode.Scalar(UInt8.random(in: 0x20...0xFF, using: &self)))
        }
      default: text += stems.randomElement(using: &self) ?? ""
      }
      if Int.random(in: 0..<8, using: &self) > 0 {
        text += separators.randomElement(using: &self) ?? " "
      }
    }
    return text
  }
}
