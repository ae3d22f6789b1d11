import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

/// Files in which two places refer to one page, so that it is given up twice.
///
/// Free space was handed a page a second time then, which ended the process.
@Suite(.computing) struct SharedPageTests {
  /// A page that one commit gave up and the next gives up again, because another place had it too.
  @Test func aPageIsGivenUpOnce() throws {
    let base = try KeyValueStore()
    try base.write { try $0.set([1], for: key(1)) }
    let shared = try base.store.snapshot().slot.catalogue
    func giveUp() throws {
      let transaction = try base.store.beginWrite()
      defer { transaction.cancel() }
      try transaction.freePage(shared.reference)
      try transaction.commit(catalogue: shared)
    }
    try giveUp()
    let expected = StorageError.corrupted(
      block: shared.reference.block, .structure(.freePageInUse))
    #expect(throws: expected) { try giveUp() }
    // Nothing was published, and the store goes on to say so.
    #expect(throws: expected) { try giveUp() }
    #expect(try base.contents() == [key(1): [1]])
    #expect(try !base.findings().isEmpty)
  }

  @Test func aPageIsGivenUpOnceInATransaction() throws {
    let base = try KeyValueStore()
    try base.write { try $0.set([1], for: key(1)) }
    let shared = try base.store.snapshot().slot.catalogue
    let transaction = try base.store.beginWrite()
    defer { transaction.cancel() }
    try transaction.freePage(shared.reference)
    try transaction.freePage(shared.reference)
    #expect(
      throws: StorageError.corrupted(
        block: shared.reference.block, .structure(.sharedPage))
    ) { try transaction.commit(catalogue: .empty) }
  }

  /// A leaf whose keys belong to its neighbour is refused before it is changed.
  @Test func aLeafKeepsToItsSeparators() throws {
    let base = try KeyValueStore()
    try base.write { tree in
      for index in 0..<400 { try tree.set(Array(repeating: 5, count: 200), for: key(index)) }
    }
    let root = try base.store.snapshot().slot.catalogue
    #expect(root.height == 1)
    // The first two children exchanged.
    let crafting = try base.store.beginWrite()
    let branch = try KeyValueStore.tree(base.store.snapshot()).tree.branch(
      root.reference, level: 1)
    let node = branch.node()
    (node.entries[0].child, node.entries[1].child) = (node.entries[1].child, node.entries[0].child)
    let payload = BranchPage.encode(node)
    let page = try crafting.makePage(
      kind: .branch, treeID: KeyValueStore.treeID, payload: payload.view.copy(), compress: false)
    crafting.freePage(root.reference, birth: branch.page.transaction)
    try crafting.commit(
      catalogue: TreeRoot(reference: page, entryCount: root.entryCount, height: 1))
    let misplaced = branch.reference(1).block
    #expect(
      throws: StorageError.corrupted(
        block: misplaced, .structure(.keyOutsideSeparators))
    ) { try base.write { try $0.set([1], for: key(0)) } }
  }
}
