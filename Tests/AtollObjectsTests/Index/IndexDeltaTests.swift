@testable import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// What the delta of an index is for, and what the check says of one that contradicts its main
/// tree.
@Suite(.computing) struct IndexDeltaTests {
  private static let count: UInt64 = 60_000

  /// An index of distinct integers, with several leaves.
  private func loaded(_ mode: IndexMode = .plain) throws -> IndexStore {
    let store = try IndexStore(mode: mode)
    try store.write { index, _ in
      for key in 0..<Self.count { try index.insertInt(Int64(key) << 32, key: key) }
    }
    #expect(store.root.main.height > 0)
    #expect(store.root.isDeltaEmpty)
    return store
  }

  /// Pages that two versions of an index do not share, in bytes.
  private func writtenByteCount(_ store: IndexStore, _ change: (MutableIndex) throws -> Void)
    throws -> Int
  {
    let before = try pages(store)
    try store.write { index, _ in try change(index) }
    let after = try pages(store)
    return after.subtracting(before).reduce(0) { $0 + $1.run.byteCount }
  }

  private func pages(_ store: IndexStore) throws -> Set<PageReference> {
    let snapshot = try store.store.snapshot()
    var pages: Set<PageReference> = []
    for root in [store.root.main, store.root.added, store.root.removed] {
      let layer = IndexLayer(root: root, treeID: IndexStore.treeID, reader: snapshot.reader)
      if !root.reference.isNone { pages.insert(root.reference) }
      var cursor = layer.tree.cursor()
      while let entry = try cursor.next() { pages.insert(entry.reference) }
    }
    return pages
  }

  @Test func aSmallCommitLeavesTheMainTreeAlone() throws {
    let store = try loaded()
    let main = store.root.main
    let byteCount = try writtenByteCount(store) { index in
      for step in 0..<20 as Range<UInt64> {
        try index.insertInt(Int64(step * 2_999) << 32 + 1, key: Self.count + step)
        try index.removeInt(Int64(step * 2_999) << 32, key: step * 2_999)
      }
    }
    #expect(store.root.main == main)
    #expect(store.root.added.entryCount == 20)
    #expect(store.root.removed.entryCount == 20)
    #expect(byteCount == 2 * Block.byteCount)
    #expect(try store.checkedEntries().count == Int(Self.count))
  }

  /// However many small commits there are: none writes more than a few leaves, and the delta stays
  /// within its bound.
  @Test func entriesMoveOnInSmallSteps() throws {
    let store = try loaded()
    var random = SplitMix64(seed: 5)
    let limit = store.policy.limit(Self.count)
    var greatest = 0
    var main = store.root.main
    var moveCount = 0
    for step in 0..<400 as Range<UInt64> {
      let byteCount = try writtenByteCount(store) { index in
        for part in 0..<10 as Range<UInt64> {
          let value = Int64(random.next() % Self.count) << 32 + 1
          try index.insertInt(value, key: Self.count + step * 10 + part)
        }
      }
      greatest = max(greatest, byteCount)
      if store.root.main != main { moveCount += 1 }
      main = store.root.main
      #expect(store.root.added.entryCount <= UInt64(limit))
    }
    // Of about thirty leaves of four blocks.
    #expect(greatest <= 80 * Block.byteCount)
    #expect(moveCount > 5)
    #expect(moveCount < 100)
    try store.reopen()
    #expect(try store.checkedEntries().count == Int(Self.count) + 4_000)
  }

  @Test func aChangeThatIsTakenBackLeavesNothing() throws {
    let store = try loaded()
    let main = store.root.main
    try store.write { index, _ in
      try index.insertInt(7, key: 1)
      try index.removeInt(5 << 32, key: 5)
    }
    #expect(!store.root.isDeltaEmpty)
    try store.write { index, _ in
      try index.removeInt(7, key: 1)
      try index.insertInt(5 << 32, key: 5)
    }
    #expect(store.root == IndexRoots(main: main))
    // Neither has an effect in a plain index: the pair is there, or is not.
    try store.write { index, _ in
      try index.insertInt(5 << 32, key: 5)
      try index.removeInt(5 << 32, key: 6)
    }
    #expect(store.root == IndexRoots(main: main))
  }

  @Test func aLargeBatchTakesTheDeltaAlong() throws {
    let store = try loaded()
    try store.write { index, _ in try index.insertInt(7, key: 1) }
    #expect(!store.root.isDeltaEmpty)
    try store.write { index, _ in
      try index.removeInt(7, key: 1)
      for key in 0..<5_000 as Range<UInt64> { try index.removeInt(Int64(key) << 32, key: key) }
    }
    #expect(store.root.isDeltaEmpty)
    #expect(try store.checkedEntries().count == Int(Self.count) - 5_000)
  }

  // MARK: Contradictions

  /// What the check says when the delta is made of these pairs.
  private func findings(
    _ mode: IndexMode, added: [(Int64, UInt64)], removed: [(Int64, UInt64)]
  ) throws -> [String] {
    let store = try loaded(mode)
    let transaction = try store.store.beginWrite()
    func root(_ pairs: [(Int64, UInt64)]) throws -> TreeRoot {
      let index = MutableIndex(
        root: .empty, treeID: IndexStore.treeID, transaction: transaction, mode: mode)
      for (value, key) in pairs { try index.insertInt(value, key: key) }
      return try index.flush().main
    }
    var roots = store.root
    roots.added = try root(added)
    roots.removed = try root(removed)
    let tree = Index(root: roots, treeID: IndexStore.treeID, reader: transaction.reader)
    var audit = Audit()
    tree.check(&audit, isCounted: mode == .counted) { _, _ in }
    return audit.findings.map(\.message)
  }

  @Test func theCheckSeesAPairAddedTwice() throws {
    #expect(
      try findings(.plain, added: [(1, 1), (5 << 32, 5)], removed: [])
        == ["an index's delta adds what its main tree has (1 in all)"])
    #expect(try findings(.counted, added: [(1, 1), (5 << 32, 5)], removed: []).isEmpty)
  }

  @Test(arguments: [IndexMode.plain, .counted])
  func theCheckSeesARemovalOfNothing(mode: IndexMode) throws {
    #expect(
      try findings(mode, added: [], removed: [(1, 1), (5 << 32, 5), (6 << 32, 5), (.max, 1)])
        == ["an index's delta removes what its main tree lacks (3 in all)"])
  }

  @Test func theCheckSeesAPairAddedAndRemoved() throws {
    #expect(
      try findings(.counted, added: [(5 << 32, 5)], removed: [(5 << 32, 5)])
        == ["an index's delta adds what it removes (1 in all)"])
  }
}
