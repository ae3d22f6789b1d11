@testable import AtollObjects
import TestSupport
import TestThreads
import Testing

/// The radix sort against the library's, on values and keys of many shapes.
@Suite(.computing) struct IndexChangeSortTests {
  @Test(arguments: 0..<120 as Range<UInt64>)
  func sortsByValueThenKeyThenTime(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let count = [1, 2, 19, 21, 300, 5_000][Int(random.next() % 6)]
    let shape = ValueShape.allCases[Int(seed) % ValueShape.allCases.count]
    let values = shape.values(using: &random)
    let keyLimit: UInt64 = [0, 3, 1_000, .max][Int(random.next() % 4)]
    let isAscending = random.next() % 4 == 0

    var buffer = IndexBuffer()
    var expected: [(value: Int, key: UInt64, time: Int, isRemoval: Bool)] = []
    for time in 0..<count {
      let value =
        isAscending
        ? time * values.count / count : Int.random(in: 0..<values.count, using: &random)
      let key = UInt64.random(in: 0...keyLimit, using: &random)
      let isRemoval = random.next() % 2 == 0
      expected.append((value, key, time, isRemoval))
      try values[value].withUnsafeBytes {
        try buffer.add($0, key: key, isRemoval: isRemoval)
      }
    }
    expected.sort { ($0.value, $0.key, $0.time) < ($1.value, $1.key, $1.time) }

    let startsValue = buffer.sort()
    var scratch = GrowableBytes()
    for (index, (value, key, _, isRemoval)) in expected.enumerated() {
      let change = buffer.changes[index]
      let found = [UInt8](buffer.value(change, &scratch))
      #expect(found == values[value] && change.key == key, "\(index)")
      #expect(change.isRemoval == isRemoval, "\(index)")
      #expect(startsValue[index] == (index == 0 || expected[index - 1].value != value))
    }
  }

  /// Values that share beginnings of many lengths: no recursion, so no limit.
  @Test func sortsValuesThatShareLongBeginnings() throws {
    var buffer = IndexBuffer()
    let stem = String(repeating: "x", count: 3_000)
    let values = stride(from: 0, to: 3_000, by: 3).map { stringKey(String(stem.prefix($0)) + "a") }
    for (key, value) in values.enumerated() {
      try value.withUnsafeBytes { try buffer.add($0, key: UInt64(key), isRemoval: false) }
    }
    _ = buffer.sort()
    let sorted = values.indices.sorted { values[$0].lexicographicallyPrecedes(values[$1]) }
    #expect(buffer.changes.map { Int($0.key) } == sorted)
  }

  /// Integers lie in the changes until the first other value comes.
  @Test func integersBecomeBytesWhenAnotherValueComes() throws {
    var buffer = IndexBuffer()
    for integer in [3, -5, 9] as [Int64] {
      buffer.add(integer, key: 1, isRemoval: false)
    }
    #expect(integerKey(-5).withUnsafeBytes { buffer.containsChange(of: $0) })
    try ([0] as [UInt8]).withUnsafeBytes { try buffer.add($0, key: 2, isRemoval: false) }
    #expect(integerKey(-5).withUnsafeBytes { buffer.changes(of: $0).map(\.key) } == [1])
    _ = buffer.sort()
    var scratch = GrowableBytes()
    let values = buffer.changes.map { [UInt8](buffer.value($0, &scratch)) }
    #expect(values == [[0], integerKey(-5), integerKey(3), integerKey(9)])
  }
}
