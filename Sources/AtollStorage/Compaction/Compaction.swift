/// Makes a file shorter while others use it, in short transactions, one for each call of `step`.
///
/// A round *moves* the pages behind a cut below it, in as many transactions as that takes. One more
/// commit *leaves out* the blocks behind the cut, once their old pages are free; the version before
/// had none there any more either. When that commit is on the disk and published, and no reader has
/// a longer version, the file is *cut*. Then the next round begins, as long as the file gets
/// shorter.
///
/// Others may read and write between two steps. What they do may move the goal, and is not undone.
package struct Compaction {
  package enum Outcome: Sendable {
    /// There is more to do.
    case goesOn
    /// Readers of older versions keep the next step from being done; it may succeed later.
    case waitsForReaders
    case isFinished
  }

  private enum Phase {
    case choosing
    case moving(cut: BlockNumber, from: Relocation.Position?, movesBlobs: Bool)
    case leavingOut
    case cutting
    case finished
  }

  private let store: PageStore
  private let stepByteCount: Int
  private let bandBlockCount: UInt64
  private let leastGain: UInt64
  private let treesInLeaves: Set<UInt32>
  private var phase = Phase.choosing
  private var isLastRound = false
  /// The file's length at the beginning of this round.
  private var blockCount: UInt64 = 0
  /// Rounds that did not make the file shorter.
  private var vainRoundCount = 0
  /// Blocks that readers held when it began to wait for them; nil while it does not wait.
  private var awaitedBlockCount: UInt64?
  package private(set) var commitCount = 0
  package private(set) var movedByteCount = 0
  /// Bytes of the pages that were behind the cut when the first round began, if it had no bound.
  package private(set) var expectedByteCount: Int?

  /// A compaction of the file of a store.
  ///
  /// `stepByteCount`: how many bytes of new pages are enough for one transaction; only a value that
  /// is larger than that, outside of its leaf, makes it larger. `bandByteCount`: about how many
  /// bytes a round moves. `leastGain`: fewer blocks are not worth a commit, as the file grows in
  /// steps of 16 and more. `treesInLeaves`: the ids of trees whose roots stand in leaves of others.
  package init(
    _ store: PageStore, stepByteCount: Int, bandByteCount: Int = 64 << 20, leastGain: UInt64 = 8,
    treesInLeaves: Set<UInt32> = []
  ) {
    self.store = store
    self.treesInLeaves = treesInLeaves
    self.stepByteCount = max(1, stepByteCount)
    self.leastGain = leastGain
    bandBlockCount = UInt64(bandByteCount / Block.byteCount)
  }

  /// Does one step: at most one commit, after which nothing is thrown.
  ///
  /// `mayWait`: whether to try again later what readers keep from being done; otherwise it is left
  /// undone.
  ///
  /// `relocate`: passes every tree of the version to the relocation, and returns the new catalogue.
  package mutating func step(
    mayWait: Bool, relocate: (Relocation) throws -> TreeRoot
  ) throws -> Outcome {
    // A version that a power cut may bring back holds its pages like one that is read.
    let transaction = try store.beginWrite(makingDurable: true)
    defer { transaction.cancel() }
    if case .choosing = phase { try chooseCut(transaction, mayWait: mayWait) }
    switch phase {
    case .choosing: return .waitsForReaders
    case .moving(let cut, let position, let movesBlobs):
      transaction.cut = cut
      let relocation = Relocation(
        transaction, from: position, byteLimit: stepByteCount, movesBlobs: movesBlobs)
      let catalogue = try relocate(relocation)
      if relocation.movedByteCount > 0 || transaction.isLogBehindCut {
        try commit(transaction, catalogue)
        movedByteCount += relocation.movedByteCount
      }
      phase =
        relocation.stop.map { .moving(cut: cut, from: $0, movesBlobs: movesBlobs) } ?? .leavingOut
    case .leavingOut:
      if mayWait, transaction.isEndHeld { return .waitsForReaders }
      if let end = transaction.freeEnd, end.count >= gain(transaction) {
        // So that the new base of the space log does not lie there.
        transaction.cut = end.start
        try commit(transaction, transaction.base.catalogue, shortening: true)
      }
      phase = .cutting
    case .cutting:
      let isCut = try transaction.cutFile()
      if mayWait, !isCut { return .waitsForReaders }
      if transaction.base.blockCount + gain(transaction) > blockCount { vainRoundCount += 1 }
      phase = isLastRound ? .finished : .choosing
    case .finished: break
    }
    if case .finished = phase { return .isFinished }
    return .goesOn
  }

  private mutating func commit(
    _ transaction: WriteTransaction, _ catalogue: TreeRoot, shortening: Bool = false
  ) throws(StorageError) {
    try transaction.commit(catalogue: catalogue, shortening: shortening)
    commitCount += 1
  }

  /// Plans a round, or the end; or neither, when readers have to be waited for.
  private mutating func chooseCut(
    _ transaction: WriteTransaction, mayWait: Bool
  ) throws(StorageError) {
    let space = transaction.space
    let gain = gain(transaction)
    let heldBlockCount = space.retired.blockCount
    if let awaitedBlockCount, heldBlockCount + gain <= awaitedBlockCount {
      // What readers gave up may be room enough for what had none.
      self.awaitedBlockCount = nil
      vainRoundCount = 0
    }
    blockCount = space.blockCount
    if expectedByteCount == nil {
      expectedByteCount = Int(CompactionPlan(space).liveBlockCount) * Block.byteCount
    }
    let plan = CompactionPlan(space, bandLimit: max(bandBlockCount, space.blockCount / 8))
    let isWorthIt = plan.liveBlockCount > 0 && blockCount - plan.cut >= gain
    guard isWorthIt, vainRoundCount < 2 else {
      if mayWait, heldBlockCount >= gain {
        awaitedBlockCount = awaitedBlockCount ?? heldBlockCount
        return
      }
      isLastRound = true
      phase = .leavingOut
      return
    }
    phase = .moving(
      cut: plan.cut, from: nil,
      movesBlobs: try transaction.mayHoldBlobs(from: plan.cut, or: treesInLeaves))
  }

  /// Fewer blocks than this are left where they are.
  private func gain(_ transaction: WriteTransaction) -> UInt64 {
    max(leastGain, transaction.base.blockCount / 512)
  }
}

extension PageStore {
  /// Makes the file as short as its newest version, if no reader of a longer one keeps it from
  /// that.
  package func cutFile() throws(StorageError) {
    let transaction = try beginWrite(makingDurable: true)
    defer { transaction.cancel() }
    _ = try transaction.cutFile()
  }
}

extension WriteTransaction {
  /// Whether pages that readers of older versions see keep the end of the file from being left out.
  fileprivate var isEndHeld: Bool {
    let end = freeEnd?.start ?? space.blockCount
    return space.retired.all.contains { $0.run.end == end }
  }

  /// Whether pages of values outside of their leaves, or of these trees, may lie from `block` on.
  ///
  /// A look at the headers of the pages there, which are not verified: an answer that is wrong lets
  /// the file be longer than it need be, and nothing else.
  fileprivate func mayHoldBlobs(from block: BlockNumber, or treeIDs: Set<UInt32>)
    throws(StorageError) -> Bool
  {
    var block = block
    while block < base.blockCount {
      guard !space.idle.intersects(BlockRun(start: block, count: 1)) else {
        block += 1
        continue
      }
      guard let page = try reader.likelyPage(at: block) else {
        // The rest of a page that began before.
        block += 1
        continue
      }
      if page.kind == PageKind.blob.rawValue || treeIDs.contains(page.treeID) { return true }
      block = page.run.end
    }
    return false
  }
}
