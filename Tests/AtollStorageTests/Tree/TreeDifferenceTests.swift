import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct TreeDifferenceTests {
  /// Against the sets of all leaves, for any two of several versions.
  @Test(arguments: seeds(4))
  func agreesWithTheSetsOfAllLeaves(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let base = try KeyValueStore()
    var versions: [StorageSnapshot] = [try base.store.snapshot()]
    for _ in 0..<4 {
      let transaction = try base.store.beginWrite()
      let tree = NumberTree(transaction)
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        for key in 0..<UInt64.random(in: 1..<8_000, using: &random) {
          try tree.set(random.next(), for: key)
        }
      case 1: try tree.mutable.removeAll { _ in }
      case 2:
        let lower = UInt64.random(in: 0..<4_000, using: &random)
        for key in lower..<lower + 3_000 { try tree.set(nil, for: key) }
      default:
        for _ in 0..<Int.random(in: 0..<20, using: &random) {
          try tree.set(random.next(), for: .random(in: 0..<8_000, using: &random))
        }
      }
      try transaction.commit(catalogue: tree.mutable.flush())
      versions.append(try base.store.snapshot())
    }
    for older in versions {
      for newer in versions {
        let before = try NumberTree.leaves(of: NumberTree.tree(older))
        let after = try NumberTree.leaves(of: NumberTree.tree(newer))
        let difference = try TreeDifference(
          from: NumberTree.tree(older), to: NumberTree.tree(newer))
        #expect(difference.removed == before.filter { !Set(after).contains($0) })
        #expect(difference.added == after.filter { !Set(before).contains($0) })
      }
    }
  }

  /// Pages read grow with the leaves that changed, not with the tree.
  @Test(arguments: [(5_000, 1), (100_000, 1), (100_000, 10)] as [(UInt64, UInt64)])
  func costsWhatChanged(entryCount: UInt64, changeCount: UInt64) throws {
    let file = CountingFile(try MemoryFile(path: "memory", capacity: 1 << 30))
    let base = try KeyValueStore(file)
    func write(_ body: (NumberTree) throws -> Void) throws -> StorageSnapshot {
      let transaction = try base.store.beginWrite()
      let tree = NumberTree(transaction)
      try body(tree)
      try transaction.commit(catalogue: tree.mutable.flush())
      return try base.store.snapshot()
    }
    let older = try write { tree in
      for key in 0..<entryCount { try tree.append(key, for: key) }
    }
    let newer = try write { tree in
      for change in 0..<changeCount { try tree.set(0, for: 1 + change * 37 % entryCount) }
    }
    let height = UInt64(NumberTree.tree(newer).root.height)
    #expect(height == 2)
    let before = file.windowCount
    let difference = try TreeDifference(
      from: NumberTree.tree(older), to: NumberTree.tree(newer))
    #expect(difference.added.count >= 1 && difference.added.count <= Int(changeCount))
    #expect(difference.removed.count == difference.added.count)
    #expect(UInt64(file.windowCount - before) <= 2 * height * changeCount)
  }
}
