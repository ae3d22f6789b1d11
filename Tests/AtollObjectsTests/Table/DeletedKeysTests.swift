import TestSupport
import TestThreads
import Testing

@testable import AtollObjects

@Suite(.computing) struct DeletedKeysTests {
  @Test(arguments: 0..<30 as Range<UInt64>)
  func behavesAsASet(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let limit: UInt64 = [10, 300, 5_000, .max][Int(seed % 4)]
    var set = DeletedKeys()
    var model: Set<UInt64> = []
    #expect(set.isEmpty && set.ascending.isEmpty)
    for _ in 0..<500 {
      let key =
        random.next() % 20 == 0
        ? [0, .max][Int(random.next() % 2)]
        : UInt64.random(in: 0...limit, using: &random)
      #expect(set.contains(key) == model.contains(key))
      set.insert(key)
      model.insert(key)
      #expect(set.contains(key) && !set.isEmpty)
    }
    #expect(set.ascending == model.sorted())
  }
}
