import AtollObjects
import Foundation
import Testing

@testable import AtollQuery

/// Queries with very many keys behind their predicate are refused, those with many are answered.
@Suite struct ManyKeysTests {
  fileprivate static func list(_ count: Int, _ key: String) -> String {
    Array(repeating: key, count: count).joined(separator: ", ")
  }

  @Test(arguments: [
    String(repeating: "SORT(berths ASC) ", count: 101),
    String(repeating: "DISTINCT(berths) ", count: 50_000),
    String(repeating: "LIMIT(1) ", count: 101),
    "SORT(\(list(101, "berths DESC")))", "DISTINCT(\(list(100, "berths"))) LIMIT(1)",
    "GROUP(\(list(100, "@sum.berths")), title)",
    "GROUP(title) " + String(repeating: "SORT(title ASC) ", count: 100),
  ])
  func moreThanAHundredAreRefused(text: String) throws {
    let snapshot = try BoatDatabase.shared.get().snapshot()
    let error = #expect(throws: QueryError.self) {
      try Query("TRUEPREDICATE " + text, on: "Boat", in: snapshot.schema)
    }
    #expect(error?.message.hasSuffix("have more than 100 keys in all") == true)
  }

  /// Rows that are equal by every key, on a thread with a stack of 512 KiB.
  @Test(arguments: [
    "SORT(\(list(100, "name ASC")))", "SORT(\(list(100, "next.size DESC")))",
    String(repeating: "DISTINCT(id, name) ", count: 50),
    String(repeating: "SORT(size ASC) DISTINCT(id) ", count: 50),
    String(repeating: "LIMIT(1000) SORT(name DESC) ", count: 50),
  ])
  func aHundredAreAnsweredOnASmallStack(text: String) async throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Thing",
          properties: [
            PropertySchema("id", .int), PropertySchema("name", .string),
            PropertySchema("size", .int), PropertySchema("next", linkTo: "Thing"),
          ], primaryKey: "id"))
      for id in 0..<1000 {
        let key = try transaction.create(
          "Thing", ["id": .int(Int64(id)), "name": .string("the same"), "size": .int(7)])
        try transaction.link("Thing", key, "next", toPrimaryKeys: [.int(Int64(id / 2))])
      }
    }
    let snapshot = try database.snapshot()
    let found = await withCheckedContinuation { continuation in
      let thread = Thread {
        let answer = try? {
          let query = try Query("id >= 0 \(text)", on: "Thing", in: snapshot.schema)
          let plan = try query.explain(in: snapshot)
          _ = plan.description
          return (try query.results(in: snapshot).keys.count, plan.resultCount)
        }()
        continuation.resume(returning: answer)
      }
      thread.stackSize = 512 * 1024
      thread.start()
    }
    let (count, planned) = try #require(found)
    #expect(count == 1000 && planned == 1000)
  }
}
