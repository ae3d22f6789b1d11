internal import Workloads

/// An engine that `--engine` can name.
struct EngineEntry: Sendable {
  let name: String
  /// Whether `all` means this one too.
  var isInAll = true
  /// Creates the engine, closed, for an empty directory.
  let make: @Sendable (DatabaseDirectory) -> any Engine

  /// All engines, in the order in which they run.
  static let all = [
    EngineEntry(name: "atoll") { AtollEngine(directory: $0) },
    EngineEntry(name: "atoll-encrypted", isInAll: false) {
      AtollEngine(directory: $0, encryptionKey: Array(0..<64))
    },
    EngineEntry(name: "sqlite") { SQLiteEngine(directory: $0) },
    EngineEntry(name: "sqlite-unsynced", isInAll: false) {
      SQLiteEngine(directory: $0, isSynced: false)
    },
    EngineEntry(name: "lmdb") { LMDBEngine(directory: $0) },
    EngineEntry(name: "lmdb-unsynced", isInAll: false) {
      LMDBEngine(directory: $0, isSynced: false)
    },
  ]
}
