import AtollObjects
import AtollQuery
import Foundation
import TestThreads
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Long queries cost what their length costs, from the text to the answer.
@Suite(.computing, .serialized) struct LinearityTests {
  /// A query of about `count` pieces.
  typealias Maker = @Sendable (_ count: Int) -> String

  static let queries: [(name: String, unit: Int, make: Maker)] = [
    ("OR on one property", 400, { n in list(n, " OR ") { "berths == \($0)" } }),
    ("AND on one property", 400, { n in list(n, " AND ") { "berths != \($0)" } }),
    ("OR on several", 400, { n in list(n, " OR ") { "\(["berths", "price"][$0 & 1]) == \($0)" } }),
    ("OR of strings", 400, { n in list(n, " OR ") { "title == 'x\($0)'" } }),
    ("OR of patterns", 200, { n in list(n, " OR ") { "title CONTAINS[cd] 'x\($0)'" } }),
    ("OR over links", 40, { n in list(n, " OR ") { "home.code == 'x\($0)'" } }),
    ("OR of ANDs", 200, { n in list(n, " OR ") { "berths == \($0) AND price == 1" } }),
    ("AND of ORs", 200, { n in list(n, " AND ") { "(berths != \($0) OR price == 1)" } }),
    ("IN", 800, { n in "berths IN {" + list(n, ", ") { "\($0)" } + "}" }),
    ("a sum", 200, { n in "berths" + list(n, "") { " + \($0) * berths" } + " == 1" }),
    ("a string", 12_000, { n in "title == '" + String(repeating: "å", count: n) + "'" }),
    ("a pattern", 12_000, { n in "title LIKE[c] '*" + String(repeating: "Å?", count: n) + "'" }),
    (
      "parentheses", 240,
      { n in
        String(repeating: "(", count: n) + "berths == 7" + String(repeating: ")", count: n)
      }
    ),
    ("descriptors", 60, { n in "berths == 7" + list(n, "") { _ in " SORT(berths ASC)" } }),
  ]

  private static func list(
    _ count: Int, _ joint: String, _ piece: (Int) -> String
  ) -> String {
    (0..<count).map(piece).joined(separator: joint)
  }

  /// The processor's time that reading, printing, binding and answering take; the least of two.
  private func cost(_ text: String, _ snapshot: Snapshot) throws -> Double {
    var least = Double.infinity
    for _ in 0..<2 {
      let start = Self.processorTime()
      let printed = try QuerySyntax.parse(text).description
      let query = try Query(printed, on: "Boat", in: snapshot.schema)
      _ = try query.results(in: snapshot)
      _ = try query.explain(in: snapshot).description
      least = min(least, Self.processorTime() - start)
    }
    return least
  }

  private static func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  @Test(arguments: queries.indices)
  func eightTimesTheTextTakesAboutEightTimesTheTime(index: Int) throws {
    let snapshot = try BoatDatabase.shared.get().snapshot()
    let (name, unit, make) = Self.queries[index]
    let one = try cost(make(unit), snapshot)
    let eight = try cost(make(unit * 8), snapshot)
    // A square would take 64 times as long.
    #expect(eight < 40 * one, "\(name): \(eight / one)")
  }

  /// A needle that begins at every byte of every string, and ends in another one.
  @Test func aNeedleAcrossStringsIsLookedForOnceInEach() throws {
    func cost(_ length: Int) throws -> Double {
      let database = try Database.inMemory()
      try database.write { transaction in
        try transaction.addClass(
          ClassSchema("Boat", properties: [PropertySchema("title", .string)]))
        for index in 0..<50 {
          let title = String(repeating: "a", count: length - index)
          try transaction.create("Boat", ["title": .string(title)])
        }
      }
      let needle = String(repeating: "a", count: length + 1)
      return try self.cost("title CONTAINS '\(needle)'", try database.snapshot())
    }
    let one = try cost(400)
    let eight = try cost(3200)
    #expect(eight < 40 * one, "\(eight / one)")
  }

  /// Reads, binds and answers on a thread with a stack of 512 KiB.
  @Test(arguments: [
    ("OR", 1), ("parentheses", 1), ("sum", 3), ("string", 0),
  ])
  func theLargestAreAnsweredOnASmallStack(kind: String, expected: Int) async throws {
    let text =
      switch kind {
      case "OR": Self.list(100_000, " OR ") { "berths == \($0 + 1)" } + " AND berths == 16"
      case "parentheses":
        String(repeating: "(", count: 10_000) + "berths == 7"
          + String(repeating: ")", count: 10_000)
      case "sum": "berths" + String(repeating: " + 1", count: 50_000) + " > 1"
      default: "title == '" + String(repeating: "x", count: 256 * 1024) + "'"
      }
    let wanted = kind == "OR" ? 2 : expected
    let snapshot = try BoatDatabase.shared.get().snapshot()
    let found = await withCheckedContinuation { continuation in
      let thread = Thread {
        let count = try? Query(text, on: "Boat", in: snapshot.schema).count(in: snapshot)
        continuation.resume(returning: count)
      }
      thread.stackSize = 512 * 1024
      thread.start()
    }
    #expect(found == wanted)
  }
}
