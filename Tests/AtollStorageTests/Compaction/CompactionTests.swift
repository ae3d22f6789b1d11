import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct CompactionTests {
  /// The catalogue is the store's only tree.
  private static func relocate(_ relocation: Relocation) throws -> TreeRoot {
    try relocation.relocate(
      relocation.transaction.base.catalogue, KeyValueTree.form(KeyValueStore.treeID))
  }

  private static func finish(_ compaction: inout Compaction) throws {
    while try compaction.step(mayWait: false, relocate: relocate) == .goesOn {}
  }

  private static func fill(_ store: KeyValueStore, _ range: Range<Int>, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    try store.write { tree in
      for number in range {
        let byteCount = Int.random(in: 0..<6_000, using: &random)
        try tree.set(
          (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }, for: key(number))
      }
    }
  }

  private static func thinOut(_ store: KeyValueStore, _ range: Range<Int>) throws {
    try store.write { tree in
      for number in range where number % 5 != 0 { try tree.set(nil, for: key(number)) }
    }
  }

  /// A store of which four of five values are gone.
  private static func makeSparse(
    _ coordinator: any Coordinator = LocalCoordinator(path: "simulated")
  ) throws -> (SimulatedFile, KeyValueStore) {
    let file = try SimulatedFile()
    let store = try KeyValueStore(file, coordinator)
    try fill(store, 0..<400, seed: 1)
    try thinOut(store, 0..<400)
    return (file, store)
  }

  /// Every snapshot keeps its contents, the space is exact, and the file gets short in the end.
  @Test(arguments: seeds(12))
  func everyVersionKeepsItsContents(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let encryptionKey = try seed % 3 == 0 ? EncryptionKey([UInt8](0..<32), path: "") : nil
    let file = try SimulatedFile()
    let store = try KeyValueStore(file, key: encryptionKey)
    var held: [(snapshot: StorageSnapshot, contents: KeyValueStore.Contents)] = []
    var compaction = Compaction(store.store, stepByteCount: 1 << 15, leastGain: 1)
    for _ in 0..<60 {
      let start = Int.random(in: 0..<300, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0...1: try Self.fill(store, start..<start + 40, seed: random.next())
      case 2: try Self.thinOut(store, start..<start + 80)
      case 3:
        let snapshot = try store.store.snapshot()
        held.append((snapshot, try KeyValueStore.contents(of: snapshot)))
      case 4 where !held.isEmpty:
        let (snapshot, contents) = held.remove(at: held.count / 2)
        #expect(try KeyValueStore.contents(of: snapshot) == contents)
      default:
        let before = try store.contents()
        if try compaction.step(mayWait: false, relocate: Self.relocate) != .goesOn {
          compaction = Compaction(store.store, stepByteCount: 1 << 15, leastGain: 1)
        }
        #expect(try store.contents() == before)
        let blockCount = try file.byteCount() / UInt64(Block.byteCount)
        #expect(held.allSatisfy { $0.snapshot.slot.blockCount <= blockCount })
      }
      #expect(try store.findings() == [])
    }
    for (snapshot, contents) in held {
      #expect(try KeyValueStore.contents(of: snapshot) == contents)
    }
    held = []
    for _ in 0..<2 {
      compaction = Compaction(store.store, stepByteCount: 1 << 20)
      try Self.finish(&compaction)
    }
    #expect(try store.findings() == [])
    let use = try store.store.snapshot().spaceUse()
    #expect(try file.byteCount() == use.blockCount * UInt64(Block.byteCount))
    #expect(use.blockCount <= use.liveBlockCount * 5 / 4 + 40, "\(use)")
  }

  /// A file is not cut while anybody reads a version that was longer.
  @Test func aFileIsCutWhenNobodyReadsAnOlderVersion() throws {
    let (file, store) = try Self.makeSparse()
    try store.write { try $0.set([1], for: key(0)) }
    let byteCount = try file.byteCount()
    var compaction = Compaction(store.store, stepByteCount: 1 << 20)
    var pinned: StorageSnapshot?
    var isLeftOut = false
    while !isLeftOut {
      pinned = try store.store.snapshot()
      let before = try #require(pinned).slot.blockCount
      #expect(try compaction.step(mayWait: false, relocate: Self.relocate) == .goesOn)
      isLeftOut = try store.store.snapshot().slot.blockCount < before
    }
    let contents = try KeyValueStore.contents(of: #require(pinned))
    #expect(try compaction.step(mayWait: true, relocate: Self.relocate) == .waitsForReaders)
    #expect(try file.byteCount() == byteCount)
    #expect(try KeyValueStore.contents(of: #require(pinned)) == contents)
    pinned = nil
    #expect(try compaction.step(mayWait: true, relocate: Self.relocate) != .waitsForReaders)
    #expect(try file.byteCount() < byteCount / 2)
    #expect(try store.findings() == [])
  }

  /// Readers come and go, and there is always one that reads an older version.
  @Test func aFileGetsShorterRoundByRoundUnderReadersThatTakeTurns() throws {
    let (file, store) = try Self.makeSparse()
    try store.write { try $0.set([1], for: key(0)) }
    let byteCount = try file.byteCount()
    var compaction = Compaction(store.store, stepByteCount: 1 << 15, bandByteCount: 1, leastGain: 1)
    var lengths: Set<UInt64> = [byteCount]
    var snapshot = try store.store.snapshot()
    var contents = try KeyValueStore.contents(of: snapshot)
    var number = 0
    while true {
      let next = try store.store.snapshot()
      let nextContents = try KeyValueStore.contents(of: next)
      number += 1
      try store.write { try $0.set([UInt8(truncatingIfNeeded: number)], for: key(0)) }
      // Two readers of older versions, of which one goes.
      let outcome = try compaction.step(mayWait: number < 100, relocate: Self.relocate)
      #expect(try KeyValueStore.contents(of: snapshot) == contents)
      let length = try file.byteCount()
      #expect(length >= snapshot.slot.blockCount * UInt64(Block.byteCount))
      lengths.insert(length)
      (snapshot, contents) = (next, nextContents)
      if outcome == .isFinished { break }
      try #require(number < 1_000)
    }
    #expect(lengths.count > 2, "\(lengths.sorted())")
    #expect(try file.byteCount() < byteCount / 2)
    #expect(try KeyValueStore.contents(of: snapshot) == contents)
    withExtendedLifetime(snapshot) {}
    #expect(try store.findings() == [])
  }

  /// A power cut may bring back the version before such a commit, which holds its pages.
  @Test func writersThatDoNotWaitForTheDiskKeepNoFileLong() throws {
    let (file, store) = try Self.makeSparse()
    let byteCount = try file.byteCount()
    var compaction = Compaction(store.store, stepByteCount: 1 << 20, leastGain: 1)
    for _ in 0..<100 {
      let transaction = try store.store.beginWrite()
      try transaction.commit(catalogue: transaction.base.catalogue, durability: .relaxed)
      if try compaction.step(mayWait: true, relocate: Self.relocate) == .isFinished { break }
    }
    #expect(try compaction.step(mayWait: true, relocate: Self.relocate) == .isFinished)
    #expect(try file.byteCount() < byteCount / 2)
    #expect(try store.findings() == [])
  }

  /// A process that looks the newest version up while another one shortens the file looks again.
  @Test func aShorterFileIsNoDamageWhenTheVersionMovedOn() throws {
    let coordinator = LocalCoordinator(path: "shared")
    let (file, store) = try Self.makeSparse(coordinator)
    var compaction = Compaction(store.store, stepByteCount: 1 << 20)
    // The pages have moved; the next step leaves their old places out.
    _ = try compaction.step(mayWait: false, relocate: Self.relocate)
    let before = coordinator.newestTransaction
    var rest = compaction
    let shrinking = ChangingFile(file) {
      _ = try? rest.step(mayWait: false, relocate: Self.relocate)
      _ = try? rest.step(mayWait: false, relocate: Self.relocate)
    }
    let found = try HeaderSlots(shrinking, key: nil).published(by: coordinator)
    #expect(found.transaction == before + 1)
    #expect(try file.byteCount() == found.blockCount * UInt64(Block.byteCount))
  }

  /// A file that changes between two looks of one reader.
  private final class ChangingFile: DataFile, @unchecked Sendable {
    // Sendable: used by one thread.
    private let file: any DataFile
    private var change: (() -> Void)?

    init(_ file: any DataFile, change: @escaping () -> Void) {
      self.file = file
      self.change = change
    }

    var path: String { file.path }
    var isReadOnly: Bool { file.isReadOnly }

    func byteCount() throws(StorageError) -> UInt64 {
      change?()
      change = nil
      return try file.byteCount()
    }

    func setByteCount(_ byteCount: UInt64) throws(StorageError) { try file.setByteCount(byteCount) }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError)
      -> Int
    { try file.read(into: buffer, at: offset) }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
      try file.write(bytes, at: offset)
    }
    func synchronize(_ scope: SynchronizationScope) throws(StorageError) {
      try file.synchronize(scope)
    }
    func window(_ index: Int) throws(StorageError) -> UnsafeRawPointer { try file.window(index) }
    func close() { file.close() }
  }

  /// Against every cut, one after the other, with one letter a block.
  @Test(arguments: seeds(20))
  func thePlanIsTheLowestCutWithRoomBeforeIt(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let blockCount = Int.random(in: 100..<2_000, using: &random)
    var state = SpaceState()
    state.blockCount = UInt64(blockCount)
    var letters = Array(repeating: "h" as Character, count: Int(Block.firstPage))
    while letters.count < blockCount {
      let isHeld = seed % 3 == 0 && letters.count < blockCount / 3
      let letter = isHeld ? "lfr".randomElement(using: &random) : "lf".randomElement(using: &random)
      let length = min(Int.random(in: 1..<40, using: &random), blockCount - letters.count)
      let run = BlockRun(start: UInt64(letters.count), count: UInt64(length))
      if letter == "f" { state.free.insert(run) }
      if letter == "r" { state.retired.insert(RetiredRun(run: run, birth: 1, death: 2)) }
      letters += [Character](repeating: letter ?? "l", count: length)
    }
    let band = UInt64([50, 100_000].randomElement(using: &random) ?? 50)
    let plan = CompactionPlan(state, bandLimit: band)
    let behind = letters[Int(plan.cut)...]
    #expect(!behind.contains("r"))
    #expect(UInt64(behind.count { $0 == "l" }) == plan.liveBlockCount)
    #expect(plan.liveBlockCount <= band)
    let freeCount = UInt64(letters[..<Int(plan.cut)].count { $0 == "f" })
    #expect(plan.liveBlockCount == 0 || freeCount >= plan.liveBlockCount)
    // One block lower there is a block that is held, or too much to move, or too little room.
    let reserve = state.free.blockCount > 64 ? 64 : state.free.blockCount
    let isTight =
      plan.cut <= Block.firstPage || letters[Int(plan.cut) - 1] == "r"
      || plan.liveBlockCount == band
      || freeCount <= plan.liveBlockCount + reserve + 2
    #expect(isTight, "cut \(plan.cut) of \(blockCount)")
  }
}
