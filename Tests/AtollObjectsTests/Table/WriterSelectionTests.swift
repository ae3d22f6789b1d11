import AtollObjects
import TestSupport
import TestThreads
import Testing

/// An object writer writes to its own object, whatever else happens in its class.
@Suite(.computing) struct WriterSelectionTests {
  private let database: Database
  private let keys: [ObjectKey]

  init() throws {
    database = try Database.inMemory()
    keys = try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Item",
          properties: [
            PropertySchema("id", .int), PropertySchema("n", .int, isIndexed: true),
            PropertySchema("size", .double), PropertySchema("text", .string),
            PropertySchema("next", linkTo: "Item"),
          ], primaryKey: "id"),
        ClassSchema("Other", properties: [PropertySchema("n", .int)]),
      ])
      return try (0..<3000).map { try transaction.create("Item", ["id": .int(Int64($0))]) }
    }
  }

  private func numbers(_ property: String = "n") throws -> [Int: Value] {
    var numbers: [Int: Value] = [:]
    try database.snapshot().table("Item").forEach { item in
      let value = try item[property]
      if value != .int(0), value != .double(0) {
        numbers[Int(item.key.integerPrimaryKey)] = value
      }
    }
    try database.expectSound()
    return numbers
  }

  @Test func afterTheTransactionTouchedAnotherObject() throws {
    try database.write { transaction in
      let writer = try transaction.objectWriter("Item")
      let n = try writer.column("n")
      #expect(try writer.select(keys[1]))
      try transaction.set("Item", keys[2000], "n", .int(20))
      try writer.set(n, 1)
      let new = try writer.create(primaryKey: 5000)
      try transaction.set("Item", keys[7], "n", .int(7))
      try writer.set(n, 50)
      try transaction.set("Item", new, "size", .double(0))
      _ = try transaction.table("Item")
      try writer.set(n, 51)
    }
    #expect(try numbers() == [1: .int(1), 7: .int(7), 2000: .int(20), 5000: .int(51)])
  }

  /// Selections at random and one after the other, values that grow and shrink, insertions between
  /// and deletions, in leaves in memory and leaves in the file, against a dictionary.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func anyObjectCanBeSelectedAtAnyTime(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    // Keys that are evenly spaced as they were made, and others that are not.
    var model: [Int64: String] = [:]
    for id in 0..<3000 as Range<Int64> { model[id] = "" }
    for _ in 0..<3 {
      try database.write { transaction in
        let writer = try transaction.objectWriter("Item")
        let text = try writer.column("text")
        var next = Int64.random(in: 0..<3000, using: &random)
        for step in 0..<4000 {
          let isNear = step % 1000 < 700
          next = isNear ? next + 1 : Int64.random(in: -50..<3200, using: &random)
          let key = ObjectKey(integerPrimaryKey: next)
          switch Int.random(in: 0..<16, using: &random) {
          case 0 where model[next] != nil:
            try transaction.delete("Item", key)
            model[next] = nil
          case 1 where model[next] == nil:
            try writer.create(primaryKey: next)
            model[next] = ""
          default:
            #expect(try writer.select(key) == (model[next] != nil))
            guard model[next] != nil else { continue }
            let length = [0, 3, 40, seed % 2 == 0 ? 3_000 : 9][step % 4]
            let value = String(repeating: "x", count: length) + "\(step)"
            try writer.set(text, value)
            model[next] = value
          }
        }
      }
      var found: [Int64: String] = [:]
      try database.snapshot().table("Item").forEach { item in
        found[item.key.integerPrimaryKey] = try item["text"].string ?? ""
      }
      #expect(found == model)
      try database.expectSound()
    }
  }

  @Test func besideAnotherWriterOfTheClass() throws {
    try database.write { transaction in
      let left = try transaction.objectWriter("Item")
      let right = try transaction.objectWriter("Item")
      let n = try left.column("n")
      #expect(try left.select(keys[10]))
      #expect(try right.select(keys[2500]))
      for round in 1...3 {
        try left.set(n, Int64(round))
        try right.set(n, Int64(round * 100))
      }
    }
    #expect(try numbers() == [10: .int(3), 2500: .int(300)])
  }

  @Test func aWholeNumberNeedsNoType() throws {
    try database.write { transaction in
      let writer = try transaction.objectWriter("Item")
      #expect(try writer.select(keys[4]))
      try writer.set(writer.column("n"), 1)
      try writer.set(writer.column("size"), 2)
      #expect(throws: ObjectError.self) { try writer.set(writer.column("text"), 3) }
      #expect(throws: ObjectError.self) { try writer.set(writer.column("size"), 1 << 53 | 1) }
    }
    #expect(try numbers() == [4: .int(1)])
    #expect(try numbers("size") == [4: .double(2)])
  }

  @Test func isRefusedWithoutAnObject() throws {
    try database.write { transaction in
      let writer = try transaction.objectWriter("Item")
      let n = try writer.column("n")
      let none = ObjectError.noSuchObject(className: "Item")
      #expect(throws: none) { try writer.set(n, 1) }
      #expect(try writer.select(keys[3]))
      try transaction.delete("Item", keys[3])
      #expect(throws: none) { try writer.set(n, 1) }
      #expect(try writer.select(keys[5]))
      #expect(try !writer.select(keys[3]))
      #expect(throws: none) { try writer.set(n, 1) }
      #expect(throws: none) { try writer.set(writer.column("next"), linkTo: keys[1]) }
      #expect(try writer.select(keys[5]))
      try writer.set(n, 55)
    }
    #expect(try numbers() == [5: .int(55)])
  }

  @Test func staysUsableAfterEveryError() throws {
    try database.write { transaction in
      let writer = try transaction.objectWriter("Item")
      let n = try writer.column("n")
      let foreign = try transaction.objectWriter("Other").column("n")
      #expect(try writer.select(keys[8]))
      let refused: [(ObjectWriter) throws -> Void] = [
        { try $0.create(primaryKey: 9) }, { try $0.create() }, { _ = try $0.column("nobody") },
        { try $0.set($0.column("id"), 1) }, { try $0.set(n, "text") }, { try $0.set(n, true) },
        { try $0.set(n, linkTo: keys[0]) }, { try $0.set(foreign, 1) },
        { _ in try transaction.create("Item", ["id": .int(9)]) },
        { _ in try transaction.create("Item", ["id": .int(9000), "n": .bool(true)]) },
        { _ in try transaction.set("Item", keys[1], "n", .null) },
      ]
      for (index, body) in refused.enumerated() {
        #expect(throws: ObjectError.self) { try body(writer) }
        try writer.set(n, Int64(index + 1))
        let value = try transaction.value("Item", keys[8], "n")
        #expect(value == .int(Int64(index + 1)))
      }
    }
    #expect(try numbers() == [8: .int(11)])
    #expect(try database.snapshot().table("Item").count == 3000)
  }
}
