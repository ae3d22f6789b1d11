import TestSupport
import TestThreads
import Testing

@testable import AtollObjects

/// Distinct keys come out in order, however far apart they lie.
@Suite(.computing) struct DistinctKeysTests {
  @Test(arguments: 0..<20 as Range<UInt64>, [1, 100, 1 << 20, 1 << 62] as [UInt64])
  func agreesWithASetThatIsSorted(seed: UInt64, spread: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 0...300, using: &random)
    let first = UInt64.random(in: 0...(.max - spread), using: &random)
    let keys = (0..<count).map { _ in first + UInt64.random(in: 0...spread, using: &random) }
    #expect(DistinctKeys.ascending(keys) == Set(keys).sorted())
  }

  @Test func takesTheEndsOfTheRange() {
    #expect(DistinctKeys.ascending([.max, 0, .max, 64]) == [0, 64, .max])
    #expect(DistinctKeys.ascending([.max, .max - 1, .max]) == [.max - 1, .max])
    #expect(DistinctKeys.ascending([63, 64, 0, 64, 127]) == [0, 63, 64, 127])
    #expect(DistinctKeys.ascending([]) == [])
  }
}
