import AtollObjects
import AtollQuery
import TestSupport
import Testing

/// What is kept of the queries that were bound to a schema.
@Suite struct BoundQueryCacheTests {
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
}
