/// An index of several columns of a class, or a unique one of one column, as it is stored.
///
/// The value under which it lists an object is the index keys of the columns' values one after the
/// other: every key ends itself, so they compare as the tuples of the values do.
package struct TableIndex: Hashable, Sendable {
  package let table: UInt32
  /// The id of its trees, which no other tree has.
  package let treeID: UInt32
  package let columns: [Column]
  package let isUnique: Bool

  /// The names of the properties: `owner, createdAt`.
  package var propertyNames: String { columns.map(\.name).joined(separator: ", ") }

  var schema: IndexSchema { IndexSchema(columns.map(\.name), isUnique: isUnique) }
}
