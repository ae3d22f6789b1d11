import TestSupport
import TestThreads
import Testing

@testable import AtollObjects

@Suite(.computing) struct ListPositionTests {
  private func isAscending(_ positions: [ListPosition]) -> Bool {
    zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 }
  }

  @Test func aThousandInsertsAtOnePlaceTakeFewBytesEach() throws {
    let ends = ListPosition.between(nil, nil, count: 2)
    // Behind the one before, before the one before, and always as the element of one index.
    for isBehind in [true, false] {
      var positions = [ends[0], ends[1]]
      var place = 1
      for _ in 0..<1000 {
        let new = ListPosition.between(positions[place - 1], positions[place], count: 1)
        positions.insert(contentsOf: new, at: place)
        if isBehind { place += 1 }
      }
      #expect(isAscending(positions))
      #expect(positions.allSatisfy { $0.bytes.count < 16 })
    }
  }

  @Test func devicesThatInsertAtOnePlaceAtOnceDoNotTie() {
    let ends = ListPosition.between(nil, nil, count: 2)
    for (a, b) in [(nil, nil), (ends[0], nil), (nil, ends[0]), (ends[0], ends[1])] {
      let new = ListPosition.between(a, b, count: 3)
      let marked = [1 as UInt64, 2, 1 << 32, .max].map { client in
        new.map { $0.marked(by: client) }
      }
      #expect(Set(marked.joined()).count == 9, "1 and 1 << 32 have one mark")
      let sorted = Set(marked.joined()).sorted()
      if let a { #expect(a < sorted[0]) }
      if let b { #expect(sorted[8] < b) }
    }
  }

  @Test func theEndsStepByWholeNumbers() {
    var positions = ListPosition.between(nil, nil, count: 1)
    for _ in 0..<100_000 { positions += ListPosition.between(positions.last, nil, count: 1) }
    #expect(positions.allSatisfy { $0.bytes.count <= 4 })
    #expect(isAscending(positions))
    for _ in 0..<1000 {
      positions.insert(contentsOf: ListPosition.between(nil, positions[0], count: 1), at: 0)
    }
    #expect(isAscending(positions))
    #expect(positions[0].numbers == [-1000])
  }

  @Test func manyAtOnceDivideTheRoomEvenly() {
    let (low, high) = (ListPosition([10]), ListPosition([110]))
    #expect(
      ListPosition.between(low, high, count: 4).map(\.numbers) == [[30], [50], [70], [90]])
    let many = ListPosition.between(low, high, count: 1000)
    #expect(isAscending([low] + many + [high]))
    #expect(many.allSatisfy { $0.bytes.count <= 4 })
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func somethingFitsBetweenAnyTwo(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let limit = ListPosition.limit
    let odd = [-limit, limit, limit - 1, 1 - limit, -65, -64, 63, 64, 320, 0, 1, -1]
    func position() -> ListPosition {
      while true {
        let numbers = (0..<1 + Int(random.next() % 3)).map { _ in
          odd[Int(random.next() % UInt64(odd.count))]
        }
        if let position = ListPosition(decoding: ListPosition(numbers).bytes) { return position }
      }
    }
    for _ in 0..<500 {
      let (a, b) = (position(), position())
      let count = 1 + Int(random.next() % 5)
      let numbers = (a.numbers, b.numbers)
      #expect((a < b) == numbers.0.lexicographicallyPrecedes(numbers.1))
      guard a < b else { continue }
      let between = ListPosition.between(a, b, count: count)
      #expect(between.count == count && isAscending([a] + between + [b]))
      #expect(isAscending([a] + ListPosition.between(a, nil, count: count)))
      #expect(isAscending(ListPosition.between(nil, b, count: count) + [b]))
      let marked = between.map { $0.marked(by: random.next()) }
      #expect(isAscending([a] + marked + [b]))
      for new in between + marked { #expect(ListPosition(decoding: new.bytes) == new) }
    }
  }

  @Test func onlyItsOwnBytesAreAPosition() {
    for bytes: [UInt8] in [
      [], [0x37], [0xC8], [0xC0], [0xC1, 0, 1], [0x3F], [0x3E, 0xFF, 0],
      [0xC7, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      ListPosition([0, -ListPosition.limit]).bytes,
    ] {
      #expect(ListPosition(decoding: bytes) == nil)
    }
    #expect(ListPosition(decoding: [0x80])?.numbers == [0])
    #expect(ListPosition(decoding: [0xC0, 0])?.numbers == [64])
    #expect(ListPosition(decoding: [0x3F, 0xFF])?.numbers == [-65])
  }
}
