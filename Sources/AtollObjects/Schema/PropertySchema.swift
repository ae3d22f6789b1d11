/// One property of a class.
public struct PropertySchema: Hashable, Sendable {
  /// Bytes that a name may have, in UTF-8.
  package static let nameByteLimit = 63

  /// The name, of 1 to 63 bytes in UTF-8.
  public var name: String
  /// The type of the value, or of each element of a collection.
  public var type: ValueType
  /// What is around the values; `none` for a single one.
  public var collection: CollectionKind
  /// Whether the value, or each element of a collection, may be null.
  ///
  /// Links to one object always may.
  public var isOptional: Bool
  /// Whether an ordered index is kept.
  ///
  /// Primary keys always have one.
  public var isIndexed: Bool
  /// Whether a full-text index is kept, which `TEXT` asks; for a single string.
  ///
  /// May be kept beside an ordered one.
  public var isFullTextIndexed: Bool
  /// The class that a link leads to.
  public var linkTarget: String?
  /// Of links: what a deletion means for their other end.
  public var deletionRule: DeletionRule

  /// Describes a property of a plain type.
  public init(
    _ name: String, _ type: ValueType, collection: CollectionKind = .none,
    isOptional: Bool = false, isIndexed: Bool = false, isFullTextIndexed: Bool = false
  ) {
    self.name = name
    self.type = type
    self.collection = collection
    self.isOptional = isOptional
    self.isIndexed = isIndexed
    self.isFullTextIndexed = isFullTextIndexed
    linkTarget = nil
    deletionRule = .nullify
  }

  /// Describes a link, or a list, set or map of links, to objects of `target`.
  public init(
    _ name: String, linkTo target: String, collection: CollectionKind = .none,
    deletionRule: DeletionRule = .nullify
  ) {
    self.name = name
    type = .link
    self.collection = collection
    isOptional = collection == .none || collection == .map
    isIndexed = false
    isFullTextIndexed = false
    linkTarget = target
    self.deletionRule = deletionRule
  }
}
