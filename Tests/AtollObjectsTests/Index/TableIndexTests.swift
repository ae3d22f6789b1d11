import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Indexes of several properties, and unique ones, under all that a transaction does.
@Suite(.computing) struct TableIndexTests {
  private let database: Database

  init() throws { database = try Database.inMemory() }

  private static let properties = [
    PropertySchema("a", .int, isOptional: true), PropertySchema("b", .string, isOptional: true),
    PropertySchema("n", .int),
  ]

  private func addClass(_ indexes: [IndexSchema], primaryKey: String? = nil) throws {
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Item", properties: Self.properties, primaryKey: primaryKey, indexes: indexes))
    }
  }

  private func refusal(_ body: (Transaction) throws -> Void) -> ObjectError? {
    do {
      try database.write(body)
      return nil
    } catch { return error as? ObjectError }
  }

  // MARK: Unique

  @Test func aCommitAfterWhichTwoObjectsAreEqualIsRefused() throws {
    try addClass([IndexSchema(["b"], isUnique: true)], primaryKey: "n")
    try database.write { try $0.create("Item", ["n": .int(1), "b": .string("x")]) }
    let error = refusal { try $0.create("Item", ["n": .int(2), "b": .string("x")]) }
    #expect(
      error
        == .notUnique(
          className: "Item", properties: ["b"], values: "x", first: "1", second: "2"))
    #expect(try database.snapshot().table("Item").count == 1)
    #expect(try database.check().findings == [])
  }

  @Test func valuesMayChangePlacesInOneWrite() throws {
    try addClass([IndexSchema(["a", "b"], isUnique: true)])
    let keys = try database.write { transaction in
      try ["x", "y"].map { try transaction.create("Item", ["a": .int(1), "b": .string($0)]) }
    }
    try database.write { transaction in
      try transaction.set("Item", keys[0], "b", .string("y"))
      try transaction.set("Item", keys[1], "b", .string("x"))
    }
    #expect(try database.check().findings == [])
    let error = refusal { try $0.set("Item", keys[0], "b", .string("x")) }
    #expect(
      error
        == .notUnique(
          className: "Item", properties: ["a", "b"], values: "1, x", first: "number 1",
          second: "number 2"))
  }

  @Test func nullEqualsNoOtherNull() throws {
    try addClass([IndexSchema(["a", "b"], isUnique: true)])
    try database.write { transaction in
      for _ in 0..<3 { try transaction.create("Item", ["a": .int(1)]) }
      for _ in 0..<3 { try transaction.create("Item", ["b": .string("x")]) }
    }
    #expect(try database.snapshot().table("Item").count == 6)
  }

  @Test(arguments: [false, true])
  func manyNewValuesAreJudgedByAWalkOverTheIndex(isRepeated: Bool) throws {
    try addClass([IndexSchema(["n"], isUnique: true)])
    let error = refusal { transaction in
      let writer = try transaction.objectWriter("Item")
      let column = try writer.column("n")
      for number in 0..<20_000 {
        _ = try writer.create()
        try writer.set(column, isRepeated && number == 100 ? 7 : number)
      }
    }
    #expect(
      error
        == (isRepeated
          ? .notUnique(
            className: "Item", properties: ["n"], values: "7", first: "number 8",
            second: "number 101") : nil))
  }

  @Test func aUniqueIndexIsNotAddedOverEqualObjectsAndTheWriteGoesOn() throws {
    try addClass([])
    try database.write { transaction in
      for number in 0..<3 as Range<Int64> {
        try transaction.create("Item", ["a": .int(5), "n": .int(number)])
      }
    }
    try database.write { transaction in
      #expect(
        throws: ObjectError.notUnique(
          className: "Item", properties: ["a"], values: "5", first: "number 1",
          second: "number 2")
      ) { try transaction.addIndex(IndexSchema(["a"], isUnique: true), of: "Item") }
      try transaction.addIndex(IndexSchema(["a", "n"], isUnique: true), of: "Item")
    }
    #expect(try database.check().findings == [])
    let schema = try #require(try database.snapshot().schema["Item"])
    #expect(schema.indexes == [IndexSchema(["a", "n"], isUnique: true)])
  }

  @Test func aRemovedIndexIsInForceNoMoreAndItsPagesAreFree() throws {
    try addClass([])
    try database.write { transaction in
      for number in 0..<5000 { try transaction.create("Item", ["n": .int(Int64(number))]) }
    }
    let before = try database.status().liveByteCount
    let index = IndexSchema(["n", "a"], isUnique: true)
    try database.write { try $0.addIndex(index, of: "Item") }
    #expect(try database.status().liveByteCount > before)
    try database.write { try $0.removeIndex(index, of: "Item") }
    #expect(try database.status().liveByteCount <= before + 8192)
    try database.write { try $0.create("Item", ["n": .int(3), "a": .int(1)]) }
    try database.write { try $0.create("Item", ["n": .int(3), "a": .int(1)]) }
    #expect(try database.check().findings == [])
  }

  // MARK: Refused

  private func problem(_ schema: ClassSchema) -> ObjectError.SchemaProblem? {
    guard case .invalidSchema(let problem) = refusal({ try $0.addClass(schema) }) else {
      return nil
    }
    return problem
  }

  @Test func anIndexThatAClassCannotHaveIsRefused() throws {
    func item(_ index: IndexSchema) -> ClassSchema {
      ClassSchema(
        "Item",
        properties: Self.properties + [
          PropertySchema("list", .int, collection: .list), PropertySchema("any", .mixed),
          PropertySchema("next", linkTo: "Item"),
        ], indexes: [index])
    }
    #expect(
      problem(item(IndexSchema(["a"]))) == .wrongIndexSize(properties: ["a"], className: "Item"))
    #expect(
      problem(item(IndexSchema(["a", "a"]))) == .duplicateProperty("a", className: "Item"))
    #expect(
      problem(item(IndexSchema(["a", "c"])))
        == .unknownIndexProperty("c", className: "Item", nearest: nil))
    for name in ["list", "any", "next"] {
      guard case .notIndexable(name, "Item", _) = problem(item(IndexSchema(["a", name]))) else {
        Issue.record("an index of '\(name)' was not refused")
        continue
      }
    }
    var embedded = item(IndexSchema(["a", "b"]))
    embedded.isEmbedded = true
    #expect(problem(embedded) == .indexOfEmbedded(className: "Item"))
  }

  @Test func aStringIsRefusedThatLeavesNoRoomForTheOthers() throws {
    try addClass([IndexSchema(["a", "b"])])
    let limit = 65_536 / 2 - 3
    try database.write {
      try $0.create("Item", ["b": .string(String(repeating: "x", count: limit))])
    }
    for text in [String(repeating: "x", count: limit + 1), String(repeating: "\0", count: 16_383)] {
      let error = refusal { try $0.create("Item", ["b": .string(text)]) }
      guard case .valueTooLarge("Item", "b", _, limit) = error else {
        Issue.record("refused with \(String(describing: error))")
        continue
      }
    }
    #expect(try database.check().findings == [])
  }

  // MARK: Random programs

  @Test(arguments: seeds(40))
  func randomProgramsKeepEveryIndex(seed: UInt64) throws {
    var program = try TableIndexProgram(seed: seed)
    try program.run()
  }
}
