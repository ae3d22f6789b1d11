import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

@Suite(.computing) struct BytesRanksTests {
  @Test(arguments: [9, 12, 20, 32, 63], [0, 1, 5])
  func ranksOrderLikeStrings(bitCount: Int, offset: Int) {
    var random = SplitMix64(seed: UInt64(bitCount))
    let strings = (0..<300).map { _ -> [UInt8] in
      let letters: [UInt8] = [0, 1, 97, 98, 99, 255]
      return (0..<Int.random(in: 0...20, using: &random)).map { _ in
        letters[Int.random(in: 0..<letters.count, using: &random)]
      }
    }
    var ranks = BytesRanks()
    for string in strings {
      unsafe string.withUnsafeBytes { unsafe ranks.note($0, from: offset) }
    }
    ranks.finish(bitCount: bitCount, placeLimit: BytesRanks.length)
    #expect(ranks.placeCount > 0 && ranks.limit <= 1 << UInt64(bitCount))
    let ranked = strings.map { string in
      (
        Array(string.dropFirst(offset)),
        unsafe string.withUnsafeBytes { unsafe ranks.rank($0, from: offset) }
      )
    }
    for (a, x) in ranked {
      #expect(x < ranks.limit)
      #expect(ranks.isEnd(x) == (a.count < ranks.placeCount))
      for (b, y) in ranked {
        if a.lexicographicallyPrecedes(b) { #expect(x <= y) }
        // The places that ranks tell of are told apart.
        let isEqual =
          a.prefix(ranks.placeCount) == b.prefix(ranks.placeCount)
        #expect((x == y) == isEqual)
      }
    }
  }
}
