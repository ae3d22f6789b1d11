import AtollObjects
import AtollQuery
import TestThreads
import Testing

/// Questions that are long or deep, and values that lie outside their leaf.
@Suite(.computing) struct LargeQueryTests {
  @Test(arguments: [
    ("berths == ", " OR ", 3), ("berths != ", " AND ", 0), ("title != '", " AND ", 3),
    ("crew.age == ", " OR ", 2),
  ])
  func fiftyThousandTermsAreAnswered(_ start: String, _ joint: String, _ count: Int) throws {
    let snapshot = try BoatDatabase.shared.get().snapshot()
    let quote = start.hasSuffix("'") ? "'" : ""
    let limit = start.hasPrefix("crew") ? 200 : 50_000
    let text = (0..<limit).map { start + "\($0)" + quote }.joined(separator: joint)
    #expect(try Query(text, on: "Boat", in: snapshot.schema).count(in: snapshot) == count)
  }

  @Test func deepNestingIsAnswered() throws {
    let snapshot = try BoatDatabase.shared.get().snapshot()
    var text = "berths == 7"
    for level in 0..<90 { text = level % 2 == 0 ? "(\(text) OR berths > 100)" : "NOT (\(text))" }
    #expect(throws: Never.self) {
      try Query(text, on: "Boat", in: snapshot.schema).count(in: snapshot)
    }
  }

  @Test(arguments: [
    ("text BEGINSWITH 'aaaa'", [1, 2]), ("text ENDSWITH 'needle'", [2]),
    ("text CONTAINS 'needle'", [2]), ("text CONTAINS[c] 'NEEDLE'", [2]),
    ("text LIKE '*needle'", [2]), ("text == 'short'", [3]), ("NOT text CONTAINS 'a'", [3, 4]),
    ("text.@size > 10000", [1, 2]), ("text == NULL", [4]), ("text < 'b'", [1, 2]),
    ("numbers == 4999", [1]), ("NONE numbers == 4999", [2, 3, 4]), ("numbers.@count == 5000", [1]),
    ("ALL numbers >= 0", [1, 2, 3, 4]), ("texts CONTAINS 'needle'", [2]),
    ("NONE texts CONTAINS 'needle'", [1, 3, 4]), ("links.text == 'short'", [1]),
    ("links.@count == 4000", [1]), ("@links.Large.links.@count == 4000", [3]),
    ("@links.Large.links.text BEGINSWITH 'aaaa'", [3]),
    ("TRUEPREDICATE SORT(text ASC)", [4, 1, 2, 3]), ("TRUEPREDICATE DISTINCT(text)", [1, 2, 3, 4]),
    ("TRUEPREDICATE SORT(text DESC) LIMIT(2)", [3, 2]),
  ])
  func valuesOutsideTheLeafAreRead(_ text: String, _ expected: [Int64]) throws {
    let database = try Self.database.get()
    let snapshot = try database.snapshot()
    let query = try Query(text, on: "Large", in: snapshot.schema)
    let found = try query.results(in: snapshot).keys.map { Int64($0.rawValue) }
    #expect(found == expected)
    #expect(try query.count(in: snapshot) == expected.count)
  }

  private static let database = Result {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Large",
          properties: [
            PropertySchema("text", .string, isOptional: true),
            PropertySchema("numbers", .int, collection: .list),
            PropertySchema("texts", .string, collection: .list),
            PropertySchema("links", linkTo: "Large", collection: .list),
          ]))
      let long = String(repeating: "a", count: 20_000)
      try transaction.create(
        "Large",
        ["text": .string(long), "numbers": .list((0..<5000).map { .int(Int64($0)) })])
      try transaction.create(
        "Large",
        [
          "text": .string(long + "needle"),
          "texts": .list([.string("x"), .string(long + "needle")]),
        ])
      let third = try transaction.create("Large", ["text": .string("short")])
      try transaction.create("Large")
      let table = try transaction.table("Large").schema.id
      let link = Value.link(ObjectLink(table: table, key: third.rawValue))
      try transaction.set(
        "Large", ObjectKey(rawValue: 1), "links", .list(Array(repeating: link, count: 4000)))
    }
    return database
  }
}
