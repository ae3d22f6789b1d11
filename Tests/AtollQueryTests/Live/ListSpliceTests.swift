import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// Differences of a list that few of its elements change, against a comparison of whole lists.
@Suite(.computing) struct ListSpliceTests {
  @Test(arguments: seeds(200))
  func itIsWhatAComparisonOfBothListsFinds(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 0...(seed % 2 == 0 ? 8 : 60), using: &random)
    let old = (0..<count).map { ObjectKey(rawValue: UInt64($0)) }
    let limits: [Int?] = [nil, 0, 3, 10, 40]
    let limit = limits.randomElement(using: &random) ?? nil
    for _ in 0..<20 {
      // Each object leaves, is put elsewhere, or stays; and some come in.
      let rate = [2, 6, 30].randomElement(using: &random) ?? 6
      var base: [ObjectKey] = []
      var removed: [Int] = []
      var coming: [(key: ObjectKey, oldPlace: Int?)] = []
      for (place, key) in old.enumerated() {
        switch Int.random(in: 0..<rate * 2, using: &random) {
        case 0: removed.append(place)
        case 1: coming.append((key, place))
        default: base.append(key)
        }
      }
      for number in 0..<Int.random(in: 0...2, using: &random) {
        coming.append((ObjectKey(rawValue: UInt64(1000 + number)), nil))
      }
      coming.shuffle(using: &random)
      let ranks = coming.map { _ in Int.random(in: 0...base.count, using: &random) }.sorted()
      let items = zip(coming, ranks).map { element, rank in
        ListSplice.Item(key: element.key, rank: rank, oldPlace: element.oldPlace)
      }
      let splice = ListSplice(oldCount: old.count, limit: limit, removed: removed, items: items)
      var new = KeyList(base)
      new.insert(splice.insertions)

      let modified = old.indices.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
      let window = limit ?? .max
      let expected = ResultDifference(
        from: Array(old.prefix(window)), to: Array(new.array.prefix(window)),
        modified: Set(modified.map { old[$0] }))
      try #require(splice.difference(modified: modified) == expected)
    }
  }
}
