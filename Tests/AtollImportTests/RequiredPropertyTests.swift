import AtollObjects
import TestThreads
import Testing

@testable import AtollImport

/// A property that the file has as required stays so: an app could not open the file otherwise.
@Suite(.computing) struct RequiredPropertyTests {
  private static let properties = [
    PropertySchema("id", .int), PropertySchema("n", .int), PropertySchema("text", .string),
    PropertySchema("any", .mixed), PropertySchema("list", .int, collection: .list),
    PropertySchema("map", .int, collection: .map), PropertySchema("part", linkTo: "Part"),
  ]

  private static func database() throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema("Part", properties: [PropertySchema("x", .double)], isEmbedded: true),
        ClassSchema("Thing", properties: properties, primaryKey: "id"),
      ])
      _ = try transaction.create("Thing", ["id": .int(1), "n": .int(7), "text": .string("a")])
    }
    return database
  }

  private static func run(_ data: String, isPipe: Bool, _ database: Database) throws {
    let importer = ImporterTests.importer(database, batch: 1)
    if isPipe {
      _ = try importer.run(readingOnce: JSONReader(MemorySource(data)))
    } else {
      _ = try importer.run(readingTwice: { JSONReader(MemorySource(data)) })
    }
  }

  @Test(arguments: [false, true])
  func anImportLeavesRequiredPropertiesRequired(isPipe: Bool) throws {
    let database = try Self.database()
    let classes = try database.snapshot().schema.classes
    let json = """
      {"id":1,"any":null,"part":{}}
      {"id":2,"list":null}
      {"id":3,"n":5,"text":"b","any":[null]}
      """
    try Self.run(json, isPipe: isPipe, database)
    #expect(try database.snapshot().schema.classes == classes)
    #expect(try ImporterTests.values("n", in: database) == [.int(7), .int(0), .int(5)])
    #expect(
      try ImporterTests.values("text", in: database) == [.string("a"), .string(""), .string("b")])
    #expect(try database.check().findings == [])
  }

  @Test(arguments: [
    (#""n":null"#, 13, "'n' is int in the database file, found null; give it a value, or leave"),
    (#""text":null"#, 16, "give it a value (in CSV \"\" is empty text), or leave it out"),
    (#""list":[1,null]"#, 19, "'list' is list of int in the database file, found null; each"),
    (#""map":{"k":null}"#, 20, "'map' is map of int in the database file, found null; each"),
    (#""part":{"x":null}"#, 21, "'x' is double in the database file, found null"),
  ])
  func aNullForARequiredPropertyIsAnErrorWithItsPlace(
    field: String, column: Int, words: String
  ) throws {
    for isPipe in [false, true] {
      let database = try Self.database()
      let classes = try database.snapshot().schema.classes
      let error = #expect(throws: ImportError.self) {
        try Self.run("{\"id\":1}\n{\"id\":2,\(field)}", isPipe: isPipe, database)
      }
      let text = error?.description(name: "f") ?? ""
      #expect(text.hasPrefix("f:2:\(column): ") && text.contains(words), "\(text)")
      #expect(try database.snapshot().schema.classes == classes)
      #expect(try ImporterTests.values("n", in: database) == [.int(7)])
    }
  }

  @Test func anEmptyFieldForARequiredPropertyIsAnErrorWithItsPlace() throws {
    let database = try Self.database()
    #expect(
      throws: dataError(.nullOfRequiredInFile(property: "n", type: "int", isElement: false), 3, 3)
    ) {
      try ImporterTests.importer(database).run(
        readingTwice: { CSVReader(MemorySource("id,n\n1,2\n2,\n")) })
    }
    #expect(try ImporterTests.values("n", in: database) == [.int(7)])
  }
}
