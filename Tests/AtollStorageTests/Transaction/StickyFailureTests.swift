import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

/// A change that stopped between two of its steps is never published, even when its error was
/// caught.
@Suite(.computing) struct StickyFailureTests {
  @Test func aCaughtFullDiskKeepsTheTransactionFromBeingCommitted() throws {
    var random = SplitMix64(seed: 1)
    let file = try SimulatedFile(path: "simulated", capacity: 1 << 28)
    let base = try KeyValueStore(file)
    try base.write { tree in
      for index in 0..<200 { try tree.set(noise(300, &random), for: key(index)) }
    }
    let model = try base.contents()
    file.faults.byteCountLimit = try file.byteCount() + 16_384
    let noSpace = StorageError.io(operation: .resize, path: "simulated", errno: 28)

    let transaction = try base.store.beginWrite()
    let tree = KeyValueStore.tree(transaction)
    for index in 0..<200 { try tree.set(noise(3_000, &random), for: key(index)) }
    #expect(throws: noSpace) { try tree.flush() }
    // The disk has room again, and yet half of the tree is not where the other half believes.
    file.faults.byteCountLimit = nil
    let root = TreeRoot(reference: .none, entryCount: 0, height: 0)
    #expect(throws: noSpace) { try transaction.commit(catalogue: root) }

    let after = try base.contents()
    #expect(after == model)
    #expect(try base.findings() == [])
    try base.write { try $0.set([1], for: key(0)) }
    #expect(try base.findings() == [])
  }

  @Test func aCaughtDamagedPageKeepsTheTransactionFromBeingCommitted() throws {
    var random = SplitMix64(seed: 2)
    let file = try MemoryFile(path: "memory", capacity: 1 << 28)
    do {
      let base = try KeyValueStore(file)
      try base.write { tree in
        // So many pages that opening does not look at each.
        for index in 0..<2_000 { try tree.set(noise(1_000, &random), for: key(index)) }
      }
    }
    let before = try KeyValueStore(file)
    let snapshot = try before.store.snapshot()
    let last = try KeyValueStore.tree(snapshot).tree.leafPage(for: TreeKey(key(1_999)))
    let block = try #require(last).reference.block
    // The snapshot has verified the page; a store that is opened now has not.
    try Self.flipBit(of: file, at: block * UInt64(Block.byteCount) + 100)
    let base = try KeyValueStore(file)

    let transaction = try base.store.beginWrite()
    let tree = KeyValueStore.tree(transaction)
    try tree.set([1], for: key(0))
    #expect(throws: StorageError.self) { try tree.set([1], for: key(1_999)) }
    let root = try tree.flush()
    var damaged: UInt64?
    do {
      try transaction.commit(catalogue: root)
    } catch StorageError.corrupted(let block, .checksum) {
      damaged = block
    }
    #expect(damaged == block)
    try base.write { try $0.set([1], for: key(1)) }
    let now = try base.store.snapshot()
    #expect(try KeyValueStore.tree(now).value(for: key(1)) == [1])
  }

  private static func flipBit(of file: MemoryFile, at offset: UInt64) throws {
    let buffer = PageBuffer(byteCount: 1, zeroed: true)
    _ = try file.read(into: buffer.unsafeBytes, at: offset)
    buffer.unsafeBytes[0] ^= 1
    try file.write(UnsafeRawBufferPointer(buffer.unsafeBytes), at: offset)
  }

  @Test func aRefusedValueLeavesTheTransactionAsItWas() throws {
    let base = try KeyValueStore()
    let transaction = try base.store.beginWrite()
    let tree = KeyValueStore.tree(transaction)
    try tree.set([1], for: key(1))
    let long = [UInt8](repeating: 0, count: 1 << 20)
    #expect(throws: StorageError.self) { try tree.set(long, for: key(2)) }
    try transaction.commit(catalogue: tree.flush())
    #expect(try base.contents() == [key(1): [1]])
  }
}
