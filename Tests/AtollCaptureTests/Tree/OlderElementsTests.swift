import AtollObjects
import TestThreads
import Testing

@testable import AtollCapture

/// Files in which one value has all elements of a list, as builds before wrote them.
@Suite(.computing) struct OlderElementsTests {
  private static let board = ObjectAddress(className: "Board", primaryKey: .int(1))

  /// A file with two lists in the old form, and the elements that these have.
  private func makeFile() throws -> (database: Database, elements: [ListElement]) {
    let database = try Database.inMemory(options: .recording)
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Board",
          properties: [
            PropertySchema("_id", .int), PropertySchema("names", .string, collection: .list),
            PropertySchema("others", .string, collection: .list),
          ], primaryKey: "_id", isSynced: true)
      ])
      let names = Value.list(["a", "b", "b", "c"].map { .string($0) })
      try transaction.create("Board", ["_id": .int(1), "names": names, "others": names])
    }
    return (database, try database.write { try Self.makeOld($0) })
  }

  private static func makeOld(_ transaction: Transaction) throws -> [ListElement] {
    let capture = try transaction.capture
    let key = CaptureKey.object(board)
    for property in ["names", "others"] {
      let elements = try capture.elements(of: board, property)
      try capture.setElements([], of: board, property)
      var writer = RecordedWriter()
      writer.append(varint: UInt64(elements.count))
      for element in elements {
        writer.append(element.id)
        writer.append(element.position)
      }
      try capture.elements.set(writer.bytes, for: CaptureKey.property(key, property))
    }
    return try capture.elements(of: board, "names")
  }

  private func elements(_ database: Database, _ property: String = "names") throws -> [ListElement]
  {
    try database.write { try $0.capture.elements(of: Self.board, property) }
  }

  private func names(_ database: Database) throws -> Value? {
    try database.snapshot().table("Board").object(primaryKey: .int(1))?["names"]
  }

  private func newestActions(_ database: Database) throws -> [AtollCapture.Operation.Action] {
    var newest: OutboxEntry?
    try database.snapshot().forEachOutboxEntry { entry throws(ObjectError) in
      newest = entry
      return true
    }
    guard case .push(let content)? = newest?.content else { return [] }
    return content.operations.map(\.action)
  }

  @Test func theyAreReadAndCheckedAsTheyAre() throws {
    let (database, old) = try makeFile()
    #expect(old.count == 4 && Set(old).count == 4)
    #expect(try elements(database) == old)
    #expect(try database.check().findings == [])
  }

  @Test func aChangeOfOneElementKeepsTheIDsOfTheOthers() throws {
    let (database, old) = try makeFile()
    let (key, column) = try database.write { transaction in
      let key = try #require(try transaction.key("Board", primaryKey: .int(1)))
      return (key, try #require(try transaction.table("Board").schema.column("names")))
    }
    try database.write { transaction in
      try transaction.removeElement(key, column, at: 1)
      try transaction.setElement(key, column, at: 2, .string("C"))
      try transaction.insertElement(key, column, at: 1, .string("new"))
    }
    #expect(try names(database) == .list(["a", "new", "b", "C"].map { .string($0) }))
    let new = try elements(database)
    #expect([new[0], new[2], new[3]] == [old[0], old[2], old[3]])
    #expect(!old.map(\.id).contains(new[1].id) && new == new.sorted())
    #expect(
      try newestActions(database) == [
        .removeElement(property: "names", old[1].id),
        .insert(property: "names", new[1].id, new[1].position, .string("new")),
        .setElement(property: "names", old[3].id, .string("C")),
      ])
    // The other list keeps its form.
    #expect(try elements(database, "others").count == 4)
    #expect(try database.check().findings == [])
  }

  @Test func anAssignmentAndADeletionFindThem() throws {
    let (database, old) = try makeFile()
    let key = try #require(try database.snapshot().table("Board").key(primaryKey: .int(1)))
    try database.write {
      try $0.set("Board", key, "names", .list([.string("b"), .string("c"), .string("d")]))
    }
    let new = try elements(database)
    #expect(new.count == 3 && Array(new.prefix(2)) == [old[1], old[3]])
    #expect(try database.check().findings == [])
    try database.write { try $0.delete("Board", key) }
    #expect(try elements(database).isEmpty && elements(database, "others").isEmpty)
    #expect(try database.check().findings == [])
  }
}
