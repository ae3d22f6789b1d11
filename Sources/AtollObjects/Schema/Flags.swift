/// What is said of a class with one bit, as the catalogue stores it (Format.md, "Catalogue").
package struct ClassFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Objects belong to exactly one property of another object.
  package static let embedded = ClassFlags(rawValue: 1 << 0)
  /// Not one of the program's own: in no list of classes, in no change set.
  package static let hidden = ClassFlags(rawValue: 1 << 1)
  /// Changes are recorded for a server.
  package static let synced = ClassFlags(rawValue: 1 << 2)
  /// Objects go to the server and are not kept.
  package static let asymmetric = ClassFlags(rawValue: 1 << 3)
  /// The record lists indexes of several properties, or unique ones, behind the columns.
  ///
  /// Only as it is stored: in memory the list itself tells.
  static let hasIndexes = ClassFlags(rawValue: 1 << 4)

  private static let known: ClassFlags = [.embedded, .hidden, .synced, .asymmetric, .hasIndexes]

  /// Decodes a byte; nil with a bit that has no meaning here.
  init?(decoding byte: UInt8) {
    self.init(rawValue: byte)
    guard isSubset(of: Self.known) else { return nil }
  }
}

/// What is said of a column with one bit, as the catalogue stores it (Format.md, "Catalogue").
struct ColumnFlags: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let optional = ColumnFlags(rawValue: 1 << 0)
  static let indexed = ColumnFlags(rawValue: 1 << 1)
  static let backlinks = ColumnFlags(rawValue: 1 << 2)
  static let fullText = ColumnFlags(rawValue: 1 << 3)
  /// The rules of deletion of a link, at most one of them.
  static let cascade = ColumnFlags(rawValue: 1 << 4)
  static let deny = ColumnFlags(rawValue: 1 << 5)

  private static let known: ColumnFlags = [
    .optional, .indexed, .backlinks, .fullText, .cascade, .deny,
  ]

  /// The rule; nil where there are two.
  var deletionRule: DeletionRule? {
    switch (contains(.cascade), contains(.deny)) {
    case (false, false): .nullify
    case (true, false): .cascade
    case (false, true): .deny
    case (true, true): nil
    }
  }

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Decodes a byte; nil with a bit that has no meaning here.
  init?(decoding byte: UInt8) {
    self.init(rawValue: byte)
    guard isSubset(of: Self.known) else { return nil }
  }
}
