import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollCapture

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

  @Test func runsThatDevicesInsertAtOnePlaceDoNotMix() {
    let ends = ListPosition.run(nil, nil, count: 2, mark: 9)
    for (a, b) in [(nil, nil), (ends[0], nil), (nil, ends[0]), (ends[0], ends[1])] {
      // Behind the one before, before the one before, and several at once.
      let runs = (1...4).map { mark in
        var run = ListPosition.run(a, b, count: 3, mark: UInt32(mark))
        for _ in 0..<3 { run += ListPosition.run(run.last, b, count: 1, mark: UInt32(mark)) }
        for _ in 0..<3 {
          run = ListPosition.run(a, run[0], count: 1, mark: UInt32(mark)) + run
        }
        #expect(isAscending(run))
        return run
      }
      let sorted = runs.joined().sorted()
      #expect(isAscending(sorted))
      let makers = sorted.map { position in runs.firstIndex { $0.contains(position) } }
      #expect(zip(makers, makers.dropFirst()).count { $0 != $1 } == 3)
      if let a { #expect(a < sorted[0]) }
      if let b { #expect(sorted[35] < b) }
    }
  }

  @Test func aRunThatGoesOnUnderAnotherMarkStaysTogether() {
    let first = ListPosition.run(nil, nil, count: 1, mark: 9)[0]
    var run = ListPosition.run(first, nil, count: 2, mark: 1)
    run += ListPosition.run(run.last, nil, count: 2, mark: 2, continues: true)
    run += ListPosition.run(run.last, nil, count: 2, mark: 2)
    let other = ListPosition.run(first, nil, count: 2, mark: 3)
    #expect(isAscending(run) && isAscending(run + other))
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
      let mark = UInt32(truncatingIfNeeded: random.next())
      let run = ListPosition.run(a, b, count: count, mark: mark, continues: random.next() % 2 == 0)
      #expect(isAscending([a] + run + [b]))
      for new in between + run { #expect(ListPosition(decoding: new.bytes) == new) }
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
