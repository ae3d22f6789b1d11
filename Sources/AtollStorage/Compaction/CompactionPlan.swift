/// Where the next round of a compaction cuts the file.
struct CompactionPlan: Equatable {
  /// Pages that reach behind this block are to be moved below it.
  private(set) var cut: BlockNumber
  /// Blocks of the pages behind the cut.
  private(set) var liveBlockCount: UInt64 = 0

  /// The lowest cut, so that the pages behind it fit into the free runs before it.
  ///
  /// Blocks that wait for a reader stay before the cut, as nothing makes them free. `bandLimit`:
  /// the most blocks of pages behind the cut. Then a round that is interrupted has shortened the
  /// file by what the rounds before it moved.
  ///
  /// Cost: a pass over the free runs.
  init(_ space: SpaceState, bandLimit: UInt64 = .max) {
    let heldEnd = space.retired.all.map(\.run.end).max() ?? Block.firstPage
    // Branches and the catalogue are written again by each transaction, before their old pages are
    // free.
    let entryCount = UInt64(space.free.runCount) + UInt64(space.retired.all.count)
    let baseBlockCount = entryCount * UInt64(SpaceBase.entryByteLimit) / UInt64(Block.byteCount) + 1
    let idleCount = space.free.blockCount + space.retired.blockCount
    let liveCount = space.blockCount - Block.firstPage - idleCount
    let reserve = 2 * baseBlockCount + min(liveCount / 64 + 8, 1024)
    var room = space.free.blockCount > reserve ? space.free.blockCount - reserve : 0
    cut = space.blockCount
    for run in space.free.runs.reversed() {
      let gap = cut - run.end
      let movable = min(gap, room, bandLimit - liveBlockCount)
      guard movable == gap, run.end >= heldEnd else {
        lower(to: max(cut - movable, heldEnd))
        return
      }
      lower(to: run.end)
      room -= gap
      let taken = min(run.count, room)
      cut = max(run.end - taken, heldEnd)
      guard cut == run.start else { return }
      room -= taken
    }
    lower(to: max(cut - min(cut - Block.firstPage, room, bandLimit - liveBlockCount), heldEnd))
  }

  /// Lowers the cut over blocks of pages.
  private mutating func lower(to block: BlockNumber) {
    guard block < cut else { return }
    liveBlockCount += cut - block
    cut = block
  }
}
