import AtollObjects
import TestThreads
import Testing

@testable import AtollImport

/// Links in embedded objects are set or wait as those of other objects.
@Suite(.computing) struct EmbeddedLinkTests {
  /// A file in which embedded objects of Part link to things and persons.
  private static func database() throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema("Person", properties: [PropertySchema("id", .uuid)], primaryKey: "id"),
        ClassSchema(
          "Part",
          properties: [
            PropertySchema("owner", linkTo: "Person"), PropertySchema("thing", linkTo: "Thing"),
            PropertySchema("things", linkTo: "Thing", collection: .list),
            PropertySchema("inner", linkTo: "Part"),
          ], isEmbedded: true),
        ClassSchema(
          "Thing",
          properties: [
            PropertySchema("id", .int), PropertySchema("part", linkTo: "Part"),
            PropertySchema("parts", linkTo: "Part", collection: .list),
          ], primaryKey: "id"),
      ])
    }
    return database
  }

  /// The primary keys that the parts lead to by a property, part by part.
  private static func targets(_ property: String, in database: Database) throws -> [[Value]] {
    let snapshot = try database.snapshot()
    var found: [[Value]] = []
    try snapshot.table("Part").forEach { part in
      let links: [Value]
      switch try part[property] {
      case .list(let elements): links = elements
      case .null: links = []
      case let one: links = [one]
      }
      found.append(
        try links.map { value in
          let link = try #require(value.link)
          let target = try #require(snapshot.schema.table(id: link.table))
          let object = try snapshot.table(target.name).object(ObjectKey(rawValue: link.key))
          return try #require(try object?["id"])
        })
    }
    return found
  }

  @Test func linksInEmbeddedObjectsAreSetOrWait() throws {
    let person = "00000000-0000-0000-0000-000000000007"
    let database = try Self.database()
    let importer = ImporterTests.importer(database)
    let json = """
      {"id":1,"part":{"thing":2,"things":[3,1,9],"inner":{"thing":1}},"parts":[{"thing":1},{}]}
      {"id":2}
      {"id":3,"part":{"owner":"\(person)"}}
      """
    for _ in 1...2 {
      _ = try importer.run(readingTwice: { JSONReader(MemorySource(json)) })
      #expect(
        try Self.targets("thing", in: database).flatMap { $0 } == [.int(2), .int(1), .int(1)])
      #expect(
        try Self.targets("things", in: database).filter { !$0.isEmpty } == [[.int(3), .int(1)]])
      #expect(try database.snapshot().pendingLinkCount == 2)
    }
    let id = Value.uuid(try #require(UniqueID(person)))
    try database.write { transaction in
      try transaction.create("Thing", ["id": .int(9)])
      try transaction.create("Person", ["id": id])
    }
    #expect(
      try Self.targets("things", in: database).filter { !$0.isEmpty }
        == [[.int(3), .int(1), .int(9)]])
    #expect(try Self.targets("owner", in: database).flatMap { $0 } == [id])
    #expect(try database.snapshot().pendingLinkCount == 0)
    #expect(try database.check().findings == [])
  }

  @Test func aKeyOfTheWrongTypeInAnEmbeddedObjectIsAnErrorWithItsPlace() throws {
    #expect(
      throws: dataError(.linkKeyType(property: "thing", expected: .int, found: "a string"), 1, 25)
    ) {
      try ImporterTests.importer(try Self.database()).run(
        readingTwice: { JSONReader(MemorySource(#"{"id":1,"part":{"thing":"x"}}"#)) })
    }
  }

  /// In a new file, also to the objects that they are in and to a class that is not there yet.
  @Test func anOptionMakesLinksInEmbeddedObjects() throws {
    let options = ImportOptions(
      primaryKey: "id",
      links: [
        .init(property: "part.thing", target: "Thing"),
        .init(property: "part.owner", target: "Person"),
      ], listLinks: [.init(property: "part.things", target: "Thing")],
      embedded: [.init(property: "part", target: "Part")])
    let json = """
      {"id":1,"part":{"thing":2,"things":[1,2],"owner":"p"}}
      {"id":2,"part":{"thing":3,"things":null,"owner":null}}
      """
    for isPipe in [false, true] {
      let database = try Database.inMemory()
      let importer = ImporterTests.importer(database, options, batch: 1)
      if isPipe {
        _ = try importer.run(readingOnce: JSONReader(MemorySource(json)))
      } else {
        _ = try importer.run(readingTwice: { JSONReader(MemorySource(json)) })
      }
      let part = try #require(try database.snapshot().schema["Part"])
      #expect(
        part.properties.map { "\($0.name): \($0.typeName)" } == [
          "thing: link to Thing", "things: list of link to Thing", "owner: link to Person",
        ])
      #expect(try Self.targets("thing", in: database) == [[.int(2)], []])
      #expect(try Self.targets("things", in: database) == [[.int(1), .int(2)], []])
      #expect(try database.snapshot().pendingLinkCount == 2)
      #expect(try database.check().findings == [])
    }
  }
}
