import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// A run whose memory for what lies behind links is used up answers as any other.
@Suite(.computing) struct ExhaustedBudgetTests {
  @Test(arguments: seeds(2)) func answersAreTheSame(seed: UInt64) throws {
    var world = try RandomWorld(seed: seed)
    let snapshot = try world.database.snapshot()
    var answered = 0
    for _ in 0..<100 {
      let random = world.query()
      guard let query = try? Query(random.text, on: random.className, in: snapshot.schema) else {
        continue
      }
      answered += 1
      let expected = world.naive.keys(try QuerySyntax.parse(random.text), on: random.className)
      for setBytes in [0, 100] {
        let run = try QueryRun(query.bound, query.arguments, in: snapshot, for: .keys)
        run.execution.memoBytesLeft = 0
        run.execution.setBytesLeft = setBytes
        #expect(try run.keys().map(\.rawValue) == expected, "\(random.className): \(random.text)")
      }
    }
    #expect(answered > 60)
  }

  /// Sets are kept as long as there is memory for them, and not beyond.
  @Test func setsAreBounded() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Person",
          properties: [
            PropertySchema("id", .int), PropertySchema("age", .int),
            PropertySchema("friend", linkTo: "Person"),
          ], primaryKey: "id")
      ])
      for id in 0..<500 {
        let key = try transaction.create("Person", ["id": .int(Int64(id)), "age": .int(Int64(id))])
        try transaction.link("Person", key, "friend", toPrimaryKeys: [.int(Int64(id / 2))])
      }
    }
    let snapshot = try database.snapshot()
    let terms = (0..<200).map { "friend.age == \($0)" }.joined(separator: " OR ")
    let query = try Query(terms, on: "Person", in: snapshot.schema)
    for budget in [16 << 20, 1000] {
      let run = try QueryRun(query.bound, [], in: snapshot, for: .keys)
      run.execution.setBytesLeft = budget
      #expect(try run.keys().count == 400)
      #expect(run.execution.setBytesLeft < budget)
      // The last set may take more than there was left for it.
      #expect(run.execution.setBytesLeft > -600)
    }
  }
}
