import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct FreeSpaceTests {
  /// Against one boolean a block.
  @Test(arguments: seeds(12))
  func agreesWithOneBitABlock(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let blockCount = [40, 300, 2_000].randomElement(using: &random) ?? 40
    let longest = UInt64([3, 20, 150].randomElement(using: &random) ?? 3)
    var isFree = [Bool](repeating: false, count: blockCount)
    var taken: [BlockRun] = [BlockRun(start: 2, count: UInt64(blockCount) - 2)]
    var space = FreeSpace()
    for _ in 0..<400 {
      if !taken.isEmpty, Int.random(in: 0..<2, using: &random) == 0 {
        var run = taken.remove(at: Int.random(in: 0..<taken.count, using: &random))
        // Give back only a part of it.
        if run.count > 1, Bool.random(using: &random) {
          let kept = UInt64.random(in: 1..<run.count, using: &random)
          taken.append(BlockRun(start: run.start, count: kept))
          run = BlockRun(start: run.start + kept, count: run.count - kept)
        }
        space.insert(run)
        for block in run.start..<run.end { isFree[Int(block)] = true }
      } else {
        let count = UInt64.random(in: 1...longest, using: &random)
        let fitting = Self.runs(isFree).filter { $0.count >= count }
        let previousEnd = Bool.random(using: &random) ? taken.last?.end : nil
        if Int.random(in: 0..<4, using: &random) == 0 {
          // As a compaction takes them.
          let limit = UInt64.random(in: 0...UInt64(blockCount), using: &random)
          let expected = fitting.filter { $0.start + count <= limit }
            .min { (min($0.count, 64), $0.start) < (min($1.count, 64), $1.start) }
          let run = space.allocate(count, below: limit)
          #expect(run == expected.map { BlockRun(start: $0.start, count: count) })
          guard let run else { continue }
          for block in run.start..<run.end { isFree[Int(block)] = false }
          taken.append(run)
          continue
        }
        let takenCount = UInt64.random(in: 0...16, using: &random)
        let run = space.allocate(count, after: previousEnd, takenCount: takenCount)
        #expect((run == nil) == fitting.isEmpty, "allocates whenever a run is long enough")
        guard let run else { continue }
        #expect(run.count == count)
        for block in run.start..<run.end {
          #expect(isFree[Int(block)], "hands out free blocks only")
          isFree[Int(block)] = false
        }
        let source = fitting.first { $0.start <= run.start && run.end <= $0.end }
        #expect(source?.start == run.start, "takes the beginning of a run")
        #expect(source == Self.choice(of: fitting, count, after: previousEnd, takenCount))
        taken.append(run)
      }
      #expect(space.runs == Self.runs(isFree))
      #expect(space.blockCount == UInt64(isFree.count { $0 }))
    }
  }

  /// The run that is behind the one before, or has room for the rest of a small commit, or is the
  /// shortest.
  ///
  /// Of equal ones the lowest; those of 64 blocks and more count as equal.
  static func choice(
    of runs: [BlockRun], _ count: UInt64, after previousEnd: UInt64?, _ takenCount: UInt64
  ) -> BlockRun? {
    if let next = runs.first(where: { $0.start == previousEnd }) { return next }
    let room = takenCount < 12 ? 12 - takenCount : 12
    let roomy = runs.filter { $0.count >= room }
    let candidates = count < room && !roomy.isEmpty ? roomy : runs
    return candidates.min { (min($0.count, 64), $0.start) < (min($1.count, 64), $1.start) }
  }

  /// Entries of the heaps that are out of date were never dropped from behind a good one.
  @Test func staleHeapEntriesDoNotPileUp() {
    var space = FreeSpace()
    space.insert(BlockRun(start: 2, count: 1))
    for _ in 0..<20_000 {
      space.insert(BlockRun(start: 100, count: 1))
      space.insert(BlockRun(start: 101, count: 1))
      let run = space.allocate(2)
      #expect(run == BlockRun(start: 100, count: 2))
    }
    #expect(space.heapEntryCount < 5_000)
  }

  static func runs(_ isFree: [Bool]) -> [BlockRun] {
    var runs: [BlockRun] = []
    for (block, free) in isFree.enumerated() where free {
      if let last = runs.last, last.end == UInt64(block) {
        runs[runs.count - 1].count += 1
      } else {
        runs.append(BlockRun(start: UInt64(block), count: 1))
      }
    }
    return runs
  }
}
