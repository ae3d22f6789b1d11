import AtollObjects
import TestThreads
import Testing

/// What a transaction says it did.
@Suite(.computing) struct ChangeSetTests {
  private let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Thing",
          properties: [
            PropertySchema("id", .int), PropertySchema("a", .int), PropertySchema("b", .string),
            PropertySchema("next", linkTo: "Thing"),
          ], primaryKey: "id"))
      for id in 1...3 { try transaction.create("Thing", ["id": .int(Int64(id))]) }
    }
  }

  private func key(_ id: Int64) -> ObjectKey {
    ObjectKey(rawValue: UInt64(bitPattern: id) ^ 1 << 63)
  }

  /// The changes of a transaction that is then given up.
  private func changes(_ body: (Transaction) throws -> Void) throws -> [String: ExpectedChanges] {
    let transaction = try database.beginWrite()
    defer { transaction.cancel() }
    try body(transaction)
    return ExpectedChanges.all(transaction.changes)
  }

  @Test func nothingIsNoChange() throws {
    #expect(try changes { _ in } == [:])
    #expect(try changes { _ = try $0.value("Thing", key(1), "a") } == [:])
    let version = try database.snapshot().version
    try database.write { _ in }
    #expect(try database.snapshot().version == version)
  }

  @Test func namesThePropertiesThatWereSet() throws {
    let found = try changes { transaction in
      try transaction.set("Thing", key(2), "a", .int(7))
      try transaction.set("Thing", key(1), "b", .string("x"))
      try transaction.set("Thing", key(2), "a", .int(8))
      try transaction.upsert("Thing", primaryKey: .int(2), ["b": .string("y")])
    }
    #expect(
      found == ["Thing": ExpectedChanges(modified: [key(1): ["b"], key(2): ["a", "b"]])])
  }

  @Test func whatIsMadeAndDeletedIsInNeitherList() throws {
    let found = try changes { transaction in
      try transaction.create("Thing", ["id": .int(9)])
      try transaction.create("Thing", ["id": .int(8), "a": .int(1)])
      try transaction.set("Thing", key(8), "a", .int(2))
      try transaction.delete("Thing", key(9))
      try transaction.delete("Thing", key(3))
    }
    #expect(found == ["Thing": ExpectedChanges(inserted: [key(8)], deleted: [key(3)])])
  }

  @Test func whatIsDeletedAndMadeAgainIsModifiedInAll() throws {
    let found = try changes { transaction in
      try transaction.delete("Thing", key(2))
      try transaction.create("Thing", ["id": .int(2)])
    }
    #expect(
      found == ["Thing": ExpectedChanges(modified: [key(2): ["id", "a", "b", "next"]])])
  }

  @Test func aTargetThatGoesModifiesItsSources() throws {
    let target = Value.link(
      try #require(try database.snapshot().table("Thing").object(key(3))).link)
    try database.write { try $0.set("Thing", key(1), "next", target) }
    let found = try changes { try $0.delete("Thing", key(3)) }
    #expect(
      found == ["Thing": ExpectedChanges(deleted: [key(3)], modified: [key(1): ["next"]])])
  }

  @Test func outlivesAChangeOfTheSchema() throws {
    let found = try changes { transaction in
      try transaction.set("Thing", key(1), "a", .int(7))
      try transaction.create("Thing", ["id": .int(9)])
      try transaction.addProperty(PropertySchema("c", .int), to: "Thing")
      try transaction.set("Thing", key(1), "c", .int(7))
      try transaction.addIndex(on: "a", of: "Thing")
      try transaction.addClass(ClassSchema("Other", properties: []))
      try transaction.delete("Thing", key(2))
    }
    #expect(
      found == [
        "Thing": ExpectedChanges(
          inserted: [key(9)], deleted: [key(2)], modified: [key(1): ["a", "c"]])
      ])
  }

  @Test func countsTheTypedPathToo() throws {
    let found = try changes { transaction in
      let writer = try transaction.objectWriter("Thing")
      try writer.create(primaryKey: 9)
      try writer.set(writer.column("a"), Int64(1))
      #expect(try writer.select(key(1)))
      try writer.set(writer.column("b"), "text")
    }
    #expect(
      found == ["Thing": ExpectedChanges(inserted: [key(9)], modified: [key(1): ["b"]])])
  }
}
