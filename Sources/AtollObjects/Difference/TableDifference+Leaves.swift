internal import AtollStorage

extension TableDifference {
  /// Compares two versions of a class; nil stands for a version that does not have it.
  ///
  /// Subtrees that both versions share are skipped without a look. Of the other leaves both
  /// versions are read in the order of their keys, one leaf of each at a time.
  ///
  /// - Throws: `.storage` when a page is damaged.
  /// - Complexity: The changed leaves, and the branches above them; never the data.
  package init(from old: Table?, to new: Table?) throws(ObjectError) {
    do throws(StorageError) {
      let leaves = try Self.differingLeaves(old, new)
      var before = LeafRows(old, leaves.old)
      var after = LeafRows(new, leaves.new)
      var pair = RowGroupPair(old?.schema, new?.schema)
      var (oldKey, newKey) = (try before.next(), try after.next())
      while oldKey != nil || newKey != nil {
        if let key = oldKey, newKey.map({ key < $0 }) ?? true {
          deleted.append(ObjectKey(rawValue: key))
          oldKey = try before.next()
          continue
        }
        guard let key = newKey else { break }
        guard oldKey == key else {
          inserted.append(ObjectKey(rawValue: key))
          newKey = try after.next()
          continue
        }
        let columns = try pair.differingColumns(before, after)
        if !columns.isEmpty { modified[ObjectKey(rawValue: key)] = columns }
        (oldKey, newKey) = (try before.next(), try after.next())
      }
    } catch { throw .storage(error) }
  }

  private static func differingLeaves(
    _ old: Table?, _ new: Table?
  ) throws(StorageError) -> (old: [PageReference], new: [PageReference]) {
    guard let old else { return ([], try new.map(leaves) ?? []) }
    guard let new else { return (try leaves(of: old), []) }
    if old.tree.root.reference == new.tree.root.reference { return ([], []) }
    let difference = try TreeDifference(from: old.tree, to: new.tree)
    return (difference.removed, difference.added)
  }

  private static func leaves(of table: Table) throws(StorageError) -> [PageReference] {
    var leaves: [PageReference] = []
    var cursor = table.tree.cursor()
    while let entry = try cursor.next() { leaves.append(entry.reference) }
    return leaves
  }
}

/// The objects of some leaves of a table, one after the other.
private struct LeafRows {
  private let table: Table?
  private var leaves: ArraySlice<PageReference>
  /// The leaf of the present object, and its number.
  private(set) var rowGroup: RowGroupPage?
  private(set) var leafNumber = 0
  /// The row of the present object.
  private(set) var row = -1

  init(_ table: Table?, _ leaves: [PageReference]) {
    self.table = table
    self.leaves = leaves[...]
  }

  /// Goes on to the next object.
  ///
  /// - Returns: Its key; nil after the last one.
  mutating func next() throws(StorageError) -> UInt64? {
    row += 1
    while true {
      if let rowGroup, row < rowGroup.rowCount { return rowGroup.key(row) }
      guard let table, let leaf = leaves.popFirst() else { return nil }
      rowGroup = try table.rowGroup(leaf)
      leafNumber += 1
      row = 0
    }
  }
}

/// Compares rows of one leaf with rows of another.
///
/// The columns of the two are opened once, and those whose vectors are the same are left out: a
/// leaf that was rewritten for one object mostly differs from the one before in one vector.
private struct RowGroupPair {
  fileprivate struct ColumnPair {
    let id: UInt32
    /// Nil when the old version does not have the column.
    let old: ColumnView?
    let new: ColumnView
  }

  private let oldColumns: [UInt32: ColumnLayout]
  private let newColumns: [Column]
  /// The numbers of the leaves that `columns` are of.
  private var leaves = (old: 0, new: 0)
  private var columns: [ColumnPair] = []

  init(_ old: TableSchema?, _ new: TableSchema?) {
    oldColumns = Dictionary(
      uniqueKeysWithValues: (old?.columns ?? []).map { ($0.id, $0.layout) })
    newColumns = new?.columns ?? []
  }

  /// The ids of the columns in which the present objects differ; one that only the new version has
  /// is among them when its value is not null.
  mutating func differingColumns(
    _ before: LeafRows, _ after: LeafRows
  ) throws(StorageError) -> Set<UInt32> {
    guard let old = before.rowGroup, let new = after.rowGroup else { return [] }
    var differing: Set<UInt32> = []
    do {
      if leaves != (before.leafNumber, after.leafNumber) {
        leaves = (before.leafNumber, after.leafNumber)
        columns = try open(old, new)
      }
      for pair in columns where try !pair.isEqual(before.row, after.row) {
        differing.insert(pair.id)
      }
    } catch { throw StorageError(reading: error) }
    return differing
  }

  private func open(_ old: RowGroupPage, _ new: RowGroupPage) throws -> [ColumnPair] {
    let haveSameRows = old.hasSameVectors(0, as: new)
    var columns: [ColumnPair] = []
    for column in newColumns {
      let layout = oldColumns[column.id]
      if haveSameRows, layout == column.layout, old.hasSameVectors(column.id, as: new) { continue }
      columns.append(
        ColumnPair(
          id: column.id, old: try layout.map { try old.column(column.id, $0) },
          new: try new.column(column.id, column.layout)))
    }
    return columns
  }
}

extension RowGroupPair.ColumnPair {
  fileprivate func isEqual(_ oldRow: Int, _ newRow: Int) throws -> Bool {
    guard let old else { return try new.value(newRow).isNull }
    if let isSame = new.isSameOutside(newRow, as: oldRow, of: old) { return isSame }
    return try Value.isIdentical(new.value(newRow), old.value(oldRow))
  }
}
