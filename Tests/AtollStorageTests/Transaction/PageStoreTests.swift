import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct PageStoreTests {
  /// The pains of a pinned reader: its snapshot changes, or the file grows without bound.
  @Test func aPinnedReaderSeesItsVersionAndTheFileStopsGrowing() throws {
    var random = SplitMix64(seed: 1)
    let file = try MemoryFile(path: "memory", capacity: 1 << 30)
    let base = try KeyValueStore(file)
    var model: KeyValueStore.Contents = [:]
    for index in 0..<1_000 { model[key(index)] = noise(100, &random) }
    try base.write { tree in for (key, value) in model { try tree.set(value, for: key) } }
    let pinned = try base.store.snapshot()
    let atStart = model
    var byteCounts: [UInt64] = []
    for commit in 0..<10_000 {
      let value = noise(100, &random)
      model[key(commit * 7 % 1_000)] = value
      try base.write { tree in try tree.set(value, for: key(commit * 7 % 1_000)) }
      if commit % 1_000 == 999 { byteCounts.append(try file.byteCount()) }
    }
    #expect(try KeyValueStore.contents(of: pinned) == atStart)
    #expect(KeyValueStore.findings(in: pinned) == [])
    #expect(try base.contents() == model)
    #expect(try base.findings() == [])
    // The data twice, as the pinned version has it and as it is, and the log of free space.
    #expect(byteCounts[9] == byteCounts[5], "\(byteCounts)")
    #expect(byteCounts[9] < 1 << 20)
  }

  /// The lock of the file knows processes only.
  @Test func oneSessionOfAProcessHasTheNetwork() throws {
    let store = try KeyValueStore(MemoryFile(path: "memory", capacity: 1 << 20)).store
    #expect(try store.tryLockNetwork())
    #expect(try !store.tryLockNetwork())
    store.unlockNetwork()
    #expect(try store.tryLockNetwork())
  }

  @Test func cancelledTransactionsAndThrownErrorsLeaveNothing() throws {
    struct Failure: Error {}
    var random = SplitMix64(seed: 3)
    let file = try MemoryFile(path: "memory", capacity: 1 << 30)
    let base = try KeyValueStore(file)
    try base.write { tree in
      for index in 0..<500 { try tree.set(noise(200, &random), for: key(index)) }
    }
    let model = try base.contents()
    let before = try base.store.snapshot().transaction
    for round in 0..<50 {
      let big = noise(round % 10 == 0 ? 400_000 : 2_000, &random)
      #expect(throws: Failure.self) {
        try base.write { tree in
          for index in 0..<100 { try tree.set(big, for: key(index)) }
          if round % 2 == 0 { _ = try tree.flush() }
          throw Failure()
        }
      }
    }
    #expect(try base.store.snapshot().transaction == before)
    #expect(try base.contents() == model)
    #expect(try base.findings() == [])
    // What the cancelled ones took is used by the next.
    let byteCount = try file.byteCount()
    for index in 0..<50 { try base.write { try $0.set([UInt8(index)], for: key(index)) } }
    #expect(try file.byteCount() == byteCount)
    #expect(try base.findings() == [])
  }

  /// More than 16 MiB in one transaction is written ahead; pages given up after that may still
  /// be read until the commit.
  @Test func pagesWrittenAheadAndGivenUpStayReadableUntilTheCommit() throws {
    var random = SplitMix64(seed: 4)
    let base = try KeyValueStore()
    let transaction = try base.store.beginWrite()
    let payload = noise(3_000, &random)
    let first = try transaction.makePage(
      kind: .blob, treeID: 1, payload: payload, compress: false)
    var others: [PageReference] = []
    for _ in 0..<20 {
      others.append(
        try transaction.makePage(
          kind: .blob, treeID: 1, payload: noise(1 << 20, &random), compress: false))
    }
    let page = try transaction.reader.page(first, kind: .blob)
    transaction.freePage(first, birth: page.transaction)
    for _ in 0..<30 {
      others.append(
        try transaction.makePage(
          kind: .blob, treeID: 1, payload: noise(1 << 20, &random), compress: false))
      others.append(
        try transaction.makePage(
          kind: .blob, treeID: 1, payload: noise(100, &random), compress: false))
    }
    #expect(page.bytes.copy() == payload)
    for reference in others { try transaction.freePage(reference) }
    try transaction.commit(catalogue: .empty)
    #expect(try base.findings() == [])
    let use = try base.store.snapshot().spaceUse()
    #expect(use.liveBlockCount < 8)
  }

  /// A snapshot was let go while its tree was still read, and its pages were overwritten.
  @Test func aTreeKeepsItsVersionPinned() throws {
    var random = SplitMix64(seed: 5)
    let base = try KeyValueStore()
    try base.write { tree in
      for index in 0..<300 { try tree.set(noise(300, &random), for: key(index)) }
    }
    let model = try base.contents()
    let tree = KeyValueStore.tree(try base.store.snapshot())
    let cursor = tree.tree.cursor()
    for round in 0..<20 {
      try base.write { tree in
        for index in 0..<300 { try tree.set(noise(300, &random), for: key(index + round)) }
      }
    }
    var found: KeyValueStore.Contents = [:]
    try tree.forEach { key, value in found[key] = value }
    #expect(found == model)
    withExtendedLifetime(cursor) {}
    #expect(try base.store.pins().count == 1)
  }

  @Test func closingWaitsForTheLastReader() throws {
    let file = try MemoryFile(path: "memory", capacity: 1 << 28)
    let base = try KeyValueStore(file)
    try base.write { try $0.set([1], for: [1]) }
    var snapshot: StorageSnapshot? = try base.store.snapshot()
    try base.store.close()
    #expect(throws: StorageError.closed(path: "memory", failedSync: nil)) {
      try base.store.snapshot()
    }
    #expect(throws: StorageError.closed(path: "memory", failedSync: nil)) {
      try base.store.beginWrite()
    }
    if let snapshot { #expect(try KeyValueStore.contents(of: snapshot) == [[1]: [1]]) }
    #expect(try file.byteCount() > 0)
    snapshot = nil
    #expect(throws: StorageError.closed(path: "memory", failedSync: nil)) {
      try file.byteCount()
    }
    try base.store.close()
  }

  @Test func aPinIsVisibleWithWhatItHoldsBack() throws {
    let base = try KeyValueStore()
    try base.write { try $0.set([UInt8](repeating: 1, count: 100), for: [1]) }
    let snapshot = try base.store.snapshot()
    #expect(try base.store.blockCountByPin() == [:])
    for round in 0..<5 as Range<UInt8> { try base.write { try $0.set([round], for: [1]) } }
    #expect(try base.store.blockCountByPin() == [snapshot.transaction: 1])
    #expect(try base.store.pins().map(\.transaction) == [snapshot.transaction])
  }

  /// Two stores on one file, each with a lock file of its own, like two processes.
  @Test func twoStoresOnOneFileTakeTurns() throws {
    var random = SplitMix64(seed: 6)
    let folder = TemporaryFolder()
    let stores = try (0..<2).map { _ in
      let file = try PosixFile(path: folder.path(of: "shared"), mode: .create)
      return try KeyValueStore(file, LockFile(for: file))
    }
    var model: KeyValueStore.Contents = [:]
    for round in 0..<300 {
      let writer = stores[Int.random(in: 0..<2, using: &random)]
      let reader = stores[Int.random(in: 0..<2, using: &random)]
      let before = try reader.store.snapshot()
      let old = model
      try writer.write { tree in
        for _ in 0..<5 {
          let key = key(Int.random(in: 0..<200, using: &random))
          let value = noise(Int.random(in: 0..<500, using: &random), &random)
          try tree.set(value, for: key)
          model[key] = value
        }
      }
      #expect(try reader.contents() == model)
      #expect(try KeyValueStore.contents(of: before) == old)
      if round % 20 == 0 { #expect(try reader.findings() == []) }
    }
    let byteCount = try stores[0].store.file.byteCount()
    #expect(byteCount < 2 << 20)
    for store in stores { try store.store.close() }
  }

  @Test func readersAndWritersOnManyThreadsSeeWholeVersions() throws {
    let folder = TemporaryFolder()
    let stores = try (0..<2).map { _ in
      let file = try PosixFile(path: folder.path(of: "shared"), mode: .create)
      return try KeyValueStore(file, LockFile(for: file))
    }
    // Every version holds one number under all keys.
    try stores[0].write { tree in for index in 0..<50 { try tree.set([0], for: key(index)) } }
    onThreads(4) { thread in
      let base = stores[thread % 2]
      do {
        for round in 0..<60 {
          if thread < 2 {
            let value = [UInt8](repeating: UInt8(round), count: 1 + thread * 50)
            try base.write { tree in
              for index in 0..<50 { try tree.set(value, for: key(index)) }
            }
          } else {
            let contents = try base.contents()
            if contents.count != 50 || Set(contents.values).count != 1 {
              Issue.record("a torn version of \(contents.count) entries")
            }
          }
        }
      } catch {
        Issue.record("\(error)")
      }
    }
    #expect(try stores[1].findings() == [])
  }

  /// The other process died after it wrote its slot and before it told anybody.
  @Test func aCommitThatNobodyPublishedIsTakenOver() throws {
    let file = try MemoryFile(path: "memory", capacity: 1 << 28)
    let survivor = try KeyValueStore(file)
    try survivor.write { try $0.set([1], for: [1]) }
    // A second coordinator that the first store hears nothing of.
    let other = try KeyValueStore(file, LocalCoordinator(path: "other"))
    try other.write { try $0.set([2], for: [2]) }
    #expect(try survivor.contents() == [[1]: [1]])
    try survivor.write { try $0.set([3], for: [3]) }
    #expect(try survivor.contents() == [[1]: [1], [2]: [2], [3]: [3]])
    #expect(try survivor.findings() == [])
  }

  @Test func opensWithoutWaitingForAWriter() throws {
    let folder = TemporaryFolder()
    func open() throws -> KeyValueStore {
      let file = try PosixFile(path: folder.path(of: "shared"), mode: .create)
      return try KeyValueStore(file, LockFile(for: file))
    }
    let first = try open()
    try first.write { try $0.set([1], for: [1]) }
    let transaction = try first.store.beginWrite()
    let second = try open()
    #expect(try second.contents() == [[1]: [1]])
    transaction.cancel()
  }
}
