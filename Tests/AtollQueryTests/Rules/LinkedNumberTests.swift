import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// Aggregates and subqueries over lists of links: a leaf at a time, they answer as row by row.
@Suite(.computing) struct LinkedNumberTests {
  /// How far the keys of the linked objects lie apart, and on what the numbers depend.
  enum Keys: Int64, CaseIterable {
    case dense = 1
    case wide = 50
    case sparse = 0x10_0000_0000
  }

  private static let linkNames = ["items", "bag", "named"]

  /// Owners of up to eight items, and one of 6 000, whose list lies outside of its leaf.
  private func makeDatabase(_ keys: Keys) throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Item",
          properties: [
            PropertySchema("code", .int), PropertySchema("price", .int, isOptional: true),
            PropertySchema("weight", .double, isOptional: true), PropertySchema("size", .float),
            PropertySchema("made", .date, isOptional: true), PropertySchema("cost", .decimal),
          ], primaryKey: "code"),
        ClassSchema(
          "Owner",
          properties: [
            PropertySchema("id", .int), PropertySchema("partner", linkTo: "Owner"),
            PropertySchema("items", linkTo: "Item", collection: .list),
            PropertySchema("bag", linkTo: "Item", collection: .set),
            PropertySchema("named", linkTo: "Item", collection: .map),
          ], primaryKey: "id"),
      ])
      var random = SplitMix64(seed: UInt64(keys.rawValue))
      let table = try transaction.table("Item").schema.id
      var links: [Value] = []
      for number in 0..<300 as Range<Int64> {
        let isNull = number % 7 == 0
        let key = try transaction.create(
          "Item",
          [
            "code": .int(number * keys.rawValue),
            "price": isNull ? .null : .int(Int64.random(in: -20...100, using: &random)),
            "weight": isNull ? .null : .double(number == 8 ? .nan : Double(number) / 4),
            "size": .float(Float(number) / 8),
            "made": isNull ? .null : .date(try date(number * 1000)),
            "cost": .decimal(Decimal128(number)),
          ])
        links.append(.link(ObjectLink(table: table, key: key.rawValue)))
      }
      for id in 0..<150 as Range<Int64> {
        let count = id == 77 ? 6_000 : Int.random(in: 0...8, using: &random)
        let chosen = (0..<count).map { _ in links.randomElement(using: &random) ?? links[0] }
        var few: [Value] = []
        for link in chosen where few.count < 8 && !few.contains(link) { few.append(link) }
        let key = try transaction.create(
          "Owner",
          [
            "id": .int(id), "items": .list(chosen), "bag": .set(few),
            "named": .map(
              ValueMap(few.enumerated().map { (key: "k\($0.offset)", value: $0.element) })),
          ])
        if id % 3 > 0 {
          try transaction.link("Owner", key, "partner", toPrimaryKeys: [.int(id / 2)])
        }
      }
      // A column that older leaves do not have.
      try transaction.addProperty(PropertySchema("late", .int), to: "Item")
    }
    return database
  }

  private func date(_ seconds: Int64) throws -> Timestamp {
    try #require(Timestamp(seconds: seconds, nanoseconds: 0))
  }

  private func keys(_ text: String, _ snapshot: Snapshot, setBytes: Int) throws -> [ObjectKey] {
    let query = try Query(text, on: "Owner", in: snapshot.schema)
    let run = try QueryRun(query.bound, query.arguments, in: snapshot, for: .keys)
    run.execution.setBytesLeft = setBytes
    return try run.keys()
  }

  private func isRowByRow(_ text: String, _ snapshot: Snapshot) throws -> Bool {
    try Query(text, on: "Owner", in: snapshot.schema).explain(in: snapshot).description
      .contains("row by row")
  }

  /// Adding 0 changes no number, and is done row by row.
  private func expectSame(_ left: String, _ rest: String, _ snapshot: Snapshot) throws -> Int {
    let (fast, slow) = ("\(left) \(rest)", "\(left) + 0 \(rest)")
    #expect(try !isRowByRow(fast, snapshot), "\(fast)")
    #expect(try isRowByRow(slow, snapshot), "\(slow)")
    let expected = try keys(slow, snapshot, setBytes: 1 << 24)
    for setBytes in [1 << 24, 0] {
      #expect(try keys(fast, snapshot, setBytes: setBytes) == expected, "\(fast)")
    }
    return expected.count
  }

  @Test(arguments: Keys.allCases) func aggregatesAnswerAsRowByRow(_ apart: Keys) throws {
    let snapshot = try makeDatabase(apart).snapshot()
    var counts: Set<Int> = []
    for name in Self.linkNames {
      for function in ["@min", "@max", "@sum", "@avg"] {
        for property in ["price", "weight", "size", "cost", "late"] {
          for rest in ["> 30", "<= 25.5", "== NULL", "IN {0, 40, 75}", "== 0"] {
            counts.insert(try expectSame("\(name).\(function).\(property)", rest, snapshot))
          }
        }
      }
    }
    // Not all or none.
    #expect(counts.count > 20)
  }

  @Test(arguments: Keys.allCases) func subqueriesAnswerAsRowByRow(_ apart: Keys) throws {
    let snapshot = try makeDatabase(apart).snapshot()
    var counts: Set<Int> = []
    for inner in ["$i.price > 40", "$i.weight == NULL", "$i.size < 0", "NOT $i.price < 0"] {
      for rest in ["== 0", "> 1", ">= 2.5", "!= 3", "IN {1, 4}", "> 1000"] {
        counts.insert(try expectSame("SUBQUERY(items, $i, \(inner)).@count", rest, snapshot))
      }
    }
    #expect(counts.count > 10)
  }

  /// The constant stands on the left, a link lies before the collection, a test asks for no value.
  @Test func otherFormsAnswerAsRowByRow() throws {
    let snapshot = try makeDatabase(.dense).snapshot()
    for (fast, slow) in [
      ("30 < items.@max.price", "30 < items.@max.price + 0"),
      (
        "2 > SUBQUERY(items, $i, $i.price > 40).@count",
        "2 > SUBQUERY(items, $i, $i.price > 40).@count + 0"
      ),
      ("partner.items.@sum.price > 100", "partner.items.@sum.price + 0 > 100"),
      ("partner.items.@sum.price == 0", "partner.items.@sum.price + 0 == 0"),
      ("partner.items.@avg.price == NULL", "partner.items.@avg.price + 0 == NULL"),
      ("NONE {0, 50} == items.@min.price", "NONE {0, 50} == items.@min.price + 0"),
    ] {
      let expected = try keys(slow, snapshot, setBytes: 1 << 24)
      #expect(try keys(fast, snapshot, setBytes: 1 << 24) == expected, "\(fast)")
      #expect(!expected.isEmpty && expected.count < 150, "\(fast)")
    }
    // What has a value above is above in its greatest.
    for (aggregate, any) in [
      ("items.@max.made > T100000:0", "ANY items.made > T100000:0"),
      ("named.@min.made < T100000:0", "ANY named.made < T100000:0"),
    ] {
      let expected = try keys(any, snapshot, setBytes: 1 << 24)
      #expect(try keys(aggregate, snapshot, setBytes: 1 << 24) == expected, "\(aggregate)")
      #expect(!expected.isEmpty && expected.count < 150, "\(aggregate)")
    }
  }

  /// A run keeps the numbers of a column once, however many tests ask for them.
  @Test func theNumbersOfAColumnAreReadOnce() throws {
    let snapshot = try makeDatabase(.dense).snapshot()
    func bytes(_ text: String) throws -> Int {
      let query = try Query(text, on: "Owner", in: snapshot.schema)
      let run = try QueryRun(query.bound, query.arguments, in: snapshot, for: .keys)
      let before = run.execution.setBytesLeft
      _ = try run.keys()
      return before - run.execution.setBytesLeft
    }
    let one = try bytes("items.@sum.price > 10")
    #expect(one > 300 * 8)
    #expect(try bytes("items.@sum.price > 10 AND bag.@min.price < 5") == one)
  }
}
