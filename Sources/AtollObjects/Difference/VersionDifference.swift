/// What is different between two versions of a file, found out class by class when it is asked for.
///
/// Where this process made the newer version, and all between the two, its transactions tell: also
/// of properties that were set to equal values. Otherwise leaves are compared that the two do not
/// share, and what its transactions set counts as well. What one user has found out of a pair of
/// versions is there for all others of the process.
/// May be used from any thread.
package final class VersionDifference: Sendable {
  package let old: Snapshot
  package let new: Snapshot
  let shared: SharedDifference
  private let history: ChangeHistory

  init(from old: Snapshot, to new: Snapshot, _ history: ChangeHistory) {
    self.old = old
    self.new = new
    self.history = history
    shared = history.difference(from: old, to: new)
  }

  deinit { history.keep(shared) }

  /// What is different in a class; of one that neither version has, nothing.
  ///
  /// - Throws: `.storage` when a page is damaged.
  /// - Complexity: The first time O(n) in the changes, or in the leaves that were changed.
  package func table(_ id: UInt32) throws(ObjectError) -> TableDifference {
    guard let schema = new.schema.table(id: id) ?? old.schema.table(id: id) else {
      return TableDifference()
    }
    return try shared.table(schema) { log throws(ObjectError) in
      let table = try new.table(id: id)
      var difference = try TableDifference(from: old.table(id: id), to: table)
      if let log, let table { try difference.add(log, in: table) }
      return difference
    }
  }

  /// Whether both versions have the same classes with the same properties.
  package var isOfOneSchema: Bool {
    old.schema === new.schema || old.schema.tables == new.schema.tables
  }
}
