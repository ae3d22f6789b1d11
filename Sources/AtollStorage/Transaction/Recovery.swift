/// Finds the newest whole version when a file is opened.
///
/// A commit writes its pages and its header slot and then syncs once, so after a
/// power cut the newest slot may be on the disk while some of its pages are not.
/// The slot lists its pages; when one does not verify, the commit never returned
/// and the version before it, whose pages nobody overwrote, is the newest.
///
/// A slot or a page that is wrong in a way that no power cut explains is damage,
/// and damage is an error: silently going back would lose an acknowledged commit.
///
/// Opening writes nothing but a new file. What a crash left is put in order by
/// the first transaction (`PageStore.beginWrite`).
package struct Recovery {
  let slots: HeaderSlots
  let coordinator: any Coordinator
  let verified: VerifiedPages
  let cache: DecodedCache

  private var file: any DataFile { slots.file }

  /// How opening found the file.
  package enum Outcome: Equatable, Sendable {
    /// The file was empty.
    case created
    /// Closed in good order, or in use by another process.
    case clean
    /// Not closed, and the newest commit was whole.
    case verified
    /// The commit that was being written when the power went is undone.
    case rolledBack(from: UInt64, to: UInt64)
  }

  /// Refuses a file that is plainly something else, before anything is made beside it.
  ///
  /// - Throws: `.notADatabase`; `.empty` for a file without bytes that is not to become a database.
  package static func refuseForeign(_ file: any DataFile, isCreating: Bool) throws(StorageError) {
    let byteCount = try file.byteCount()
    if byteCount == 0 {
      guard isCreating else { throw .empty(path: file.path) }
      return
    }
    for block in 0..<Block.firstPage {
      switch try HeaderSlots(file, key: nil).read(block) {
      case .notASlot: continue
      default: return
      }
    }
    throw .notADatabase(path: file.path)
  }

  /// Waits for the writer only when nobody else has recovered the file.
  func run(makeFileID: (() -> [UInt8])?) throws(StorageError) -> (HeaderSlot, Outcome) {
    if let slot = try foundByOthers() { return (slot, .clean) }
    try coordinator.lockWriter()
    defer { coordinator.unlockWriter() }
    // Somebody may have been faster.
    if let slot = try foundByOthers() { return (slot, .clean) }
    let (newest, outcome) = try find(makeFileID: makeFileID)
    coordinator.publish(transaction: newest.transaction)
    return (newest, outcome)
  }

  private func foundByOthers() throws(StorageError) -> HeaderSlot? {
    guard coordinator.newestTransaction != 0, try !coordinator.isOnlyProcess() else { return nil }
    return try slots.published(by: coordinator)
  }

  private func find(makeFileID: (() -> [UInt8])?) throws(StorageError) -> (HeaderSlot, Outcome) {
    let byteCount = try file.byteCount()
    let readings = [try slots.read(0), try slots.read(1)]
    if Self.isUnfinishedCreation(readings, byteCount: byteCount) {
      guard let makeFileID, !file.isReadOnly else { throw .empty(path: file.path) }
      return (try create(fileID: makeFileID()), .created)
    }
    let (newest, other) = try Self.choose(readings, path: file.path)
    guard let failure = try firstFailure(of: newest) else {
      if newest.isSealed { return (newest, .clean) }
      if case .torn(let writers) = other, let last = writers.max(), last > newest.transaction {
        return (newest, .rolledBack(from: last, to: newest.transaction))
      }
      return (newest, .verified)
    }
    guard !newest.isSealed, !newest.isSynced || failure.isLength,
      case .valid(let older) = other, older.transaction + 1 == newest.transaction,
      try lengthFailure(of: older) == nil
    else { throw failure.error }
    return (older, .rolledBack(from: newest.transaction, to: older.transaction))
  }

  /// Whether the commit of `slot` was written to its end, as far as the slot can tell.
  func isWhole(_ slot: HeaderSlot) throws(StorageError) -> Bool {
    try firstFailure(of: slot) == nil
  }

  private struct Failure {
    var error: StorageError
    var isLength: Bool
  }

  /// What proves that the version of `slot` is not whole; nil when nothing does.
  private func firstFailure(of slot: HeaderSlot) throws(StorageError) -> Failure? {
    if let error = try lengthFailure(of: slot) {
      return Failure(error: error, isLength: true)
    }
    if slot.isSealed { return nil }
    let reader = PageReader(
      source: PageSource(
        slots: slots, cache: cache, verified: verified,
        cipher: slots.cipher(fileID: slot.fileID)),
      transaction: slot.transaction, blockCount: slot.blockCount)
    for reference in slot.written {
      do throws(StorageError) {
        try reader.verify(reference)
      } catch {
        guard case .corrupted = error else { throw error }
        return Failure(error: error, isLength: false)
      }
    }
    return nil
  }

  /// The error of a file that is shorter than its version.
  private func lengthFailure(of slot: HeaderSlot) throws(StorageError) -> StorageError? {
    do throws(StorageError) {
      try slot.checkLength(of: file)
      return nil
    } catch {
      guard case .corrupted = error else { throw error }
      return error
    }
  }

  /// Makes an empty database: the same version in both slots, one of them sealed.
  private func create(fileID: [UInt8]) throws(StorageError) -> HeaderSlot {
    let slot = HeaderSlot(transaction: 1, blockCount: Block.firstPage, fileID: fileID)
    try file.setByteCount(Block.firstPage * UInt64(Block.byteCount))
    let cipher = slots.cipher(fileID: fileID)
    let encoded = slot.sealed.encoded(cipher) + slot.encoded(cipher)
    try encoded.withByteView { bytes throws(StorageError) in
      try unsafe file.write(bytes.unsafeBytes, at: 0)
    }
    try file.synchronize(.full)
    return slot
  }

  /// A file that is empty, or in which a database was being made when the power went.
  private static func isUnfinishedCreation(_ readings: [HeaderSlot.Reading], byteCount: UInt64)
    -> Bool
  {
    let wholeByteCount = Block.firstPage * UInt64(Block.byteCount)
    var validCount = 0
    for reading in readings {
      switch reading {
      case .blank: break
      case .torn(let writers) where writers == [1]: break
      case .valid(let slot) where slot.transaction == 1: validCount += 1
      default: return false
      }
    }
    return byteCount < wholeByteCount || byteCount == wholeByteCount && validCount < 2
  }

  /// The newest slot, and what lies in the other block.
  static func choose(_ readings: [HeaderSlot.Reading], path: String) throws(StorageError)
    -> (newest: HeaderSlot, other: HeaderSlot.Reading)
  {
    for case .locked(let problem) in readings { throw .encryption(path: path, problem) }
    for case .newerFormat(let version) in readings {
      throw .unsupportedFormat(version: version, newestSupported: HeaderSlot.formatVersion)
    }
    switch (readings[0], readings[1]) {
    case (.valid(let a), .valid(let b)):
      guard a.fileID == b.fileID,
        max(a.transaction, b.transaction) - min(a.transaction, b.transaction) <= 1
      else { throw .corrupted(block: 0, .structure(.headerSlot)) }
      let isFirst =
        a.transaction == b.transaction ? a.isSealed : a.transaction > b.transaction
      return isFirst ? (a, readings[1]) : (b, readings[0])
    case (.valid(let slot), let other):
      return (try accept(slot, beside: other, block: 1), other)
    case (let other, .valid(let slot)):
      return (try accept(slot, beside: other, block: 0), other)
    case (.notASlot, .notASlot), (.notASlot, .blank), (.blank, .notASlot), (.blank, .blank):
      throw .notADatabase(path: path)
    default: throw .corrupted(block: 0, .structure(.headerSlot))
    }
  }

  /// Decides whether `slot` is the newest version although the other slot is not valid.
  ///
  /// `block`: where the other slot lies.
  private static func accept(
    _ slot: HeaderSlot, beside other: HeaderSlot.Reading, block: BlockNumber
  ) throws(StorageError) -> HeaderSlot {
    // The other block still held the version before, or this one, when it was sealed.
    if slot.isSealed { return slot }
    switch other {
    case .torn(let writers)
    where writers.allSatisfy { $0 + 1 >= slot.transaction && $0 <= slot.transaction + 1 }:
      return slot
    case .damaged(let transaction?) where transaction <= slot.transaction: return slot
    default: throw .corrupted(block: block, .structure(.headerSlot))
    }
  }
}
