import TestSupport
import TestThreads
import Testing

@testable import AtollSync

@Suite(.computing) struct IntervalTreeTests {
  private static func bytes(_ random: inout SplitMix64) -> [UInt8] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in UInt8.random(in: 0...4, using: &random) }
  }

  /// Random insertions and removals, also of equal intervals, against a list.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func itFindsWhatAListFinds(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var tree = IntervalTree(seed: 7)
    var list: [(interval: IntervalTree.Interval, number: UInt32)] = []
    for step in 0..<600 {
      // Growing, then shrinking to nothing.
      if Int.random(in: 0..<10, using: &random) < (step < 300 ? 7 : 2), step < 590 {
        let high = Bool.random(using: &random) ? Self.bytes(&random) : nil
        let interval = IntervalTree.Interval(low: Self.bytes(&random), high: high)
        let number = UInt32.random(in: 0..<6, using: &random)
        if list.contains(where: { $0.interval == interval && $0.number == number }) { continue }
        tree.insert(interval, number)
        list.append((interval, number))
      } else if let last = list.indices.randomElement(using: &random) {
        let (interval, number) = list.remove(at: last)
        tree.remove(interval, number)
      }
      #expect(tree.count == list.count)
      let key = Self.bytes(&random)
      var found: [UInt32] = []
      tree.visit(holding: key) { number in
        found.append(number)
        return true
      }
      let expected = list.filter { entry in
        !key.lexicographicallyPrecedes(entry.interval.low)
          && (entry.interval.high.map { key.lexicographicallyPrecedes($0) } ?? true)
      }
      #expect(found.sorted() == expected.map(\.number).sorted())
    }
    for (interval, number) in list { tree.remove(interval, number) }
    #expect(tree.isEmpty)
    #expect(tree.count == 0)
  }

  @Test func aSearchEndsWhenItIsToldTo() {
    var tree = IntervalTree(seed: 7)
    for number in 0..<50 as Range<UInt32> {
      tree.insert(IntervalTree.Interval(low: [UInt8(number)], high: nil), number)
    }
    var count = 0
    tree.visit(holding: [60]) { _ in
      count += 1
      return count < 7
    }
    #expect(count == 7)
  }
}
