import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// What a long query takes of memory grows with its text, and by no more than the limits say
/// (QueryLanguage.md).
@Suite(.computing) struct LongQueryMemoryTests {
  @Test(arguments: [
    "a>1||", "a>id||", "a+id>b||", "m.a > 1 OR ", "m==m||",
    "mates.@count > 1 OR NOT ALL mates.a > 3 OR ", "IN",
  ])
  func aByteOfTextTakesTwoHundredAtMost(term: String) async throws {
    await #expect(processExitsWith: .success) { [term] in
      let length = 40_000
      let text =
        term == "IN"
        ? "a IN {" + String(repeating: "1,", count: length / 2) + "1}"
        : String(repeating: term, count: length / term.utf8.count) + "a == 1"
      let database = try Database.inMemory()
      try database.write { transaction in
        try transaction.addClasses([
          ClassSchema(
            "Person",
            properties: [
              PropertySchema("id", .int), PropertySchema("a", .int), PropertySchema("b", .double),
              PropertySchema("m", linkTo: "Person"),
              PropertySchema("mates", linkTo: "Person", collection: .list),
            ], primaryKey: "id")
        ])
        for id in 0..<100 {
          try transaction.create("Person", ["id": .int(Int64(id)), "a": .int(Int64(id))])
        }
      }
      let snapshot = try database.snapshot()
      func ask(_ text: String) throws -> Int {
        let query = try Query(text, on: "Person", in: snapshot.schema)
        _ = try query.explain(in: snapshot)
        return try query.count(in: snapshot)
      }
      _ = try ask("a == 1")
      let before = ProcessLimits.peakByteCount
      let count = try ask(text)
      precondition(count > 0, "some pass")
      let taken = ProcessLimits.peakByteCount - before
      let limit = (4 << 20) + 200 * text.utf8.count
      precondition(taken < limit * ProcessLimits.scale, "\(taken) of \(limit) bytes")
    }
  }
}
