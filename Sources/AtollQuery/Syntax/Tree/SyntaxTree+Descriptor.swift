extension QuerySyntax {
  /// A step that orders, thins out or cuts the objects that passed the predicate.
  public enum Descriptor: Hashable, Sendable {
    /// Not empty; the first key is the most significant.
    case sort([SortKey])

    /// Not empty: one object stays for each combination of the values at all paths.
    case distinct([Path])

    /// The first so many objects; not negative.
    case limit(Int64)
  }

  /// A path and the direction in which its values are ordered.
  public struct SortKey: Hashable, Sendable {
    /// The way to the value that orders the objects.
    public var path: Path
    /// Whether the values ascend; otherwise they descend.
    public var isAscending: Bool

    public init(_ path: Path, isAscending: Bool) {
      self.path = path
      self.isAscending = isAscending
    }
  }
}
