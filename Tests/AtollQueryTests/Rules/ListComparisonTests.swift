import AtollObjects
import AtollQuery
import TestThreads
import Testing

/// Lists are compared position by position, and an object that a path reaches twice is in it twice.
@Suite(.computing) struct ListComparisonTests {
  /// Object 1 links to 2, 3 and 2 again; 2 and 3 link to 1 and to each other.
  private static func database() throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Thing",
          properties: [
            PropertySchema("id", .int), PropertySchema("numbers", .int, collection: .list),
            PropertySchema("things", linkTo: "Thing", collection: .list),
          ], primaryKey: "id"))
      let links: [Int64: [Int64]] = [1: [2, 3, 2], 2: [1, 3], 3: [1, 2], 4: []]
      let numbers: [Int64: [Int64]] = [
        1: [2, 3, 2], 2: [2, 3, 2, 1, 2], 3: [2, 3, 2, 1, 3], 4: [],
      ]
      var keys: [Int64: ObjectKey] = [:]
      for id in 1...4 as ClosedRange<Int64> {
        keys[id] = try transaction.create(
          "Thing",
          ["id": .int(id), "numbers": .list((numbers[id] ?? []).map { .int($0) })])
      }
      for (id, targets) in links {
        guard let key = keys[id] else { continue }
        try transaction.link("Thing", key, "things", toPrimaryKeys: targets.map { .int($0) })
      }
    }
    return database
  }

  @Test(arguments: [
    ("things.id == numbers", [1, 4] as [Int64]),
    ("numbers == things.id", [1, 4]),
    ("things.id != numbers", [2, 3]),
    ("things.id >= numbers", [1, 4]),
    // Of 2 these are 2, 3, 2 by way of 1, and 1, 2 by way of 3.
    ("things.things.id == numbers", [2, 3, 4]),
    ("NOT things.things.id == numbers", [1]),
    ("things.id + 0 == numbers", [1, 4]),
    ("ANY things.id == numbers", [1, 2, 3]),
    ("things.@count == 3", [1]),
  ])
  func repeatsCount(text: String, expected: [Int64]) throws {
    let snapshot = try Self.database().snapshot()
    let query = try Query(text, on: "Thing", in: snapshot.schema)
    var found: [Int64] = []
    try query.results(in: snapshot).forEach { found.append(try $0["id"].int ?? 0) }
    #expect(found == expected)
    #expect(try query.count(in: snapshot) == expected.count)
  }
}
