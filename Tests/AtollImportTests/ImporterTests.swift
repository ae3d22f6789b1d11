import AtollObjects
import TestThreads
import Testing

@testable import AtollImport

@Suite(.computing) struct ImporterTests {
  static func importer(
    _ database: Database, _ options: ImportOptions = ImportOptions(), batch: Int = 2,
    didCommit: @escaping (Importer.Summary) -> Void = { _ in }
  ) -> Importer {
    Importer(
      destination: ImportDestination(database), className: "Thing", options: options,
      batchRecordCount: batch, didCommit: didCommit)
  }

  /// The values of a property of all objects, in the order of their keys.
  static func values(_ property: String, in database: Database) throws -> [Value] {
    var values: [Value] = []
    try database.snapshot().table("Thing").forEach { values.append(try $0[property]) }
    return values
  }

  @Test func commitsABatchATime() throws {
    let database = try Database.inMemory()
    let before = try database.snapshot().version
    let json = (0..<5).map { #"{"id":\#($0),"name":"n\#($0)"}"# }.joined(separator: "\n")
    var committed: [Int] = []
    let importer = Self.importer(database, ImportOptions(primaryKey: "id")) { summary in
      committed.append(summary.recordCount)
    }
    let summary = try importer.run(readingTwice: { JSONReader(MemorySource(json)) })
    #expect(summary == .init(recordCount: 5, createdCount: 5, updatedCount: 0, batchCount: 3))
    #expect(committed == [2, 4, 5])
    #expect(try database.snapshot().version == before + 3)
    #expect(try Self.values("id", in: database) == (0..<5).map { .int($0) })
  }

  @Test func importingAKeyAgainUpdatesTheObject() throws {
    let database = try Database.inMemory()
    let importer = Self.importer(database, ImportOptions(primaryKey: "id"))
    _ = try importer.run(readingTwice: { JSONReader(MemorySource(#"{"id":1,"name":"a","n":5}"#)) })
    let json = "{\"id\":1,\"name\":\"b\"}\n{\"id\":2,\"name\":\"c\",\"n\":1}"
    let summary = try importer.run(readingTwice: { JSONReader(MemorySource(json)) })
    #expect(summary.createdCount == 1)
    #expect(summary.updatedCount == 1)
    #expect(try Self.values("name", in: database) == [.string("b"), .string("c")])
    #expect(try Self.values("n", in: database) == [.int(5), .int(1)])
  }

  @Test func anErrorAnywhereInAFileStoresNothing() throws {
    let database = try Database.inMemory()
    let before = try database.snapshot().version
    let json = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":}"
    #expect(throws: dataError(.unexpected(.character("}"), expected: .value), 4, 6)) {
      try Self.importer(database, batch: 1).run(
        readingTwice: { JSONReader(MemorySource(json)) })
    }
    #expect(try database.snapshot().version == before)
    #expect(try database.snapshot().schema.classes == [])
  }

  @Test func anErrorInAPipeKeepsTheBatchesBefore() throws {
    let database = try Database.inMemory()
    let json = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":\"x\"}"
    #expect(
      throws: dataError(
        .contradiction(property: "a", found: "a string", expected: "int", by: .file), 4, 6)
    ) {
      try Self.importer(database).run(readingOnce: JSONReader(MemorySource(json)))
    }
    #expect(try Self.values("a", in: database) == [.int(1), .int(2)])
  }

  @Test func laterBatchesOfAPipeWidenTheClass() throws {
    let database = try Database.inMemory()
    let json = """
      {"id":1,"a":1}
      {"id":2,"a":2}
      {"id":3,"a":null,"b":"x"}
      {"id":4,"to":"k"}
      """
    let options = ImportOptions(primaryKey: "id", indexes: ["a"])
    _ = try Self.importer(database, options).run(readingOnce: JSONReader(MemorySource(json)))
    let thing = try #require(try database.snapshot().schema["Thing"])
    #expect(
      thing.properties.map { "\($0.name): \($0.typeName)" }
        == ["id: int", "a: int?", "b: string?", "to: string?"])
    #expect(thing["a"]?.isIndexed == true)
    #expect(try Self.values("b", in: database) == [.null, .null, .string("x"), .null])
    #expect(try database.check().findings == [])
  }

  @Test func theDestinationTellsOfEachTransaction() throws {
    let destination = ImportDestination(try Database.inMemory())
    var events: [String] = []
    destination.willWrite = { _ in
      events.append("begin")
      return { events.append("end") }
    }
    let importer = Importer(
      destination: destination, className: "Thing", options: ImportOptions(), batchRecordCount: 1,
      didCommit: { _ in events.append("committed") })
    let json = "{\"a\":1}\n{\"a\":2}"
    _ = try importer.run(readingTwice: { JSONReader(MemorySource(json)) })
    #expect(events == ["begin", "end", "committed", "begin", "end", "committed"])

    // Also when it fails.
    events = []
    #expect(throws: dataError(.invalidUTF8, 1, 1)) {
      try destination.write { _ in throw dataError(.invalidUTF8, 1, 1) }
    }
    #expect(events == ["begin", "end"])
  }

  /// The class changes in another process between two batches of a file.
  @Test(arguments: ["id", "name"])
  func aClassThatIsAnotherByNowEndsTheImport(renamed: String) throws {
    let database = try Database.inMemory()
    let importer = Self.importer(database, ImportOptions(primaryKey: "id")) { _ in
      #expect(throws: Never.self) {
        try database.write { try $0.renameProperty(renamed, of: "Thing", to: "other") }
      }
    }
    let json = (0..<5).map { #"{"id":\#($0),"name":"n"}"# }.joined(separator: "\n")
    let error: ObjectError =
      renamed == "id"
      ? .missingPrimaryKey(className: "Thing", property: "id")
      : .noSuchProperty("name", className: "Thing", nearest: nil)
    #expect(throws: error) {
      try importer.run(readingTwice: { JSONReader(MemorySource(json)) })
    }
    #expect(try database.snapshot().table("Thing").count == 2)
    #expect(try database.check().findings == [])
  }

  @Test func emptyDataChangesNothing() throws {
    let database = try Database.inMemory()
    let before = try database.snapshot().version
    let summary = try Self.importer(database, ImportOptions(primaryKey: "id")).run(
      readingTwice: { JSONReader(MemorySource("")) })
    #expect(summary == .init())
    #expect(try database.snapshot().version == before)
  }

  @Test func linksInAListKeepTheirOrderWhileTheirTargetsCome() throws {
    let links = ImportOptions(
      primaryKey: "id", listLinks: [.init(property: "to", target: "Thing")])
    let json = """
      {"id":1,"to":[4,1,3,4,2]}
      {"id":2,"to":[]}
      {"id":3,"to":null}
      {"id":4,"to":[9]}
      """
    for batch in 1...4 {
      let database = try Database.inMemory()
      _ = try Self.importer(database, links, batch: batch).run(
        readingTwice: { JSONReader(MemorySource(json)) })
      let snapshot = try database.snapshot()
      let table = try snapshot.table("Thing")
      let first = try #require(try table.object(primaryKey: .int(1)))
      guard case .list(let links) = try first["to"] else {
        Issue.record("'to' is a list")
        return
      }
      let ids = try links.map { link in
        try link.link.flatMap { try table.object(ObjectKey(rawValue: $0.key)) }?["id"]
      }
      #expect(ids == [.int(4), .int(1), .int(3), .int(4), .int(2)])
      #expect(snapshot.pendingLinkCount == 1)
      #expect(try database.check().findings == [])
    }
  }

  @Test func reportsProgressInBytesOfTheData() throws {
    let json = (0..<1000).map { #"{"id":\#($0)}"# }.joined(separator: "\n")
    var last: [Importer.Phase: Int] = [:]
    _ = try Self.importer(try Database.inMemory(), batch: 300).run(
      readingTwice: { JSONReader(MemorySource(json)) },
      progress: { phase, done in
        #expect(done >= last[phase] ?? 0)
        last[phase] = done
      })
    #expect(last[.importing] == json.utf8.count)
    #expect((last[.reading] ?? 0) > json.utf8.count / 2)
  }

  @Test(arguments: ["", "A", "AB"])
  func sourcesSayWhyTheyCannotBeRead(name: String) {
    #expect(throws: SystemError(operation: .open, path: "/nowhere/\(name)", errno: 2)) {
      _ = try FileSource(path: "/nowhere/\(name)")
    }
  }

  @Test func aFolderIsRefusedInTheSystemsWords() {
    let error = #expect(throws: SystemError.self) { _ = try FileSource(path: "/tmp") }
    #expect(error?.description == "cannot read '/tmp': Is a directory")
  }
}
