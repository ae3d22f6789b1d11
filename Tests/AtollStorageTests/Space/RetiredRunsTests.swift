import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct RetiredRunsTests {
  /// A run is reclaimed at the first look at which no pin lies in [birth, death), and not before.
  @Test(arguments: seeds(40))
  func reclaimsExactlyWhatNoPinSees(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var retired = RetiredRuns()
    var model: [RetiredRun] = []
    var pins: Set<UInt64> = []
    for version in 2..<80 as Range<UInt64> {
      for pin in pins where Int.random(in: 0..<8, using: &random) == 0 { pins.remove(pin) }
      if Int.random(in: 0..<3, using: &random) == 0 { pins.insert(version - 1) }

      let reclaimed = retired.reclaim(pins: pins.filter { $0 < version }.sorted())
      let visible = model.filter { run in
        pins.contains { $0 >= run.birth && $0 < run.death }
      }
      #expect(Set(reclaimed) == Set(model).subtracting(visible))
      #expect(reclaimed.count == model.count - visible.count)
      #expect(Set(retired.all) == Set(visible))
      let held = retired.blockCountByPin
      #expect(held.values.reduce(0, +) == retired.blockCount)
      #expect(Set(held.keys).isSubset(of: pins))
      model = visible

      for index in 0..<UInt64.random(in: 0..<5, using: &random) {
        let birth = UInt64.random(in: 1..<version, using: &random)
        let run = BlockRun(start: version * 100 + index * 10, count: 1 + index)
        retired.insert(RetiredRun(run: run, birth: birth, death: version))
        model.append(RetiredRun(run: run, birth: birth, death: version))
      }
    }
  }
}
