internal import AtollStorage
internal import TestSupport

extension StorageRun {
  /// Makes the file shorter, or begins to, and does other things between the steps.
  func compact() throws {
    guard let store else { return }
    var compaction = Compaction(
      store, stepByteCount: 1 << Int.random(in: 12...17, using: &random),
      bandByteCount: 1 << Int.random(in: 14...20, using: &random), leastGain: 1)
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      switch try step(&compaction) {
      case .goesOn: break
      case .waitsForReaders: unpin()
      case .isFinished, nil: return
      }
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try pin()
      case 1: unpin()
      case 2:
        try transact()
        if interruption != nil { return }
      default: break
      }
    }
  }

  /// Does one step; nil when it was interrupted.
  private func step(_ compaction: inout Compaction) throws -> Compaction.Outcome? {
    let next = Version(transaction: current.transaction + 1, contents: current.contents)
    let commitCount = compaction.commitCount
    let byteCount = try? disk.byteCount()
    inFlight = next
    var steps = compaction
    let mayWait = Bool.random(using: &random)
    guard
      let outcome = try attempt(
        "compacting", { try steps.step(mayWait: mayWait, relocate: TreeStore.relocate) })
    else { return nil }
    compaction = steps
    inFlight = nil
    if compaction.commitCount > commitCount {
      relaxed.append(next)
      current = next
      before = []
      isOnDisk(next)
      hasWritten = true
      count(.compactionSteps)
      note("moved pages in version \(next.transaction)")
    }
    if let byteCount, let found = try? disk.byteCount(), found < byteCount {
      // A reader of a version accesses pages up to its end, also through damaged references.
      for pinned in pins
      where pinned.snapshot.slot.blockCount > found / UInt64(Block.byteCount) {
        throw violation(
          "the file was cut to \(found) bytes, and version \(pinned.snapshot.transaction) is longer"
        )
      }
      // No version before it may come back: it may have been longer.
      isOnDisk(current)
      count(.shorterFiles)
      note("cut the file from \(byteCount) to \(found) bytes")
    }
    return outcome
  }
}

extension TreeStore {
  /// Moves pages of all trees.
  ///
  /// - Returns: the root of the catalogue.
  static func relocate(_ relocation: Relocation) throws -> TreeRoot {
    let transaction = relocation.transaction
    let catalogue = MutableKeyValueTree(
      root: transaction.base.catalogue, treeID: catalogueID, transaction: transaction)
    for (tree, root) in try roots(transaction.base.catalogue, transaction.reader) {
      let moved = try relocation.relocate(root, KeyValueTree.form(treeID(tree)))
      if moved != root { try catalogue.set(bytes(of: moved), for: catalogueKey(tree)) }
    }
    return try relocation.relocateWhole(catalogue.flush(), KeyValueTree.form(catalogueID))
  }
}
