/// What a compaction asks of its transactions.
extension WriteTransaction {
  /// Writes a page again below the cut, byte for byte but for its place and its age, and gives the
  /// old one up.
  ///
  /// - Returns: nil when there is no room for it below the cut; it stays where it is then.
  func move(_ reference: PageReference) throws(StorageError) -> PageReference? {
    guard let cut else { preconditionFailure("pages are moved below a cut") }
    let (found, payload, owner) = try reader.storedPage(reference)
    guard let run = space.free.allocate(blockCount(payload.count), below: cut) else { return nil }
    let header = PageHeader(
      kind: found.kind, codec: found.codec, byteCount: payload.count,
      logicalByteCount: Int(found.logicalByteCount), treeID: found.treeID, block: run.start,
      transaction: transaction)
    let (buffer, moved) = header.page(holding: payload, in: run, cipher: store.cipher)
    withExtendedLifetime(owner) {}
    try insert(buffer, as: moved)
    freePage(reference, birth: found.transaction)
    return moved
  }

  /// Whether there is room below the cut for pages of so many blocks, all of them.
  ///
  /// Cost: a copy of the free runs.
  func hasRoom(for blockCounts: [UInt64]) -> Bool {
    var free = space.free
    return blockCounts.allSatisfy { free.allocate($0, below: cut ?? .max) != nil }
  }

  /// Whether a page of the space log lies behind the cut, so that the commit has to begin a new
  /// log.
  var isLogBehindCut: Bool {
    guard let cut else { return false }
    return space.logPages.contains { $0.reference.run.end > cut }
  }

  /// The free blocks at the end of the file.
  var freeEnd: BlockRun? { space.free.run(endingAt: space.blockCount) }

  /// Leaves the free blocks at the end of the file out of the version.
  ///
  /// They were free when the transaction began, or it took them and gave them up, or made the file
  /// longer by them: no version that is read has a page there, nor the one that recovery would go
  /// back to.
  func leaveOutFreeEnd() {
    guard let end = freeEnd else { return }
    space.free.removeRun(end)
    space.idle.remove(end)
    space.blockCount = end.start
  }

  /// Makes the file as short as the newest version says, or as the longest that is still read.
  ///
  /// A file may be longer than its newest version says, after a commit that left blocks out and
  /// after one that was undone. This is the one place where it gets shorter, and it is allowed
  /// because:
  ///
  /// 1. The newest version is on the disk, with its slot: else the durable version before it is
  ///    held at any length. So recovery never goes back to a version before it, which may have been
  ///    longer.
  /// 2. No version that is read is longer: every pin says how long its version is. Readers that
  ///    come from now on pin this version or a later one, as it was published before. So no mapping
  ///    is read behind the new end, not even where a damaged page leads there: a page is looked for
  ///    within the length of its version.
  /// 3. The writer lock is held: the file is not made longer meanwhile, or recovered.
  ///
  /// The new length need not be made durable: a power cut leaves it, or the old one, or one
  /// between, and the slot asks for no more than the least. Who needs it longer later synchronises
  /// it.
  ///
  /// - Returns: whether the file is as short as that now.
  func cutFile() throws(StorageError) -> Bool {
    precondition(space.blockCount == base.blockCount, "a file is cut before pages are made")
    let goal = base.blockCount * UInt64(Block.byteCount)
    guard fileByteCount > goal else { return true }
    // A length that is unknown, or that no file has, leaves the file as it is.
    guard held.blockCount <= Block.countLimit else { return false }
    let byteCount = max(goal, held.blockCount * UInt64(Block.byteCount))
    if fileByteCount > byteCount {
      try store.file.setByteCount(byteCount)
      fileByteCount = byteCount
    }
    return byteCount == goal
  }
}
