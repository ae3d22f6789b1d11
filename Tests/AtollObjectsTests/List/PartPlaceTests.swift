import AtollObjects
import TestSupport
import TestThreads
import Testing

/// Where a member is in a set outside of its leaf.
@Suite(.computing) struct PartPlaceTests {
  /// The even numbers from 0 on, in leaves of some length; counts the looks at leaves.
  private final class Evens: OutsideElements {
    let layout = ColumnLayout(.int, .set)
    let count: Int
    private let leafCount: Int
    private(set) var lookCount = 0

    init(count: Int, leafCount: Int) {
      self.count = count
      self.leafCount = leafCount
    }

    func elements(_ range: Range<Int>) -> [Value] { range.map { .int(Int64($0) * 2) } }
    func keys(_ range: Range<Int>) -> [String] { [] }
    func byteCount() -> Int { 20 * count }

    func run(at index: Int) -> PartRun {
      lookCount += 1
      let first = index / leafCount * leafCount
      return PartRun(range: first..<min(first + leafCount, count)) { .int(Int64($0) * 2) }
    }
  }

  @Test func isTheSameFromWhereverItIsLookedFor() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...60, using: &random)
      let evens = Evens(count: count, leafCount: Int.random(in: 1...9, using: &random))
      let wanted = Int.random(in: -3...2 * count + 3, using: &random)
      let near = Int.random(in: -2...count + 2, using: &random)
      let expected = PartPlace(
        index: wanted <= 0 ? 0 : min(count, (wanted + 1) / 2),
        isThere: wanted >= 0 && wanted < 2 * count && wanted % 2 == 0)
      #expect(try evens.place(of: .int(Int64(wanted)), near: near) == expected)
      #expect(try evens.place(of: .int(Int64(wanted))) == expected)
    }
  }

  /// Parts that are looked for in their order are found with one look, or with two at the border of
  /// a leaf; a wrong guess costs two looks more than none.
  @Test func takesFewLooks() throws {
    let evens = Evens(count: 100_000, leafCount: 100)
    var near: Int?
    for wanted in 0..<20_000 {
      let before = evens.lookCount
      near = try evens.place(of: .int(Int64(wanted)), near: near).index
      #expect(evens.lookCount - before <= (wanted == 0 ? 12 : 2))
    }
    let before = evens.lookCount
    _ = try evens.place(of: .int(150_001), near: 0)
    #expect(evens.lookCount - before <= 12)
  }
}
