@testable import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Leaves whose bytes are not what a writer makes: an error or an answer, never a trap.
@Suite(.computing) struct IndexDamageTests {
  enum Leaf: CaseIterable {
    case denseIntegers, sparseIntegers, names, bytes, copies

    func payload() throws -> [UInt8] {
      let store = try IndexStore(mode: .counted)
      try store.write { index, _ in
        for key in 0..<80 as Range<UInt64> {
          switch self {
          case .denseIntegers: try index.insertInt(Int64(key * key % 97), key: key)
          case .sparseIntegers: try index.insertInt(Int64(key * key) << 40, key: key << 20)
          case .names: try index.insert(stringKey("First\(key % 7) Last\(key)"), key: key)
          case .bytes:
            try index.insert([0x60] + [UInt8](repeating: UInt8(key), count: 12), key: key % 9)
          case .copies: try index.insert(stringKey("a"), key: 7)
          }
        }
        if self == .bytes {
          for length in [14, 40, 200] {
            try index.insert([0x61] + [UInt8](repeating: 9, count: length) + [1], key: 1)
          }
        }
      }
      let snapshot = try store.store.snapshot()
      return try snapshot.reader.page(store.root.main.reference, kind: .indexLeaf).bytes.copy()
    }
  }

  @Test(arguments: Leaf.allCases, 0..<4 as Range<UInt64>)
  func damagedLeavesNeverTrap(leaf: Leaf, seed: UInt64) throws {
    let payload = try leaf.payload()
    var random = SplitMix64(seed: seed)
    let store = try IndexStore(mode: seed % 2 == 0 ? .counted : .plain)
    let transaction = try store.store.beginWrite()
    var errorCount = 0
    for _ in 0..<120 {
      var damaged = payload
      for _ in 0...random.next() % 3 { damage(&damaged, &random) }
      let reference = try transaction.makePage(
        kind: .indexLeaf, treeID: IndexStore.treeID, payload: damaged, compress: false)
      // Some damage agrees with what the parent says of the count.
      let count: UInt64 =
        damaged.count >= 8 && random.next() % 2 == 0
        ? UInt64(damaged[4]) | UInt64(damaged[5]) << 8 : 80
      let root = TreeRoot(reference: reference, entryCount: count, height: 0)
      errorCount += use(IndexRoots(main: root), transaction, store.mode)
      errorCount += try useAsDelta(root, transaction, store.mode, isAdded: random.next() % 2 == 0)
    }
    #expect(errorCount > 0)
  }

  private func damage(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    guard !bytes.isEmpty else { return }
    switch random.next() % 8 {
    case 0: bytes.removeLast(Int(random.next() % UInt64(bytes.count)))
    case 1: bytes += [UInt8](repeating: UInt8(random.next() % 3), count: 16)
    case 2, 3:
      // A number of the header or of a vector's.
      let offset = Int(random.next() % UInt64(bytes.count)) & ~3
      let number = [0, 1, 0xFF, 0x7FFF_FFFF, 0xFFFF_FFFF, UInt32(random.next() % 200)]
      let value = number[Int(random.next() % 6)]
      for index in 0..<4 where offset + index < bytes.count {
        bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index))
      }
    default:
      let offset = Int(random.next() % UInt64(bytes.count))
      bytes[offset] = UInt8(truncatingIfNeeded: random.next())
    }
  }

  /// The same with the damaged leaf in the delta of a sound tree.
  private func useAsDelta(
    _ root: TreeRoot, _ transaction: WriteTransaction, _ mode: IndexMode, isAdded: Bool
  ) throws -> Int {
    let index = MutableIndex(
      root: .empty, treeID: IndexStore.treeID, transaction: transaction, mode: mode)
    for key in 0..<40 as Range<UInt64> { try index.insertInt(Int64(key), key: key) }
    var roots = try index.flush()
    if isAdded { roots.added = root } else { roots.removed = root }
    return use(roots, transaction, mode)
  }

  /// Asks everything of the tree; returns how often it threw, which only a `StorageError` may.
  private func use(_ root: IndexRoots, _ transaction: WriteTransaction, _ mode: IndexMode) -> Int {
    var errorCount = 0
    func attempt(_ body: () throws -> Void) {
      do {
        try body()
      } catch is StorageError {
        errorCount += 1
      } catch {
        Issue.record("\(error)")
      }
    }
    let tree = Index(root: root, treeID: IndexStore.treeID, reader: transaction.reader)
    let values = [integerKey(4), integerKey(25 << 40), stringKey("First1 Last8"), stringKey("a")]
    for value in values {
      attempt { _ = try tree.count(.equal(to: value)) }
      attempt { _ = try tree.keys(.equal(to: value)) }
      attempt { _ = try tree.firstKey(equalTo: value) }
      attempt { _ = try tree.keys(IndexRange(prefix: Array(value.prefix(3)))) }
      attempt { _ = try tree.count(IndexRange(lower: value, upper: nil)) }
    }
    attempt { _ = try tree.keys(.all) }
    attempt { try tree.forEachGroup(.all) { _, _ in true } }
    attempt { try tree.forEachGroup(.all, order: .descending) { _, _ in true } }
    var audit = Audit()
    tree.check(&audit, isCounted: true) { _, _ in }
    attempt {
      let index = MutableIndex(
        root: root, treeID: IndexStore.treeID, transaction: transaction, mode: mode)
      _ = try index.keys(of: values[0])
      _ = try index.firstKey(of: values[2])
      for value in values { try index.insert(value, key: 3) }
      try index.remove(values[3], key: 7)
      _ = try index.flush()
    }
    return errorCount
  }

  /// A changed bit in the file is an error that names the page.
  @Test func aFlippedBitIsAnError() throws {
    let store = try IndexStore()
    try store.write { index, _ in
      for key in 0..<100 as Range<UInt64> { try index.insertInt(Int64(key), key: key) }
    }
    let block = store.root.main.reference.block
    let offset = block * UInt64(Block.byteCount) + UInt64(PageHeader.byteCount) + 40
    var byte: [UInt8] = [0]
    _ = try byte.withUnsafeMutableBytes { try store.file.read(into: $0, at: offset) }
    byte[0] ^= 4
    try byte.withUnsafeBytes { try store.file.write($0, at: offset) }
    try store.read { tree in
      do {
        _ = try tree.count(.all)
        _ = try tree.keys(.all)
        Issue.record("a damaged page was read")
      } catch let StorageError.corrupted(damagedBlock, .checksum) {
        #expect(damagedBlock == block)
      }
    }
  }

  /// A page of a hundred kibibytes can claim any number of long values that begin alike.
  @Test func moreValuesThanALeafHoldsAreRefused() throws {
    var contents = IndexLeafContents()
    var value = [0x60] + [UInt8](repeating: 7, count: Index.valueByteLimit - 1)
    for number in 0..<1_100 {
      value[value.count - 2] = UInt8(number >> 8)
      value[value.count - 1] = UInt8(number & 0xFF)
      let isAppended = value.withUnsafeBytes { value in
        [3].withUnsafeBufferPointer { contents.append(value, keys: $0) }
      }
      #expect(isAppended)
    }
    let payload = try contents.encode()
    #expect(payload.count < 100_000)
    try withPage(payload) { page in
      var decoded = IndexLeafContents()
      #expect(throws: page.malformedValues) { try decoded.load(page) }
    }
  }

  /// A value that no writer lets in.
  @Test func aValueAboveTheLimitIsRefused() throws {
    func payload(_ byteCount: Int) throws -> [UInt8] {
      var contents = IndexLeafContents()
      let value = [0x60] + [UInt8](repeating: 7, count: byteCount - 1)
      let isAppended = value.withUnsafeBytes { value in
        [3].withUnsafeBufferPointer { contents.append(value, keys: $0) }
      }
      #expect(isAppended)
      return try contents.encode()
    }
    try withPage(payload(Index.valueByteLimit)) { page in
      var contents = IndexLeafContents()
      try contents.load(page)
      #expect(contents.value(0).count == Index.valueByteLimit)
    }
    try withPage(payload(Index.valueByteLimit + 1)) { page in
      var contents = IndexLeafContents()
      #expect(throws: page.malformedValues) { try contents.load(page) }
      var value = GrowableBytes()
      #expect(throws: page.malformedValues) { try page.readValue(0, into: &value) }
    }
  }

  /// Leaves whose entries are in the wrong order are refused when they are to be changed.
  @Test func aLeafOutOfOrderIsNotMerged() throws {
    var payload = try Leaf.sparseIntegers.payload()
    // Two of the packed integers change places.
    let start = IndexPage.headerByteCount + 16
    for index in 0..<8 { payload.swapAt(start + 8 + index, start + 16 + index) }
    let store = try IndexStore()
    let transaction = try store.store.beginWrite()
    let reference = try transaction.makePage(
      kind: .indexLeaf, treeID: IndexStore.treeID, payload: payload, compress: false)
    let index = MutableIndex(
      root: IndexRoots(main: TreeRoot(reference: reference, entryCount: 80, height: 0)),
      treeID: IndexStore.treeID, transaction: transaction)
    try index.insertInt(1, key: 1)
    #expect(throws: StorageError.corrupted(block: reference.block, .structure(.keysOutOfOrder))) {
      _ = try index.flush()
    }
  }
}
