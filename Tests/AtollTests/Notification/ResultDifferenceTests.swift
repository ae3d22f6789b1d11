import AtollObjects
import AtollQuery
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// The steps of a view from one list to another.
@Suite(.computing) struct ResultDifferenceTests {
  private func keys(_ numbers: [UInt64]) -> [ObjectKey] { numbers.map { ObjectKey(rawValue: $0) } }

  private func difference(
    _ old: [UInt64], _ new: [UInt64], changed: [UInt64] = []
  ) -> ResultDifference {
    ResultDifference(from: keys(old), to: keys(new), modified: Set(keys(changed)))
  }

  @Test func equalListsHaveNoDifference() {
    #expect(difference([1, 2, 3], [1, 2, 3]).isEmpty)
    #expect(difference([], []).isEmpty)
  }

  @Test func deletionsArePlacesOfTheOldListAndInsertionsOfTheNew() {
    let found = difference([1, 2, 3, 4, 5], [9, 1, 3, 5, 8])
    #expect(found.deletions == [1, 3])
    #expect(found.insertions == [0, 4])
    #expect(found.modifications == [])
  }

  @Test func modificationsArePlacesOfTheOldList() {
    let found = difference([1, 2, 3], [7, 8, 2, 3], changed: [1, 3])
    #expect(found.deletions == [0])
    #expect(found.insertions == [0, 1])
    #expect(found.modifications == [2])
  }

  @Test func whatMovedIsDeletedAndInserted() {
    let found = difference([1, 2, 3, 4], [4, 1, 2, 3], changed: [4])
    #expect(found.deletions == [3])
    #expect(found.insertions == [0])
    #expect(found.modifications == [])
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func doingWhatItSaysMakesTheNewList(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // Few different keys, so that some come several times, as in a list.
    let range: ClosedRange<UInt64> = 1...(seed % 2 == 0 ? 6 : 40)
    let old = (0..<Int.random(in: 0...12, using: &random)).map { _ in
      UInt64.random(in: range, using: &random)
    }
    var new = old
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      switch Int.random(in: 0...2, using: &random) {
      case 0:
        new.insert(
          UInt64.random(in: range, using: &random),
          at: Int.random(in: 0...new.count, using: &random))
      case 1 where !new.isEmpty: new.remove(at: Int.random(in: 0..<new.count, using: &random))
      default: new.shuffle(using: &random)
      }
    }
    let found = difference(old, new)
    var shown = old
    for index in found.deletions.reversed() { shown.remove(at: index) }
    for index in found.insertions { shown.insert(new[index], at: index) }
    #expect(shown == new)
    #expect(found.deletions == found.deletions.sorted())
  }

  @Test func membersOfASetOfValuesComeAndGoAndAreNeverModified() {
    func values(_ numbers: [Int64]) -> [Value] { numbers.map { .int($0) } }
    let found = ResultDifference(fromSet: values([1, 5, 9]), to: values([1, 3, 5]))
    #expect(found.deletions == [2] && found.insertions == [1] && found.modifications == [])
    let replaced = ResultDifference(fromSet: values([1, 5, 9]), to: values([2, 6, 7]))
    #expect(replaced.deletions == [0, 1, 2] && replaced.insertions == [0, 1, 2])
    #expect(replaced.modifications == [])
    #expect(ResultDifference(fromSet: values([1, 2]), to: values([1, 2])).isEmpty)
    let equal = ResultDifference(
      fromSet: values([1, 2]), to: [.double(1), .int(2)], modified: [0, 1])
    #expect(equal.deletions == [0] && equal.insertions == [0] && equal.modifications == [1])
  }

  @Test func aValueReplacedByAnEqualOneOfAnotherTypeIsAModification() {
    let old: [Value] = [.int(1), .double(0), .int(3), .string("a")]
    let new: [Value] = [.double(1), .double(-0.0), .int(3), .string("a")]
    let found = ResultDifference(from: old, to: new)
    #expect(found.modifications == [0, 1] && found.deletions == [] && found.insertions == [])
  }

  @Test func aValueReplacedInItsPlaceIsAModification() {
    let old: [Value] = [.int(1), .int(2), .int(3)]
    #expect(ResultDifference(from: old, to: [.int(1), .int(9), .int(3)]).modifications == [1])
    let grown = ResultDifference(from: old, to: [.int(1), .int(2), .int(2), .int(3)])
    #expect(grown.insertions == [2])
    #expect(grown.deletions == [])
  }
}
