internal import AtollStorage

extension Transaction {
  /// The version that the transaction began with.
  package var baseVersion: UInt64 { storage.base.transaction }

  /// Whether an object of the class may read differently than in the version the transaction began
  /// with: it was written, or the class is redefined.
  package func isChanged(table id: UInt32) -> Bool {
    hasUnsettledDeletions || existingWriter(id: id)?.isChanged ?? false
      || !redefinedTables.isEmpty && redefinedTables.contains(id)
  }

  /// Whether the transaction has deleted an object with this key, be it that there is one again.
  package func hasDeleted(table id: UInt32, _ key: ObjectKey) -> Bool {
    writers[id]?.hasDeleted(key.rawValue) ?? false
  }

  /// Whether the transaction may have made the object with this key, which exists.
  ///
  /// Of a class whose integer primary key is the object's key only when the class is new as well.
  package func hasMade(table id: UInt32, _ key: ObjectKey) -> Bool {
    guard let table = base.schema.table(id: id) else { return true }
    return !table.isKeyedByPrimaryKey && key.rawValue >= base.nextKeys[id] ?? 1
  }
}
