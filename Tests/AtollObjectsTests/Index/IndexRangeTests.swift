import TestThreads
@testable import AtollObjects
import Testing

@Suite(.computing) struct IndexRangeTests {
  @Test(
    arguments: [
      ([], nil), ([0xFF], nil), ([0xFF, 0xFF], nil), ([1], [2]), ([1, 0xFF], [2]),
      ([1, 0xFF, 7], [1, 0xFF, 8]),
    ] as [([UInt8], [UInt8]?)])
  func aSuccessorIsTheSmallestStringAboveAllThatBeginSo(bytes: [UInt8], successor: [UInt8]?) {
    #expect(IndexRange.successor(of: bytes) == successor)
  }

  @Test func aPrefixHoldsExactlyTheStringsThatBeginSo() throws {
    let store = try IndexStore()
    let strings = ["", "a", "ab", "abc", "abd", "ac", "b", "a\u{10FFFF}"]
    try store.write { index, _ in
      for (key, string) in strings.enumerated() {
        try index.insert(stringKey(string), key: UInt64(key))
      }
    }
    for prefix in strings {
      var bytes: [UInt8] = []
      OrderedKey.appendPrefix(ofString: prefix, to: &bytes)
      let expected = strings.indices.filter { strings[$0].utf8.starts(with: prefix.utf8) }
      try store.read { tree in
        let keys = try tree.keys(IndexRange(prefix: bytes))
        #expect(keys.sorted() == expected.map(UInt64.init))
      }
    }
  }
}
