import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct FailureTests {
  private static let path = "simulated"
  private static let inputOutput: Int32 = 5

  private static func filled() throws -> (SimulatedFile, KeyValueStore, KeyValueStore.Contents) {
    var random = SplitMix64(seed: 1)
    let file = try SimulatedFile(path: path, capacity: 1 << 28)
    let base = try KeyValueStore(file)
    try base.write { tree in
      for index in 0..<200 { try tree.set(noise(300, &random), for: key(index)) }
    }
    return (file, base, try base.contents())
  }

  @Test func aFullDiskIsAnErrorAndTheStoreGoesOn() throws {
    var random = SplitMix64(seed: 2)
    let (file, base, model) = try Self.filled()
    file.faults.byteCountLimit = try file.byteCount() + 32_768
    let noSpace = StorageError.io(operation: .resize, path: Self.path, errno: 28)
    for _ in 0..<5 {
      #expect(throws: noSpace) {
        try base.write { tree in
          for index in 0..<200 { try tree.set(noise(3_000, &random), for: key(index)) }
        }
      }
      #expect(try base.contents() == model)
      #expect(try base.findings() == [])
    }
    try base.write { try $0.set([1], for: key(0)) }
    file.faults.byteCountLimit = nil
    try base.write { tree in
      for index in 0..<200 { try tree.set(noise(3_000, &random), for: key(index)) }
    }
    #expect(try base.findings() == [])
  }

  /// The write that fails may be one of a page or of the slot, at any place of a commit.
  @Test(arguments: 0..<12)
  func aFailedWritePublishesNothing(countdown: Int) throws {
    var random = SplitMix64(seed: 3)
    let (file, base, model) = try Self.filled()
    file.faults.writesUntilFailure = countdown
    let failure = StorageError.io(operation: .write, path: Self.path, errno: Self.inputOutput)
    var attempts = 0
    var changed = model
    var found: StorageError?
    while found == nil, attempts < 20 {
      attempts += 1
      do {
        let value = noise(200, &random)
        try base.write { tree in
          for index in stride(from: 0, to: 200, by: 50) { try tree.set(value, for: key(index)) }
        }
        for index in stride(from: 0, to: 200, by: 50) { changed[key(index)] = value }
      } catch let error as StorageError { found = error }
    }
    #expect(found == failure)
    // A failed page leaves the store open; a failed slot closes it, with the same error.
    do {
      #expect(try base.contents() == changed)
      #expect(try base.findings() == [])
      try base.write { try $0.set([9], for: key(9)) }
      changed[key(9)] = [9]
    } catch let error as StorageError { #expect(error == failure) }
    let reopened = try KeyValueStore(file)
    #expect(try reopened.contents() == changed)
    try reopened.write { try $0.set([8], for: key(8)) }
    changed[key(8)] = [8]
    #expect(try reopened.contents() == changed)
    #expect(try reopened.findings() == [])
  }

  @Test(arguments: [0, 1])
  func aFailedSyncClosesTheStore(countdown: Int) throws {
    let (file, base, model) = try Self.filled()
    let snapshot = try base.store.snapshot()
    file.faults.syncsUntilFailure = countdown
    let failure = StorageError.io(
      operation: .synchronize, path: Self.path, errno: Self.inputOutput)
    for _ in 0..<countdown { try base.write { try $0.set([1], for: key(1_000)) } }
    #expect(throws: failure) { try base.write { try $0.set([1], for: key(1_001)) } }
    let closed = StorageError.closed(path: Self.path, failedSync: Self.inputOutput)
    #expect(throws: closed) { try base.write { try $0.set([1], for: key(1_002)) } }
    #expect(throws: closed) { try base.store.snapshot() }
    // What was read before can still be read.
    #expect(try KeyValueStore.contents(of: snapshot) == model)
    try base.store.close()
  }

  /// A commit of many pages syncs before its slot.
  @Test func aFailedSyncBeforeTheSlotClosesTheStore() throws {
    var random = SplitMix64(seed: 4)
    let (file, base, model) = try Self.filled()
    file.faults.syncsUntilFailure = 0
    let failure = StorageError.io(
      operation: .synchronize, path: Self.path, errno: Self.inputOutput)
    #expect(throws: failure) {
      try base.write { tree in
        for index in 0..<2_000 { try tree.set(noise(1_500, &random), for: key(index)) }
      }
    }
    #expect(throws: StorageError.closed(path: Self.path, failedSync: Self.inputOutput)) {
      try base.store.snapshot()
    }
    let survivor = try file.afterPowerLoss(using: &random)
    #expect(try KeyValueStore(survivor).contents() == model)
  }

  /// The commit that failed is found whole when the file is opened again; it must then be written
  /// again before the next one builds on it.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func whatAFailedSyncLeftInMemoryIsWrittenAgain(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (file, base, _) = try Self.filled()
    file.faults.syncsUntilFailure = 0
    #expect(throws: StorageError.self) { try base.write { try $0.set([1], for: key(7)) } }

    let found = try file.afterFailedSync(using: &random)
    let reopened = try KeyValueStore(found)
    try reopened.write { try $0.set([2], for: key(150)) }
    let acknowledged = try reopened.contents()
    let survivor = try KeyValueStore(found.afterPowerLoss(using: &random))
    let after = try survivor.contents()
    #expect(after == acknowledged)
    #expect(try survivor.findings() == [])
  }

  /// The one sync of a file that was being made failed.
  ///
  /// Who opened the file next saw two header slots, of which one was not on the disk. The first
  /// commit went to the block of that one, and when the power failed then, what lay there was taken
  /// for damage: the file could not be opened.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func whatAFailedMakingLeftInMemoryIsWrittenAgain(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for operation in 0..<8 {
      let file = try SimulatedFile(path: Self.path, capacity: 1 << 26)
      file.faults.syncsUntilFailure = 0
      #expect(throws: StorageError.self) { try KeyValueStore(file) }

      let found = try file.afterFailedSync(using: &random)
      let reopened = try KeyValueStore(found)
      found.operationsUntilPowerLoss = operation
      var acknowledged: KeyValueStore.Contents = [:]
      do {
        try reopened.write { try $0.set([1], for: [1]) }
        acknowledged = [[1]: [1]]
        try reopened.write { try $0.set([2], for: [2]) }
      } catch StorageError.io where found.hasLostPower {}
      let survivor = try KeyValueStore(found.afterPowerLoss(using: &random))
      let after = try survivor.contents()
      #expect(after.count >= acknowledged.count)
      #expect(try survivor.findings() == [])
    }
  }

  @Test func aReadOnlyFileIsNotWrittenAndNotMade() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "data")
    do {
      let file = try PosixFile(path: path, mode: .create)
      let base = try KeyValueStore(file, LockFile(for: file))
      try base.write { try $0.set([1], for: [1]) }
    }
    let file = try PosixFile(path: path, mode: .readOnly)
    let base = try KeyValueStore(file)
    #expect(try base.contents() == [[1]: [1]])
    #expect(throws: StorageError.readOnly(path: path)) { try base.store.beginWrite() }
    try base.store.close()

    let empty = folder.path(of: "empty")
    try PosixFile(path: empty, mode: .create).close()
    #expect(throws: StorageError.empty(path: empty)) {
      try KeyValueStore(PosixFile(path: empty, mode: .readOnly))
    }
    #expect(throws: StorageError.empty(path: empty)) {
      try PageStore(
        file: PosixFile(path: empty, mode: .readWrite),
        coordinator: LocalCoordinator(path: empty), cacheByteCount: 1 << 20, makeFileID: nil)
    }
  }

  @Test func oneSyncACommitAndAFullOneOnlyWhenTheFileGrows() throws {
    let (file, base, _) = try Self.filled()
    try base.write { try $0.set([1], for: key(1)) }
    let before = file.counters
    let byteCount = try file.byteCount()
    for round in 0..<20 as Range<UInt8> { try base.write { try $0.set([round], for: key(1)) } }
    #expect(
      file.counters.dataSyncCount + file.counters.fullSyncCount
        - before.dataSyncCount - before.fullSyncCount == 20)
    #expect(
      try file.byteCount() != byteCount || file.counters.fullSyncCount == before.fullSyncCount)
  }
}
