import AtollObjects
import AtollQuery
import TestThreads
import Testing

/// Rows that are equal in the key keep their order, whatever else their leaves hold.
@Suite(.computing) struct SortTieTests {
  /// Many leaves, of which only the last ones have nulls; all other rows are equal in each key,
  /// with the least value there is.
  private static func database() throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Row",
          properties: [
            PropertySchema("number", .int, isOptional: true),
            PropertySchema("text", .string, isOptional: true),
            PropertySchema("score", .double, isOptional: true),
            PropertySchema("date", .date, isOptional: true),
            PropertySchema("data", .data, isOptional: true),
          ]))
      for index in 0..<6_000 {
        let isNull = index > 5_000 && index % 3 == 0
        let values: [String: Value] = [
          "number": .int(.min), "text": .string(""), "score": .double(-.infinity),
          "date": Timestamp(seconds: .min, nanoseconds: 0).map { .date($0) } ?? .null,
          "data": .data([]),
        ]
        _ = try transaction.create("Row", isNull ? [:] : values)
      }
    }
    return database
  }

  @Test(arguments: ["number", "text", "score", "date", "data"], ["ASC", "DESC"])
  func theLeastValueTiesWithItself(property: String, direction: String) throws {
    let snapshot = try Self.database().snapshot()
    for end in ["", " LIMIT(5500)"] {
      let sorted = try Query(
        "TRUEPREDICATE SORT(\(property) \(direction))\(end)", on: "Row", in: snapshot.schema)
      let found = try sorted.results(in: snapshot).keys.map(\.rawValue)
      let nulls = (5_001..<6_000).filter { $0 % 3 == 0 }.map { UInt64($0) + 1 }
      let values = (1...UInt64(6_000)).filter { !nulls.contains($0) }
      let expected = direction == "ASC" ? nulls + values : values + nulls
      #expect(found == Array(expected.prefix(end.isEmpty ? 6_000 : 5_500)))
    }
  }
}
