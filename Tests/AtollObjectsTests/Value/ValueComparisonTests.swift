import AtollObjects
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct ValueComparisonTests {
  private static let one = [
    Value.int(1), .float(1), .double(1), .decimal(Decimal128("1.00") ?? .nan),
  ]

  @Test func oneIsOneInEveryNumericType() {
    for a in Self.one {
      for b in Self.one {
        #expect(Value.equal(a, b) && a == b && a.hashValue == b.hashValue)
        #expect(Value.ordered(a, b) == .equal && Value.sortOrder(a, b) == .equal)
      }
    }
    #expect(Set(Self.one).count == 1)
  }

  @Test(
    arguments: [
      (.int((1 << 53) + 1), .double(0x1p53), .greater),
      (.int(1 << 53), .double(0x1p53), .equal),
      (.int(.max), .double(0x1p63), .less),
      (.int(.min), .double(-0x1p63), .equal),
      (.int(.min), .double(-0x1p64), .greater),
      (.int(3), .double(3.5), .less), (.int(-3), .double(-3.5), .greater),
      (.int(0), .double(-0.0), .equal), (.int(5), .double(.infinity), .less),
      (.int(.max), .float(0x1p63), .less),
      (.float(0.1), .double(0.1), .greater),
      (.double(0.1), .decimal(Decimal128(0.1)), .greater),
      (.double(0.5), .decimal(Decimal128(0.5)), .equal),
      (.int(.max), .decimal(Decimal128(Int64.max)), .equal),
      (.decimal(.infinity), .double(.infinity), .equal),
      (.int(1), .null, nil), (.null, .null, .equal), (.null, .string(""), nil),
      (.bool(false), .bool(true), .less), (.bool(true), .int(1), nil),
      (.string("B"), .string("a"), .less), (.string("a"), .string("ab"), .less),
      (.string("z"), .string("é"), .less), (.string("é"), .string("e\u{301}"), .greater),
      (.string("\u{FFFF}"), .string("\u{10000}"), .less),
      (.string("a"), .data([0x61]), nil),
      (.data([0x7F]), .data([0x80]), .less), (.data([1]), .data([1, 0]), .less),
      (.double(.nan), .double(.nan), nil), (.decimal(.nan), .int(1), nil),
      (.link(ObjectLink(table: 1, key: 1)), .link(ObjectLink(table: 1, key: 2)), nil),
      (.list([]), .list([]), nil),
    ] as [(Value, Value, Ordering?)])
  func predicatesOrder(a: Value, b: Value, expected: Ordering?) {
    #expect(Value.ordered(a, b) == expected)
    let reversed: Ordering? = expected.flatMap { Ordering(rawValue: -$0.rawValue) }
    #expect(Value.ordered(b, a) == reversed)
    if expected != nil { #expect(Value.equal(a, b) == (expected == .equal)) }
  }

  @Test(
    arguments: [
      (.list([.int(1), .null]), .list([.double(1), .null]), true),
      (.list([.int(1), .int(2)]), .list([.int(2), .int(1)]), false),
      (.list([.double(.nan)]), .list([.double(.nan)]), false),
      (.set([.int(1), .int(2)]), .set([.int(2), .double(1)]), true),
      (.set([.int(1)]), .list([.int(1)]), false),
      (.map(["a": .int(1), "b": .null]), .map(["b": .null, "a": .float(1)]), true),
      (.map(["a": .int(1)]), .map(["b": .int(1)]), false),
      (.link(ObjectLink(table: 1, key: 2)), .link(ObjectLink(table: 1, key: 2)), true),
      (.bool(true), .int(1), false), (.string("a"), .data([0x61]), false),
      (.string("é"), .string("e\u{301}"), false), (.null, .string(""), false),
      (.double(.nan), .double(.nan), false), (.data([1]), .data([1]), true),
    ] as [(Value, Value, Bool)])
  func predicatesEqual(a: Value, b: Value, expected: Bool) {
    #expect(Value.equal(a, b) == expected)
    #expect(Value.equal(b, a) == expected)
  }

  @Test func nanEqualsItselfOnlyAsAnIdentity() {
    let nans = [Value.float(.nan), .double(.nan), .double(-.nan), .decimal(.nan)]
    #expect(Set(nans).count == 1)
    #expect(Set(nans.map { Value.list([$0]) }).count == 1)
    #expect(!Value.equal(nans[0], nans[0]))
  }

  /// The order of kinds, each kind with its smallest and largest member.
  @Test func kindsSortInTheOrderOfTheQueryLanguage() {
    let ascending: [Value] =
      [
        .null, .bool(false), .bool(true), .double(.nan), .double(-.infinity), .int(.min),
        .decimal(-1), .float(0), .int(.max), .double(.infinity), .string(""),
        .string("\u{10FFFF}"), .data([]), .data([0xFF]),
      ]
      + [Timestamp("0001-01-01"), Timestamp("9999-01-01")].compactMap { $0.map(Value.date) }
      + [
        .objectID(ObjectID(seconds: 0, random: 0, counter: 0)),
        .objectID(ObjectID(seconds: .max, random: 0, counter: 0)), .uuid(UniqueID(high: 0, low: 0)),
        .link(ObjectLink(table: 0, key: 9)), .link(ObjectLink(table: 1, key: 0)), .list([]),
        .list([.int(1)]), .list([.int(1), .null]), .set([]), .set([.int(2), .int(1)]),
        .set([.int(2)]), .map([:]), .map(["a": .int(2)]), .map(["b": .int(1)]),
      ]
    for (index, a) in ascending.enumerated() {
      for (otherIndex, b) in ascending.enumerated() {
        #expect(
          Value.sortOrder(a, b)
            == Ordering(rawValue: index < otherIndex ? -1 : (index == otherIndex ? 0 : 1)),
          "\(a), \(b)")
      }
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func theThreeComparisonsAndTheHashAgree(seed: UInt64) {
    var random = RandomSingleValues(seed: seed)
    let values = (0..<40).map { _ in random.any() }
    for a in values {
      for b in values {
        let order = Value.sortOrder(a, b)
        #expect(Value.sortOrder(b, a).rawValue == -order.rawValue)
        #expect((order == .equal) == (a == b), "\(a), \(b)")
        if a == b { #expect(a.hashValue == b.hashValue, "\(a), \(b)") }
        if let ordered = Value.ordered(a, b) {
          #expect(ordered == order)
          #expect(Value.equal(a, b) == (order == .equal))
        }
        if Value.equal(a, b) { #expect(a == b) }
        for c in values.prefix(10) where order == .less && Value.sortOrder(b, c) == .less {
          #expect(Value.sortOrder(a, c) == .less, "\(a), \(b), \(c)")
        }
      }
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func numbersOfAllTypesAgree(seed: UInt64) {
    var random = RandomSingleValues(seed: seed)
    var values: [Value] = []
    for _ in 0..<12 {
      let double = random.double()
      let integer = random.int()
      values += [
        .int(integer), .double(Double(integer)), .decimal(Decimal128(integer)), .double(double),
        .decimal(Decimal128(double)), .float(Float(double)), .decimal(random.decimal()),
      ]
    }
    let sorted = values.sorted { Value.sortOrder($0, $1) == .less }
    for (index, a) in sorted.enumerated() {
      for b in sorted[index...] {
        #expect(Value.sortOrder(a, b) != .greater, "\(a), \(b)")
        if a == b { #expect(a.hashValue == b.hashValue, "\(a), \(b)") }
      }
    }
  }

  @Test func promotionToDecimalKeepsTheDigitsOfTheType() {
    #expect(Value.double(0.1).promotedToDecimal?.description == "0.1")
    #expect(Value.float(0.1).promotedToDecimal?.description == "0.1")
    #expect(Value.int(7).promotedToDecimal?.description == "7")
    #expect(Value.string("7").promotedToDecimal == nil)
  }

  @Test func typesKeepTheirStoredNumbersAndQueryNames() {
    #expect(ValueType.allCases.map(\.rawValue) == Array(1...12))
    #expect(
      ValueType.allCases.map(\.queryName) == [
        "bool", "int", "float", "double", "decimal128", "string", "data", "date",
        "objectId", "uuid", "mixed", "link",
      ])
  }
}

@Suite(.computing) struct ValueMapTests {
  @Test func laterPairsWinAndKeysAscendByBytes() {
    let map = ValueMap([
      (key: "é", value: .int(1)), (key: "b", value: .int(2)), (key: "e\u{301}", value: .int(3)),
      (key: "b", value: .int(4)),
    ])
    #expect(map.entries.map(\.key.unicodeScalars.count) == [1, 2, 1])
    #expect(map["b"] == .int(4) && map["e\u{301}"] == .int(3) && map["é"] == .int(1))
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func editsMatchADictionary(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var map = ValueMap()
    var model: [String: Value] = [:]
    for step in 0..<200 {
      let key = "\(Int.random(in: 0..<20, using: &random))"
      let value: Value? = Bool.random(using: &random) ? .int(Int64(step)) : nil
      map[key] = value
      model[key] = value
      #expect(map.entries.map(\.key) == model.keys.sorted())
      #expect(map[key] == value && map.count == model.count)
    }
  }
}
