internal import AtollStorage

/// One version of the database, readable for as long as the snapshot lives.
///
/// Never changes, whatever is committed meanwhile; blocks no writer. May be used
/// from any thread. The file keeps the pages of the version until the snapshot
/// is gone, so do not keep one longer than needed.
public final class Snapshot: TreeSource, Sendable {
  let storage: StorageSnapshot
  private let opened: OpenVersion

  init(storage: StorageSnapshot, version: OpenVersion) {
    self.storage = storage
    opened = version
  }

  var catalogue: VersionCatalogue { opened.catalogue }
  /// Where the catalogue is in the file; no other version has the same.
  var catalogueRoot: TreeRoot { storage.slot.catalogue }

  /// The number of the version: the transaction that made it.
  public var version: UInt64 { storage.transaction }

  /// The classes of the version.
  public var schema: Schema { catalogue.schema }

  /// Returns the objects of a class in this version.
  ///
  /// - Throws: `.noSuchClass` with the nearest name.
  public func table(_ className: String) throws(ObjectError) -> Table {
    table(try schema.requireTable(className), of: self)
  }

  package func table(id: UInt32) throws(ObjectError) -> Table? {
    schema.table(id: id).map { table($0, of: self) }
  }

  /// The objects of a class as `source` shows it; of one that is not in the version there are none.
  func table(_ schema: TableSchema, of source: any TreeSource) -> Table {
    let rows = catalogue.rows[schema.id]
    return Table(
      source: source, schema: schema,
      tree: Tree(
        root: rows?.root ?? .empty, form: MutableRowGroup.form(rows?.treeID ?? 0),
        reader: storage.reader), environment: opened.environment)
  }

  package func index(_ column: Column) throws(ObjectError) -> Index? {
    openIndex(catalogue.indexes[column.path])
  }

  package func index(_ index: TableIndex) throws(ObjectError) -> Index? {
    openIndex(catalogue.tableIndexes[index.treeID])
  }

  package func backlinks(_ column: Column) throws(ObjectError) -> Index? {
    openIndex(catalogue.backlinks[column.path])
  }

  package func fullTextIndex(_ column: Column) throws(ObjectError) -> Index? {
    openIndex(catalogue.fullTextIndexes[column.path])
  }

  /// An index that lists nothing.
  var emptyIndex: Index { Index(root: .empty, treeID: 0, reader: storage.reader) }

  private func openIndex(_ record: ClassRecord.IndexRecord?) -> Index? {
    record.map { Index(root: $0.root, treeID: $0.treeID, reader: storage.reader) }
  }
}

extension Column {
  /// The table and the column as one number, to look up by what belongs to the column.
  package var path: UInt64 { UInt64(table) << 32 | UInt64(id) }
}

/// What the snapshots of one version share, as far as they begin in the same lane.
///
/// It may outlive them, but it is used on behalf of one of them that is alive.
final class OpenVersion: Sendable {
  let catalogue: VersionCatalogue
  let environment: RowGroupEnvironment

  /// `reader`: one without a pin.
  init(catalogue: VersionCatalogue, reader: PageReader) {
    self.catalogue = catalogue
    environment = RowGroupEnvironment(cache: reader.cache, store: BlobStore(reader: reader))
  }
}

/// The catalogue of one version, decoded once for all its snapshots.
final class VersionCatalogue: Sendable {
  let transaction: UInt64
  let records: [ClassRecord]
  let schema: Schema
  let pendingLinks: ClassRecord.TreeRecord
  let namedTrees: [String: ClassRecord.TreeRecord]
  let nextTreeID: UInt32
  let nextClassID: UInt32
  let rows: [UInt32: ClassRecord.TreeRecord]
  /// The next key of each class.
  let nextKeys: [UInt32: UInt64]
  let indexes: [UInt64: ClassRecord.IndexRecord]
  let backlinks: [UInt64: ClassRecord.IndexRecord]
  let fullTextIndexes: [UInt64: ClassRecord.IndexRecord]
  /// By the ids of their trees.
  let tableIndexes: [UInt32: ClassRecord.IndexRecord]

  /// Takes over a decoded catalogue.
  ///
  /// The schema of `previous`, the catalogue of another version, is shared when it is equal.
  init(transaction: UInt64, catalogue: Catalogue, previous: VersionCatalogue?) {
    self.transaction = transaction
    records = catalogue.records
    pendingLinks = catalogue.pendingLinks
    namedTrees = catalogue.namedTrees
    nextTreeID = catalogue.nextTreeID
    nextClassID = catalogue.nextClassID
    let tables = catalogue.records.map(\.tableSchema)
    if let previous, previous.schema.tables == tables {
      schema = previous.schema
    } else {
      schema = Schema(tables)
    }
    var rows: [UInt32: ClassRecord.TreeRecord] = [:]
    var nextKeys: [UInt32: UInt64] = [:]
    var indexes: [UInt64: ClassRecord.IndexRecord] = [:]
    var backlinks: [UInt64: ClassRecord.IndexRecord] = [:]
    var fullTextIndexes: [UInt64: ClassRecord.IndexRecord] = [:]
    var tableIndexes: [UInt32: ClassRecord.IndexRecord] = [:]
    for record in catalogue.records {
      rows[record.id] = record.rows
      nextKeys[record.id] = record.nextKey
      for column in record.columns {
        let path = UInt64(record.id) << 32 | UInt64(column.id)
        indexes[path] = column.index
        backlinks[path] = column.backlinks
        fullTextIndexes[path] = column.fullText
      }
      for index in record.indexes { tableIndexes[index.tree.treeID] = index.tree }
    }
    (self.rows, self.indexes, self.backlinks) = (rows, indexes, backlinks)
    self.nextKeys = nextKeys
    self.fullTextIndexes = fullTextIndexes
    self.tableIndexes = tableIndexes
  }
}

/// The classes of a version, without the version: an empty one in its place is made of them.
package struct VersionClasses: Sendable {
  private let catalogue: VersionCatalogue

  fileprivate init(_ catalogue: VersionCatalogue) { self.catalogue = catalogue }

  /// The same classes with nothing in them; the schema is the same one.
  func emptied(_ transaction: UInt64) -> VersionCatalogue {
    var emptied = Catalogue()
    emptied.records = catalogue.records.map(\.emptied)
    emptied.nextTreeID = catalogue.nextTreeID
    emptied.nextClassID = catalogue.nextClassID
    return VersionCatalogue(transaction: transaction, catalogue: emptied, previous: catalogue)
  }
}

extension Snapshot {
  /// The classes of the version, which pin nothing.
  package var classes: VersionClasses { VersionClasses(catalogue) }
}
