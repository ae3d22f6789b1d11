import Synchronization

/// The coordinator of processes that have one data file open: a small mapped file beside it.
///
/// The file `<database>-lock` holds no data. It may be deleted while no process has the database
/// open, and is made again. What lives and what died is never guessed from a process id: every
/// process keeps one byte of the file locked, and the system releases the lock when the process
/// ends, however it ends.
///
/// Caveats, before use:
///
/// - A `PosixFile` has one `LockFile` at a time. Two pairs in one process exclude each other like
///   two processes.
/// - A process that forks without starting another program shares its locks with its child; the
///   child must not use the database.
/// - A data file with two hard links has a lock file for each. Do not open it by both names.
/// - Deleting the lock file of an open database does no harm by itself, but the database cannot
///   be opened by others until those who have it open close it (`.lockFileUnusable`).
package final class LockFile: Coordinator {
  /// A byte of the data file, behind all data, that every attached process locks, shared.
  ///
  /// Through it a process that finds a fresh lock file learns whether others still use another.
  static let presenceLock: Range<Int64> = 1 << 62..<(1 << 62) + 1

  /// A byte of the data file that readers lock, shared, who cannot write a lock file.
  ///
  /// Who may write refuses to attach while it is locked, as those readers' pins cannot be seen.
  static let unseenReaderLock: Range<Int64> = (1 << 62) + 1..<(1 << 62) + 2

  /// Marks a reader of a read-only file system, where no lock file can be written.
  ///
  /// Such a file may still be writable elsewhere, through another mount. So this reader and writers
  /// exclude each other: each takes its own lock before it looks for the other's. The lock lasts as
  /// long as the file is open.
  ///
  /// - Throws: `.inUse` when a process that may write has the file open; `.moved` when it was
  ///   replaced before that; `.io(operation: .lock, …)`.
  package static func attachUnseen(to file: PosixFile) throws(StorageError) {
    let dataFile = try file.openDescriptor()
    let isWritable: Bool
    do throws(ErrorNumber) {
      _ = try SystemCalls.lock(dataFile.rawValue, unseenReaderLock, .shared, waiting: true)
      isWritable = try SystemCalls.isLockedByAnother(dataFile.rawValue, presenceLock)
    } catch {
      throw error.during(.lock, file.path)
    }
    do throws(StorageError) {
      guard !isWritable else { throw .inUse(path: file.path, processIDs: []) }
      try file.checkPlace()
    } catch {
      SystemCalls.unlock(dataFile.rawValue, unseenReaderLock)
      throw error
    }
  }

  private struct Descriptors {
    let lockFile: FileDescriptor
    let dataFile: FileDescriptor
  }

  /// The lock file's path.
  package let path: String

  private let now: @Sendable () -> UInt64
  private let memory: LockFileMemory
  private let readers: ReaderTable
  /// Our process entry, and our mark in it and in the reader table.
  private let entry: Int
  private let owner: UInt64
  private let gate = WriterGate()
  /// Nil once closed.
  private let descriptors: Mutex<Descriptors?>
  private let isClosed = Atomic(false)

  /// Attaches to the lock file of `file`, and makes or rebuilds it where that is safe.
  ///
  /// - Parameters:
  ///   - file: The data file, which stays open until `close`.
  ///   - now: The time in seconds since 1970.
  ///   - token: A number that no other process ever attaches with.
  /// - Throws: `.io(operation: .open, …)` where the lock file cannot be opened for writing, on
  ///   read-only media for one; `.io(operation: .lock, …)` where the file system has no locks;
  ///   `.lockFileUnusable`; `.processTableFull`.
  package init(
    for file: PosixFile,
    now: @escaping @Sendable () -> UInt64 = SystemCalls.secondsSince1970,
    token: UInt64 = SystemCalls.randomNumber()
  ) throws(StorageError) {
    let attachment = try LockFileAttachment(to: file, now: now(), token: token)
    path = attachment.path
    memory = attachment.memory
    readers = attachment.memory.readers
    entry = attachment.entry
    owner = attachment.owner
    self.now = now
    descriptors = Mutex(
      Descriptors(lockFile: attachment.lockFile, dataFile: attachment.dataFile))
  }

  deinit {
    close()
  }

  package var newestTransaction: UInt64 { memory.newestTransaction }

  package func publish(transaction: UInt64) {
    memory.newestTransaction = transaction
    memory.commits.raise()
  }

  package func wait(timeout: Duration, until isReached: () -> Bool) {
    memory.commits.wait(timeout: timeout, until: isReached)
  }

  package func wakeWaiters() { memory.commits.raise() }

  package func lockWriter() throws(StorageError) {
    gate.take()
    guard try lockWriter(waiting: true) else {
      preconditionFailure("who waits for the lock gets it, or an error")
    }
  }

  package func tryLockWriter() throws(StorageError) -> Bool {
    guard gate.tryTake() else { return false }
    return try lockWriter(waiting: false)
  }

  /// Takes the lock among processes; a thread that does not get it leaves the gate, which it has
  /// taken.
  private func lockWriter(waiting: Bool) throws(StorageError) -> Bool {
    do throws(StorageError) {
      guard try lock(LockFileMemory.writerLock, waiting: waiting) else {
        gate.leave()
        return false
      }
    } catch {
      // Closing may have opened it.
      gate.open()
      throw error
    }
    memory.setWritingSince(now(), ofEntry: entry)
    return true
  }

  package func unlockWriter() {
    let isOpen = descriptors.withLock { $0 != nil }
    guard isOpen else { return }
    memory.setWritingSince(0, ofEntry: entry)
    unlock(LockFileMemory.writerLock)
    gate.leave()
  }

  package func tryLockNetwork() throws(StorageError) -> Bool {
    try lock(LockFileMemory.networkLock, waiting: false)
  }

  package func unlockNetwork() { unlock(LockFileMemory.networkLock) }

  package func pin(
    _ version: VersionExtent, likely: ReaderSlot
  ) throws(StorageError) -> ReaderSlot {
    if isClosed.load(ordering: .acquiring) { throw .closed(path: path, failedSync: nil) }
    let since = now()
    if let index = readers.pin(version, owner: owner, since: since, likely: likely.index) {
      return ReaderSlot(index: index)
    }
    try reclaimSlotsOfTheDead()
    guard let index = readers.pin(version, owner: owner, since: since, likely: likely.index)
    else {
      throw Coordination.readerTableFull(try pins())
    }
    return ReaderSlot(index: index)
  }

  package func move(_ slot: ReaderSlot, to version: VersionExtent) -> Bool {
    if isClosed.load(ordering: .acquiring) { return false }
    return readers.move(slot.index, owner: owner, to: version)
  }

  package func holds(_ slot: ReaderSlot, _ transaction: UInt64) -> Bool {
    readers.holds(slot.index, owner: owner, transaction)
  }

  package func unpin(_ slot: ReaderSlot) {
    if isClosed.load(ordering: .acquiring) { return }
    readers.unpin(slot.index, owner: owner)
  }

  package func pins() throws(StorageError) -> [Pin] {
    let descriptor = try openDescriptor()
    var census = Census()
    var pins: [Pin] = []
    do throws(ErrorNumber) {
      try readers.forEachPin { (index, owner, version, since) throws(ErrorNumber) in
        if try isAlive(owner, descriptor, &census) {
          let processID = memory.processID(ofEntry: Self.entry(of: owner) ?? entry)
          pins.append(Pin(version, processID: processID, since: since))
        } else {
          readers.reclaim(index, from: owner, as: self.owner)
        }
      }
    } catch {
      throw error.during(.lock, path)
    }
    return pins
  }

  package func otherProcesses() throws(StorageError) -> [ProcessUse] {
    let descriptor = try openDescriptor()
    do throws(ErrorNumber) {
      return try memory.uses(seenBy: descriptor)
    } catch {
      throw error.during(.lock, path)
    }
  }

  package func isOnlyProcess() throws(StorageError) -> Bool {
    let descriptor = try openDescriptor()
    // The number is another file's once the descriptor is closed.
    defer { withExtendedLifetime(descriptor) {} }
    do throws(ErrorNumber) {
      return try !SystemCalls.isLockedByAnother(
        descriptor.rawValue, LockFileMemory.entryLocks)
    } catch {
      throw error.during(.lock, path)
    }
  }

  package func excludeOthers() throws(StorageError) -> Bool {
    guard try lock(LockFileMemory.attachLock, waiting: false) else { return false }
    var isKept = false
    defer { if !isKept { unlock(LockFileMemory.attachLock) } }
    isKept = try isOnlyProcess()
    return isKept
  }

  package func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let descriptors = descriptors.withLock { descriptors in
      defer { descriptors = nil }
      return descriptors
    }
    readers.unpinAll(owner: owner)
    memory.clearEntry(entry)
    // Explicitly: the mapping, which late callers may still use, keeps the locks of the lock
    // file alive beyond its descriptor, and the data file stays open anyway.
    if let descriptors {
      SystemCalls.unlock(descriptors.lockFile.rawValue, LockFileMemory.writerLock)
      SystemCalls.unlock(descriptors.lockFile.rawValue, LockFileMemory.networkLock)
      SystemCalls.unlock(descriptors.lockFile.rawValue, LockFileMemory.entryLocks)
      SystemCalls.unlock(descriptors.lockFile.rawValue, LockFileMemory.attachLock)
      SystemCalls.unlock(descriptors.dataFile.rawValue, Self.presenceLock)
    }
    gate.open()
  }
}

extension LockFile {
  /// Our mark: unique for ever by its upper 56 bits, and the entry's index plus 1 in the lower 8,
  /// so it is never zero.
  static func owner(token: UInt64, entry: Int) -> UInt64 {
    token & ~0xFF | UInt64(entry + 1)
  }

  /// The entry a mark belongs to, nil for a mark that no process made.
  private static func entry(of owner: UInt64) -> Int? {
    let index = Int(owner & 0xFF) - 1
    return index >= 0 && index < LockFileMemory.entryCount ? index : nil
  }

  /// What is known about owners during one look at the table, so that each is asked after once.
  private struct Census {
    var known: [(owner: UInt64, isAlive: Bool)] = []
  }

  /// Whether the process that marks its slots with `owner` still lives.
  private func isAlive(
    _ owner: UInt64, _ descriptor: FileDescriptor, _ census: inout Census
  ) throws(ErrorNumber) -> Bool {
    if owner == self.owner { return true }
    if let known = census.known.first(where: { $0.owner == owner }) { return known.isAlive }
    var isAlive = false
    // An entry that has another owner by now was given away because its process had died.
    if let index = Self.entry(of: owner), memory.owner(ofEntry: index) == owner {
      isAlive = try SystemCalls.isLockedByAnother(
        descriptor.rawValue, LockFileMemory.entryLock(index))
    }
    census.known.append((owner, isAlive))
    return isAlive
  }

  private func reclaimSlotsOfTheDead() throws(StorageError) {
    let descriptor = try openDescriptor()
    var census = Census()
    do throws(ErrorNumber) {
      try readers.reclaim(as: owner) { (owner) throws(ErrorNumber) in
        try isAlive(owner, descriptor, &census)
      }
    } catch {
      throw error.during(.lock, path)
    }
  }

  private func lock(_ range: Range<Int64>, waiting: Bool) throws(StorageError) -> Bool {
    let descriptor = try openDescriptor()
    defer { withExtendedLifetime(descriptor) {} }
    do throws(ErrorNumber) {
      guard try SystemCalls.lock(descriptor.rawValue, range, .exclusive, waiting: waiting) else {
        return false
      }
    } catch {
      throw error.during(.lock, path)
    }
    // While we waited others may have closed it, and the next process that opens the file gets our
    // entry.
    if isClosed.load(ordering: .acquiring) {
      SystemCalls.unlock(descriptor.rawValue, range)
      throw .closed(path: path, failedSync: nil)
    }
    return true
  }

  private func unlock(_ range: Range<Int64>) {
    // Under the lock: a descriptor that was closed meanwhile may be another file's by now.
    descriptors.withLock { descriptors in
      guard let lockFile = descriptors?.lockFile else { return }
      SystemCalls.unlock(lockFile.rawValue, range)
    }
  }

  private func openDescriptor() throws(StorageError) -> FileDescriptor {
    guard let descriptor = descriptors.withLock({ $0?.lockFile }) else {
      throw .closed(path: path, failedSync: nil)
    }
    return descriptor
  }
}
