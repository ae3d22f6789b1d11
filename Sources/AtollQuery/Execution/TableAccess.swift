internal import AtollObjects
internal import AtollStorage

/// A table as one run of a query reads it.
final class TableAccess {
  let table: Table
  private var bounds: (least: UInt64, greatest: UInt64)?
  private var knownStatistics: TableStatistics?
  /// The leaf that was looked into last.
  private var lastLeaf: Leaf?

  init(_ table: Table) {
    self.table = table
  }

  var schema: TableSchema { table.schema }
  var count: Int { table.count }

  /// What the branches tell of the objects; taken once.
  func statistics() throws -> TableStatistics {
    if let knownStatistics { return knownStatistics }
    let statistics = try TableStatistics(table)
    knownStatistics = statistics
    return statistics
  }

  /// The least and the greatest key; nil when the table is empty.
  func keyBounds() throws -> (least: UInt64, greatest: UInt64)? {
    if let bounds { return bounds }
    guard count > 0, let first = try table.tree.leafPage(for: .lowest),
      let last = try table.tree.leafPage(for: TreeKey(.max))
    else { return nil }
    let firstCluster = try table.cluster(first)
    let lastCluster = try table.cluster(last)
    guard firstCluster.rowCount > 0, lastCluster.rowCount > 0 else { return nil }
    let found = (firstCluster.key(0), lastCluster.key(lastCluster.rowCount - 1))
    bounds = found
    return found
  }

  /// The place of an object; nil when it does not exist.
  func locate(_ key: UInt64) throws -> RowPlace? {
    if let lastLeaf, let row = lastLeaf.cluster.row(ofKey: key) {
      return RowPlace(leaf: lastLeaf, row: row)
    }
    guard let (cluster, row) = try table.location(of: key) else { return nil }
    let leaf = Leaf(self, cluster)
    lastLeaf = leaf
    return RowPlace(leaf: leaf, row: row)
  }
}

/// A cluster and the columns of it that a query has looked at.
final class Leaf {
  let table: TableAccess
  let cluster: ClusterView
  /// The column looked at first, and the others; mostly there is one, which needs no array.
  private var firstColumn: (id: UInt32, view: ColumnView)?
  private var columns: [(id: UInt32, view: ColumnView)] = []

  init(_ table: TableAccess, _ cluster: ClusterView) {
    self.table = table
    self.cluster = cluster
  }

  var rowCount: Int { cluster.rowCount }

  /// A column of the cluster, checked once.
  func column(_ column: Column) throws -> ColumnView {
    if let firstColumn, firstColumn.id == column.id { return firstColumn.view }
    for entry in columns where entry.id == column.id { return entry.view }
    let view = try cluster.column(column.id, column.layout)
    if firstColumn == nil {
      firstColumn = (column.id, view)
    } else {
      columns.append((column.id, view))
    }
    return view
  }

  func value(_ column: Column, _ row: Int) throws -> Value {
    try self.column(column).value(row)
  }
}

/// One object: a row of a leaf.
struct RowPlace {
  let leaf: Leaf
  let row: Int

  var key: UInt64 { leaf.cluster.key(row) }

  func value(_ column: Column) throws -> Value { try leaf.value(column, row) }
}
