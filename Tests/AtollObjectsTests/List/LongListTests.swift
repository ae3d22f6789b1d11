import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Lists that are changed element by element, above and below the length at which they leave their
/// leaf.
@Suite(.computing) struct LongListTests {
  private let database: Database
  private let owner: ObjectKey

  init() throws {
    database = try Database.inMemory()
    owner = try Self.fill(database)
  }

  private static func fill(_ database: Database) throws -> ObjectKey {
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema("Target", properties: [PropertySchema("name", .string)]),
        ClassSchema("Part", properties: [PropertySchema("name", .string)], isEmbedded: true),
        ClassSchema(
          "Owner",
          properties: [
            PropertySchema("numbers", .int, collection: .list),
            PropertySchema("texts", .string, collection: .list, isOptional: true),
            PropertySchema("mixed", .mixed, collection: .list),
            PropertySchema("links", linkTo: "Target", collection: .list),
            PropertySchema("parts", linkTo: "Part", collection: .list),
          ]),
      ])
      for number in 0..<50 {
        try transaction.create("Target", ["name": .string("target \(number)")])
      }
      return try transaction.create("Owner")
    }
  }

  private func object(_ snapshot: Snapshot) throws -> Object {
    try #require(try snapshot.table("Owner").object(owner))
  }

  private func elements(_ property: String) throws -> [Value] {
    let value = try object(try database.snapshot())[property]
    if case .list(let elements) = value { return elements }
    return []
  }

  private func link(_ number: Int) throws -> Value {
    let table = try #require(try database.snapshot().schema.table("Target"))
    return .link(ObjectLink(table: table.id, key: UInt64(number + 1)))
  }

  // MARK: Against an array

  /// What an element of a property may be.
  private func element(_ property: String, _ random: inout SplitMix64) throws -> Value {
    let number = Int.random(in: 0..<1 << 40, using: &random)
    switch property {
    case "numbers": return .int(Int64(number))
    case "links": return try link(number % 50)
    case "texts" where number % 9 == 0: return .null
    case "texts" where number % 300 == 1: return .string(String(repeating: "long ", count: 2_000))
    case "texts": return .string("text \(number)")
    default: return number % 2 == 0 ? .int(Int64(number)) : .list([.string("in \(number)"), .null])
    }
  }

  /// The list grows beyond what a leaf takes, shrinks to nothing and grows again, while what was
  /// read before stays as it was.
  @Test(arguments: ["numbers", "texts", "mixed", "links"])
  func agreesWithAnArray(_ property: String) throws {
    var random = SplitMix64(seed: 7)
    var model: [Value] = []
    var kept: [(Snapshot, [Value])] = []
    for round in 0..<18 {
      // Growing, shrinking, and both.
      let growth = [10, 9, 5, 1][round / 3 % 4]
      try database.write { transaction in
        for _ in 0..<Int.random(in: 1..<250, using: &random) {
          let choice = Int.random(in: 0..<10, using: &random)
          if choice < growth || model.isEmpty {
            let end = model.count
            let index = choice % 3 == 0 ? end : Int.random(in: 0...end, using: &random)
            let value = try element(property, &random)
            try transaction.insert("Owner", owner, property, at: index, value)
            model.insert(value, at: index)
          } else {
            let index = Int.random(in: 0..<model.count, using: &random)
            if choice % 2 == 0 {
              let value = try element(property, &random)
              try transaction.set("Owner", owner, property, at: index, value)
              model[index] = value
            } else {
              try transaction.remove("Owner", owner, property, at: index)
              model.remove(at: index)
            }
          }
          if choice == 7, let index = model.indices.randomElement(using: &random) {
            #expect(
              isExactly(
                try transaction.element("Owner", owner, property, at: index), model[index]))
          }
        }
        #expect(try transaction.elementCount("Owner", owner, property) == model.count)
        if round % 5 == 0 {
          #expect(isExactly(try transaction.value("Owner", owner, property), .list(model)))
        }
      }
      #expect(isExactly(.list(try elements(property)), .list(model)))
      if round % 7 == 3 { kept.append((try database.snapshot(), model)) }
      if round % 10 == 9 { try database.expectSound() }
    }
    for (snapshot, model) in kept {
      #expect(isExactly(try object(snapshot)[property], .list(model)))
    }
    kept = []
    try database.write { try $0.set("Owner", owner, property, .list([])) }
    try database.expectSound()
  }

  @Test func isReadInParts() throws {
    let numbers = (0..<20_000).map { Value.int($0) }
    try database.write { try $0.set("Owner", owner, "numbers", .list(numbers)) }
    let object = try object(try database.snapshot())
    let column = try object.table.column("numbers")
    #expect(try object.elementCount(column) == 20_000)
    let part = try object.elements(column, 12_345..<15_000)
    #expect(isExactly(.list(part), .list(Array(numbers[12_345..<15_000]))))
    #expect(try object.elements(column, 20_000..<20_000).isEmpty)
    #expect(
      throws: ObjectError.indexOutOfRange(
        className: "Owner", property: "numbers", index: 20_001, count: 20_000)
    ) { try object.elements(column, 19_999..<20_001) }
  }

  /// So often at one place that no label is left between two neighbours, nor in their leaf.
  @Test func takesAnyNumberOfElementsAtOnePlace() throws {
    var model = (0..<3_000).map { Value.int($0) }
    try database.write { try $0.set("Owner", owner, "numbers", .list(model)) }
    try database.write { transaction in
      for number in 0..<30_000 {
        try transaction.insert("Owner", owner, "numbers", at: 1_500, .int(Int64(number)))
      }
    }
    model.insert(contentsOf: (0..<30_000).reversed().map { .int(Int64($0)) }, at: 1_500)
    #expect(isExactly(.list(try elements("numbers")), .list(model)))
    try database.expectSound()
    try database.write { transaction in
      for number in 0..<2_000 {
        try transaction.insert("Owner", owner, "numbers", at: 0, .int(Int64(number)))
      }
    }
    model.insert(contentsOf: (0..<2_000).reversed().map { .int(Int64($0)) }, at: 0)
    #expect(isExactly(.list(try elements("numbers")), .list(model)))
    try database.expectSound()
  }

  // MARK: What goes with the elements

  @Test func linksToDeletedObjectsLeaveALongList() throws {
    try database.write { transaction in
      for number in 0..<4_000 {
        try transaction.append("Owner", owner, "links", try link(number % 50))
      }
    }
    try database.write { transaction in
      try transaction.delete("Target", ObjectKey(rawValue: 8))
      try transaction.remove("Owner", owner, "links", at: 0)
      try transaction.delete("Target", ObjectKey(rawValue: 50))
    }
    let expected = try (0..<4_000).filter { ![7, 49].contains($0 % 50) }.dropFirst()
      .map { try link($0 % 50) }
    #expect(isExactly(.list(try elements("links")), .list(expected)))
    try database.expectSound()
  }

  /// Elements, and values outside of their leaves among them, go with the list that goes.
  @Test func anObjectTakesItsListsWithIt() throws {
    let long = Value.string(String(repeating: "x", count: 20_000))
    try database.write { transaction in
      for number in 0..<1_000 {
        let text = number % 100 == 0 ? long : .string("\(number)")
        try transaction.append("Owner", owner, "texts", text)
      }
    }
    try database.expectSound()
    try database.write { transaction in
      try transaction.append("Owner", owner, "texts", long)
      try transaction.delete("Owner", owner)
    }
    try database.expectSound()
    #expect(try database.snapshot().table("Owner").count == 0)
  }

  @Test func embeddedObjectsAreInsertedAndRemoved() throws {
    let column = try database.snapshot().table("Owner").column("parts")
    try database.write { transaction in
      for number in 0..<700 {
        _ = try transaction.createEmbeddedElement(
          of: owner, column, at: number / 2, ["name": .string("\(number)")])
      }
      for index in [699, 350, 0] { try transaction.remove("Owner", owner, "parts", at: index) }
    }
    #expect(try elements("parts").count == 697)
    #expect(try database.snapshot().table("Part").count == 697)
    try database.expectSound()
  }

  @Test func refusesWhatSetRefuses() throws {
    try database.write { transaction in
      #expect(throws: ObjectError.self) {
        try transaction.append("Owner", owner, "numbers", .string("no number"))
      }
      #expect(throws: ObjectError.danglingLink(className: "Owner", property: "links")) {
        let table = try #require(transaction.schema.table("Target")).id
        try transaction.append("Owner", owner, "links", .link(ObjectLink(table: table, key: 51)))
      }
      #expect(
        throws: ObjectError.indexOutOfRange(
          className: "Owner", property: "numbers", index: 1, count: 0)
      ) { try transaction.insert("Owner", owner, "numbers", at: 1, .int(1)) }
      #expect(
        throws: ObjectError.indexOutOfRange(
          className: "Owner", property: "numbers", index: 0, count: 0)
      ) { try transaction.remove("Owner", owner, "numbers", at: 0) }
      #expect(throws: ObjectError.noSuchObject(className: "Owner")) {
        try transaction.append("Owner", ObjectKey(rawValue: 99), "numbers", .int(1))
      }
      try transaction.append("Owner", owner, "numbers", .int(7))
    }
    #expect(isExactly(.list(try elements("numbers")), .list([.int(7)])))
  }

  // MARK: What it costs

  /// What a commit writes does not grow with the list.
  @Test func oneAppendWritesAsMuchToALongList() throws {
    /// Bytes written by a commit that appends one link to a list of as many.
    func cost(_ count: Int) throws -> Int {
      let file = CountingFile(try MemoryFile(path: "list"))
      let options = Database.Options()
      let database = Database(
        store: try Database.store(file, LocalCoordinator(path: "list"), options), options: options)
      let owner = try Self.fill(database)
      let links = try (0..<count).map { try link($0 % 50) }
      try database.write { try $0.set("Owner", owner, "links", .list(links)) }
      var least = Int.max
      // The space log is written again now and then.
      for number in 0..<8 {
        let before = file.writtenByteCount
        try database.write { try $0.append("Owner", owner, "links", try link(number)) }
        least = min(least, file.writtenByteCount - before)
      }
      return least
    }
    // A leaf and two branches more, one of them for the backlinks.
    #expect(try cost(100_000) <= cost(100) + 4 * 4096 + 16 * 1024)
    #expect(try cost(100_000) <= cost(20_000) + 3 * 4096)
  }

  /// The leaf that an element leaves and the one that it comes to, and not those between.
  @Test func oneMoveWritesAsMuchToALongList() throws {
    /// Bytes written by a commit that moves the first element of a list of as many to its end.
    func cost(_ count: Int) throws -> Int {
      let file = CountingFile(try MemoryFile(path: "list"))
      let options = Database.Options()
      let database = Database(
        store: try Database.store(file, LocalCoordinator(path: "list"), options), options: options)
      let owner = try Self.fill(database)
      let numbers = (0..<count).map { Value.int(Int64($0 * 7_919 % count)) }
      try database.write { try $0.set("Owner", owner, "numbers", .list(numbers)) }
      let column = try #require(try database.snapshot().schema.table("Owner")?.column("numbers"))
      var least = Int.max
      for round in 1...8 {
        let before = file.writtenByteCount
        try database.write {
          try $0.rearrange(owner, column, Array(1..<count) + [0], moved: [0])
        }
        least = min(least, file.writtenByteCount - before)
        let object = try #require(try database.snapshot().table("Owner").object(owner))
        #expect(try object["numbers"] == .list(Array(numbers[round...] + numbers[..<round])))
      }
      return least
    }
    // Two leaves and a branch more.
    #expect(try cost(100_000) <= cost(1_000) + 4 * 4096 + 2 * 16 * 1024)
  }
}
