import AtollObjects

/// The operations of outbox entries that rebases have decoded, for those that come after.
///
/// Each batch asks for the waiting operations of the objects that it touches: without this, an
/// entry of a long outbox is decoded anew by every batch until it is answered. Valid as long as a
/// connection lasts, since only the process that has it changes entries, and forgets here what it
/// changes.
struct DecodedEntries {
  private var entries: [UInt64: (operations: [Operation], byteCount: Int)] = [:]
  /// How many bytes the entries have in the file.
  private var byteCount = 0

  /// How many bytes are kept while a rebase runs: an entry may have a million operations, which
  /// each object of a batch asks for.
  private static let byteLimit = 64 << 20
  /// How many bytes are kept for the next rebase.
  private static let keptByteLimit = 4 << 20

  subscript(number: UInt64) -> [Operation]? { entries[number]?.operations }

  mutating func insert(_ operations: [Operation], byteCount: Int, for number: UInt64) {
    remove(number)
    self.byteCount += byteCount
    if self.byteCount > Self.byteLimit {
      entries = [:]
      self.byteCount = byteCount
    }
    entries[number] = (operations, byteCount)
  }

  /// Forgets an entry that was answered or rewritten.
  mutating func remove(_ number: UInt64) {
    guard let known = entries.removeValue(forKey: number) else { return }
    byteCount -= known.byteCount
  }

  /// Drops what is too much to lie in memory until the next batch comes.
  mutating func endRebase() {
    if byteCount > Self.keptByteLimit { self = DecodedEntries() }
  }
}
