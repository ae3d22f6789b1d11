public import AtollObjects

extension ObjectLink {
  /// A link as an argument that equals no link of any file: what an object is that is in no file.
  public static let toNothing = ObjectLink(table: .max, key: .max)

  /// A link as `toNothing` that its number tells apart from others.
  public static func unheld(_ number: UInt64) -> ObjectLink {
    ObjectLink(table: toNothing.table, key: toNothing.key - 1 - number)
  }

  /// Whether it equals no link of any file.
  public var isToNothing: Bool { table == Self.toNothing.table }
}
