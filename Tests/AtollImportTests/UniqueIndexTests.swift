import AtollObjects
import TestThreads
import Testing

@testable import AtollImport

/// Imports of objects that are equal where their class has a unique index: none is stored.
@Suite(.computing) struct UniqueIndexTests {
  private static let classLine = """
    {"class":{"name":"C","properties":[{"name":"a","type":"int"},\
    {"name":"b","type":"string?"}],"indexes":[{"properties":["a","b"],"isUnique":true}]}}
    """

  private static func dump(_ objects: [String]) -> String {
    let lines = objects.enumerated().map { #"{"of":"C","key":\#($0),"object":{\#($1)}}"# }
    return ([classLine] + lines).joined(separator: "\n")
  }

  private static func run(_ dump: String, _ database: Database) throws {
    let importer = DumpImporter(destination: ImportDestination(database), batchRecordCount: 1)
    _ = try importer.run(readingTwice: { JSONReader(MemorySource(dump)) }) { _, _ in }
  }

  @Test func aDumpWithEqualObjectsIsRefusedWithTheLineOfTheSecond() throws {
    let database = try Database.inMemory()
    // What a line does not name has its default.
    let dump = Self.dump([#""a":1,"b":"x""#, #""a":0,"b":"x""#, #""b":"x""#])
    #expect(
      throws: dataError(.notUnique("0, x", properties: ["a", "b"], className: "C"), 4, 1)
    ) { try Self.run(dump, database) }
    #expect(try database.snapshot().schema.classes.isEmpty)
  }

  @Test func nullsOfADumpEqualNoOthers() throws {
    let database = try Database.inMemory()
    try Self.run(Self.dump([#""a":1"#, #""a":1"#, #""a":1,"b":null"#, #""b":"x""#]), database)
    #expect(try database.snapshot().table("C").count == 4)
  }

  @Test func aValueThatIsTooLongForAnIndexOfSeveralIsRefusedBeforeAnythingIsStored() throws {
    let database = try Database.inMemory()
    let long = String(repeating: "x", count: 40_000)
    #expect(throws: ImportError.self) {
      try Self.run(Self.dump([#""a":1"#, #""b":"\#(long)""#]), database)
    }
    #expect(try database.snapshot().schema.classes.isEmpty)
  }

  @Test func recordsThatBecomeEqualObjectsOfTheFileLeaveNothing() throws {
    let database = try Database.inMemory()
    let owner = ClassSchema(
      "Thing", properties: [PropertySchema("id", .int), PropertySchema("n", .int)],
      primaryKey: "id", indexes: [IndexSchema(["n"], isUnique: true)])
    try database.write { transaction in
      try transaction.addClasses([owner])
      _ = try transaction.create("Thing", ["id": .int(1), "n": .int(7)])
    }
    let before = try database.snapshot().version
    let importer = ImporterTests.importer(database, batch: 1)
    let json = #"[{"id":2,"n":8},{"id":3,"n":9},{"id":4,"n":7}]"#
    #expect(throws: (any Error).self) {
      _ = try importer.run(readingTwice: { JSONReader(MemorySource(json)) })
    }
    #expect(try database.snapshot().version == before)
    let sound = #"[{"id":2,"n":8},{"id":3,"n":7},{"id":1,"n":9}]"#
    _ = try importer.run(readingTwice: { JSONReader(MemorySource(sound)) })
    #expect(try database.snapshot().table("Thing").count == 3)
  }
}
