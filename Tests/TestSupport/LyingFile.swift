package import AtollStorage
import Synchronization

/// A file that skips operations, so that its store behaves as if it had a bug.
package final class LyingFile: DataFile {
  private let file: any DataFile
  private let bug: PlantedBug
  private let syncCount = Atomic(0)
  /// Whether this process has synchronised the length that it found.
  private let hasSyncedLength = Atomic(false)
  private let hasGrown = Atomic(false)

  package init(_ file: any DataFile, bug: PlantedBug) {
    self.file = file
    self.bug = bug
  }

  package var path: String { file.path }
  package var isReadOnly: Bool { file.isReadOnly }
  package func byteCount() throws(StorageError) -> UInt64 { try file.byteCount() }
  package func setByteCount(_ byteCount: UInt64) throws(StorageError) {
    hasGrown.store(true, ordering: .relaxed)
    try file.setByteCount(byteCount)
  }
  package func window(_ index: Int) throws(StorageError) -> UnsafeRawPointer {
    try file.window(index)
  }
  package func close() { file.close() }

  package func synchronize(_ scope: SynchronizationScope) throws(StorageError) {
    switch bug {
    case .skippedSync:
      let number = syncCount.add(1, ordering: .relaxed).newValue
      if number % 3 != 0 { try file.synchronize(scope) }
    case .lostLength: try file.synchronize(.data)
    case .forgottenLength where scope == .full:
      let isNew = !hasSyncedLength.exchange(true, ordering: .relaxed)
      let isOwn = hasGrown.exchange(false, ordering: .relaxed)
      try file.synchronize(isNew || isOwn ? .full : .data)
    default: try file.synchronize(scope)
    }
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(StorageError) -> Int {
    let byteCount = try file.read(into: buffer, at: offset)
    if bug == .unverifiedCommit, byteCount == buffer.count, offset == 0 {
      for block in 0..<min(buffer.count / Block.byteCount, Int(Block.firstPage)) {
        let start = block * Block.byteCount
        let bytes = UnsafeMutableRawBufferPointer(
          rebasing: buffer[start..<start + Block.byteCount])
        guard var slot = Self.commit(UnsafeRawBufferPointer(bytes), at: UInt64(start)) else {
          continue
        }
        // Recovery verifies what the slot lists.
        slot.written = []
        bytes.copyBytes(from: slot.encoded())
      }
    }
    return byteCount
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    let slot = Self.commit(bytes, at: offset)
    if bug == .earlyReuse, let run = slot.flatMap(Self.firstRetiredRun) {
      try write(
        [UInt8](repeating: 0xA5, count: Block.byteCount), at: run.start * UInt64(Block.byteCount))
    }
    try file.write(bytes, at: offset)
    if bug == .earlyCut, let slot {
      let byteCount = slot.blockCount * UInt64(Block.byteCount)
      if try file.byteCount() > byteCount { try file.setByteCount(byteCount) }
    }
    if bug == (slot?.isRelaxed == true ? .reusedDurableSlot : .reusedSlot), let slot,
      slot.transaction > 1, let block = try block(of: slot.durable)
    {
      try write(slot.unsealed(in: block).encoded(), at: block * UInt64(Block.byteCount))
    }
  }

  /// Where the header slot of a version lies.
  private func block(of transaction: UInt64) throws(StorageError) -> BlockNumber? {
    for block in 0..<Block.firstPage {
      var bytes = [UInt8](repeating: 0, count: Block.byteCount)
      let failure = bytes.withUnsafeMutableBytes { buffer -> StorageError? in
        do throws(StorageError) {
          _ = try file.read(into: buffer, at: block * UInt64(Block.byteCount))
        } catch { return error }
        return nil
      }
      if let failure { throw failure }
      if case .valid(let slot) = HeaderSlot.read(bytes, at: block),
        slot.transaction == transaction
      {
        return block
      }
    }
    return nil
  }

  private func write(_ bytes: [UInt8], at offset: UInt64) throws(StorageError) {
    let failure = bytes.withUnsafeBytes { buffer -> StorageError? in
      do throws(StorageError) { try file.write(buffer, at: offset) } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }

  /// The header slot that a commit writes; nil for any other bytes, and for a sealed copy.
  private static func commit(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> HeaderSlot? {
    let block = offset / UInt64(Block.byteCount)
    guard bytes.count == Block.byteCount, offset % UInt64(Block.byteCount) == 0,
      block < Block.firstPage,
      case .valid(let slot) = HeaderSlot.read([UInt8](bytes), at: block), !slot.isSealed
    else { return nil }
    return slot
  }

  /// The first run of the durable version that the slot's own transaction retired, as the newest
  /// group of the log says.
  private static func firstRetiredRun(_ slot: HeaderSlot) -> BlockRun? {
    var reader = ByteReader(slot.spaceTail)
    var first: BlockRun?
    while let kind = try? reader.readByte() {
      // A change: transaction, blockCount, then the starts of reclaimed runs, taken, retired ones.
      guard kind == 2, let transaction = try? reader.readVarint(),
        (try? reader.readVarint()) != nil, varints(&reader, perEntry: 1) != nil,
        varints(&reader, perEntry: 2) != nil, let retired = varints(&reader, perEntry: 3)
      else { return nil }
      first = nil
      guard transaction == slot.transaction else { continue }
      var end: UInt64 = 0
      for index in stride(from: 0, to: retired.count, by: 3) where first == nil {
        let run = BlockRun(start: end + retired[index], count: retired[index + 1])
        end = run.end
        if transaction - retired[index + 2] <= slot.durable { first = run }
      }
    }
    return first
  }

  private static func varints(_ reader: inout ByteReader, perEntry: Int) -> [UInt64]? {
    guard let count = try? reader.readCount(limit: reader.rest.count) else { return nil }
    let numbers = (0..<count * perEntry).map { _ in try? reader.readVarint() }
    return numbers.contains(nil) ? nil : numbers.compactMap { $0 }
  }
}

/// A reader table whose scan ends one pin too early, or whose pins are wrong.
package final class LyingCoordinator: Coordinator {
  private let base: any Coordinator
  private let planted: PlantedBug

  private init(_ base: any Coordinator, _ planted: PlantedBug) {
    self.base = base
    self.planted = planted
  }

  /// `coordinator` with the bug, or itself when that is not one of a coordinator.
  package static func planting(
    _ bug: PlantedBug?, in coordinator: any Coordinator
  ) -> any Coordinator {
    guard let bug, bug == .missedPin || bug == .shortPin else { return coordinator }
    return LyingCoordinator(coordinator, bug)
  }

  package func pins() throws(StorageError) -> [Pin] {
    let pins = try base.pins()
    return planted == .missedPin ? pins.dropLast() : pins
  }

  private func told(_ version: VersionExtent) -> VersionExtent {
    planted == .shortPin
      ? VersionExtent(version.transaction, blockCount: Block.firstPage) : version
  }

  package var newestTransaction: UInt64 { base.newestTransaction }
  package func publish(transaction: UInt64) { base.publish(transaction: transaction) }
  package func wait(timeout: Duration, until isReached: () -> Bool) {
    base.wait(timeout: timeout, until: isReached)
  }
  package func wakeWaiters() { base.wakeWaiters() }
  package func lockWriter() throws(StorageError) { try base.lockWriter() }
  package func tryLockWriter() throws(StorageError) -> Bool { try base.tryLockWriter() }
  package func unlockWriter() { base.unlockWriter() }
  package func pin(
    _ version: VersionExtent, likely: ReaderSlot
  ) throws(StorageError) -> ReaderSlot {
    try base.pin(told(version), likely: likely)
  }
  package func move(_ slot: ReaderSlot, to version: VersionExtent) -> Bool {
    base.move(slot, to: told(version))
  }
  package func holds(_ slot: ReaderSlot, _ transaction: UInt64) -> Bool {
    base.holds(slot, transaction)
  }
  package func unpin(_ slot: ReaderSlot) { base.unpin(slot) }
  package func otherProcesses() throws(StorageError) -> [ProcessUse] {
    try base.otherProcesses()
  }
  package func isOnlyProcess() throws(StorageError) -> Bool { try base.isOnlyProcess() }
  package func excludeOthers() throws(StorageError) -> Bool { try base.excludeOthers() }
  package func tryLockNetwork() throws(StorageError) -> Bool { try base.tryLockNetwork() }
  package func unlockNetwork() { base.unlockNetwork() }
  package func close() { base.close() }
}
