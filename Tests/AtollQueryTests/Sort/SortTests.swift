import AtollObjects
import AtollQuery
import Foundation
import TestSupport
import TestThreads
import Testing

/// Sorts against a stable sort of the values by the language's total order.
@Suite(.computing) struct SortTests {
  private static let className = "Row"
  private static let schema = ClassSchema(
    className,
    properties: [
      PropertySchema("number", .int, isOptional: true), PropertySchema("few", .int),
      PropertySchema("flag", .bool, isOptional: true), PropertySchema("single", .float),
      PropertySchema("score", .double, isOptional: true), PropertySchema("date", .date),
      PropertySchema("text", .string, isOptional: true), PropertySchema("city", .string),
      PropertySchema("path", .string), PropertySchema("data", .data),
      PropertySchema("large", .string), PropertySchema("id", .uuid),
    ])

  private struct World {
    let snapshot: Snapshot
    /// In the order of their keys.
    let rows: [(key: UInt64, values: [String: Value])]

    init(seed: UInt64, count: Int) throws {
      var random = SplitMix64(seed: seed)
      let database = try Database.inMemory()
      var rows: [(key: UInt64, values: [String: Value])] = []
      try database.write { transaction in
        try transaction.addClass(SortTests.schema)
        for index in 0..<count {
          let values = SortTests.values(index, &random)
          let key = try transaction.create(SortTests.className, values)
          rows.append((key.rawValue, values))
        }
      }
      snapshot = try database.snapshot()
      self.rows = rows.sorted { $0.key < $1.key }
    }

    /// The keys by the keys of a sort, ties in the order that `rows` have.
    func keys(
      _ rows: [(key: UInt64, values: [String: Value])], by keys: [(String, Bool)]
    ) -> [UInt64] {
      rows.enumerated().sorted { a, b in
        for (name, isAscending) in keys {
          let order = Value.sortOrder(
            a.element.values[name] ?? .null, b.element.values[name] ?? .null)
          if order != .equal { return (order == .less) == isAscending }
        }
        return a.offset < b.offset
      }.map(\.element.key)
    }
  }

  private static func values(_ index: Int, _ random: inout SplitMix64) -> [String: Value] {
    func letters(_ count: Int) -> String {
      let some: [Character] = ["a", "b", "\u{0}", "ü"]
      return String((0..<count).map { _ in some[Int.random(in: 0...3, using: &random)] })
    }
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func isRare() -> Bool { number(0...9) == 0 }
    var values: [String: Value] = [
      "few": .int(Int64(number(0...4))),
      "single": .float([0, -0.0, .nan, .infinity, 1.5][number(0...4)]),
      "city": .string("City\(number(0...30))"),
      "path": .string("https://example.com/" + letters(number(0...18))),
      "data": .data((0..<number(0...20)).map { _ in UInt8(number(0...2) * 127) }),
      "id": .uuid(UniqueID(high: random.next() & 3, low: random.next() & 0xFF)),
      "large": .string(
        (isRare() ? "prefix" : "prefixed") + letters(number(0...2))
          + (index % 100 == 0 ? String(repeating: "x", count: 9_000) + letters(2) : "")),
      "date": Timestamp(
        seconds: Int64(number(-2...2)) * 1_000, nanoseconds: 0
      ).map { .date($0) } ?? .null,
    ]
    if isRare(), let date = Timestamp(seconds: 1_000, nanoseconds: Int32(number(0...999_999))) {
      values["date"] = .date(date)
    }
    if !isRare() {
      // Near both ends, where codes are few, and in the middle.
      values["number"] = .int(
        [.min, .min + 1, .max, .max - 1, 0, Int64(number(-50...50))][number(0...5)])
    }
    if !isRare() { values["flag"] = .bool(number(0...1) == 1) }
    if !isRare() {
      values["score"] = .double(
        isRare() ? [.nan, -0.0, 0, .infinity, -.infinity][number(0...4)] : Double(random.next()))
    }
    if !isRare() { values["text"] = .string(letters(number(0...40))) }
    return values
  }

  private static let sorts: [[(String, Bool)]] = {
    let names = [
      "number", "few", "flag", "single", "score", "date", "text", "city", "path", "data", "large",
      "id",
    ]
    let single = names.flatMap { [[($0, true)], [($0, false)]] }
    return single + [
      [("few", true), ("score", false)], [("city", false), ("text", true), ("few", true)],
      [("flag", true), ("id", false), ("path", true)], [("city", true), ("number", false)],
      [("date", false), ("large", true)], [("single", true), ("data", false)],
    ]
  }()

  private static func text(_ keys: [(String, Bool)]) -> String {
    "SORT(" + keys.map { "\($0) \($1 ? "ASC" : "DESC")" }.joined(separator: ", ") + ")"
  }

  private static func found(_ text: String, _ world: World) throws -> [UInt64] {
    let query = try Query(text, on: className, in: world.snapshot.schema)
    return try query.results(in: world.snapshot).keys.map(\.rawValue)
  }

  @Test(arguments: [(1, 5_000), (2, 700), (3, 15)])
  func everyKindOfKeyGivesTheTotalOrder(seed: Int, count: Int) throws {
    let world = try World(seed: UInt64(seed), count: count)
    for sort in Self.sorts {
      let expected = world.keys(world.rows, by: sort)
      let text = Self.text(sort)
      #expect(try Self.found("TRUEPREDICATE \(text)", world) == expected, "\(text)")
      let limited = try Self.found("TRUEPREDICATE \(text) LIMIT(40)", world)
      #expect(limited == Array(expected.prefix(40)), "\(text)")
    }
  }

  /// A few rows of each leaf are read one by one.
  @Test func rowsFarApartAreSorted() throws {
    let world = try World(seed: 4, count: 5_000)
    let few = world.rows.filter { $0.values["city"] == .string("City7") }
    for sort in Self.sorts {
      let text = Self.text(sort)
      let found = try Self.found("city == 'City7' \(text)", world)
      #expect(found == world.keys(few, by: sort), "\(text)")
    }
  }

  /// Rows that come in another order than their keys': ties stay in it.
  @Test func aSortAfterAnotherKeepsItsOrder() throws {
    let world = try World(seed: 5, count: 5_000)
    for sort in Self.sorts {
      let before = world.keys(world.rows, by: [("score", false)]).prefix(2_000)
      let byKey = Dictionary(uniqueKeysWithValues: world.rows.map { ($0.key, $0.values) })
      let rows = before.map { (key: $0, values: byKey[$0] ?? [:]) }
      let text = Self.text(sort)
      let found = try Self.found("TRUEPREDICATE SORT(score DESC) LIMIT(2000) \(text)", world)
      #expect(found == world.keys(rows, by: sort), "\(text)")
    }
  }

  /// So many that they are not kept while leaves go by.
  @Test func aLargeLimitCutsTheWholeOrder() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Point", properties: [PropertySchema("id", .int), PropertySchema("x", .int)],
          primaryKey: "id"))
      let writer = try transaction.objectWriter("Point")
      let x = try writer.column("x")
      for id in 0..<70_000 as Range<Int64> {
        try writer.create(primaryKey: id)
        try writer.set(x, id * 7_919 % 70_001)
      }
    }
    let snapshot = try database.snapshot()
    let query = try Query(
      "TRUEPREDICATE SORT(x ASC) LIMIT(66000)", on: "Point", in: snapshot.schema)
    let expected = (0..<70_000).sorted { $0 * 7_919 % 70_001 < $1 * 7_919 % 70_001 }
    let found = try query.results(in: snapshot).keys.map { Int($0.integerPrimaryKey) }
    #expect(found == Array(expected.prefix(66_000)))
  }

  /// Each step of the sort tells a few more strings apart: not one call within another for each.
  @Test func beginningsThatGetEverLongerNeedNoDeepStack() async throws {
    let database = try Database.inMemory()
    let count = 400
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema("Text", properties: [PropertySchema("text", .string)]))
      for index in 0..<count {
        let length = index * 7_919 % count * 20
        try transaction.create("Text", ["text": .string(String(repeating: "a", count: length))])
      }
    }
    let snapshot = try database.snapshot()
    let query = try Query("TRUEPREDICATE SORT(text DESC)", on: "Text", in: snapshot.schema)
    let found = await withCheckedContinuation { continuation in
      let thread = Thread {
        let keys = try? query.results(in: snapshot).keys.map { Int($0.rawValue) - 1 }
        continuation.resume(returning: keys)
      }
      thread.stackSize = 512 * 1024
      thread.start()
    }
    let expected = (0..<count).sorted { $0 * 7_919 % count > $1 * 7_919 % count }
    #expect(found == expected)
  }
}
