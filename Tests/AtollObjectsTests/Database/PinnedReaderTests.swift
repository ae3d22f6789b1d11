import AtollObjects
import TestSupport
import TestThreads
import Testing

/// Readers that keep a version while writers go on.
@Suite(.computing) struct PinnedReaderTests {
  /// The promise that sets this database apart: space between an old pinned version and the newest
  /// is used again.
  @Test func theFileStopsGrowingUnderAReaderThatStays() throws {
    let database = try Database.inMemory()
    var model = ObjectModel()
    let schema = ClassSchema(
      "Thing",
      properties: [
        PropertySchema("id", .int), PropertySchema("count", .int),
        PropertySchema("text", .string, isIndexed: true),
      ], primaryKey: "id")
    try database.write { transaction in
      try transaction.addClass(schema)
      model.add(schema, id: try #require(transaction.schema.table("Thing")).id)
      for id in 0..<1000 {
        let values: [String: Value] = [
          "id": .int(Int64(id)), "count": .int(0), "text": .string("text \(id)"),
        ]
        try transaction.create("Thing", values)
        model.create("Thing", values)
      }
    }
    let pinned = try database.snapshot()
    var random = SplitMix64(seed: 1)
    var sizes: [UInt64] = []
    for commit in 1...6000 {
      try database.write { transaction in
        let writer = try transaction.objectWriter("Thing")
        let (count, text) = (try writer.column("count"), try writer.column("text"))
        let id = Int64.random(in: 0..<1000, using: &random)
        let key = ObjectKey(rawValue: UInt64(bitPattern: id) ^ 1 << 63)
        #expect(try writer.select(key))
        try writer.set(count, Int64(commit))
        if commit % 10 == 0 { try writer.set(text, "commit \(commit)") }
      }
      if commit % 600 == 0 {
        sizes.append(try database.status().fileByteCount)
        #expect(try ModelComparison.differences(pinned, model) == [])
      }
    }
    // What both versions need and what one commit takes; no more, however many commits there were.
    #expect(sizes[9] <= 512 << 10, "\(sizes)")
    #expect(sizes[9] == sizes[4], "\(sizes)")
    let status = try database.status()
    #expect(status.pins.map(\.version) == [pinned.version])
    #expect(status.pins[0].heldByteCount < 128 << 10)
    try database.expectSound()
    #expect(try ModelComparison.differences(pinned, model) == [])
  }

  @Test func manyReadersOfManyVersionsSeeEachTheirOwn() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(ClassSchema("Thing", properties: [PropertySchema("n", .int)]))
      for _ in 0..<300 { try transaction.create("Thing", [:]) }
    }
    var held: [(snapshot: Snapshot, number: Int64)] = []
    for number in 1...200 {
      try database.write { transaction in
        for key in stride(from: 1, through: 300, by: 1 + number % 7) {
          try transaction.set(
            "Thing", ObjectKey(rawValue: UInt64(key)), "n", .int(Int64(number)))
        }
      }
      held.append((try database.snapshot(), Int64(number)))
      if number % 3 == 0 { held.remove(at: number % held.count) }
      if number % 20 == 0 { try database.expectSound() }
    }
    for (snapshot, number) in held {
      let first = try #require(try snapshot.table("Thing").object(ObjectKey(rawValue: 1)))
      #expect(isExactly(try first["n"], .int(number)))
    }
  }

  @Test func readersOnThreadsSeeWholeVersions() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Account", properties: [PropertySchema("amount", .int), PropertySchema("note", .string)]))
      for _ in 0..<200 { try transaction.create("Account", ["amount": .int(10)]) }
    }
    onThreads(4) { thread in
      do {
        var random = SplitMix64(seed: UInt64(thread))
        for round in 0..<60 {
          if thread == 0 {
            // Moves amounts around; the sum stays.
            try database.write { transaction in
              let amount = Int64.random(in: 1..<5, using: &random)
              let keys = (0..<2).map { _ in
                ObjectKey(rawValue: UInt64.random(in: 1...200, using: &random))
              }
              for (key, sign) in [(keys[0], Int64(-1)), (keys[1], 1)] {
                guard case .int(let old) = try transaction.value("Account", key, "amount") else {
                  continue
                }
                try transaction.set("Account", key, "amount", .int(old + sign * amount))
                try transaction.set("Account", key, "note", .string("round \(round)"))
              }
            }
          } else {
            var sum: Int64 = 0
            try database.snapshot().table("Account").forEach { account in
              if case .int(let amount) = try account["amount"] { sum += amount }
            }
            #expect(sum == 2000)
          }
        }
      } catch { Issue.record(error) }
    }
    try database.expectSound()
  }
}
