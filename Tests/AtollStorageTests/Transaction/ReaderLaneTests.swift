import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What the pins of many threads' snapshots promise.
@Suite(.computing) struct ReaderLaneTests {
  /// The number under all keys of a version is that of its transaction; nil when they differ.
  private static func number(of snapshot: StorageSnapshot) throws -> UInt64? {
    let numbers = Set(
      try KeyValueStore.contents(of: snapshot).values.map { value in
        value.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
      })
    return numbers.count == 1 ? numbers.first : nil
  }

  /// Commits a version that holds its own number under twenty keys, each in pages of its own.
  private static func writeNumber(_ store: PageStore) throws {
    let transaction = try store.beginWrite()
    defer { transaction.cancel() }
    let tree = KeyValueStore.tree(transaction)
    let number = (0..<8).map { UInt8(truncatingIfNeeded: transaction.transaction >> (56 - 8 * $0)) }
    let value = number + [UInt8](repeating: number[7], count: 3_000)
    for index in 0..<20 { try tree.set(value, for: key(index)) }
    try transaction.commit(catalogue: tree.flush())
  }

  /// Every commit gives up all pages of the version before, and takes those of the versions that
  /// nobody pins: a version that lost its pin for a moment is soon overwritten.
  @Test func threadsThatTakeSnapshotsSeeTheirOwnVersionWhole() throws {
    let file = try MemoryFile(path: "memory", capacity: 1 << 30)
    let coordinator = LocalCoordinator(path: "memory")
    // Two stores that hear of each other through the coordinator only, like two processes.
    let stores = try (0..<2).map { _ in try KeyValueStore(file, coordinator).store }
    try Self.writeNumber(stores[0])
    let isOver = Atomic(false)
    let snapshotCount = Atomic(0)
    onThreads(7) { thread in
      do {
        let store = stores[thread % 2]
        if thread < 2 {
          defer { isOver.store(true, ordering: .relaxed) }
          for _ in 0..<400 where !isOver.load(ordering: .relaxed) {
            try Self.writeNumber(store)
          }
          return
        }
        var held: [StorageSnapshot] = []
        var least: UInt64 = 0
        while !isOver.load(ordering: .relaxed) {
          let snapshot = try store.snapshot()
          snapshotCount.add(1, ordering: .relaxed)
          let number = try Self.number(of: snapshot)
          if number != snapshot.transaction || snapshot.transaction < least {
            Issue.record("version \(snapshot.transaction) after \(least) holds \(number ?? 0)")
            isOver.store(true, ordering: .relaxed)
          }
          least = snapshot.transaction
          // Some are kept, so that a lane has readers of several versions.
          if thread % 3 == 0 { held.append(snapshot) }
          if held.count > 3 {
            let old = held.removeFirst()
            let number = try Self.number(of: old)
            if number != old.transaction {
              Issue.record("version \(old.transaction) came to hold \(number ?? 0)")
              isOver.store(true, ordering: .relaxed)
            }
          }
        }
      } catch {
        Issue.record(error)
        isOver.store(true, ordering: .relaxed)
      }
    }
    #expect(snapshotCount.load(ordering: .relaxed) > 100)
    #expect(try coordinator.pins() == [])
    // Twenty pages, and as many again for each version that somebody held.
    #expect(try file.byteCount() < 8 << 20)
    for store in stores { #expect(try Self.number(of: store.snapshot()) != nil) }
  }

  @Test func aVersionStaysPinnedUntilItsLastReaderEndsAndNoLonger() throws {
    let base = try KeyValueStore()
    try Self.writeNumber(base.store)
    var readers: [StorageSnapshot] = []
    for _ in 0..<3 {
      for _ in 0..<2 { readers.append(try base.store.snapshot()) }
      try Self.writeNumber(base.store)
    }
    #expect(try base.store.pins().map(\.transaction).sorted() == [2, 3, 4])
    while !readers.isEmpty {
      let versions = Set(readers.map(\.transaction))
      #expect(try base.store.pins().map(\.transaction).sorted() == versions.sorted())
      readers.removeFirst()
    }
    #expect(try base.store.pins() == [])
  }

  @Test func readersOfManyThreadsLeaveNoPin() throws {
    let base = try KeyValueStore()
    try Self.writeNumber(base.store)
    let held = Mutex<[StorageSnapshot]>([])
    onThreads(40) { _ in
      do {
        let snapshot = try base.store.snapshot()
        held.withLock { $0.append(snapshot) }
        for _ in 0..<20 { _ = try base.store.snapshot() }
      } catch {
        Issue.record(error)
      }
    }
    let pins = try base.store.pins()
    #expect((1...16).contains(pins.count))
    #expect(Set(pins.map(\.transaction)) == [2])
    // They end on another thread than they began.
    held.withLock { $0 = [] }
    #expect(try base.store.pins() == [])
  }

  /// Any program may write to the lock file; a reader that begins later must not rely on a pin that
  /// is gone, nor may the end of an earlier one take its pin away.
  @Test func aPinThatAForeignProgramErasedIsNotShared() throws {
    let folder = TemporaryFolder()
    let file = try PosixFile(path: folder.path(of: "data"), mode: .create)
    let lockFile = try LockFile(for: file)
    let store = try KeyValueStore(file, lockFile).store
    try Self.writeNumber(store)
    var first: StorageSnapshot? = try store.snapshot()
    #expect(try store.pins().map(\.transaction) == [2])
    let foreign = try PosixFile(path: lockFile.path, mode: .readWrite)
    try foreign.write([UInt8](repeating: 0, count: ReaderTable.byteCount), at: 4096)
    #expect(try store.pins() == [])
    var second: StorageSnapshot? = try store.snapshot()
    #expect(try store.pins().map(\.transaction) == [2])
    #expect(first?.transaction == second?.transaction)
    first = nil
    #expect(try store.pins().map(\.transaction) == [2])
    #expect(second != nil)
    second = nil
    #expect(try store.pins() == [])
  }

  /// A version may take a slot in each lane, and one is enough.
  @Test func readersShareAPinWhenTheTableIsFull() throws {
    let coordinator = LocalCoordinator(path: "memory")
    let store = try KeyValueStore(MemoryFile(path: "memory", capacity: 1 << 28), coordinator).store
    try Self.writeNumber(store)
    let held = Mutex([try store.snapshot()])
    var foreign: [ReaderSlot] = []
    while let slot = try? coordinator.pin(transaction: 1) { foreign.append(slot) }
    #expect(foreign.count == ReaderTable.slotCount - 1)
    onThreads(40) { _ in
      do {
        let snapshot = try store.snapshot()
        #expect(try Self.number(of: snapshot) == 2)
        held.withLock { $0.append(snapshot) }
      } catch {
        Issue.record(error)
      }
    }
    #expect(held.withLock { $0.count } == 41)
    // The first reader may go: the pin stays until the last.
    held.withLock { $0.removeFirst(40) }
    #expect(try store.pins().count { $0.transaction == 2 } == 1)
    // Nobody has the next version pinned, so now there is no way.
    try Self.writeNumber(store)
    #expect(
      throws: StorageError.readerTableFull(limit: 1024, processID: getpid(), slotCount: 1024)
    ) { _ = try store.snapshot() }
    held.withLock { $0 = [] }
    #expect(try store.snapshot().transaction == 3)
    for slot in foreign { coordinator.unpin(slot) }
    #expect(try store.pins() == [])
  }

  @Test func noReaderBeginsAfterTheStoreIsClosed() throws {
    for round in 0..<50 {
      let file = try MemoryFile(path: "memory", capacity: 1 << 28)
      let store = try KeyValueStore(file).store
      try Self.writeNumber(store)
      let hasClosed = Atomic(false)
      onThreads(4) { thread in
        if thread == 0 {
          for _ in 0..<round * 10 { _ = try? store.snapshot() }
          do { try store.close() } catch { Issue.record(error) }
          hasClosed.store(true, ordering: .sequentiallyConsistent)
          return
        }
        while true {
          let wasClosed = hasClosed.load(ordering: .sequentiallyConsistent)
          guard let snapshot = try? store.snapshot() else { return }
          #expect(!wasClosed)
          do { #expect(try Self.number(of: snapshot) == 2) } catch { Issue.record(error) }
        }
      }
      // The last snapshot is gone, so the file is closed.
      #expect(throws: StorageError.self) { try file.byteCount() }
    }
  }

  /// Closed in the middle of the end of a commit, the store gave the file up first: another process
  /// could take the writer lock before the commit was published, and the number of the newest
  /// transaction could fall.
  @Test func aCommitThatEndsKeepsTheFileUntilItGaveTheWriterLockBack() throws {
    let file = try MemoryFile(path: "memory", capacity: 1 << 28)
    let coordinator = RecordingCoordinator()
    let store = try KeyValueStore(file, coordinator).store
    coordinator.onPublish.withLock { $0 = { try? store.close() } }
    try Self.writeNumber(store)
    #expect(coordinator.calls.withLock { $0 } == ["publish", "unlock", "close"])
    #expect(throws: StorageError.self) { try file.byteCount() }
  }
}

/// A coordinator that notes the calls at the end of a transaction, and calls back from one of them.
private final class RecordingCoordinator: Coordinator {
  let calls = Mutex<[String]>([])
  let onPublish = Mutex<(@Sendable () -> Void)?>(nil)
  private let base = LocalCoordinator(path: "memory")

  private func note(_ call: String) { calls.withLock { $0.append(call) } }

  var newestTransaction: UInt64 { base.newestTransaction }

  func publish(transaction: UInt64) {
    base.publish(transaction: transaction)
    guard let callBack = onPublish.withLock({ $0 }) else { return }
    note("publish")
    callBack()
  }

  func lockWriter() throws(StorageError) {
    try base.lockWriter()
    calls.withLock { $0 = [] }
  }

  func wait(timeout: Duration, until isReached: () -> Bool) {
    base.wait(timeout: timeout, until: isReached)
  }
  func wakeWaiters() { base.wakeWaiters() }

  func tryLockWriter() throws(StorageError) -> Bool { try base.tryLockWriter() }

  func unlockWriter() {
    note("unlock")
    base.unlockWriter()
  }

  func pin(_ version: VersionExtent, likely: ReaderSlot) throws(StorageError) -> ReaderSlot {
    try base.pin(version, likely: likely)
  }

  func move(_ slot: ReaderSlot, to version: VersionExtent) -> Bool {
    base.move(slot, to: version)
  }

  func holds(_ slot: ReaderSlot, _ transaction: UInt64) -> Bool { base.holds(slot, transaction) }
  func unpin(_ slot: ReaderSlot) { base.unpin(slot) }
  func pins() throws(StorageError) -> [Pin] { try base.pins() }
  func otherProcesses() throws(StorageError) -> [ProcessUse] { try base.otherProcesses() }
  func isOnlyProcess() throws(StorageError) -> Bool { try base.isOnlyProcess() }
  func excludeOthers() throws(StorageError) -> Bool { try base.excludeOthers() }
  func tryLockNetwork() throws(StorageError) -> Bool { try base.tryLockNetwork() }
  func unlockNetwork() { base.unlockNetwork() }

  func close() {
    note("close")
    base.close()
  }
}
