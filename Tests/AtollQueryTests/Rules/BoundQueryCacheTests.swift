import AtollObjects
import AtollQuery
import TestSupport
import TestThreads
import Testing

/// What is kept of the queries that were bound to a schema.
@Suite(.computing) struct BoundQueryCacheTests {
  /// A bound query does not refer to the schema that keeps it.
  @Test func boundQueriesGoWithTheirSchema() throws {
    weak var schema: Schema?
    do {
      let made = Schema(try ScriptWorld.boats.get().snapshot().schema.tables)
      schema = made
      for text in ["berths > $0", "home.depth > $0", "crew.@count > $0"] {
        _ = try Query(text, on: "Boat", in: made, arguments: [.int(3)])
      }
    }
    #expect(schema == nil)
  }

  /// Each schema has its own: a text bound to another one names other columns.
  @Test func sameTextIsBoundToEachSchema() throws {
    let schema = try ScriptWorld.boats.get().snapshot().schema
    let other = Schema(schema.tables)
    let text = "berths > $0"
    let query = try Query(text, on: "Boat", in: schema, arguments: [.int(3)])
    let again = try Query(text, on: "Boat", in: schema, arguments: [.int(4)])
    let elsewhere = try Query(text, on: "Boat", in: other, arguments: [.int(3)])
    #expect(query.bound === again.bound)
    #expect(query.bound !== elsewhere.bound)
    #expect(elsewhere.schema === other)
  }

  /// Whether a string is a number is told by the string: no query that was bound to strings that
  /// are none serves others.
  @Test(arguments: ["IN {$0, $1}", "== ANY {$0, $1}", "== {$0, $1}"])
  func aTextIsBoundAgainForStringsThatAreNumbers(comparison: String) throws {
    let snapshot = try ScriptWorld.boats.get().snapshot()
    for property in ["berths", "price"] {
      let text = "\(property) \(comparison)"
      func count(_ first: String, _ second: String, in schema: Schema) throws -> Int {
        try Query(text, on: "Boat", in: schema, arguments: [.string(first), .string(second)])
          .results(in: snapshot).count
      }
      _ = try count("x", "y", in: snapshot.schema)
      let query = try Query(
        text, on: "Boat", in: Schema(snapshot.schema.tables),
        arguments: [.string("7"), .string("16")])
      let expected = try query.results(in: snapshot).count
      #expect(try count("7", "16", in: snapshot.schema) == expected, "\(text)")
    }
  }
}
