internal import Synchronization

/// The classes of one version of a database.
///
/// Immutable: a transaction that changes the schema makes a new one.
public final class Schema: Sendable {
  /// All classes in the order in which they were added, the hidden ones too.
  package let tables: [TableSchema]
  private let indexByName: [ExactText: Int]
  private let indexByID: [UInt32: Int]

  package static let empty = Schema([])

  private let kept = AtomicLazyReference<CompanionBox>()

  /// The columns of mixed values, with the tables they belong to.
  let mixedColumns: [(origin: TableSchema, column: Column)]
  /// The columns with the rule `.deny`, by the tables that they link to.
  let denyingColumns: [UInt32: [Column]]
  /// Whether any column has another rule than `.nullify`.
  package let hasDeletionRules: Bool

  package init(_ tables: [TableSchema]) {
    self.tables = tables
    mixedColumns = tables.flatMap { table in
      table.columns.filter { $0.layout.value == .mixed }.map { (table, $0) }
    }
    denyingColumns = Dictionary(
      grouping: tables.flatMap(\.columns).filter { $0.deletionRule == .deny },
      by: \.layout.linkTable)
    hasDeletionRules = tables.contains { $0.columns.contains { $0.deletionRule != .nullify } }
    indexByName = Dictionary(
      tables.enumerated().map { (ExactText($0.element.name), $0.offset) },
      uniquingKeysWith: { a, _ in a })
    indexByID = Dictionary(
      tables.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { a, _ in a })
  }

  /// Returns what a layer above keeps as long as the schema lives; `make` is called the first time.
  ///
  /// It must not refer to the schema, which would then live for ever. One layer keeps something,
  /// so it is always of one type.
  package func companion<Kept: SchemaCompanion>(_ make: () -> Kept) -> Kept {
    let box = kept.load() ?? kept.storeIfNil(CompanionBox(make()))
    guard let companion = box.companion as? Kept else {
      preconditionFailure("no other layer keeps anything with a schema")
    }
    return companion
  }

  /// The classes, in the order in which they were added; not those that a library keeps for itself.
  public var classes: [ClassSchema] { visibleTables.map { $0.schema(in: self) } }

  /// The tables of `classes`.
  package var visibleTables: [TableSchema] { tables.filter { !$0.isHidden } }

  /// The class called `className`, also a hidden one.
  public subscript(className: String) -> ClassSchema? {
    table(className).map { $0.schema(in: self) }
  }

  package func table(_ className: String) -> TableSchema? {
    indexByName[ExactText(className)].map { tables[$0] }
  }

  package func table(id: UInt32) -> TableSchema? { indexByID[id].map { tables[$0] } }

  /// The link columns that lead to `table`, with the table they belong to.
  package func incomingLinks(to table: UInt32) -> [(origin: TableSchema, column: Column)] {
    tables.flatMap { origin in
      origin.columns.filter { $0.layout.value == .link && $0.layout.linkTable == table }
        .map { (origin, $0) }
    }
  }
}

/// What a layer above keeps with the classes of a version, as a cache of what it made of them.
package protocol SchemaCompanion: AnyObject, Sendable {}

/// Gives a companion the one type that an atomic reference needs.
private final class CompanionBox: Sendable {
  let companion: any SchemaCompanion

  init(_ companion: any SchemaCompanion) { self.companion = companion }
}

/// A class as it is stored: its columns by number, and where its trees are kept in the catalogue.
package struct TableSchema: Hashable, Sendable {
  package let id: UInt32
  package let name: String
  package let flags: ClassFlags
  package let columns: [Column]
  /// Index in `columns` of the primary key.
  package let primaryKeyIndex: Int?
  /// The indexes of several columns, and the unique ones.
  package let indexes: [TableIndex]

  package init(
    id: UInt32, name: String, flags: ClassFlags, columns: [Column], primaryKeyIndex: Int?,
    indexes: [TableIndex] = []
  ) {
    self.id = id
    self.name = name
    self.flags = flags
    self.columns = columns
    self.primaryKeyIndex = primaryKeyIndex
    self.indexes = indexes
  }

  package var isEmbedded: Bool { flags.contains(.embedded) }
  package var isHidden: Bool { flags.contains(.hidden) }
  package var isSynced: Bool { flags.contains(.synced) }
  package var isAsymmetric: Bool { flags.contains(.asymmetric) }

  package var primaryKey: Column? { primaryKeyIndex.map { columns[$0] } }

  /// Whether an object's key is its primary key, so that no index is needed to find it.
  package var isKeyedByPrimaryKey: Bool {
    primaryKey?.isObjectKey ?? false
  }

  package func column(_ name: String) -> Column? {
    columns.first { $0.name.hasSameBytes(as: name) }
  }

  package func column(id: UInt32) -> Column? { columns.first { $0.id == id } }

  /// The class as programs see it.
  package func schema(in schema: Schema) -> ClassSchema {
    ClassSchema(
      name,
      properties: columns.map { column in
        var property = PropertySchema(
          column.name, column.layout.value, collection: column.layout.collection,
          isOptional: column.layout.isOptional, isIndexed: column.isIndexed,
          isFullTextIndexed: column.isFullTextIndexed)
        if column.layout.value == .link {
          property.linkTarget = schema.table(id: column.layout.linkTable)?.name
          property.deletionRule = column.deletionRule
        }
        return property
      }, primaryKey: primaryKey?.name, isEmbedded: isEmbedded, isSynced: isSynced,
      isHidden: isHidden, isAsymmetric: isAsymmetric, indexes: indexes.map(\.schema))
  }
}
