import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

/// What time, other programs and bad disks do to a file that was closed in good order.
@Suite(.computing) struct DamageTests {
  private static let blockByteCount = Block.byteCount

  /// A closed file that has every kind of page of this layer, and free blocks.
  private struct Sample {
    let bytes: [UInt8]
    let contents: KeyValueStore.Contents
    /// The runs of all pages, with their kinds.
    let pages: [(run: BlockRun, kind: PageKind, codec: PageCodec)]
    let transaction: UInt64

    init(commitCount: Int = 900) throws {
      var random = SplitMix64(seed: 1)
      let folder = TemporaryFolder()
      let path = folder.path(of: "sample")
      let file = try PosixFile(path: path, mode: .create)
      let base = try KeyValueStore(file, LockFile(for: file))
      try base.write { tree in
        for index in 0..<150 {
          // Leaves that compress and leaves that do not.
          let value = index < 60 ? noise(500, &random) : [UInt8](repeating: 7, count: 500)
          try tree.set(value, for: key(index))
        }
      }
      // Enough small commits to fill pages of the space log.
      for commit in 0..<commitCount { try base.write { try $0.set([1, 2], for: key(commit % 9)) } }
      contents = try base.contents()
      let snapshot = try base.store.snapshot()
      transaction = snapshot.transaction
      var audit = Audit()
      KeyValueStore.tree(snapshot).check(&audit) { _, _ in }
      let space = try SpaceState(slot: snapshot.slot, reader: snapshot.reader)
      for page in space.logPages { _ = audit.visit(page.reference, reader: snapshot.reader) }
      pages = try audit.usedRuns.map { run in
        let bytes = PageBuffer(byteCount: 16, zeroed: true)
        _ = try file.read(into: bytes.unsafeBytes, at: run.start * 4096)
        let kind = try #require(PageKind(rawValue: bytes.view[8]))
        return (run, kind, try #require(PageCodec(rawValue: bytes.view[9])))
      }
      let all = PageBuffer(byteCount: Int(try file.byteCount()), zeroed: true)
      try base.store.close()
      // The last reader is gone by now only if nothing above kept it.
      withExtendedLifetime(snapshot) {}
      let reader = try PosixFile(path: path, mode: .readOnly)
      _ = try reader.read(into: all.unsafeBytes, at: 0)
      bytes = all.view.copy()
    }
  }

  private static func file(_ bytes: [UInt8]) throws -> MemoryFile {
    let file = try MemoryFile(path: "damaged", capacity: 1 << 26)
    try file.setByteCount(UInt64(bytes.count))
    try write(bytes, to: file, at: 0)
    return file
  }

  private static func write(_ bytes: [UInt8], to file: MemoryFile, at offset: Int) throws {
    try bytes.withUnsafeBytes { try file.write($0, at: UInt64(offset)) }
  }

  /// What opening, reading and checking make of the file.
  private enum Verdict: Equatable {
    case refused(StorageError)
    case reported
    case clean
    /// The worst: other contents than those that were written.
    case wrong
  }

  private static func verdict(_ file: MemoryFile, _ contents: KeyValueStore.Contents) -> Verdict {
    let base: KeyValueStore
    do { base = try KeyValueStore(file) } catch { return .refused(error) }
    do {
      if try base.contents() != contents { return .wrong }
    } catch {}
    do {
      return try base.findings().isEmpty ? .clean : .reported
    } catch { return .reported }
  }

  @Test func everyFlippedBitOfAPageIsReported() throws {
    let sample = try Sample()
    #expect(Set(sample.pages.map(\.kind)) == [.branch, .keyValueLeaf, .spaceLog])
    #expect(Set(sample.pages.map(\.codec)) == [.raw, .lz4])
    let file = try Self.file(sample.bytes)
    #expect(Self.verdict(file, sample.contents) == .clean)
    var random = SplitMix64(seed: 2)
    for (run, kind, _) in sample.pages {
      let start = Int(run.start) * Self.blockByteCount
      var places = Array(0..<PageHeader.byteCount)
      places += (0..<30).map { _ in Int.random(in: 48..<run.byteCount, using: &random) }
      places.append(run.byteCount - 1)
      for place in places {
        let byte = sample.bytes[start + place]
        try Self.write(
          [byte ^ 1 << UInt8.random(in: 0..<8, using: &random)], to: file, at: start + place)
        let verdict = Self.verdict(file, sample.contents)
        #expect(verdict == .reported, "byte \(place) of the \(kind) at block \(run.start)")
        try Self.write([byte], to: file, at: start + place)
      }
    }
    #expect(Self.verdict(file, sample.contents) == .clean)
  }

  /// A whole block that reads as zero, as another block, or as it was before.
  @Test func replacedBlocksOfPagesAreReported() throws {
    let sample = try Sample(commitCount: 40)
    let file = try Self.file(sample.bytes)
    for (run, kind, _) in sample.pages {
      for block in run.start..<run.end {
        let start = Int(block) * Self.blockByteCount
        let other = (start + 2 * Self.blockByteCount) % sample.bytes.count
        for replacement in [
          [UInt8](repeating: 0, count: Self.blockByteCount),
          Array(sample.bytes[other..<other + Self.blockByteCount]),
        ] {
          try Self.write(replacement, to: file, at: start)
          #expect(
            Self.verdict(file, sample.contents) == .reported, "the \(kind) at \(run.start)")
        }
        try Self.write(
          Array(sample.bytes[start..<start + Self.blockByteCount]), to: file, at: start)
      }
    }
  }

  @Test(arguments: [40, 41])
  func everyFlippedBitOfAHeaderSlotIsReported(commitCount: Int) throws {
    let sample = try Sample(commitCount: commitCount)
    let file = try Self.file(sample.bytes)
    // Every field of the header, and of the rest a sample that ends nowhere in particular.
    for place in 0..<3 * Self.blockByteCount
    where place % 4096 < 250 || place % 17 == 0 || place % 512 >= 504 {
      let byte = sample.bytes[place]
      try Self.write([byte ^ 1 << UInt8(place % 8)], to: file, at: place)
      #expect(Self.verdict(file, sample.contents) == .reported, "byte \(place)")
      try Self.write([byte], to: file, at: place)
    }
  }

  /// The version lives in one slot only, once the file was opened and written: damage to that slot
  /// must not bring the version before back.
  @Test(arguments: [1, 2, 40, 41])
  func aFlippedBitOfTheNewestSlotOfAnOpenFileIsRefused(commitCount: UInt8) throws {
    let file = try MemoryFile(path: "damaged", capacity: 1 << 26)
    let base = try KeyValueStore(file)
    for commit in 0..<commitCount { try base.write { try $0.set([commit], for: [1]) } }
    let contents = try base.contents()
    let block = try base.store.snapshot().transaction % 3
    for place in 0..<Self.blockByteCount where place < 250 || place % 13 == 0 {
      let offset = block * UInt64(Self.blockByteCount) + UInt64(place)
      var byte: UInt8 = 0
      _ = try withUnsafeMutableBytes(of: &byte) { try file.read(into: $0, at: offset) }
      try Self.write([byte ^ 1 << UInt8(place % 8)], to: file, at: Int(offset))
      #expect(
        Self.verdict(file, contents)
          == .refused(.corrupted(block: block, .structure(.headerSlot))), "byte \(place)")
      try Self.write([byte], to: file, at: Int(offset))
    }
    #expect(Self.verdict(file, contents) == .clean)
  }

  @Test(arguments: [40, 41])
  func aFileCutToAnyLengthIsRefused(commitCount: Int) throws {
    let sample = try Sample(commitCount: commitCount)
    let blockCount = sample.bytes.count / Self.blockByteCount
    for kept in 1..<blockCount {
      for extra in [0, 1, 512, 4095] {
        let byteCount = kept * Self.blockByteCount + extra
        let file = try Self.file(Array(sample.bytes[..<byteCount]))
        let verdict = Self.verdict(file, sample.contents)
        let tooShort = StorageError.corrupted(
          block: UInt64(kept),
          .truncated(byteCount: UInt64(byteCount), expected: UInt64(sample.bytes.count)))
        #expect(verdict == .refused(tooShort), "\(byteCount) bytes")
      }
    }
    // Less than a block: sectors of a slot, and then nothing that could be told from a new file.
    for byteCount in [100, 512, 4095] {
      let file = try Self.file(Array(sample.bytes[..<byteCount]))
      guard case .refused = Self.verdict(file, sample.contents) else {
        Issue.record("\(byteCount) bytes")
        continue
      }
    }
    #expect(throws: StorageError.empty(path: "damaged")) {
      let file = try Self.file([])
      _ = try PageStore(
        file: file, coordinator: LocalCoordinator(path: file.path), cacheByteCount: 0,
        makeFileID: nil)
    }
  }

  /// Cut while it was open: an error, or a version that was committed.
  @Test func anUnsealedFileCutToAnyLengthNeverTraps() throws {
    var random = SplitMix64(seed: 3)
    let file = try MemoryFile(path: "damaged", capacity: 1 << 26)
    let base = try KeyValueStore(file)
    var states: [KeyValueStore.Contents] = [[:]]
    for commit in 0..<30 {
      try base.write { try $0.set(noise(2_000, &random), for: key(commit)) }
      states.append(try base.contents())
    }
    let bytes = PageBuffer(byteCount: Int(try file.byteCount()), zeroed: true)
    _ = try file.read(into: bytes.unsafeBytes, at: 0)
    let all = bytes.view.copy()
    for kept in 1..<all.count / Self.blockByteCount {
      let file = try Self.file(Array(all[..<(kept * Self.blockByteCount)]))
      do {
        let found = try KeyValueStore(file).contents()
        #expect(states.suffix(2).contains(found), "\(kept) blocks")
      } catch let error as StorageError {
        guard case .corrupted = error else {
          Issue.record("\(kept) blocks: \(error)")
          continue
        }
      }
    }
  }

  @Test func filesOfOthersAreNotDatabases() throws {
    var random = SplitMix64(seed: 4)
    let foreign: [[UInt8]] = [
      Array("SQLite format 3\0".utf8) + noise(20_000, &random),
      Array("{\"id\": 1}\n".utf8), [UInt8](repeating: 0, count: 50_000),
      [UInt8](repeating: 0xFF, count: 8_192), noise(100, &random), noise(8_192, &random),
      noise(100_000, &random),
    ]
    for (index, bytes) in foreign.enumerated() {
      #expect(
        Self.verdict(try Self.file(bytes), [:]) == .refused(.notADatabase(path: "damaged")),
        "file \(index)")
    }
  }

  @Test(arguments: [1, 2, 900] as [UInt32])
  func anotherFormatIsRefusedByItsNumber(version: UInt32) throws {
    let sample = try Sample(commitCount: 3)
    let refusal = StorageError.unsupportedFormat(version: version, newestSupported: 3)
    for slots in [[0], [1], [2], [0, 1, 2]] {
      var bytes = sample.bytes
      for slot in slots {
        let range = slot * Self.blockByteCount..<(slot + 1) * Self.blockByteCount
        guard case .valid(let found) = HeaderSlot.read(Array(bytes[range]), at: UInt64(slot)) else {
          Issue.record("the sample has three slots")
          continue
        }
        bytes.replaceSubrange(range, with: found.encoded(asVersion: version))
      }
      #expect(Self.verdict(try Self.file(bytes), [:]) == .refused(refusal))
    }
  }

  /// A slot of a sealed file is damaged, a commit goes to one that is whole, and the power fails:
  /// without care no slot is left.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func aDamagedSlotIsMendedBeforeTheOtherIsWritten(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let file = try SimulatedFile(capacity: 1 << 26)
    var base = try KeyValueStore(file)
    for commit in 0..<UInt8(2 + seed % 2) { try base.write { try $0.set([commit], for: [1]) } }
    let contents = try base.contents()
    try base.store.close()
    var survivor = try file.afterPowerLoss(using: &random)
    let damagedBlock = seed / 2 % 3
    try survivor.flipBit(3, at: damagedBlock * 4096 + UInt64.random(in: 0..<4096, using: &random))
    base = try KeyValueStore(survivor)
    #expect(try base.contents() == contents)
    survivor.operationsUntilPowerLoss = Int.random(in: 0..<10, using: &random)
    var next = contents
    next[[2]] = [2]
    do {
      try base.write { try $0.set([2], for: [2]) }
      try base.write { try $0.set([2], for: [2]) }
    } catch StorageError.io {}
    survivor = try survivor.afterPowerLoss(using: &random)
    base = try KeyValueStore(survivor)
    let found = try base.contents()
    #expect(found == contents || found == next)
  }
}
