/// What the deletion of an object means for the other end of a link.
///
/// A rule belongs to a property of links and is kept in the file: it holds for every program that
/// changes the file. Changes that a server has sent do not follow rules once more.
public enum DeletionRule: UInt8, Sendable, CaseIterable {
  /// A link becomes null when its target is deleted, or leaves the collection that it is in.
  case nullify = 0
  /// With an object the targets of the property are deleted, whatever else links to them.
  case cascade = 1
  /// A target is not deleted as long as an object links to it through the property: the commit is
  /// refused.
  case deny = 2
}
