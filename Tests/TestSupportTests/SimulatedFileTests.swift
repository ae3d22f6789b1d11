import AtollStorage
import TestSupport
import TestThreads
import Testing

/// The simulator is code too: it loses what a disk may lose and keeps what a disk must keep.
@Suite(.computing) struct SimulatedFileTests {
  private static let block = 4096

  private func file(blockCount: Int = 16) throws -> SimulatedFile {
    let file = try SimulatedFile(capacity: 1 << 20)
    try file.setByteCount(UInt64(blockCount * Self.block))
    try file.fill(0..<blockCount, with: 1)
    try file.synchronize(.full)
    return file
  }

  @Test(arguments: SimulatedFile.Tearing.allCases)
  func unsyncedWritesAreLostKeptAndTorn(_ tearing: SimulatedFile.Tearing) throws {
    let file = try file()
    try file.fill(0..<16, with: 2)
    var outcomes: Set<Set<UInt8>> = []
    var tornBlockCount = 0
    var tornSectorCount = 0
    for seed in 0..<50 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let survivor = try file.afterPowerLoss(using: &random, tearing: tearing)
      let bytes = try survivor.contents()
      outcomes.insert(Set(bytes))
      for position in 1..<bytes.count where bytes[position] != bytes[position - 1] {
        if position % Self.block != 0 { tornBlockCount += 1 }
        if position % SimulatedFile.sectorByteCount != 0 { tornSectorCount += 1 }
      }
    }
    #expect(outcomes == [[1], [2], [1, 2]])
    #expect((tornBlockCount > 0) == (tearing == .sectors512))
    #expect(tornSectorCount == 0)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func whatWasSyncedIsKept(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let file = try file()
    try file.fill(3..<5, with: 2)
    try file.synchronize(.data)
    #expect(file.unsyncedSectorCount == 0)
    let survivor = try file.afterPowerLoss(using: &random)
    #expect(try survivor.contents() == file.contents())
  }

  @Test func onlyTheWrittenSectorsChange() throws {
    let file = try file()
    try file.write([2], at: 5 * Self.block + 700)
    #expect(file.unsyncedSectorCount == 1)
    for seed in 0..<20 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let bytes = try file.afterPowerLoss(using: &random).contents()
      #expect(bytes.filter { $0 == 2 }.count <= 1)
      let position = 5 * Self.block + 700
      #expect(bytes.enumerated().allSatisfy { $0.element == 1 || $0.offset == position })
    }
  }

  @Test func anOverwrittenContentCanSurvive() throws {
    let file = try file()
    for value in 2...4 as ClosedRange<UInt8> { try file.fill(0..<1, with: value) }
    var seen: Set<UInt8> = []
    for seed in 0..<100 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      seen.formUnion(try file.afterPowerLoss(using: &random).contents())
    }
    #expect(seen == [1, 2, 3, 4])
  }

  @Test func aLengthThatWasNotSyncedIsOldNewOrBetween() throws {
    let file = try file(blockCount: 4)
    try file.setByteCount(UInt64(10 * Self.block))
    try file.fill(4..<10, with: 2)
    // Makes the bytes durable, not the length.
    try file.synchronize(.data)
    var lengths: Set<Int> = []
    for seed in 0..<60 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let bytes = try file.afterPowerLoss(using: &random).contents()
      lengths.insert(bytes.count)
      #expect(bytes == Array(try file.contents().prefix(bytes.count)))
    }
    #expect(lengths.min() == 4 * Self.block)
    #expect(lengths.max() == 10 * Self.block)
    #expect(lengths.count > 3)
    try file.synchronize(.full)
    var random = SplitMix64(seed: 1)
    for _ in 0..<20 {
      #expect(try file.afterPowerLoss(using: &random).byteCount() == UInt64(10 * Self.block))
    }
  }

  @Test func whatWasCutOffIsThereOrZero() throws {
    let file = try file(blockCount: 4)
    try file.setByteCount(UInt64(2 * Self.block))
    try file.setByteCount(UInt64(4 * Self.block))
    #expect(Set(try file.contents().suffix(2 * Self.block)) == [0])
    var seen: Set<UInt8> = []
    for seed in 0..<50 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let bytes = try file.afterPowerLoss(using: &random).contents()
      #expect(Set(bytes.prefix(2 * Self.block)) == [1])
      seen.formUnion(bytes.dropFirst(2 * Self.block))
    }
    #expect(seen == [0, 1])
    try file.synchronize(.full)
    var random = SplitMix64(seed: 9)
    #expect(try file.afterPowerLoss(using: &random).contents() == file.contents())
  }

  @Test(arguments: 0..<4)
  func thePowerFailsAtTheCountedOperationAndStaysOut(count: Int) throws {
    let file = try file()
    file.operationsUntilPowerLoss = count
    let steps: [() throws -> Void] = [
      { try file.fill(0..<1, with: 2) },
      { try file.synchronize(.data) },
      { try file.setByteCount(UInt64(20 * Self.block)) },
      { try file.synchronize(.full) },
    ]
    for step in steps.prefix(count) { try step() }
    #expect(!file.hasLostPower)
    #expect(throws: StorageError.self) { try steps[count]() }
    #expect(file.hasLostPower)
    for step in steps { #expect(throws: StorageError.self) { try step() } }
    #expect(throws: StorageError.self) { _ = try file.contents() }
    #expect(throws: StorageError.self) { _ = try file.window(0) }
    var random = SplitMix64(seed: 3)
    #expect(try !file.afterPowerLoss(using: &random).hasLostPower)
  }

  @Test func theWriteThatThePowerFailureStrikesIsHalfDone() throws {
    let file = try file()
    file.operationsUntilPowerLoss = 0
    #expect(throws: StorageError.io(operation: .write, path: "simulated", errno: 5)) {
      try file.fill(0..<8, with: 2)
    }
    var outcomes: Set<Set<UInt8>> = []
    for seed in 0..<100 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let bytes = try file.afterPowerLoss(using: &random).contents()
      outcomes.insert(Set(bytes.prefix(8 * Self.block)))
    }
    #expect(outcomes == [[1], [2], [1, 2]])
  }

  @Test func theSameSeedGivesTheSameDisk() throws {
    let file = try file()
    for index in 0..<10 { try file.fill(index..<index + 4, with: UInt8(index)) }
    for seed in 0..<20 as Range<UInt64> {
      var first = SplitMix64(seed: seed)
      var second = SplitMix64(seed: seed)
      #expect(
        try file.afterPowerLoss(using: &first).contents()
          == file.afterPowerLoss(using: &second).contents())
    }
  }

  @Test func aFailedSyncMakesNothingDurableAndClosesTheFile() throws {
    let file = try file()
    try file.fill(0..<1, with: 2)
    file.faults.syncsUntilFailure = 0
    #expect(throws: StorageError.io(operation: .synchronize, path: "simulated", errno: 5)) {
      try file.synchronize(.data)
    }
    let closed = StorageError.closed(path: "simulated", failedSync: 5)
    #expect(throws: closed) { try file.synchronize(.data) }
    #expect(throws: closed) { try file.write([1], at: 0) }
    #expect(throws: closed) { try file.setByteCount(1) }
    #expect(try file.contents()[0] == 2, "readers go on")
    #expect(file.unsyncedSectorCount == 8)
  }

  /// The next process sees what was written, and the disk has any part of it.
  @Test func whatAFailedSyncLeftIsSeenAndMayBeLost() throws {
    let file = try file()
    try file.fill(0..<16, with: 2)
    file.faults.syncsUntilFailure = 0
    #expect(throws: StorageError.self) { try file.synchronize(.full) }
    var outcomes: Set<Set<UInt8>> = []
    for seed in 0..<50 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let found = try file.afterFailedSync(using: &random)
      #expect(try found.contents() == file.contents())
      try found.synchronize(.full)
      outcomes.insert(Set(try found.afterPowerLoss(using: &random).contents()))
    }
    #expect(outcomes == [[1], [1, 2]])
  }

  @Test func aFullDiskRefusesWritesAndResizesAndKeepsTheLength() throws {
    let file = try file(blockCount: 4)
    file.faults.byteCountLimit = UInt64(5 * Self.block)
    #expect(throws: StorageError.io(operation: .resize, path: "simulated", errno: 28)) {
      try file.setByteCount(UInt64(6 * Self.block))
    }
    #expect(throws: StorageError.io(operation: .write, path: "simulated", errno: 28)) {
      try file.fill(4..<6, with: 2)
    }
    #expect(try file.byteCount() == UInt64(4 * Self.block))
    try file.fill(4..<5, with: 2)
    #expect(try file.byteCount() == UInt64(5 * Self.block))
  }

  @Test(arguments: [0, 30, 100])
  func aFailingWriteWritesAPartAndOnlyOnce(percentage: Int) throws {
    let file = try file()
    file.faults.writesUntilFailure = 1
    file.faults.failedWritePercentage = percentage
    try file.fill(0..<1, with: 2)
    #expect(throws: StorageError.io(operation: .write, path: "simulated", errno: 5)) {
      try file.fill(1..<3, with: 2)
    }
    // Whole sectors of 512 bytes.
    let written = Self.block + 2 * Self.block / 512 * percentage / 100 * 512
    #expect(Set(try file.contents()[..<written]) == [2])
    #expect(Set(try file.contents()[written...]) == [1])
    try file.fill(1..<3, with: 2)
  }

  @Test func aFailingReadFailsOnce() throws {
    let file = try file()
    file.faults.readsUntilFailure = 0
    #expect(throws: StorageError.io(operation: .read, path: "simulated", errno: 5)) {
      _ = try file.contents()
    }
    #expect(Set(try file.contents()) == [1])
  }

  @Test func aFlippedBitShowsInWindowsAndSurvives() throws {
    let file = try file()
    let window = try file.window(0)
    try file.flipBit(6, at: 5000)
    #expect(window.load(fromByteOffset: 5000, as: UInt8.self) == 65)
    var random = SplitMix64(seed: 1)
    #expect(try file.afterPowerLoss(using: &random).contents()[5000] == 65)
  }

  @Test func theCountersCount() throws {
    let file = try SimulatedFile()
    try file.setByteCount(8192)
    try file.write([1, 2, 3], at: 0)
    try file.write([4], at: 0)
    try file.synchronize(.data)
    try file.synchronize(.full)
    _ = try file.contents()
    #expect(
      file.counters
        == SimulatedFile.Counters(
          writeCount: 2, writtenByteCount: 4, readCount: 1, dataSyncCount: 1, fullSyncCount: 1,
          resizeCount: 1))
  }
}

extension SimulatedFile {
  /// Writes whole blocks of one value.
  fileprivate func fill(_ blocks: Range<Int>, with value: UInt8) throws {
    try write([UInt8](repeating: value, count: blocks.count * 4096), at: blocks.lowerBound * 4096)
  }

  fileprivate func write(_ bytes: [UInt8], at offset: Int) throws {
    try bytes.withUnsafeBytes { try write($0, at: UInt64(offset)) }
  }

  /// All bytes of the file.
  fileprivate func contents() throws -> [UInt8] {
    let byteCount = Int(try byteCount())
    return try [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
      initialized = try read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
    }
  }
}
