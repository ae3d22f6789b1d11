import Synchronization

/// The mapped bytes of a lock file.
///
/// The file holds nothing that has to outlive a process, so its layout is not part of the
/// database's format and its words are in the machine's own order.
///
///     offset  size  field
///          0     8  magic              "AtollLck"
///          8     8  layout             `layoutVersion`
///         16     8  newestTransaction  0 while none was published
///         24     8  usedSlotCount      reader slots that were ever in use
///         32     8  device             of the data file
///         40     8  inode              of the data file
///         48     8  commits            see `CommitSignal`
///         56     8  unused
///         64  4032  126 process entries of 32 bytes
///       4096 65536  1024 reader slots of 64 bytes, see `ReaderTable`
///
/// A process entry:
///
///     offset  size  field
///          0     8  owner              the process's mark in the reader table, 0 when free
///          8     8  processID
///         16     8  openSince          when it attached, seconds since 1970
///         24     8  writingSince       when it took the writer lock; 0 while it has not got it
///
/// Some bytes of the file are locked, never for what is in them:
///
///     byte 0 exclusively              while a process attaches
///     byte 16 exclusively             by the writer, during a write transaction
///     byte 0 of an entry exclusively  by the process that has the entry, as long as it lives
///
/// Every layout keeps the first two words, the lock of byte 0 and the range of the entries, so
/// that two versions of this library can tell each other's presence.
@safe final class LockFileMemory: Sendable {
  static let magic: UInt64 = 0x6B63_4C6C_6C6F_7441
  static let layoutVersion: UInt32 = 2
  static let entryCount = 126
  static let byteCount = readersOffset + ReaderTable.byteCount

  static let attachLock: Range<Int64> = 0..<1
  static let writerLock: Range<Int64> = 16..<17
  /// The byte that the process locks that synchronises the file.
  static let networkLock: Range<Int64> = 24..<25
  static let entryLocks: Range<Int64> = 64..<4096

  private static let entriesOffset = 64
  private static let entryByteCount = 32
  private static let readersOffset = 4096

  // SAFETY: `byteCount` bytes, mapped by `init` and unmapped by `deinit`. Other processes write
  // them at any time, so they are touched as atomics only.
  private nonisolated(unsafe) let base: UnsafeMutableRawPointer
  let readers: ReaderTable
  let commits: CommitSignal

  /// Maps the lock file behind `descriptor`, which is `byteCount` bytes long.
  init(mapping descriptor: FileDescriptor) throws(ErrorNumber) {
    let base = unsafe try SystemCalls.map(
      descriptor.rawValue, at: 0, byteCount: Self.byteCount, .readWrite)
    unsafe self.base = unsafe base
    // SAFETY: offsets inside of the mapping, aligned as it is.
    readers = unsafe ReaderTable(
      slots: base + Self.readersOffset,
      usedCount: (base + Field.usedSlotCount.rawValue)
        .assumingMemoryBound(to: Atomic<UInt64>.self))
    commits = unsafe CommitSignal(at: base + Field.commits.rawValue)
  }

  deinit {
    unsafe SystemCalls.unmap(base, byteCount: Self.byteCount)
  }

  /// The byte that the process with entry `index` keeps locked.
  static func entryLock(_ index: Int) -> Range<Int64> {
    let offset = Int64(entriesOffset + index * entryByteCount)
    return offset..<offset + 1
  }

  /// Begins afresh, without newest transaction, processes and pins; no other process is attached.
  func reset(for dataFile: FileIdentity) {
    store(0, in: .magic)
    readers.reset()
    for index in 0..<Self.entryCount { clearEntry(index) }
    store(0, in: .newestTransaction)
    store(dataFile.device, in: .device)
    store(dataFile.inode, in: .inode)
    store(0, in: .commits)
    store(UInt64(Self.layoutVersion), in: .layout)
    // Last, so that a file whose reset was cut short is known as damaged.
    store(Self.magic, in: .magic)
  }

  var newestTransaction: UInt64 {
    get { load(.newestTransaction) }
    set { store(newValue, in: .newestTransaction) }
  }

  var dataFile: FileIdentity {
    FileIdentity(device: load(.device), inode: load(.inode))
  }

  /// Fills an entry whose byte the caller has locked; the owner last.
  func fillEntry(_ index: Int, owner: UInt64, processID: Int32, openSince: UInt64) {
    // What it says is of a process that died, perhaps in the middle of a transaction.
    clearEntry(index)
    store(UInt64(UInt32(bitPattern: processID)), in: .processID, ofEntry: index)
    store(openSince, in: .openSince, ofEntry: index)
    store(owner, in: .owner, ofEntry: index)
  }

  /// Says since when the process has the writer lock; `seconds` is 0 when it has not got it.
  func setWritingSince(_ seconds: UInt64, ofEntry index: Int) {
    store(seconds, in: .writingSince, ofEntry: index)
  }

  /// Clears an entry.
  func clearEntry(_ index: Int) {
    store(0, in: .owner, ofEntry: index)
    store(0, in: .processID, ofEntry: index)
    store(0, in: .openSince, ofEntry: index)
    store(0, in: .writingSince, ofEntry: index)
  }

  /// Who has the entry, as far as its bytes say.
  func owner(ofEntry index: Int) -> UInt64 { load(.owner, ofEntry: index) }

  /// What the entries say of the processes that have them, but for the one that `lockFile` locks.
  func uses(seenBy lockFile: FileDescriptor) throws(ErrorNumber) -> [ProcessUse] {
    var uses: [ProcessUse] = []
    for index in 0..<Self.entryCount {
      let owner = owner(ofEntry: index)
      guard owner != 0, try SystemCalls.isLockedByAnother(lockFile.rawValue, Self.entryLock(index))
      else { continue }
      let writingSince = load(.writingSince, ofEntry: index)
      let use = ProcessUse(
        processID: processID(ofEntry: index), openSince: load(.openSince, ofEntry: index),
        writingSince: writingSince == 0 ? nil : writingSince)
      // The entry may have gone to another process meanwhile.
      if self.owner(ofEntry: index) == owner { uses.append(use) }
    }
    return uses
  }

  /// The process id in the entry.
  func processID(ofEntry index: Int) -> Int32 {
    Int32(truncatingIfNeeded: load(.processID, ofEntry: index))
  }
}

extension LockFileMemory {
  private enum Field: Int {
    case magic = 0
    case layout = 8
    case newestTransaction = 16
    case usedSlotCount = 24
    case device = 32
    case inode = 40
    case commits = 48
  }

  private enum EntryField: Int {
    case owner = 0
    case processID = 8
    case openSince = 16
    case writingSince = 24
  }

  @inline(__always)
  private func load(_ field: Field) -> UInt64 {
    unsafe word(at: field.rawValue).pointee.load(ordering: .sequentiallyConsistent)
  }

  private func store(_ value: UInt64, in field: Field) {
    unsafe word(at: field.rawValue).pointee.store(value, ordering: .sequentiallyConsistent)
  }

  private func load(_ field: EntryField, ofEntry index: Int) -> UInt64 {
    unsafe word(of: index, field).pointee.load(ordering: .acquiring)
  }

  private func store(_ value: UInt64, in field: EntryField, ofEntry index: Int) {
    unsafe word(of: index, field).pointee.store(value, ordering: .releasing)
  }

  private func word(
    of index: Int, _ field: EntryField
  ) -> UnsafeMutablePointer<Atomic<UInt64>> {
    precondition(index >= 0, "an entry's index is not negative")
    precondition(index < Self.entryCount, "an entry's index is below their count")
    return unsafe word(
      at: Self.entriesOffset + index * Self.entryByteCount + field.rawValue)
  }

  @inline(__always)
  private func word(at offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    // SAFETY: the offset of a field: inside of the mapping and a multiple of 8.
    unsafe (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
}
