import Synchronization

/// The coordinator of a database that one process uses: in memory, simulated, or on media where
/// no lock file can be written.
@safe package final class LocalCoordinator: Coordinator {
  /// One owner for all slots: here only a coordinator's own threads read.
  private static let owner: UInt64 = 1

  private let name: String
  private let processID = SystemCalls.processID()
  private let now: @Sendable () -> UInt64
  private let newest = Atomic<UInt64>(0)
  private let isClosed = Atomic(false)
  private let gate = WriterGate()

  // SAFETY: `memoryByteCount` zeroed bytes, kept until `deinit`. The first word is the table's
  // count of used slots, the second the signal, the table begins at the first slot's place.
  private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
  private let readers: ReaderTable
  private let commits: CommitSignal

  /// A coordinator without pins or a newest transaction.
  ///
  /// - Parameters:
  ///   - path: The database's path or name, for messages.
  ///   - now: The time in seconds since 1970.
  package init(
    path: String, now: @escaping @Sendable () -> UInt64 = SystemCalls.secondsSince1970
  ) {
    name = path
    self.now = now
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: Self.memoryByteCount, alignment: ReaderTable.slotByteCount)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.memoryByteCount)
    unsafe self.memory = unsafe memory
    // SAFETY: zero bytes are an `Atomic<UInt64>` of zero.
    readers = unsafe ReaderTable(
      slots: memory + ReaderTable.slotByteCount,
      usedCount: memory.assumingMemoryBound(to: Atomic<UInt64>.self))
    commits = unsafe CommitSignal(at: memory + 8)
  }

  deinit {
    unsafe memory.deallocate()
  }

  package var newestTransaction: UInt64 { newest.load(ordering: .sequentiallyConsistent) }

  package func publish(transaction: UInt64) {
    newest.store(transaction, ordering: .sequentiallyConsistent)
    commits.raise()
  }

  package func wait(timeout: Duration, until isReached: () -> Bool) {
    commits.wait(timeout: timeout, until: isReached)
  }

  package func wakeWaiters() { commits.raise() }

  package func lockWriter() throws(StorageError) {
    try checkOpen()
    gate.take()
    // It may have been closed while we waited.
    do throws(StorageError) { try checkOpen() } catch {
      gate.leave()
      throw error
    }
  }

  package func tryLockWriter() throws(StorageError) -> Bool {
    try checkOpen()
    return gate.tryTake()
  }

  package func unlockWriter() {
    if isClosed.load(ordering: .acquiring) { return }
    gate.leave()
  }

  /// There is no other process.
  package func tryLockNetwork() throws(StorageError) -> Bool {
    try checkOpen()
    return true
  }

  package func unlockNetwork() {}

  package func pin(
    _ version: VersionExtent, likely: ReaderSlot
  ) throws(StorageError) -> ReaderSlot {
    try checkOpen()
    guard
      let index = readers.pin(version, owner: Self.owner, since: now(), likely: likely.index)
    else {
      throw Coordination.readerTableFull(try pins())
    }
    return ReaderSlot(index: index)
  }

  package func move(_ slot: ReaderSlot, to version: VersionExtent) -> Bool {
    if isClosed.load(ordering: .acquiring) { return false }
    return readers.move(slot.index, owner: Self.owner, to: version)
  }

  package func holds(_ slot: ReaderSlot, _ transaction: UInt64) -> Bool {
    readers.holds(slot.index, owner: Self.owner, transaction)
  }

  package func unpin(_ slot: ReaderSlot) {
    if isClosed.load(ordering: .acquiring) { return }
    readers.unpin(slot.index, owner: Self.owner)
  }

  package func pins() throws(StorageError) -> [Pin] {
    try checkOpen()
    var pins: [Pin] = []
    readers.forEachPin { _, _, version, since in
      pins.append(Pin(version, processID: processID, since: since))
    }
    return pins
  }

  package func otherProcesses() throws(StorageError) -> [ProcessUse] {
    try checkOpen()
    return []
  }

  package func isOnlyProcess() throws(StorageError) -> Bool {
    try checkOpen()
    return true
  }

  package func excludeOthers() throws(StorageError) -> Bool { try isOnlyProcess() }

  package func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    readers.reset()
    gate.open()
  }

  private static var memoryByteCount: Int { ReaderTable.slotByteCount + ReaderTable.byteCount }

  private func checkOpen() throws(StorageError) {
    if isClosed.load(ordering: .acquiring) { throw .closed(path: name, failedSync: nil) }
  }
}
