public import AtollObjects

extension ObjectLink {
  /// A link as an argument that equals no link of any file: what an object is that is in no file.
  public static let toNothing = ObjectLink(table: .max, key: .max)
}
