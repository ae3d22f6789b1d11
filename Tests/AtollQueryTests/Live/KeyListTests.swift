import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// Lists in chunks, against arrays.
@Suite(.computing) struct KeyListTests {
  private func key(_ number: UInt64) -> ObjectKey { ObjectKey(rawValue: number) }

  @Test(arguments: seeds(6))
  func changesAreThoseOfAnArray(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var array = (0..<UInt64.random(in: 0...6000, using: &random)).map { key($0 * 1000) }
    var list = seed % 2 == 0 ? KeyList(array) : KeyList(chunking: array)
    for _ in 0..<40 {
      var places = Set<Int>()
      for _ in 0..<min(array.count, [1, 3, 900].randomElement(using: &random) ?? 1) {
        places.insert(.random(in: 0..<array.count, using: &random))
      }
      list.remove(at: places.sorted())
      for place in places.sorted().reversed() { array.remove(at: place) }
      try #require(list.array == array)

      var coming: [(key: ObjectKey, place: Int)] = []
      for _ in 0..<([0, 1, 4, 700].randomElement(using: &random) ?? 0) {
        // Many at one place, so that chunks become too long.
        let place = Int.random(in: 0...min(array.count, 2), using: &random)
        let other = Int.random(in: 0...array.count, using: &random)
        coming.append((key(random.next()), Bool.random(using: &random) ? place : other))
      }
      coming.sort { $0.place < $1.place }
      list.insert(coming)
      for (index, element) in coming.enumerated() {
        array.insert(element.key, at: element.place + index)
      }
      try #require(list.array == array)
      try #require(Array(list) == array)
      try #require(list == KeyList(array))
      let first = Int.random(in: 0...array.count, using: &random)
      let before = Set(array[..<first])
      #expect(list.partitioningIndex { before.contains($0) } == first)
    }
    list.keepFirst(5)
    #expect(list.array == Array(array.prefix(5)))
  }
}
