/// A handle to one property of one class, found once by name and then used without a look-up.
///
/// Valid for the schema it came from and every later one that still has the property.
public struct Column: Hashable, Sendable {
  /// The name of the property when the handle was made.
  public let name: String
  /// The number of the column in its table; never reused.
  package let id: UInt32
  package let table: UInt32
  package let layout: ColumnLayout
  /// Whether an ordered index is kept for the values.
  package let isIndexed: Bool
  /// Whether a full-text index is kept for the values.
  package let isFullTextIndexed: Bool
  /// Whether values identify the object.
  package let isPrimaryKey: Bool
  /// Of links: what a deletion means for their other end.
  package let deletionRule: DeletionRule

  package init(
    name: String, id: UInt32, table: UInt32, layout: ColumnLayout, isIndexed: Bool,
    isFullTextIndexed: Bool, isPrimaryKey: Bool, deletionRule: DeletionRule = .nullify
  ) {
    self.name = name
    self.id = id
    self.table = table
    self.layout = layout
    self.isIndexed = isIndexed
    self.isFullTextIndexed = isFullTextIndexed
    self.isPrimaryKey = isPrimaryKey
    self.deletionRule = deletionRule
  }

  /// Whether the value of the property, where it is the primary key, is the object's key in the file.
  var isObjectKey: Bool { layout.value == .int && !layout.isOptional }

  /// Two columns of one schema differ in these.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(table)
    hasher.combine(id)
  }
}
