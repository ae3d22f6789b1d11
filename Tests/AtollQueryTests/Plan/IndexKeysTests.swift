import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// The index keys of the values that pass a predicate, against the predicate.
@Suite(.computing) struct IndexKeysTests {
  private static let numbers: [UInt64] = [0, 1, 2, 254, 255, 256, 511, 512, .max - 1, .max]

  private static func values(_ type: ValueType) -> [Value] {
    switch type {
    case .uuid:
      numbers.map { .uuid(UniqueID(high: 0, low: $0)) }
        + numbers.map { .uuid(UniqueID(high: .max, low: $0)) }
    case .objectID:
      numbers.map {
        .objectID(
          ObjectID(seconds: 7, random: 0, counter: UInt32(truncatingIfNeeded: $0 & 0xFF_FFFF)))
      }
    default:
      ["-1000", "-99.5", "-1", "0", "0.001", "1", "1.01", "1.02", "99", "100", "101"]
        .compactMap { Decimal128($0).map { .decimal($0) } }
        + [.decimal(.nan), .decimal(.infinity), .decimal(-.infinity)]
    }
  }

  private static func predicate(
    _ constants: [Value], _ random: inout SplitMix64, depth: Int
  ) -> ValuePredicate {
    func constant() -> Value { constants[Int.random(in: 0..<constants.count, using: &random)] }
    func terms() -> [ValuePredicate] {
      (0..<2).map { _ in predicate(constants, &random, depth: depth - 1) }
    }
    let comparators: [QuerySyntax.Comparator] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    let comparator = comparators[Int.random(in: 0..<comparators.count, using: &random)]
    switch Int.random(in: 0..<(depth == 0 ? 4 : 7), using: &random) {
    case 0: return .compare(comparator, constant(), folding: .exact)
    case 1: return .compareReversed(comparator, constant(), folding: .exact)
    case 2: return .between(constant(), constant())
    case 3: return .isIn(ConstantList((0..<3).map { _ in constant() }, folding: .exact))
    case 4: return .all(terms())
    case 5: return .any(terms())
    default: return .not(predicate(constants, &random, depth: depth - 1))
    }
  }

  private static func holds(_ interval: ByteIntervals.Interval, _ key: [UInt8]) -> Bool {
    !key.lexicographicallyPrecedes(interval.low)
      && interval.high.map { key.lexicographicallyPrecedes($0) } ?? true
  }

  @Test(arguments: [ValueType.decimal, .uuid, .objectID], 0..<10 as Range<UInt64>)
  func areThoseOfTheValuesThatPass(type: ValueType, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let values = Self.values(type)
    for _ in 0..<100 {
      let predicate = Self.predicate(values + [.null, .string("1")], &random, depth: 2)
      let intervals = try #require(ByteIntervals.keys(of: type, passing: predicate)).intervals
      let null = try #require(Index.bytes(of: .null))
      #expect(!intervals.contains { Self.holds($0, null) }, "\(predicate)")
      for value in values {
        let key = try #require(Index.bytes(of: value))
        let found = intervals.first { Self.holds($0, key) }
        #expect((found != nil) == predicate.matches(value), "\(value) in \(predicate)")
        if let only = found?.onlyKey { #expect(only == key, "\(value) in \(predicate)") }
      }
    }
  }

  @Test func joinForIdsThatFollowEachOther() throws {
    func intervals(_ numbers: some Sequence<UInt64>) throws -> [ByteIntervals.Interval] {
      let ids = numbers.map { Value.uuid(UniqueID(high: 0, low: $0)) }
      let set = ByteIntervals.keys(of: .uuid, passing: .isIn(ConstantList(ids, folding: .exact)))
      return try #require(set).intervals
    }
    let row = try intervals(0..<256)
    #expect(row.map(\.onlyKey) == [nil])
    let apart = try intervals([3, 255, 511])
    #expect(apart.count == 3)
    #expect(apart.allSatisfy { $0.onlyKey == $0.low })
  }

  /// From behind one id to the id 256 above it: the bounds look like those of one key, but for
  /// their length.
  @Test func areSeveralWhereABoundIsNoKey() throws {
    func id(_ number: UInt64) -> Value { .uuid(UniqueID(high: 0, low: number)) }
    let set = ByteIntervals.keys(
      of: .uuid,
      passing: .all([
        .compare(.greater, id(255), folding: .exact),
        .compare(.lessOrEqual, id(511), folding: .exact),
      ]))
    let intervals = try #require(set).intervals
    #expect(intervals.count == 1)
    let interval = try #require(intervals.first)
    #expect(interval.high == IndexRange.successor(of: interval.low))
    #expect(interval.onlyKey == nil)
  }

  /// A number of another type can equal a decimal that has another key.
  @Test func doNotTellOfOtherNumbers() {
    #expect(
      ByteIntervals.keys(of: .decimal, passing: .compare(.equal, .double(0.1), folding: .exact))
        == nil)
    #expect(
      ByteIntervals.keys(of: .int, passing: .compare(.equal, .int(1), folding: .exact)) == nil)
  }
}
