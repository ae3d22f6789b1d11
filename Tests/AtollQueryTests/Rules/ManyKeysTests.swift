import AtollObjects
import Foundation
import TestThreads
import Testing

@testable import AtollQuery

/// Queries with very many keys behind their predicate are refused, those with many are answered.
@Suite(.computing) struct ManyKeysTests {
  fileprivate static func list(_ count: Int, _ key: String) -> String {
    Array(repeating: key, count: count).joined(separator: ", ")
  }

  /// Keys that are all different.
  private static func different(_ count: Int, _ ending: String = "") -> String {
    (1...count).map { "spec['\($0)']\(ending)" }.joined(separator: ", ")
  }

  private static let specified = Result {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Boat",
          properties: [
            PropertySchema("berths", .int), PropertySchema("spec", .int, collection: .map),
          ]))
      for berths in [3, 1, 2, 1] {
        try transaction.create("Boat", ["berths": .int(Int64(berths))])
      }
    }
    return database
  }

  @Test(arguments: [
    ("SORT(\(different(101, " ASC")))", "spec['101']"),
    ("DISTINCT(\(different(99))) SORT(berths ASC) LIMIT(1)", "berths"),
    (String(repeating: "SORT(berths ASC) LIMIT(3) ", count: 51), "berths"),
    ("GROUP(\(list(100, "@sum.berths")), berths)", "berths"),
    ("GROUP(berths) " + String(repeating: "SORT(berths ASC) ", count: 101), "berths"),
  ])
  func moreThanAHundredAreRefused(text: String, culprit: String) throws {
    let snapshot = try Self.specified.get().snapshot()
    let query = "TRUEPREDICATE " + text
    let error = #expect(throws: QueryError.self) {
      try Query(query, on: "Boat", in: snapshot.schema)
    }
    #expect(error?.message.contains("more than 100") == true)
    let place = try #require(error?.place.byteOffset)
    #expect(query.utf8.dropFirst(place).starts(with: culprit.utf8), "\(place)")
  }

  /// Keys that change nothing do not count.
  @Test(arguments: [
    (String(repeating: "SORT(berths ASC) ", count: 5000), [2, 4, 3, 1]),
    ("SORT(\(list(150, "berths DESC")))", [1, 3, 2, 4]),
    (String(repeating: "SORT(berths DESC) SORT(berths ASC) ", count: 100), [2, 4, 3, 1]),
    (String(repeating: "DISTINCT(berths) SORT(berths DESC) ", count: 40), [1, 3, 2]),
    (String(repeating: "DISTINCT(berths) ", count: 50_000), [1, 2, 3]),
    ("LIMIT(4) LIMIT(2) " + String(repeating: "LIMIT(3) ", count: 500), [1, 2]),
    ("LIMIT(3) DISTINCT(berths, berths) SORT(berths DESC) LIMIT(2) LIMIT(9)", [1, 3]),
    ("SORT(berths ASC) LIMIT(2) SORT(berths DESC) LIMIT(1)", [2]),
  ])
  func thoseThatChangeNothingAreLeftOut(text: String, keys: [UInt64]) throws {
    let snapshot = try Self.specified.get().snapshot()
    let query = try Query("TRUEPREDICATE " + text, on: "Boat", in: snapshot.schema)
    #expect(try query.results(in: snapshot).keys.map(\.rawValue) == keys)
    #expect(try query.explain(in: snapshot).resultCount == keys.count)
  }

  /// Rows that are equal by every key, on a thread with a stack of 512 KiB.
  @Test(arguments: [
    "SORT(\(different(100, " ASC")))", "DISTINCT(id, \(different(99)))",
    (1...50).map { "SORT(spec['\($0)'] DESC) DISTINCT(id, spec['\($0)'])" }.prefix(33)
      .joined(separator: " "),
    String(repeating: "LIMIT(1000) SORT(name DESC) ", count: 50),
    String(repeating: "LIMIT(1000) SORT(next.size DESC) ", count: 50),
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
            PropertySchema("spec", .int, collection: .map),
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
