import AtollObjects

/// Stands for a layer that records changes of synced classes, and records nothing.
struct SilentParticipant: DatabaseParticipant {
  private final class Part: TransactionParticipant {
    func witness(of writer: TableWriter) -> (any ChangeWitness)? { nil }
    func didChangeSchema() {}
    func writeDeferred() {}
    func willCommit() {}
    func keptKey(_ primaryKey: Value, _ writer: TableWriter) -> UInt64? { nil }
    func willRemove(_ keys: [UInt64], of table: TableSchema) {}
  }

  func join(_ transaction: Transaction) -> any TransactionParticipant { Part() }
  func check(_ snapshot: Snapshot) -> [String] { [] }
  func mend(_ transaction: Transaction) {}
}

extension Database.Options {
  /// Of a database that takes changes of synced classes.
  static var silent: Self {
    var options = Self()
    options.participant = SilentParticipant()
    return options
  }
}
