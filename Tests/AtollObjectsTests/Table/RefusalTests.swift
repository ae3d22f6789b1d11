import AtollObjects
import TestSupport
import TestThreads
import Testing

/// What is refused leaves no trace in the transaction that goes on.
///
/// One after the other: some of the values are as large as values get.
@Suite(.computing, .serialized) struct ObjectRefusalTests {
  private static let tooLong = String(repeating: "x", count: 70_000)
  private static let limit = 256 << 20

  private let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Item",
          properties: [
            PropertySchema("id", .string),
            PropertySchema("friend", linkTo: "Item"),
            PropertySchema("part", linkTo: "Part"),
            PropertySchema("parts", linkTo: "Part", collection: .map),
            PropertySchema("number", .int, isIndexed: true),
            PropertySchema("name", .string, isIndexed: true),
            PropertySchema("text", .string),
            PropertySchema("data", .data),
            PropertySchema("any", .mixed, isOptional: true),
            PropertySchema("tags", .string, collection: .list),
            PropertySchema("z", .int),
          ], primaryKey: "id"),
        ClassSchema(
          "Part",
          properties: [
            PropertySchema("label", .string, isIndexed: true), PropertySchema("blob", .data),
          ], isEmbedded: true),
      ])
      try transaction.create("Item", ["id": .string("first")])
    }
  }

  private func bytes(_ count: Int) -> Value { .data([UInt8](repeating: 0, count: count)) }

  /// Runs what is refused in a transaction that goes on, and looks for traces in it and after it.
  private func expectNoTrace(of error: ObjectError?, _ body: (Transaction) throws -> Void) throws {
    try database.write { transaction in
      do {
        try body(transaction)
        Issue.record("nothing was refused")
      } catch let found as ObjectError {
        if let error { #expect(found == error) }
      }
      #expect(try transaction.key("Item", primaryKey: .string("new")) == nil)
      #expect(try transaction.table("Item").count == 1)
      #expect(try transaction.table("Part").count == 0)
      let first = try #require(try transaction.key("Item", primaryKey: .string("first")))
      try transaction.set("Item", first, "number", .int(1))
    }
    try database.expectSound()
    let items = try database.snapshot().table("Item")
    #expect(items.count == 1)
    #expect(try database.snapshot().table("Part").count == 0)
    try database.write { try $0.create("Item", ["id": .string("new")]) }
    try database.expectSound()
  }

  @Test(arguments: [("Item", "number", "id"), ("Part", "label", "")])
  func anUpsertByColumnsNeedsAPrimaryKey(
    className: String, property: String, primaryKey: String
  ) throws {
    let error = ObjectError.missingPrimaryKey(className: className, property: primaryKey)
    try expectNoTrace(of: error) { transaction in
      let table = try transaction.table(className).schema
      let value: Value = property == "number" ? .int(1) : .string("x")
      _ = try transaction.create(
        table: table.id, [(table.requireColumn(property), value)], isUpdating: true)
    }
  }

  @Test(arguments: [("new", "number"), ("first", "number"), ("new", "part")])
  func anUpsertByColumnsChangesNothingWhenOneValueIsRefused(key: String, property: String) throws {
    try expectNoTrace(of: nil) { transaction in
      let item = try transaction.table("Item").schema
      let first = try #require(try transaction.key("Item", primaryKey: .string("first")))
      do {
        let values: [(Column, Value)] = [
          (try item.requireColumn("id"), .string(key)),
          (try item.requireColumn("text"), .string("text")),
          (try item.requireColumn(property), .string("not of this type")),
        ]
        _ = try transaction.create(table: item.id, values, isUpdating: true)
      } catch {
        #expect(try transaction.value("Item", first, "text") == .string(""))
        throw error
      }
    }
  }

  @Test func anObjectWithTooLongAnIndexedValue() throws {
    try expectNoTrace(
      of: .valueTooLarge(
        className: "Item", property: "name", byteCount: 70_000, limit: 65_533)
    ) {
      try $0.create(
        "Item", ["id": .string("new"), "number": .int(7), "name": .string(Self.tooLong)])
    }
  }

  @Test func anObjectWithTooLongAPrimaryKey() throws {
    try expectNoTrace(
      of: .valueTooLarge(className: "Item", property: "id", byteCount: 70_000, limit: 65_533)
    ) { try $0.create("Item", ["id": .string(Self.tooLong), "number": .int(7)]) }
  }

  @Test func anObjectWithTheWrongTypeInItsLastProperty() throws {
    try expectNoTrace(
      of: .typeMismatch(className: "Item", property: "z", expected: "int", found: "string")
    ) { transaction in
      let first = try #require(try transaction.key("Item", primaryKey: .string("first")))
      let table = try transaction.table("Item").schema.id
      try transaction.create(
        "Item",
        [
          "id": .string("new"), "number": .int(7), "z": .string("x"),
          "friend": .link(ObjectLink(table: table, key: first.rawValue)),
        ])
    }
  }

  @Test func anObjectWithATakenPrimaryKey() throws {
    let taken = Value.string("first")
    try expectNoTrace(of: .duplicatePrimaryKey(className: "Item", value: "\(taken)")) {
      try $0.create("Item", ["id": .string("first"), "number": .int(7)])
    }
  }

  @Test func anEmbeddedObjectOfWhichAValueIsTooLong() throws {
    try expectNoTrace(
      of: .valueTooLarge(
        className: "Part", property: "label", byteCount: 70_000, limit: 65_533)
    ) { transaction in
      let first = try #require(try transaction.key("Item", primaryKey: .string("first")))
      try transaction.createEmbedded(
        in: "Item", first, "part", ["label": .string(Self.tooLong)])
    }
  }

  @Test func anEmbeddedObjectWhosePlaceIsTooLong() throws {
    let key = String(repeating: "k", count: Self.limit)
    try expectNoTrace(
      of: .valueTooLarge(
        className: "Item", property: "parts", byteCount: Self.limit + 20, limit: Self.limit)
    ) { transaction in
      let first = try #require(try transaction.key("Item", primaryKey: .string("first")))
      try transaction.createEmbedded(in: "Item", first, "parts", mapKey: key, [:])
    }
  }

  @Test(arguments: ["data", "any", "tags"])
  func aValueAboveTheLimitIsRefusedWhenItIsSet(_ property: String) throws {
    let value: Value
    let byteCount: Int
    switch property {
    case "data": (value, byteCount) = (bytes(Self.limit + 1), Self.limit + 1)
    case "any": (value, byteCount) = (bytes(Self.limit), Self.limit + 6)
    default:
      let half = Value.string(String(repeating: "t", count: Self.limit / 2))
      (value, byteCount) = (.list([half, half]), Self.limit + 12)
    }
    let error = ObjectError.valueTooLarge(
      className: "Item", property: property, byteCount: byteCount, limit: Self.limit)
    try expectNoTrace(of: error) {
      try $0.create("Item", ["id": .string("new"), property: value])
    }
    try database.write { transaction in
      let first = try #require(try transaction.key("Item", primaryKey: .string("first")))
      let before = try transaction.value("Item", first, property)
      #expect(throws: error) { try transaction.set("Item", first, property, value) }
      #expect(try transaction.value("Item", first, property) == before)
    }
    try database.expectSound()
  }

  @Test func theTypedPathRefusesAValueAboveTheLimitAndKeepsTheOldOne() throws {
    let long = String(repeating: "x", count: Self.limit + 1)
    let old = String(repeating: "old", count: 10_000)
    try database.write { transaction in
      let first = try #require(try transaction.key("Item", primaryKey: .string("first")))
      try transaction.set("Item", first, "text", .string(old))
    }
    try database.write { transaction in
      let first = try #require(try transaction.key("Item", primaryKey: .string("first")))
      let writer = try transaction.objectWriter("Item")
      #expect(try writer.select(first))
      let text = try writer.column("text")
      #expect(
        throws: ObjectError.valueTooLarge(
          className: "Item", property: "text", byteCount: Self.limit + 1, limit: Self.limit)
      ) { try writer.set(text, long) }
      try writer.set(writer.column("number"), 5)
    }
    try database.expectSound()
    let items = try database.snapshot().table("Item")
    let first = try #require(try items.key(primaryKey: .string("first")))
    let object = try #require(try items.object(first))
    #expect(try object["text"] == .string(old))
    #expect(try object["number"] == .int(5))
  }

  /// More large values than 32-bit offsets reach, if they all waited in memory.
  @Test func largeValuesOfOneLeafMoveToTheStoreInTime() throws {
    try database.write { transaction in
      for number in 0..<5 {
        try transaction.create(
          "Item", ["id": .string("\(number)"), "data": bytes((100 << 20) + number)])
      }
      let key = try #require(try transaction.key("Item", primaryKey: .string("3")))
      guard case .data(let data) = try transaction.value("Item", key, "data") else {
        Issue.record("there is data")
        return
      }
      #expect(data.count == (100 << 20) + 3)
    }
  }
}
