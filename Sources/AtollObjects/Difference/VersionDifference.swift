/// What is different between two versions of a file, found out class by class when it is asked for.
///
/// Where this process made the newer version, and all between the two, its transactions tell: also
/// of properties that were set to equal values. Otherwise leaves are compared that the two do not
/// share. What one user has found out of a pair of versions is there for all others of the process.
/// May be used from any thread.
package final class VersionDifference: Sendable {
  package let old: Snapshot
  package let new: Snapshot
  let shared: SharedDifference

  init(from old: Snapshot, to new: Snapshot, _ shared: SharedDifference) {
    self.old = old
    self.new = new
    self.shared = shared
  }

  /// What is different in a class; of one that neither version has, nothing.
  ///
  /// - Throws: `.storage` when a page is damaged.
  /// - Complexity: The first time O(n) in the changes, or in the leaves that were changed.
  package func table(_ id: UInt32) throws(ObjectError) -> TableDifference {
    guard let schema = new.schema.table(id: id) ?? old.schema.table(id: id) else {
      return TableDifference()
    }
    return try shared.table(schema) { () throws(ObjectError) in
      try TableDifference(from: old.table(id: id), to: new.table(id: id))
    }
  }

  /// Whether both versions have the same classes with the same properties.
  package var isOfOneSchema: Bool {
    old.schema === new.schema || old.schema.tables == new.schema.tables
  }
}
