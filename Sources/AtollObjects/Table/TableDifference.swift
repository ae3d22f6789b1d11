internal import AtollStorage

/// What is different in one class between two versions of it.
///
/// Leaves that both versions share are skipped without a look, so the cost is that of the changed
/// leaves: a read of each, and a comparison of their objects, value by value.
package struct TableDifference: Sendable {
  /// The keys of objects that are in the new version only.
  package private(set) var inserted: Set<ObjectKey> = []
  /// The keys of objects that are in the old version only.
  package private(set) var deleted: Set<ObjectKey> = []
  /// The keys of objects whose values differ, with the ids of those columns.
  package private(set) var modified: [ObjectKey: Set<UInt32>] = [:]

  package var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }

  /// Compares two versions of a class.
  ///
  /// - Throws: `.storage` when a page is damaged.
  package init(from old: Table, to new: Table) throws(ObjectError) {
    guard old.tree.root.reference != new.tree.root.reference else { return }
    do throws(StorageError) {
      let oldLeaves = try Self.leaves(of: old)
      let newLeaves = try Self.leaves(of: new)
      let shared = Set(oldLeaves).intersection(newLeaves)
      let before = try Rows(old, oldLeaves.filter { !shared.contains($0) })
      let after = try Rows(new, newLeaves.filter { !shared.contains($0) })
      for (key, place) in before.places {
        let objectKey = ObjectKey(rawValue: key)
        guard let other = after.places[key] else {
          deleted.insert(objectKey)
          continue
        }
        let columns = try Self.columns(
          differing: old.schema, before.rowGroups[place.rowGroup], place.row, new.schema,
          after.rowGroups[other.rowGroup], other.row)
        if !columns.isEmpty { modified[objectKey] = columns }
      }
      for key in after.places.keys where before.places[key] == nil {
        inserted.insert(ObjectKey(rawValue: key))
      }
    } catch { throw .storage(error) }
  }

  private static func leaves(of table: Table) throws(StorageError) -> [PageReference] {
    var leaves: [PageReference] = []
    var cursor = table.tree.cursor()
    while let entry = try cursor.next() { leaves.append(entry.reference) }
    return leaves
  }

  /// The objects of some leaves.
  private struct Rows {
    var rowGroups: [RowGroupPage] = []
    var places: [UInt64: (rowGroup: Int, row: Int)] = [:]

    init(_ table: Table, _ leaves: [PageReference]) throws(StorageError) {
      for leaf in leaves {
        let rowGroup = try table.rowGroup(leaf)
        for row in 0..<rowGroup.rowCount { places[rowGroup.key(row)] = (rowGroups.count, row) }
        rowGroups.append(rowGroup)
      }
    }
  }

  /// The ids of the columns in which two rows differ; one that only the new version has is among
  /// them when its value is not null.
  private static func columns(
    differing old: TableSchema, _ before: RowGroupPage, _ row: Int, _ new: TableSchema,
    _ after: RowGroupPage, _ newRow: Int
  ) throws(StorageError) -> Set<UInt32> {
    var differing: Set<UInt32> = []
    for column in new.columns {
      do {
        let view = try after.column(column.id, column.layout)
        var previous = Value.null
        if let known = old.columns.first(where: { $0.id == column.id }) {
          let other = try before.column(known.id, known.layout)
          if let isSame = view.isSameOutside(newRow, as: row, of: other) {
            if !isSame { differing.insert(column.id) }
            continue
          }
          previous = try other.value(row)
        }
        if try view.value(newRow) != previous { differing.insert(column.id) }
      } catch { throw StorageError(reading: error) }
    }
    return differing
  }
}
