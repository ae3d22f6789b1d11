import AtollCapture

/// The decoded operations of outbox entries, kept for later rebases.
///
/// Each batch needs the pending operations of the objects that it touches: without this cache,
/// every batch would decode an entry of a long outbox again until it is answered. Valid while a
/// connection lasts, as only the process that has it changes entries, and removes the changed ones
/// here.
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

  /// Drops what exceeds the limit between batches.
  mutating func endRebase() {
    if byteCount > Self.keptByteLimit { self = DecodedEntries() }
  }
}
