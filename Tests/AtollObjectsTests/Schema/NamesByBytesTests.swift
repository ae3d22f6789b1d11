import TestThreads
import Testing

@testable import AtollObjects

/// Names of classes and properties and keys of maps are two when their bytes are, also where Unicode
/// takes them for one, as é in one scalar and in two.
@Suite(.computing) struct NamesByBytesTests {
  private static let names = ["\u{E9}", "e\u{301}"]

  @Test func aClassHasBothPropertiesAndAFileBothClasses() throws {
    let database = try Database.inMemory(options: .silent)
    try database.write { transaction in
      try transaction.addClasses(
        Self.names.map { name in
          ClassSchema(
            name,
            properties: [PropertySchema("id", .int)]
              + Self.names.map { PropertySchema($0, .int, isIndexed: true) }, primaryKey: "id")
        })
      for (index, name) in Self.names.enumerated() {
        let key = try transaction.create(name, ["id": .int(Int64(index))])
        for (other, property) in Self.names.enumerated() {
          try transaction.set(name, key, property, .int(Int64(10 * index + other)))
        }
      }
      #expect(throws: ObjectError.invalidSchema(.classExists(Self.names[1]))) {
        try transaction.addClasses([ClassSchema(Self.names[1], properties: [])])
      }
    }
    let snapshot = try database.snapshot()
    for (index, name) in Self.names.enumerated() {
      let table = try snapshot.table(name)
      #expect(table.count == 1)
      let object = try #require(try table.object(primaryKey: .int(Int64(index))))
      #expect(
        try Self.names.map { try object[$0] } == [
          .int(Int64(10 * index)), .int(Int64(10 * index + 1)),
        ])
    }
    try database.expectSound()
  }

  @Test func changesAreOfTheClassAndThePropertyWithTheseBytes() throws {
    let database = try Database.inMemory(options: .silent)
    let keys = try database.write { transaction in
      try transaction.addClasses(
        Self.names.map { name in
          ClassSchema(name, properties: Self.names.map { PropertySchema($0, .int) })
        })
      return try Self.names.map { try transaction.create($0) }
    }
    try database.write { transaction in
      for (name, key) in zip(Self.names, keys) {
        try transaction.set(name, key, name, .int(1))
      }
      let names = Self.names.map { ExactText($0) }
      let changes = transaction.changes.classes
      #expect(Set(changes.keys) == Set(names))
      for (name, key) in zip(names, keys) { #expect(changes[name]?.modified == [key: [name]]) }
    }
  }

  /// Sync sends names as texts.
  @Test func namesOfWhatIsSyncedDifferAsTexts() throws {
    func schema(_ name: String, _ properties: [String], isSynced: Bool = true) -> ClassSchema {
      var schema = ClassSchema(
        name,
        properties: [PropertySchema("_id", .int)] + properties.map { PropertySchema($0, .int) },
        primaryKey: "_id")
      schema.isSynced = isSynced
      return schema
    }
    let properties = ObjectError.invalidSchema(
      .equivalentSyncedName(className: "C", property: Self.names[1]))
    let classes = ObjectError.invalidSchema(
      .equivalentSyncedName(className: Self.names[1], property: nil))
    let database = try Database.inMemory(options: .silent)
    try database.write { transaction in
      #expect(throws: properties) { try transaction.addClasses([schema("C", Self.names)]) }
      #expect(throws: classes) { try transaction.addClasses(Self.names.map { schema($0, []) }) }
      try transaction.addClasses([
        schema("C", [Self.names[0]]), schema("Local", Self.names, isSynced: false),
        schema(Self.names[0], []),
      ])
      #expect(throws: properties) {
        try transaction.addProperty(PropertySchema(Self.names[1], .int), to: "C")
      }
      #expect(throws: classes) {
        try transaction.addClasses([schema(Self.names[1], [], isSynced: false)])
      }
      #expect(throws: ObjectError.self) { try transaction.markSynced("Local") }
    }
    #expect(try database.snapshot().schema.classes.count == 3)
  }

  /// A dictionary of Swift has one of the names, and means that one.
  @Test func valuesByNameAreOfThePropertyWithTheseBytes() throws {
    let database = try Database.inMemory(options: .silent)
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema("C", properties: Self.names.map { PropertySchema($0, .int, isOptional: true) }),
        ClassSchema("One", properties: [PropertySchema(Self.names[0], .int)]),
      ])
      let key = try transaction.create("C", [Self.names[1]: .int(7)])
      #expect(try transaction.value("C", key, Self.names[0]) == .null)
      #expect(try transaction.value("C", key, Self.names[1]) == .int(7))
      #expect(throws: ObjectError.self) { try transaction.create("One", [Self.names[1]: .int(7)]) }
    }
  }

  @Test func mapsOfLinksAndEmbeddedObjectsHaveBothKeys() throws {
    let database = try Database.inMemory(options: .silent)
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "C",
          properties: [
            PropertySchema("id", .int), PropertySchema("map", linkTo: "C", collection: .map),
            PropertySchema("parts", linkTo: "Part", collection: .map),
          ], primaryKey: "id"),
        ClassSchema(
          "Part", properties: Self.names.map { PropertySchema($0, .int) }, isEmbedded: true),
      ])
      let key = try transaction.create("C", ["id": .int(1)])
      try transaction.link(
        "C", key, "map",
        toPrimaryKeysOf: [
          (key: Self.names[0], target: .int(1)), (key: Self.names[1], target: .int(2)),
        ])
      for name in Self.names {
        try transaction.createEmbedded(
          in: "C", key, "parts", mapKey: name,
          named: [(name: Self.names[0], value: .int(1)), (name: Self.names[1], value: .int(2))])
      }
      // The second waits until it is there.
      try transaction.create("C", ["id": .int(2)])
    }
    let object = try #require(try database.snapshot().table("C").object(primaryKey: .int(1)))
    for property in ["map", "parts"] {
      guard case .map(let map) = try object[property] else {
        Issue.record("\(property) is a map")
        return
      }
      #expect(
        map.entries.map { Array($0.key.utf8) } == Self.names.reversed().map { Array($0.utf8) })
      #expect(map.entries.allSatisfy { $0.value != .null })
    }
    var parts: [[Value]] = []
    try database.snapshot().table("Part").forEach { part in
      parts.append(try Self.names.map { try part[$0] })
    }
    #expect(parts == [[.int(1), .int(2)], [.int(1), .int(2)]])
    try database.expectSound()
  }
}
