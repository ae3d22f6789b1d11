import AtollObjects

/// The operations of outbox entries that rebases have decoded, for those that come after.
///
/// Each batch asks for the waiting operations of the objects that it touches: without this, an entry of
/// a long outbox is decoded anew by every batch until it is answered. Valid as long as a connection
/// lasts, since only the process that has it changes entries, and forgets here what it changes.
struct DecodedEntries {
  private var entries: [UInt64: [Operation]] = [:]
  private var operationCount = 0

  /// How many operations are kept while a rebase runs: an entry may have a million of them, which each
  /// object of a batch asks for.
  private static let limit = 1_000_000
  /// How many operations are kept for the next rebase: some megabytes.
  private static let keptLimit = 50_000

  subscript(number: UInt64) -> [Operation]? { entries[number] }

  mutating func insert(_ operations: [Operation], for number: UInt64) {
    remove(number)
    operationCount += operations.count
    if operationCount > Self.limit {
      entries = [:]
      operationCount = operations.count
    }
    entries[number] = operations
  }

  /// Forgets an entry that was answered or rewritten.
  mutating func remove(_ number: UInt64) {
    guard let known = entries.removeValue(forKey: number) else { return }
    operationCount -= known.count
  }

  /// Drops what is too much to lie in memory until the next batch comes.
  mutating func endRebase() {
    if operationCount > Self.keptLimit { self = DecodedEntries() }
  }
}
