import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct BlockSetTests {
  /// Random insertions and removals of runs, against a set of numbers.
  @Test(arguments: seeds(20)) func isASetOfBlocks(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var blocks = BlockSet(limit: 100)
    var model: Set<UInt64> = []
    for _ in 0..<200 {
      let start = UInt64.random(in: 0..<300, using: &random)
      let run = BlockRun(start: start, count: UInt64.random(in: 1..<150, using: &random))
      let members = Set(run.start..<run.end)
      #expect(blocks.intersects(run) == !model.isDisjoint(with: members))
      #expect(blocks.contains(run) == members.isSubset(of: model))
      if Bool.random(using: &random) {
        blocks.insert(run)
        model.formUnion(members)
      } else {
        blocks.remove(run)
        model.subtract(members)
      }
      var found: [UInt64] = []
      var end: UInt64 = 0
      blocks.forEachRun { run in
        #expect(found.isEmpty || run.start > end)
        end = run.end
        found += run.start..<run.end
      }
      #expect(found == model.sorted())
    }
  }
}
