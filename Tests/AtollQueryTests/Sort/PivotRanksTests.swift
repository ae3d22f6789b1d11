import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

@Suite(.computing) struct PivotRanksTests {
  /// Strings of two letters, and the zero byte, with long equal beginnings.
  private static func strings(_ random: inout SplitMix64) -> [[UInt8]] {
    let stem = (0..<80).map { _ in UInt8.random(in: 0...1, using: &random) }
    return (0..<200).map { _ in
      let end = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        [0, 1, 97, 255][Int.random(in: 0...3, using: &random)] as UInt8
      }
      return stem.prefix(Int.random(in: 0...80, using: &random)) + end
    }
  }

  @Test(arguments: [20, 24, 39, 64], [8, 64, 1 << 16])
  func ranksOrderLikeStringsAndTellWhatIsEqual(bitCount: Int, length: Int) {
    var random = SplitMix64(seed: UInt64(bitCount + length))
    for _ in 0..<3 {
      let strings = Self.strings(&random)
      var ranks = PivotRanks(runCount: 2, length: length, bitCount: bitCount)
      #expect(ranks.length <= length && ranks.nextByteCount > 0)
      #expect(bitCount == 64 || ranks.greatest < 1 << UInt64(bitCount))
      // Another run, whose pivot lies before this one's.
      unsafe strings[0].withUnsafeBytes { unsafe ranks.setPivot(1, $0) }
      #expect(ranks.hasPivot(1) && !ranks.hasPivot(0))
      let pivot = strings[Int.random(in: strings.indices, using: &random)]
      unsafe pivot.withUnsafeBytes { unsafe ranks.setPivot(0, $0) }
      // As much of each string as is looked at.
      let ranked = strings.map { string in
        unsafe Array(string.prefix(ranks.reach)).withUnsafeBytes { unsafe ranks.rank(0, $0) }
      }
      for (a, x) in zip(strings, ranked) {
        #expect(x <= ranks.greatest)
        let equal = ranks.equalByteCount(0, x)
        for (b, y) in zip(strings, ranked) {
          if a.lexicographicallyPrecedes(b) { #expect(x <= y) }
          guard x == y else { continue }
          if let equal {
            #expect(equal > 0 && a.count >= equal && a.prefix(equal) == b.prefix(equal))
          } else {
            #expect(a == b)
          }
        }
      }
    }
  }
}
