import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct DurabilityTests {
  private static func write(
    _ base: KeyValueStore, _ number: Int, _ durability: Durability, byteCount: Int = 400
  ) throws {
    var random = SplitMix64(seed: UInt64(number))
    let transaction = try base.store.beginWrite()
    defer { transaction.cancel() }
    let tree = KeyValueStore.tree(transaction)
    try tree.set([UInt8(number)] + noise(byteCount, &random), for: key(0))
    try tree.set(noise(byteCount, &random), for: key(number))
    try transaction.commit(catalogue: tree.flush(), durability: durability)
  }

  /// The number of the last write that the file holds, if all it holds is what was written then.
  private static func found(_ file: SimulatedFile) throws -> Int {
    let base = try KeyValueStore(file)
    #expect(try base.findings() == [])
    let contents = try base.contents()
    let last = contents[key(0)].map { Int($0[0]) } ?? 0
    #expect(contents.count == (last == 0 ? 0 : last + 1))
    return last
  }

  private static func syncCount(_ file: SimulatedFile) -> Int {
    file.counters.dataSyncCount + file.counters.fullSyncCount
  }

  @Test(arguments: [Durability.relaxed, .none])
  func theDiskIsNotWaitedFor(durability: Durability) throws {
    let file = try SimulatedFile(capacity: 1 << 26)
    let base = try KeyValueStore(file)
    try Self.write(base, 1, .full)
    let before = Self.syncCount(file)
    for number in 2...60 { try Self.write(base, number, durability) }
    #expect(Self.syncCount(file) == before)
    #expect(try base.findings() == [])
    // The process dies: another finds everything.
    #expect(try Self.found(file) == 60)
    try base.store.close()
    #expect(Self.syncCount(file) > before)
    var random = SplitMix64(seed: 1)
    #expect(try Self.found(file.afterPowerLoss(using: &random)) == 60)
  }

  @Test(arguments: 0..<60 as Range<UInt64>, SimulatedFile.Tearing.allCases)
  func aPowerCutLeavesACommitNotBeforeTheDurableOne(
    seed: UInt64, tearing: SimulatedFile.Tearing
  ) throws {
    var random = SplitMix64(seed: seed)
    let file = try SimulatedFile(capacity: 1 << 26)
    let base = try KeyValueStore(file)
    for number in 1...4 { try Self.write(base, number, .full) }
    let count = Int.random(in: 5..<40, using: &random)
    for number in 5...count { try Self.write(base, number, .relaxed) }
    let found = try Self.found(file.afterPowerLoss(using: &random, tearing: tearing))
    #expect(4...count ~= found)
  }

  /// More pages than a slot lists make the version before durable; if they are of one transaction,
  /// its own as well.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func manyPagesAreSynchronised(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let file = try SimulatedFile(capacity: 1 << 28)
    let base = try KeyValueStore(file)
    try Self.write(base, 1, .full)
    let before = Self.syncCount(file)
    var keyCount = 1
    func add(_ count: Int) throws -> HeaderSlot {
      let transaction = try base.store.beginWrite()
      let tree = KeyValueStore.tree(transaction)
      for _ in 0..<count {
        keyCount += 1
        try tree.set(noise(20_000, &random), for: key(keyCount))
      }
      try transaction.commit(catalogue: tree.flush(), durability: .relaxed)
      return try base.store.snapshot().slot
    }
    var slot = try add(20)
    while Self.syncCount(file) == before {
      #expect(slot.durable == 2 && slot.isRelaxed)
      slot = try add(20)
    }
    #expect(Self.syncCount(file) == before + 1)
    #expect(slot.durable == slot.transaction - 1 && slot.isRelaxed)
    #expect(slot.transaction > 4 && !slot.isSynced && !slot.written.isEmpty)
    let after = try KeyValueStore(file.afterPowerLoss(using: &random))
    #expect([keyCount - 18, keyCount + 2].contains(try after.contents().count + 1))
    #expect(try after.findings() == [])

    slot = try add(200)
    #expect(Self.syncCount(file) == before + 3)
    #expect(slot.isSynced && !slot.isRelaxed)
    let last = try KeyValueStore(file.afterPowerLoss(using: &random))
    #expect(try last.contents().count == keyCount + 1)
  }

  /// Else the marks of a slot that a power cut tore could lie too far apart to be told from damage.
  @Test func soManyCommitsAreNotSynchronised() throws {
    var random = SplitMix64(seed: 1)
    let file = try SimulatedFile(capacity: 1 << 26)
    let base = KeyValueStore(
      try PageStore(
        file: file, coordinator: LocalCoordinator(path: file.path), cacheByteCount: 1 << 20,
        relaxedLimit: 5, makeFileID: { Array(1...16) }))
    try Self.write(base, 1, .full)
    var before = Self.syncCount(file)
    for round in 0..<4 {
      for number in 2 + 5 * round...6 + 5 * round { try Self.write(base, number, .relaxed) }
      #expect(Self.syncCount(file) == before + (round == 0 ? 0 : 1))
      before = Self.syncCount(file)
      let slot = try base.store.snapshot().slot
      #expect(slot.isRelaxed && slot.transaction - slot.durable == 5)
      let last = 6 + 5 * round
      let found = try Self.found(file.afterPowerLoss(using: &random))
      #expect(last - 5...last ~= found)
    }
    // What does not even care for the order of writes waits for nothing.
    for number in 22...60 { try Self.write(base, number, .none) }
    #expect(Self.syncCount(file) == before)
  }

  @Test func oneSyncMakesAllBeforeItDurable() throws {
    for seed in 0..<20 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let file = try SimulatedFile(capacity: 1 << 26)
      let base = try KeyValueStore(file)
      try Self.write(base, 1, .full)
      for number in 2...20 { try Self.write(base, number, .relaxed) }
      let before = Self.syncCount(file)
      let isSynchronised = seed % 2 == 0
      if isSynchronised {
        for _ in 0..<3 { try base.store.makeCommitsDurable() }
      } else {
        try Self.write(base, 21, .full)
      }
      #expect(Self.syncCount(file) == before + 1)
      let count = isSynchronised ? 20 : 21
      #expect(try Self.found(file.afterPowerLoss(using: &random)) == count)
    }
  }

  /// One process synchronises, another goes on: it must know what has become durable, or it takes
  /// the older version for the one to be kept, and the power cut goes back to that.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func whatOneProcessMadeDurableAnotherKeeps(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let file = try SimulatedFile(capacity: 1 << 26)
    let coordinator = LocalCoordinator(path: file.path)
    let stores = try (0..<2).map { _ in try KeyValueStore(file, coordinator) }
    // So that both have begun a transaction.
    for number in 1...2 { try Self.write(stores[number % 2], number, .full) }
    var durable = 2
    for number in 3...20 {
      let base = stores[Int.random(in: 0..<2, using: &random)]
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        try base.store.makeCommitsDurable()
        durable = number - 1
        try Self.write(base, number, .relaxed)
      case 1:
        // Takes pages and dies.
        try base.store.makeCommitsDurable()
        durable = number - 1
        let dying = try base.store.beginWrite()
        _ = try KeyValueStore.tree(dying).flush()
        dying.cancel()
        try Self.write(base, number, .relaxed)
      case 2:
        try Self.write(base, number, .full)
        durable = number
      default: try Self.write(base, number, .relaxed)
      }
      #expect(try base.findings() == [])
    }
    let found = try Self.found(file.afterPowerLoss(using: &random))
    #expect(durable...20 ~= found)
  }

  /// Two stores with locks of their own exclude each other as two processes do.
  private static func openTwice(_ path: String) throws -> (KeyValueStore, KeyValueStore) {
    func open() throws -> KeyValueStore {
      let file = try PosixFile(path: path, mode: .create)
      return try KeyValueStore(file, LockFile(for: file))
    }
    return (try open(), try open())
  }

  private static func isSealed(_ path: String, _ transaction: UInt64) throws -> Bool {
    let slots = HeaderSlots(try PosixFile(path: path, mode: .readOnly), key: nil)
    return slots.decode(try slots.bytes()).contains { reading in
      if case .valid(let slot) = reading {
        slot.isSealed && slot.transaction == transaction
      } else {
        false
      }
    }
  }

  @Test func closingWaitsForAnotherProcessWhileCommitsAreOwed() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "file")
    let (one, other) = try Self.openTwice(path)
    try Self.write(one, 1, .relaxed)
    let newest = try one.store.snapshot().transaction
    #expect(try !Self.isSealed(path, newest))
    let (closing, writing) = (one.store, other.store)
    let hasBegun = Atomic(false)
    let isClosed = Atomic(false)
    onThreads(2) { index in
      if index == 0 {
        while !hasBegun.load(ordering: .sequentiallyConsistent) { usleep(100) }
        #expect(throws: Never.self) { try closing.close() }
        isClosed.store(true, ordering: .sequentiallyConsistent)
      } else {
        guard let transaction = try? writing.beginWrite() else {
          Issue.record("nobody else writes")
          hasBegun.store(true, ordering: .sequentiallyConsistent)
          return
        }
        hasBegun.store(true, ordering: .sequentiallyConsistent)
        usleep(50_000)
        let isClosedYet = isClosed.load(ordering: .sequentiallyConsistent)
        #expect(!isClosedYet)
        transaction.cancel()
      }
    }
    #expect(try Self.isSealed(path, newest))
  }

  /// What is durable needs no lock, and a process that stands still must not keep others from
  /// ending.
  @Test func closingWaitsForNobodyWhenNothingIsOwed() throws {
    let folder = TemporaryFolder()
    let (one, other) = try Self.openTwice(folder.path(of: "file"))
    try Self.write(one, 1, .relaxed)
    try Self.write(one, 2, .full)
    let transaction = try other.store.beginWrite()
    defer { transaction.cancel() }
    try one.store.close()
  }

  /// After a synchronisation that failed nothing is promised but the version before.
  @Test(arguments: 0..<30 as Range<UInt64>)
  func whatAFailedSyncLeftIsWrittenAgain(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let file = try SimulatedFile(capacity: 1 << 26)
    let base = try KeyValueStore(file)
    for number in 1...3 { try Self.write(base, number, .full) }
    for number in 4...9 { try Self.write(base, number, .relaxed) }
    file.faults.syncsUntilFailure = 0
    #expect(throws: StorageError.self) { try base.store.makeCommitsDurable() }
    #expect(throws: StorageError.self) { try base.store.beginWrite() }
    let left = try file.afterFailedSync(using: &random)
    if seed % 3 == 0 {
      let found = try Self.found(left.afterPowerLoss(using: &random))
      #expect(3...9 ~= found)
      return
    }
    let reopened = try KeyValueStore(left)
    try Self.write(reopened, 10, .relaxed)
    if seed % 3 == 1 {
      let found = try Self.found(left.afterPowerLoss(using: &random))
      #expect(9...10 ~= found)
    } else {
      try reopened.store.makeCommitsDurable()
      #expect(try Self.found(left.afterPowerLoss(using: &random)) == 10)
    }
  }
}
