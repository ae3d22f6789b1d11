/// What is different in one class between two versions of it.
package struct TableDifference: Equatable, Sendable {
  /// The keys of objects that are in the new version only, in ascending order.
  package internal(set) var inserted: [ObjectKey] = []
  /// The keys of objects that are in the old version only, in ascending order.
  package internal(set) var deleted: [ObjectKey] = []
  /// The keys of objects that are in both and were changed, with the ids of those columns.
  package internal(set) var modified: [ObjectKey: Set<UInt32>] = [:]

  package init() {}

  package var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }

  /// How many objects are different.
  package var count: Int { inserted.count + deleted.count + modified.count }
}

extension TableDifference {
  /// Nets out what transactions one after the other did to the objects of a class.
  ///
  /// A property that was set counts as changed, be it to an equal value; so do all properties of an
  /// object that was deleted and made again with the same key.
  ///
  /// - Complexity: O(n) in the events.
  init(_ log: ChangeLog, _ schema: TableSchema) {
    for (key, fate) in log.fates(allColumns: Set(schema.columns.map(\.id))) {
      let key = ObjectKey(rawValue: key)
      switch (fate.existedBefore, fate.exists) {
      case (false, true): inserted.append(key)
      case (true, false): deleted.append(key)
      case (true, true): modified[key] = fate.columns
      case (false, false): break
      }
    }
    inserted.sort()
    deleted.sort()
  }

  /// Adds what transactions set, one after the other, that are not all between the two versions:
  /// others may have undone it.
  ///
  /// `table`: the class in the new version.
  ///
  /// - Complexity: O(n) in the events, and a look-up of each object that was set.
  mutating func add(_ log: ChangeLog, in table: Table) throws(ObjectError) {
    let all = Set(table.schema.columns.map(\.id))
    let new = Set(inserted)
    for (key, fate) in log.fates(allColumns: all) {
      let key = ObjectKey(rawValue: key)
      // Neither version has one that others have made and deleted; one that was deleted and made
      // again, by whomever, is in both.
      guard !new.contains(key), try table.object(key) != nil else { continue }
      // A property may be gone since.
      let columns = fate.existedBefore && fate.exists ? fate.columns.intersection(all) : all
      if !columns.isEmpty { modified[key, default: []].formUnion(columns) }
    }
  }
}
