/// A word with a meaning of its own; the raw value is its lower-case spelling.
///
/// Some words are keywords in any letter case, others only when written in one case throughout:
/// `Not` and `True` are names. Several keywords may still name a property, and their position
/// decides; the rest cannot, and such a property is reached with a key-path argument.
enum Keyword: String, CaseIterable, Sendable {
  case and, or, not
  case any, some, all, none
  case `in`, between, text, geoWithin = "geowithin"
  case beginsWith = "beginswith"
  case endsWith = "endswith"
  case contains, like
  case truePredicate = "truepredicate"
  case falsePredicate = "falsepredicate"
  case `true`, `false`, null, `nil`
  case infinity, inf, nan
  case subquery, obj, bin, binary
  case geoBox = "geobox"
  case geoCircle = "geocircle"
  case geoPolygon = "geopolygon"
  case sort, distinct, limit, group, asc, ascending, desc, descending
  case first, last, size

  /// The length in bytes of the longest keyword.
  static let longestByteCount = 14

  /// Whether the word is a keyword only when all its letters have one case.
  var needsUniformCase: Bool {
    switch self {
    case .not, .in, .any, .some, .all, .none, .true, .false, .first, .last, .size: true
    default: false
    }
  }

  /// Whether a property or class of this name can be written as it is.
  var mayBeName: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like, .text, .between, .in, .sort, .distinct, .limit,
      .group, .asc, .ascending, .desc, .descending, .bin, .binary, .first, .last, .size:
      true
    default: false
    }
  }

  /// The keyword spelled by `word`, if its letter case makes it one.
  init?(_ word: ArraySlice<UInt8>) {
    guard word.count <= Self.longestByteCount, let keyword = Self(ignoringCase: word) else {
      return nil
    }
    if keyword.needsUniformCase {
      let upperCaseCount = word.count { $0 & 0x20 == 0 }
      guard upperCaseCount == 0 || upperCaseCount == word.count else { return nil }
    }
    self = keyword
  }

  /// The keyword with the letters of `word`, whatever their case.
  init?(ignoringCase word: ArraySlice<UInt8>) {
    guard word.count <= Self.longestByteCount, word.allSatisfy(\.isLetter) else { return nil }
    self.init(rawValue: String(decoding: word.map { $0 | 0x20 }, as: UTF8.self))
  }
}
