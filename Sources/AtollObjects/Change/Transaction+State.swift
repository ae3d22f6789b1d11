internal import AtollStorage

extension Transaction {
  /// The version that the transaction began with.
  package var baseVersion: UInt64 { storage.base.transaction }

  /// Whether an object of the class may read differently than in the version the transaction began
  /// with.
  package func isChanged(table id: UInt32) -> Bool {
    hasUnsettledDeletions || writers[id]?.isChanged ?? false
  }
}
