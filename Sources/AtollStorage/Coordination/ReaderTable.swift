import Synchronization

/// The slots in which readers pin transactions, in memory that processes may share.
///
/// A slot is 64 bytes, so that no two share a cache line:
///
///     offset  size  field
///          0     8  owner        who claimed the slot, 0 when it is free
///          8     8  transaction  the pinned transaction, 0 when there is none
///         16     8  since        seconds since 1970
///         24     8  blockCount   how long the pinned version is
///         32    32  unused
///
/// 1. A free slot is claimed by one compare-exchange of its owner, and only the owner writes it.
/// 2. The owner stores `transaction` after all else, and clears it before it frees the slot. So
///    a process that sees a transaction also sees its owner, time and length, or those of a later
///    pin in the slot: then that transaction is no longer read there.
/// 3. The slot of a dead owner is first claimed by one compare-exchange, then cleared. Owners are
///    unique for ever, so the exchange cannot hit a slot that was freed and claimed meanwhile.
/// 4. Every claimed slot lies below `usedCount`, which never falls: a scan ends there.
///
/// No bytes in the memory are a danger to their reader. But a program that overwrites them can
/// take readers' pins away.
@safe final class ReaderTable: Sendable {
  static let slotCount = 1024
  static let slotByteCount = 64
  static let byteCount = slotCount * slotByteCount

  // SAFETY: the owner of this table keeps the memory alive and mapped longer than the table.
  private nonisolated(unsafe) let slots: UnsafeMutableRawPointer
  private nonisolated(unsafe) let usedCount: UnsafeMutablePointer<Atomic<UInt64>>

  /// A table over `byteCount` bytes at `slots`.
  ///
  /// - Parameters:
  ///   - slots: The first slot's address, a multiple of 64.
  ///   - usedCount: A word beside the table, shared by all its users.
  init(slots: UnsafeMutableRawPointer, usedCount: UnsafeMutablePointer<Atomic<UInt64>>) {
    unsafe self.slots = unsafe slots
    unsafe self.usedCount = unsafe usedCount
  }

  /// Pins a version in a free slot: in `likely` if that is one.
  ///
  /// - Returns: the slot's index, nil when all slots are claimed.
  @inline(__always)
  func pin(_ version: VersionExtent, owner: UInt64, since: UInt64, likely: Int) -> Int? {
    guard let index = claim(for: owner, likely: likely) else { return nil }
    // A load is enough nearly always, and it is ordered like the exchange it saw.
    let limit = UInt64(index) + 1
    if unsafe usedCount.pointee.load(ordering: .sequentiallyConsistent) < limit {
      _ = unsafe usedCount.pointee.max(limit, ordering: .sequentiallyConsistent)
    }
    unsafe word(index, .since).pointee.store(since, ordering: .relaxed)
    store(version, in: index)
    return index
  }

  /// Moves the pin of a slot that `owner` claimed.
  ///
  /// - Returns: false, and does nothing, when the slot says that it is another's: any program may
  ///   have written to the file.
  @inline(__always)
  func move(_ index: Int, owner: UInt64, to version: VersionExtent) -> Bool {
    guard isOwned(index, by: owner) else { return false }
    store(version, in: index)
    return true
  }

  /// Whether the slot still says that `owner` pins `transaction` in it.
  @inline(__always)
  func holds(_ index: Int, owner: UInt64, _ transaction: UInt64) -> Bool {
    guard isOwned(index, by: owner) else { return false }
    return unsafe word(index, .transaction).pointee.load(ordering: .relaxed) == transaction
  }

  /// Frees a slot that `owner` claimed; as `move`, it leaves a slot of another alone.
  @inline(__always)
  func unpin(_ index: Int, owner: UInt64) {
    guard isOwned(index, by: owner) else { return }
    unsafe word(index, .transaction).pointee.store(0, ordering: .releasing)
    unsafe word(index, .owner).pointee.store(0, ordering: .releasing)
  }

  /// Calls `body` with each pin: its slot, owner, version and time.
  func forEachPin<Failure: Error>(
    _ body: (_ index: Int, _ owner: UInt64, _ version: VersionExtent, _ since: UInt64)
      throws(Failure) -> Void
  ) throws(Failure) {
    let used = unsafe usedCount.pointee.load(ordering: .sequentiallyConsistent)
    for index in 0..<Int(min(used, UInt64(Self.slotCount))) {
      let transaction = unsafe word(index, .transaction).pointee.load(
        ordering: .sequentiallyConsistent)
      if transaction == 0 { continue }
      let since = unsafe word(index, .since).pointee.load(ordering: .relaxed)
      let blockCount = unsafe word(index, .blockCount).pointee.load(ordering: .relaxed)
      let owner = unsafe word(index, .owner).pointee.load(ordering: .acquiring)
      // Free: its reader left between the loads.
      if owner == 0 { continue }
      try body(index, owner, VersionExtent(transaction, blockCount: blockCount), since)
    }
  }

  /// Frees the slots whose owners `isAlive` denies, those without a transaction included.
  ///
  /// - Parameters:
  ///   - reclaimer: The caller's own mark, under which it clears them.
  ///   - isAlive: Whether an owner still lives.
  /// - Throws: what `isAlive` throws.
  func reclaim<Failure: Error>(
    as reclaimer: UInt64, unless isAlive: (_ owner: UInt64) throws(Failure) -> Bool
  ) throws(Failure) {
    let used = unsafe usedCount.pointee.load(ordering: .sequentiallyConsistent)
    for index in 0..<Int(min(used, UInt64(Self.slotCount))) {
      let owner = unsafe word(index, .owner).pointee.load(ordering: .acquiring)
      if owner == 0 || owner == reclaimer { continue }
      if try isAlive(owner) { continue }
      reclaim(index, from: owner, as: reclaimer)
    }
  }

  /// Frees the slot that the dead `owner` claimed, unless another process has done so.
  func reclaim(_ index: Int, from owner: UInt64, as reclaimer: UInt64) {
    let (exchanged, _) = unsafe word(index, .owner).pointee.compareExchange(
      expected: owner, desired: reclaimer, ordering: .acquiringAndReleasing)
    if exchanged { unpin(index, owner: reclaimer) }
  }

  /// Frees all slots of `owner`.
  func unpinAll(owner: UInt64) {
    for index in 0..<Self.slotCount where isOwned(index, by: owner) {
      unpin(index, owner: owner)
    }
  }

  /// Forgets all pins and claims; the table has no other user.
  func reset() {
    for index in 0..<Self.slotCount {
      unsafe word(index, .transaction).pointee.store(0, ordering: .relaxed)
      unsafe word(index, .owner).pointee.store(0, ordering: .relaxed)
    }
    unsafe usedCount.pointee.store(0, ordering: .sequentiallyConsistent)
  }
}

extension ReaderTable {
  private enum Field: Int {
    case owner = 0
    case transaction = 8
    case since = 16
    case blockCount = 24
  }

  @inline(__always)
  private func store(_ version: VersionExtent, in index: Int) {
    unsafe word(index, .blockCount).pointee.store(version.blockCount, ordering: .relaxed)
    unsafe word(index, .transaction).pointee.store(
      version.transaction, ordering: .sequentiallyConsistent)
  }

  @inline(__always)
  private func claim(for owner: UInt64, likely: Int) -> Int? {
    if likely >= 0, likely < Self.slotCount, claim(likely, for: owner) { return likely }
    for index in 0..<Self.slotCount where claim(index, for: owner) { return index }
    return nil
  }

  @inline(__always)
  private func claim(_ index: Int, for owner: UInt64) -> Bool {
    let word = unsafe word(index, .owner)
    // A look first: a failing exchange would take the cache line away from its owner.
    guard unsafe word.pointee.load(ordering: .relaxed) == 0 else { return false }
    return unsafe word.pointee.compareExchange(
      expected: 0, desired: owner, ordering: .acquiringAndReleasing
    ).exchanged
  }

  @inline(__always)
  private func isOwned(_ index: Int, by owner: UInt64) -> Bool {
    guard index >= 0, index < Self.slotCount else { return false }
    return unsafe word(index, .owner).pointee.load(ordering: .relaxed) == owner
  }

  @inline(__always)
  private func word(_ index: Int, _ field: Field) -> UnsafeMutablePointer<Atomic<UInt64>> {
    // SAFETY: an index below `slotCount`, and fields that are words inside of 64 bytes.
    unsafe (slots + (index * Self.slotByteCount + field.rawValue))
      .assumingMemoryBound(to: Atomic<UInt64>.self)
  }
}
