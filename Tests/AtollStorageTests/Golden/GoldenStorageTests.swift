import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Files that earlier builds wrote stay readable, and are what Format.md says.
@Suite(.computing) struct GoldenStorageTests {
  @Test(.enabled(if: GoldenFiles.isWriting), arguments: GoldenStorage.all)
  func writesGoldenFile(golden: GoldenStorage) throws {
    try GoldenFiles.write(golden.make(), to: golden.path)
  }

  @Test(arguments: GoldenStorage.all)
  func opensWithExactlyItsContents(golden: GoldenStorage) throws {
    let store = try open(golden.bytes(), golden.encryptionKey)
    let snapshot = try store.snapshot()
    #expect(snapshot.transaction == UInt64(golden.transaction))
    let tree = KeyValueTree(
      root: snapshot.slot.catalogue, treeID: GoldenStorage.treeID, reader: snapshot.reader)
    var found: [GoldenStorage.Entry] = []
    try tree.forEach { (key: [UInt8], value: [UInt8]) in found.append((key, value)) }
    #expect(found.elementsEqual(golden.contents, by: ==))
    var audit = Audit()
    tree.check(&audit) { _, _ in }
    snapshot.checkSpace(&audit)
    #expect(audit.findings == [])
  }

  @Test(arguments: GoldenStorage.all)
  func takesAnotherCommit(golden: GoldenStorage) throws {
    let store = try open(golden.bytes(), golden.encryptionKey)
    let transaction = try store.beginWrite()
    let tree = MutableKeyValueTree(
      root: transaction.base.catalogue, treeID: GoldenStorage.treeID, transaction: transaction)
    try tree.set([1], for: [0xFF])
    try transaction.commit(catalogue: tree.flush())
    let snapshot = try store.snapshot()
    #expect(snapshot.slot.catalogue.entryCount == UInt64(golden.contents.count + 1))
    var audit = Audit()
    KeyValueTree(
      root: snapshot.slot.catalogue, treeID: GoldenStorage.treeID, reader: snapshot.reader
    ).check(&audit) { _, _ in }
    snapshot.checkSpace(&audit)
    #expect(audit.findings == [])
  }

  @Test(arguments: GoldenStorage.plain)
  func decodesByFormatAlone(golden: GoldenStorage) throws {
    let file = try FormatFile(golden.bytes())
    #expect(file.slot.transaction == golden.transaction)
    #expect(file.slot.fileID == GoldenStorage.fileID)
    #expect(file.slots.map(\.isSealed).count { $0 } == 1, "the file was closed in good order")
    #expect(file.slots.first(where: \.isSealed)?.transaction == golden.transaction)
    let contents = golden.contents
    #expect(file.slot.catalogue.entryCount == contents.count)
    let entries = try file.entries(file.slot.catalogue, treeID: Int(GoldenStorage.treeID))
    #expect(entries.elementsEqual(contents, by: ==))
  }

  @Test(arguments: GoldenStorage.plain)
  func spaceLogAccountsForEveryBlock(golden: GoldenStorage) throws {
    let file = try FormatFile(golden.bytes())
    let space = try FormatSpace(of: file)
    #expect(space.blockCount == file.slot.blockCount)
    var used = Set(0..<3)
    used.formUnion(space.free)
    for (start, count) in space.retired { used.formUnion(start..<start + count) }
    func use(_ reference: FormatReference) {
      for block in reference.block..<reference.block + reference.blockCount {
        #expect(used.insert(block).inserted, "block \(block) is used twice")
      }
    }
    var next = file.slot.spaceLog
    for page in space.logPages {
      use(next)
      var reader = FormatReader(page.payload)
      next = try reader.reference("previous")
    }
    let root = file.slot.catalogue
    for leaf in try file.leaves(root, treeID: Int(GoldenStorage.treeID), .keyValueLeaf) {
      use(leaf.reference)
    }
    if root.height > 0 { use(root.reference) }
    #expect(used == Set(0..<space.blockCount))
  }

  @Test func treeHasLeavesOfBothCodecsBelowABranch() throws {
    let file = try FormatFile(GoldenStorage.tree.bytes())
    let leaves = try file.leaves(
      file.slot.catalogue, treeID: Int(GoldenStorage.treeID), .keyValueLeaf)
    #expect(file.slot.catalogue.height == 1)
    #expect(Set(leaves.map(\.page.isCompressed)) == [false, true])
  }

  @Test func logHasAPageOfItsOwn() throws {
    let file = try FormatFile(GoldenStorage.log.bytes())
    #expect(try FormatSpace(of: file).logPages.count > 0)
  }

  @Test func aNewerFormatVersionIsRefusedByName() throws {
    var bytes = try GoldenStorage.small.bytes()
    for block in 0..<3 {
      bytes[4096 * block + 8] = 4
      resumSlot(&bytes, block)
    }
    #expect(throws: StorageError.unsupportedFormat(version: 4, newestSupported: 3)) {
      _ = try open(bytes)
    }
  }

  /// Files of formats that are not read any more, as they were written.
  @Test(arguments: [("v1-small", 1), ("v1-encrypted", 1), ("v2-small", 2), ("v2-encrypted", 2)])
  func anOlderFormatIsRefusedByItsNumber(name: String, version: UInt32) throws {
    let path = "Tests/AtollStorageTests/Golden/Files/\(name).golden"
    let error = #expect(throws: StorageError.self) {
      _ = try open(GoldenFiles.read(path), name.hasSuffix("encrypted") ? Array(0..<64) : nil)
    }
    #expect(error == .unsupportedFormat(version: version, newestSupported: 3))
    #expect(error.map { "\($0)" }?.contains("dump it with the library that wrote it") == true)
  }

  /// Any one bit of any page that the newest version reaches.
  @Test(arguments: [GoldenStorage.small, .tree], 0..<8 as Range<UInt64>)
  func aFlippedBitIsAnErrorThatNamesItsPage(golden: GoldenStorage, seed: UInt64) throws {
    let sound = try golden.bytes()
    let file = try FormatFile(sound)
    var random = SplitMix64(seed: seed)
    for leaf in try file.leaves(
      file.slot.catalogue, treeID: Int(GoldenStorage.treeID), .keyValueLeaf)
    {
      var bytes = sound
      let offset = Int.random(in: 0..<leaf.reference.blockCount * 4096, using: &random)
      let place = leaf.reference.block * 4096 + offset
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      let snapshot = try open(bytes).snapshot()
      let tree = KeyValueTree(
        root: snapshot.slot.catalogue, treeID: GoldenStorage.treeID, reader: snapshot.reader)
      let error = #expect(throws: StorageError.self) {
        try tree.forEach { (_: [UInt8], _: [UInt8]) in }
      }
      guard case .corrupted(let block, _) = error else {
        Issue.record("the error is \(String(describing: error))")
        continue
      }
      #expect(block == UInt64(leaf.reference.block))
    }
  }

  private func open(_ bytes: [UInt8], _ encryptionKey: [UInt8]? = nil) throws -> PageStore {
    let file = try MemoryFile(path: "golden", capacity: 64 << 20)
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    return try PageStore(
      file: file, coordinator: LocalCoordinator(path: "golden"), cacheByteCount: 1 << 20,
      key: try encryptionKey.map { try EncryptionKey($0, path: "golden") }, makeFileID: nil)
  }

  /// Makes the checksum of a changed slot right again.
  private func resumSlot(_ bytes: inout [UInt8], _ block: Int) {
    let start = 4096 * block
    for index in 24..<32 { bytes[start + index] = 0 }
    let content = (0..<8).flatMap { bytes[start + 512 * $0..<start + 512 * $0 + 504] }
    let checksum = secondXXH64(content)
    for index in 0..<8 {
      bytes[start + 24 + index] = UInt8(truncatingIfNeeded: checksum >> UInt64(8 * index))
    }
  }
}
