extension QuerySyntax {
  /// What a comparison of strings overlooks; the raw value is the mark behind the operator.
  public enum Folding: String, CaseIterable, Hashable, Sendable {
    /// Nothing: strings compare byte by byte.
    case exact = ""

    /// Upper and lower case, by the simple case folding of Unicode.
    case ignoringCase = "[c]"

    /// Accents and other nonspacing marks, whether a letter carries them or they follow it.
    case ignoringDiacritics = "[d]"

    case ignoringCaseAndDiacritics = "[cd]"

    var ignoresCase: Bool { self == .ignoringCase || self == .ignoringCaseAndDiacritics }

    var ignoresDiacritics: Bool {
      self == .ignoringDiacritics || self == .ignoringCaseAndDiacritics
    }
  }
}
