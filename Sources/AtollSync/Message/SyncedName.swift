/// Names of classes and properties as devices and configurations may add them.
///
/// All devices get them, and people read them in rules and messages: what cannot be seen, or turns
/// what comes after it round, would make two names look alike.
enum SyncedName {
  /// The prefix of the names of a file's hidden classes, also of future ones.
  static let ownPrefix = "Sync."

  /// What is wrong with a name; nil for nothing.
  static func problem(_ name: String) -> String? {
    if name.isEmpty { return "it is empty" }
    if name.hasPrefix(ownPrefix) { return "names that begin with '\(ownPrefix)' are Atoll's own" }
    guard let scalar = name.unicodeScalars.first(where: \.isUnfitForNames) else { return nil }
    let code = String(scalar.value, radix: 16, uppercase: true)
    let digits = String(repeating: "0", count: max(0, 4 - code.count)) + code
    return "it has the character U+\(digits), which cannot be seen or has no meaning"
  }

  /// The name with what cannot be seen in it written out.
  static func visible(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.map { $0.isUnfitForNames ? "\u{FFFD}" : $0 }))
  }
}

extension Unicode.Scalar {
  fileprivate var isUnfitForNames: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
      .unassigned:
      true
    // The space of a keyboard is one that people see.
    case .spaceSeparator: self != " "
    default: false
    }
  }
}
