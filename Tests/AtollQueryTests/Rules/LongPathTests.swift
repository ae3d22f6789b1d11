import AtollObjects
import AtollQuery
import Foundation
import TestThreads
import Testing

/// Paths over many links.
@Suite(.computing) struct LongPathTests {
  /// Objects in a ring: each links to the next one, twice to the next two, and all have values.
  private static let ring = Result {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Node",
          properties: [
            PropertySchema("id", .int), PropertySchema("next", linkTo: "Node"),
            PropertySchema("both", linkTo: "Node", collection: .list),
          ], primaryKey: "id"))
      let count: Int64 = 60
      let table = try transaction.table("Node").schema.id
      func link(_ id: Int64) -> Value {
        .link(ObjectLink(table: table, key: ObjectKey(integerPrimaryKey: id % count).rawValue))
      }
      for id in 0..<count { try transaction.create("Node", ["id": .int(id)]) }
      for id in 0..<count {
        let key = ObjectKey(integerPrimaryKey: id)
        try transaction.set("Node", key, "next", link(id + 1))
        try transaction.set("Node", key, "both", .list([link(id + 1), link(id + 2)]))
      }
    }
    return database
  }

  private func count(_ text: String) throws -> Int {
    let snapshot = try Self.ring.get().snapshot()
    return try Query(text, on: "Node", in: snapshot.schema).count(in: snapshot)
  }

  private static func path(_ step: String, _ count: Int) -> String {
    String(repeating: step + ".", count: count)
  }

  /// The ways from an object double with each list, the objects do not.
  @Test func manyWaysToFewObjectsCostNoMoreThanTheObjects() throws {
    let path = Self.path("both", 31)
    // From 31 to 62 links further on, as one after the other is one or two.
    #expect(try count("id == 3 AND \(path)id + 0 == 34") == 1)
    #expect(try count("id == 3 AND \(path)id + 0 == 33") == 0)
    #expect(try count("id == 3 AND \(path)id + 0 == 5") == 1)
    #expect(try count("id == 3 AND \(path)both.@count == 2") == 1)
  }

  /// Each of them would take 2²⁸ compilations where a subquery is compiled twice.
  @Test(.hangLimit, arguments: ["", " + 0"])
  func aSubqueryInASubqueryIsCompiledOnce(sum: String) throws {
    let depth = 28
    let text = (0..<depth).reversed().reduce("$v\(depth - 1).id == \(depth + 3)") { inner, level in
      let path = level == 0 ? "both" : "$v\(level - 1).both"
      return "SUBQUERY(\(path), $v\(level), \(inner)).@count\(sum) > 0"
    }
    // Between 28 and 56 links further on.
    #expect(try count("id == 3 AND \(text)") == 1)
    #expect(try count("id == 4 AND \(text)") == 0)
  }

  /// A subquery counts an object once for each way to it.
  @Test(arguments: [(1, 2), (2, 4), (3, 8), (20, 1 << 20)])
  func aSubqueryCountsTheWays(listCount: Int, wayCount: Int) throws {
    let path = Self.path("both", listCount - 1) + "both"
    let subquery = "SUBQUERY(\(path), $x, TRUEPREDICATE).@count"
    #expect(try count("id == 7 AND \(subquery) == \(wayCount)") == 1)
    #expect(try count("id == 7 AND \(subquery) > \(wayCount)") == 0)
  }

  @Test(arguments: ["next", "both", "@links.Node.next", "@links.Node.both"])
  func theLongestPathsAreAnsweredOnASmallStack(step: String) async throws {
    let snapshot = try Self.ring.get().snapshot()
    let text = Self.path(step, 32) + "id == 1"
    let found = await withCheckedContinuation { continuation in
      let thread = Thread {
        let count = try? Query(text, on: "Node", in: snapshot.schema).count(in: snapshot)
        continuation.resume(returning: count)
      }
      thread.stackSize = 512 * 1024
      thread.start()
    }
    #expect(try #require(found) > 0)
  }

  @Test func longerPathsAreRefused() throws {
    let inner = "SUBQUERY(both, $y, $y.\(Self.path("next", 16))id == 1).@count > 0"
    for text in [
      Self.path("next", 33) + "id == 1", Self.path("@links.Node.next", 33) + "id == 1",
      "SUBQUERY(\(Self.path("next", 15))both, $x, \(inner.replacing("(both", with: "($x.both"))"
        + ").@count > 0",
    ] {
      let error = #expect(throws: QueryError.self) { try count(text) }
      #expect(error?.message.hasPrefix("more than 32 links are followed") == true, "\(text)")
    }
    // One link less.
    let shorter = "SUBQUERY(\(Self.path("next", 14))both, $x, "
    #expect(try count(shorter + inner.replacing("(both", with: "($x.both") + ").@count > 0") > 0)
  }
}
