extension Database {
  /// Returns what is different between two versions of this database.
  ///
  /// Nothing is read before it is asked for. The value keeps both versions.
  package func difference(from old: Snapshot, to new: Snapshot) -> VersionDifference {
    VersionDifference(from: old, to: new, changeHistory)
  }
}
