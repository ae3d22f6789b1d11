import AtollStorage
import TestSupport
import TestThreads
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What processes see of each other, and what a lock file survives.
@Suite(.computing) struct LockFileTests {
  let folder = TemporaryFolder()
  var path: String { folder.path(of: "data") }
  var lockPath: String { path + "-lock" }

  init() throws {
    try PosixFile(path: path, mode: .create).close()
  }

  /// Attaches this process once more.
  private func attach(token: UInt64 = .random(in: 0...UInt64.max)) throws -> LockFile {
    try LockFile(for: PosixFile(path: path, mode: .readWrite), now: { 1_000 }, token: token)
  }

  /// Starts a process that attaches.
  private func attachProcess() throws -> ChildProcess {
    let process = try ChildProcess(ChildProcess.path(ofProgram: "probe"), ["lock", path])
    #expect(try process.receive() == "attached")
    return process
  }

  @Test func aProcessSeesThePinsOfAnother() throws {
    let lockFile = try attach()
    let process = try attachProcess()
    #expect(try process.ask("pin 41") == "done")
    let slot = try lockFile.pin(transaction: 42)
    let pins = try lockFile.pins()
    #expect(Set(pins.map(\.transaction)) == [41, 42])
    #expect(pins.first { $0.transaction == 41 }?.processID == process.processID)
    #expect(pins.first { $0.transaction == 42 }?.processID == getpid())
    #expect(try process.ask("pins") == "41:\(process.processID) 42:\(getpid())")
    #expect(try process.ask("unpin") == "done")
    lockFile.unpin(slot)
    #expect(try lockFile.pins() == [])
  }

  @Test func aProcessSeesWhatAnotherPublishes() throws {
    let lockFile = try attach()
    let process = try attachProcess()
    #expect(try process.ask("publish 17") == "done")
    #expect(lockFile.newestTransaction == 17)
    lockFile.publish(transaction: 18)
    #expect(try process.ask("newest") == "18")
  }

  /// The wait would last an hour, so only a wake-up ends it in time.
  @Test func aCommitWakesTheProcessesThatWait() throws {
    let lockFile = try attach()
    let processes = try (0..<3).map { _ in try attachProcess() }
    for number in 1...20 as ClosedRange<UInt64> {
      for process in processes { try process.send("wait \(number - 1)") }
      // Some are asleep by now, some not: all hear of it.
      usleep(UInt32(number * 500))
      lockFile.publish(transaction: number)
      for process in processes { #expect(try process.receive() == "\(number)") }
    }
    // And the other way round, in a process that waits itself.
    onThreads(2) { index in
      if index == 0 {
        lockFile.wait(timeout: .seconds(3600)) { lockFile.newestTransaction > 20 }
      } else {
        usleep(20_000)
        #expect(throws: Never.self) { try processes[0].ask("publish 21") }
      }
    }
    #expect(lockFile.newestTransaction == 21)
  }

  @Test func aProcessSeesWhoHasTheFileOpenAndWhoWrites() throws {
    let lockFile = try attach()
    #expect(try lockFile.otherProcesses() == [])
    let (reader, writer) = (try attachProcess(), try attachProcess())
    #expect(try writer.ask("lock") == "done")
    let names = [
      "\(getpid())", "\(reader.processID)", "\(writer.processID) writes",
    ]
    #expect(try reader.ask("others") == [names[0], names[2]].sorted().joined(separator: " "))
    #expect(try writer.ask("others") == names[..<2].sorted().joined(separator: " "))
    let uses = try lockFile.otherProcesses()
    #expect(Set(uses.map(\.processID)) == [reader.processID, writer.processID])
    for use in uses {
      #expect((use.writingSince != nil) == (use.processID == writer.processID))
      #expect(use.openSince > 1_700_000_000)
    }
    #expect(try writer.ask("unlock") == "done")
    #expect(try writer.ask("trylock") == "true")
    #expect(try lockFile.otherProcesses().count { $0.writingSince != nil } == 1)
    writer.kill()
    #expect(try lockFile.otherProcesses().map(\.processID) == [reader.processID])
    // Whoever takes the entry of the dead one has not got its transaction.
    let next = try attachProcess()
    #expect(try lockFile.otherProcesses().allSatisfy { $0.writingSince == nil })
    withExtendedLifetime(next) {}
  }

  /// What it waited for belongs to nobody then, and its entry may be another process's.
  @Test func aWriterThatIsClosedWhileItWaitsGetsNothing() throws {
    let lockFile = try attach()
    let process = try attachProcess()
    #expect(try process.ask("lock") == "done")
    onThreads(2) { index in
      if index == 0 {
        #expect(throws: StorageError.closed(path: lockFile.path, failedSync: nil)) {
          try lockFile.lockWriter()
        }
      } else {
        usleep(20_000)
        lockFile.close()
        #expect(throws: Never.self) { try process.ask("unlock") }
      }
    }
    #expect(try process.ask("trylock") == "true")
    #expect(try process.ask("others") == "")
  }

  @Test func aKilledWaiterIsNoLoss() throws {
    let lockFile = try attach()
    for number in 1...5 as ClosedRange<UInt64> {
      let (dead, alive) = (try attachProcess(), try attachProcess())
      try dead.send("wait \(number - 1)")
      try alive.send("wait \(number - 1)")
      usleep(20_000)
      dead.kill()
      lockFile.publish(transaction: number)
      #expect(try alive.receive() == "\(number)")
    }
  }

  @Test func aKilledProcessLosesItsPinsAndTheWriterLock() throws {
    let lockFile = try attach()
    let process = try attachProcess()
    #expect(try process.ask("pin 3") == "done")
    #expect(try process.ask("lock") == "done")
    #expect(try lockFile.pins().map(\.transaction) == [3])
    #expect(try !lockFile.tryLockWriter())
    #expect(try !lockFile.isOnlyProcess())
    process.kill()
    #expect(try lockFile.tryLockWriter())
    #expect(try lockFile.pins() == [])
    #expect(try lockFile.isOnlyProcess())
    lockFile.unlockWriter()
  }

  @Test func aWaitingWriterGoesOnWhenTheOtherIsKilled() throws {
    let lockFile = try attach()
    let process = try attachProcess()
    #expect(try process.ask("lock") == "done")
    onThreads(2) { index in
      if index == 0 {
        #expect(throws: Never.self) { try lockFile.lockWriter() }
      } else {
        usleep(50_000)
        process.kill()
      }
    }
    lockFile.unlockWriter()
  }

  @Test func oneProcessSynchronisesUntilItDies() throws {
    let lockFile = try attach()
    let process = try attachProcess()
    #expect(try process.ask("trynetwork") == "true")
    #expect(try process.ask("trynetwork") == "true")
    #expect(try !lockFile.tryLockNetwork())
    // It has nothing to do with who writes.
    #expect(try lockFile.tryLockWriter())
    lockFile.unlockWriter()
    process.kill()
    #expect(try lockFile.tryLockNetwork())
    let next = try attachProcess()
    #expect(try next.ask("trynetwork") == "false")
    lockFile.unlockNetwork()
    #expect(try next.ask("trynetwork") == "true")
  }

  @Test func twoProcessesExcludeEachOther() throws {
    let lockFile = try attach()
    let process = try attachProcess()
    try lockFile.lockWriter()
    #expect(try process.ask("trylock") == "false")
    lockFile.unlockWriter()
    #expect(try process.ask("trylock") == "true")
    #expect(try !lockFile.tryLockWriter())
    #expect(try process.ask("unlock") == "done")
    #expect(try lockFile.tryLockWriter())
  }

  @Test func noIncrementOfThreeProcessesIsLost() throws {
    let file = try PosixFile(path: path, mode: .readWrite)
    try file.write([UInt8](repeating: 0, count: 8), at: 0)
    let processes = try (0..<3).map { _ in try attachProcess() }
    for process in processes { try process.send("increment 1000") }
    for process in processes { #expect(try process.receive() == "done") }
    #expect(try file.window(0).load(as: UInt64.self) == 3000)
  }

  @Test func twoLockFilesInOneProcessExcludeEachOther() throws {
    let first = try attach()
    let second = try attach()
    #expect(try !first.isOnlyProcess())
    try first.lockWriter()
    #expect(try !second.tryLockWriter())
    first.unlockWriter()
    #expect(try second.tryLockWriter())
    second.unlockWriter()
    _ = try second.pin(transaction: 8)
    #expect(try first.pins().map(\.transaction) == [8])
    second.close()
    #expect(try first.pins() == [])
    #expect(try first.isOnlyProcess())
  }

  /// The entry of a dead process goes to the next one.
  ///
  /// Were slots known by their entry alone, the dead one's pins would come to life again.
  @Test func aProcessDoesNotInheritThePinsOfTheEntryItTakes() throws {
    let lockFile = try attach()
    let dead = try attachProcess()
    #expect(try dead.ask("pin 3") == "done")
    dead.kill()
    let next = try attachProcess()
    #expect(try next.ask("pin 4") == "done")
    #expect(try lockFile.pins().map(\.transaction) == [4])
    next.kill()
  }

  @Test func theSlotsOfTheDeadServeWhenTheTableIsFull() throws {
    let lockFile = try attach()
    let process = try attachProcess()
    for _ in 0..<1000 { #expect(try process.ask("pin 3") == "done") }
    let slots = try (0..<24).map { _ in try lockFile.pin(transaction: 4) }
    #expect(
      throws: StorageError.readerTableFull(
        limit: 1024, processID: process.processID, slotCount: 1000)
    ) {
      _ = try lockFile.pin(transaction: 5)
    }
    process.kill()
    _ = try lockFile.pin(transaction: 5)
    #expect(slots.count == 24)
    #expect(try lockFile.pins().count == 25)
  }

  @Test func theProcessTableHasALimit() throws {
    var lockFiles = try (0..<126).map { _ in try attach() }
    #expect(throws: StorageError.processTableFull(limit: 126)) { _ = try attach() }
    lockFiles[60].close()
    lockFiles.append(try attach())
    #expect(throws: StorageError.processTableFull(limit: 126)) { _ = try attach() }
    for lockFile in lockFiles { lockFile.close() }
    #expect(try attach().isOnlyProcess())
  }

  @Test func theStateBeginsAgainWithTheFirstProcess() throws {
    let first = try attach(token: 1_111)
    first.publish(transaction: 99)
    _ = try first.pin(transaction: 98)
    let second = try attach(token: 2_222)
    #expect(second.newestTransaction == 99)
    first.close()
    second.close()
    let third = try attach(token: 3_333)
    #expect(third.newestTransaction == 0)
    #expect(try third.pins() == [])
  }

  /// Made by a reader of a read-only file, it must not keep a later writer out.
  @Test(arguments: [(0o620, 0o620), (0o444, 0o644), (0o640, 0o640), (0o400, 0o600)])
  func theOwnerMayAlwaysWriteTheLockFile(dataFile: UInt32, lockFile: UInt32) throws {
    #expect(chmod(path, dataFile) == 0)
    let attached = try attach()
    var status = stat()
    #expect(stat(attached.path, &status) == 0)
    #expect(status.st_mode & 0o777 == lockFile)
  }

  @Test func aLinkToTheDatabaseLeadsToTheSameLockFile() throws {
    #expect(mkdir(folder.path(of: "elsewhere"), 0o700) == 0)
    let link = folder.path(of: "elsewhere/link")
    #expect(symlink(path, link) == 0)
    let lockFile = try attach()
    let other = try LockFile(for: PosixFile(path: link, mode: .readWrite))
    #expect(other.path == lockFile.path)
    #expect(try !other.isOnlyProcess())
    lockFile.close()
    #expect(try other.isOnlyProcess())
  }

  enum Damage: CaseIterable {
    case empty, short, long, zeroed, foreign, random, otherLayout, wildCounts
  }

  /// Overwrites the lock file with what no process of this version leaves behind.
  private func damage(_ damage: Damage, seed: UInt64 = 1) throws {
    var random = SplitMix64(seed: seed)
    let file = try PosixFile(path: lockPath, mode: .create)
    let byteCount = Int(try file.byteCount())
    switch damage {
    case .empty: try file.setByteCount(0)
    case .short: try file.setByteCount(UInt64(byteCount / 2))
    case .long: try file.setByteCount(UInt64(byteCount * 2))
    case .zeroed: try file.write([UInt8](repeating: 0, count: byteCount), at: 0)
    case .foreign: try file.write(Array("#!/bin/sh\necho hello\n".utf8), at: 0)
    case .random:
      try file.write((0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }, at: 0)
    case .otherLayout: try file.write([3], at: 8)
    case .wildCounts:
      // Everything behind the first two words.
      try file.write(
        (16..<byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }, at: 16)
    }
  }

  @Test(arguments: Damage.allCases)
  func aDamagedLockFileIsRebuiltWhenNobodyUsesIt(_ damage: Damage) throws {
    try attach().close()
    try self.damage(damage)
    let lockFile = try attach()
    #expect(lockFile.newestTransaction == 0)
    #expect(try lockFile.pins() == [])
    _ = try lockFile.pin(transaction: 6)
    #expect(try attach().pins().map(\.transaction) == [6])
    lockFile.close()
  }

  @Test(arguments: [Damage.foreign, .otherLayout, .long])
  func aDamagedLockFileThatIsInUseIsAnError(_ damage: Damage) throws {
    let process = try attachProcess()
    try self.damage(damage)
    let expected: StorageError.LockFileProblem =
      damage == .otherLayout ? .layout(version: 3, supported: 2) : .damaged
    #expect(throws: StorageError.lockFileUnusable(path: lockPath, expected)) { _ = try attach() }
    process.kill()
    #expect(try attach().isOnlyProcess())
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func wildBytesInALockFileInUseNeverTrap(seed: UInt64) throws {
    let lockFile = try attach()
    try damage(.wildCounts, seed: seed)
    _ = try lockFile.pins()
    let slot = try lockFile.pin(transaction: 5)
    #expect(try lockFile.pins().contains { $0.transaction == 5 })
    lockFile.unpin(slot)
    #expect(try lockFile.tryLockWriter())
    lockFile.unlockWriter()
  }

  @Test func deletingAnUnusedLockFileIsHarmless() throws {
    try attach().close()
    #expect(unlink(lockPath) == 0)
    let lockFile = try attach()
    #expect(try lockFile.isOnlyProcess())
  }

  /// Otherwise two groups of processes would write to one file without seeing each other.
  @Test func deletingAUsedLockFileKeepsNewcomersOut() throws {
    let process = try attachProcess()
    #expect(unlink(lockPath) == 0)
    #expect(throws: StorageError.lockFileUnusable(path: lockPath, .replaced)) { _ = try attach() }
    #expect(try process.ask("trylock") == "true")
    process.kill()
    #expect(try attach().isOnlyProcess())
  }

  /// Somebody may have called his database so.
  @Test func aDatabaseInThePlaceOfTheLockFileIsNotOverwritten() throws {
    let base = try KeyValueStore(PosixFile(path: lockPath, mode: .create))
    try base.write { try $0.set([1], for: [2]) }
    try base.store.close()
    #expect(throws: StorageError.lockFileUnusable(path: lockPath, .database)) { _ = try attach() }
    let again = try KeyValueStore(PosixFile(path: lockPath, mode: .readWrite))
    #expect(try again.contents() == [[2]: [1]])
  }

  /// What a compaction does while others wait to attach.
  @Test func nobodyAttachesToAFileThatWasReplaced() throws {
    let file = try PosixFile(path: path, mode: .readWrite)
    try PosixFile(path: folder.path(of: "other"), mode: .create).close()
    #expect(rename(folder.path(of: "other"), path) == 0)
    #expect(throws: StorageError.moved(path: path, .replaced)) { _ = try LockFile(for: file) }
    #expect(try attach().isOnlyProcess())
  }

  @Test func aDataFileThatTookAnothersPlaceDoesNotShareItsState() throws {
    let lockFile = try attach()
    try PosixFile(path: folder.path(of: "other"), mode: .create).close()
    #expect(rename(folder.path(of: "other"), path) == 0)
    let error = StorageError.lockFileUnusable(
      path: lockPath, .ofAnotherFile(processIDs: [getpid()]))
    #expect(throws: error) { _ = try attach() }
    #expect("\(error)".contains("process \(getpid()) has another file open"))
    lockFile.close()
    #expect(try attach().isOnlyProcess())
  }

  @Test func aFolderInThePlaceOfTheLockFileIsAnError() throws {
    #expect(mkdir(lockPath, 0o700) == 0)
    #expect(throws: StorageError.io(operation: .open, path: lockPath, errno: EISDIR)) {
      _ = try attach()
    }
  }

  @Test func manyProcessesAttachAtOnce() throws {
    let program = ChildProcess.path(ofProgram: "probe")
    let processes = try (0..<12).map { _ in try ChildProcess(program, ["lock", path]) }
    for process in processes { #expect(try process.receive() == "attached") }
    for (index, process) in processes.enumerated() {
      #expect(try process.ask("pin \(index + 1)") == "done")
    }
    let lockFile = try attach()
    #expect(try Set(lockFile.pins().map(\.transaction)) == Set(1...12))
    for process in processes.prefix(6) { process.kill() }
    #expect(try Set(lockFile.pins().map(\.transaction)) == Set(7...12))
    for process in processes { process.kill() }
    #expect(try lockFile.isOnlyProcess())
  }
}
