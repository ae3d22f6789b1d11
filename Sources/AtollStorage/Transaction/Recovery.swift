/// Finds the newest whole version when a file is opened.
///
/// A commit writes its pages and its header slot and then syncs once, or leaves that to a later
/// one, so after a power cut a slot may be on the disk while some of its pages are not. The slot
/// lists the pages since the version that was durable when it was written. When one does not
/// verify, that version was never promised, and an older one counts: at the latest the durable
/// one, whose slot and pages were not overwritten.
///
/// A slot or a page that is wrong in a way that no power cut explains is damage,
/// and damage is an error: silently going back would lose an acknowledged commit. So recovery never
/// goes behind a version that any slot says was durable.
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
    let readings = try HeaderSlots(file, key: nil).read()
    var isForeign = false
    for reading in readings {
      switch reading {
      case .notASlot: isForeign = true
      case .blank: break
      default: return
      }
    }
    // Blank slots alone are what a power cut may leave of a file that was being made.
    if isForeign || !Self.isUnfinishedCreation(readings, byteCount: byteCount) {
      throw .notADatabase(path: file.path)
    }
  }

  /// Waits for the writer only when no other process has recovered the file.
  func run(makeFileID: (() -> [UInt8])?) throws(StorageError) -> (HeaderSlot, Outcome) {
    if let slot = try foundByOthers() { return (slot, .clean) }
    try coordinator.lockWriter()
    defer { coordinator.unlockWriter() }
    // Another process may have been faster.
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
    let readings = try slots.read()
    if Self.isUnfinishedCreation(readings, byteCount: byteCount) {
      guard let makeFileID, !file.isReadOnly else { throw .empty(path: file.path) }
      return (try create(fileID: makeFileID()), .created)
    }
    let newest = try newestWhole(of: Self.candidates(readings, path: file.path))
    try Self.accept(newest, among: readings)
    if newest.isSealed { return (newest, .clean) }
    let undone = readings.compactMap { reading -> UInt64? in
      switch reading {
      case .valid(let slot): slot.transaction
      case .torn(let writers): writers.max()
      default: nil
      }
    }
    if let last = undone.max(), last > newest.transaction {
      return (newest, .rolledBack(from: last, to: newest.transaction))
    }
    return (newest, .verified)
  }

  /// The first of these slots whose version is whole.
  ///
  /// - Throws: what is wrong with the newest that should have been whole.
  private func newestWhole(of candidates: [HeaderSlot]) throws(StorageError) -> HeaderSlot {
    let durable = candidates.map { $0.isSealed ? $0.transaction : $0.durable }.max() ?? 0
    var firstError: StorageError?
    for slot in candidates where slot.transaction >= durable {
      guard let failure = try firstFailure(of: slot) else { return slot }
      firstError = firstError ?? failure.error
      guard slot.transaction > durable, !slot.isSealed, !slot.isSynced || failure.isLength else {
        throw failure.error
      }
    }
    throw firstError ?? .corrupted(block: 0, .structure(.headerSlot))
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

  /// Makes an empty database: the same version in all slots, that of the next one sealed.
  private func create(fileID: [UInt8]) throws(StorageError) -> HeaderSlot {
    let slot = HeaderSlot(transaction: 1, blockCount: Block.firstPage, fileID: fileID, block: 1)
    try file.setByteCount(Block.firstPage * UInt64(Block.byteCount))
    let cipher = slots.cipher(fileID: fileID)
    let encoded =
      slot.unsealed(in: 0).encoded(cipher) + slot.encoded(cipher)
      + slot.sealed(in: 2).encoded(cipher)
    try encoded.withByteView { bytes throws(StorageError) in
      // SAFETY: the view is lent for the length of the closure; its bytes alone are written.
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
    return byteCount < wholeByteCount || byteCount == wholeByteCount && validCount < readings.count
  }

  /// The valid slots, the newest first and of equal ones the sealed one.
  ///
  /// - Throws: when one was not written by this library with this key, or there is none.
  static func candidates(_ readings: [HeaderSlot.Reading], path: String) throws(StorageError)
    -> [HeaderSlot]
  {
    for case .locked(let problem) in readings { throw .encryption(path: path, problem) }
    for case .otherFormat(let version) in readings {
      throw .unsupportedFormat(version: version, newestSupported: HeaderSlot.formatVersion)
    }
    var slots: [HeaderSlot] = []
    var isForeign = true
    for reading in readings {
      switch reading {
      case .valid(let slot): slots.append(slot)
      case .notASlot, .blank: continue
      default: isForeign = false
      }
    }
    guard !slots.isEmpty else {
      throw isForeign ? .notADatabase(path: path) : .corrupted(block: 0, .structure(.headerSlot))
    }
    slots.sort { ($0.transaction, $0.isSealed ? 1 : 0) > ($1.transaction, $1.isSealed ? 1 : 0) }
    for (slot, next) in zip(slots, slots.dropFirst()) {
      guard slot.fileID == next.fileID,
        slot.transaction > next.transaction || slot.isCopy(of: next)
      else { throw .corrupted(block: 0, .structure(.headerSlot)) }
    }
    return slots
  }

  /// Refuses `newest` when a block may have held a newer version that was durable.
  private static func accept(_ newest: HeaderSlot, among readings: [HeaderSlot.Reading])
    throws(StorageError)
  {
    // The next slot would have taken the place of this one.
    if newest.isSealed { return }
    for (block, reading) in zip(0..<Block.firstPage, readings) {
      switch reading {
      case .valid: continue
      case .torn(let writers)
      where writers.allSatisfy { isNear($0, newest.transaction) }: continue
      case .damaged(let transaction?) where transaction <= newest.transaction: continue
      default: throw .corrupted(block: block, .structure(.headerSlot))
      }
    }
  }

  private static func isNear(_ a: UInt64, _ b: UInt64) -> Bool {
    (a > b ? a - b : b - a) <= HeaderSlot.tearSpan
  }
}
