import AtollObjects
import TestSupport
import TestThreads
import Testing

/// Rules of deletion, in the engine: for whatever changes a file.
@Suite(.computing) struct DeletionRuleTests {
  private let database: Database

  init() throws { database = try Database.inMemory() }

  /// Persons, who have dogs in several ways, and banks.
  private func addClasses(_ rule: DeletionRule) throws {
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Person",
          properties: [
            PropertySchema("one", linkTo: "Dog", deletionRule: rule),
            PropertySchema("list", linkTo: "Dog", collection: .list, deletionRule: rule),
            PropertySchema("set", linkTo: "Dog", collection: .set, deletionRule: rule),
            PropertySchema("map", linkTo: "Dog", collection: .map, deletionRule: rule),
          ]),
        ClassSchema("Dog", properties: [PropertySchema("name", .string)]),
      ])
    }
  }

  private func dogs(_ transaction: Transaction) throws -> [ObjectKey] {
    try (0..<5).map { try transaction.create("Dog", ["name": .string("\($0)")]) }
  }

  private func link(_ key: ObjectKey, _ transaction: Transaction) throws -> Value {
    .link(ObjectLink(table: try #require(transaction.schema.table("Dog")).id, key: key.rawValue))
  }

  @Test func whatPropertiesOfAllKindsHoldIsDeletedWithTheObject() throws {
    try addClasses(.cascade)
    let kept = try database.write { transaction in
      let dogs = try dogs(transaction)
      let links = try dogs.map { try link($0, transaction) }
      let person = try transaction.create(
        "Person",
        [
          "one": links[0], "list": .list([links[1], links[1]]), "set": .set([links[2]]),
          "map": .map(["a": links[3], "b": .null]),
        ])
      // Another one links to it too.
      try transaction.create("Person", ["one": links[1]])
      try transaction.delete("Person", person)
      return dogs[4]
    }
    let snapshot = try database.snapshot()
    #expect(try snapshot.table("Dog").count == 1)
    #expect(try snapshot.table("Dog").object(kept) != nil)
    #expect(try snapshot.table("Person").count == 1)
    #expect(try database.check().findings == [])
  }

  @Test(arguments: ["one", "list", "set", "map"])
  func whatIsLinkedToIsNotDeleted(property: String) throws {
    try addClasses(.deny)
    let (person, dog) = try database.write { transaction in
      let dog = try transaction.create("Dog", ["name": .string("Rex")])
      let link = try link(dog, transaction)
      let value: Value =
        switch property {
        case "one": link
        case "list": .list([link])
        case "set": .set([link])
        default: .map(["a": link])
        }
      return (try transaction.create("Person", [property: value]), dog)
    }
    #expect(
      throws: ObjectError.deletionDenied(
        className: "Dog", object: "number 1", by: "Person", property: property, source: "number 1")
    ) { try database.write { try $0.delete("Dog", dog) } }
    #expect(try database.snapshot().table("Dog").count == 1)
    // In any order, whatever is read between.
    try database.write { transaction in
      try transaction.delete("Dog", dog)
      _ = try transaction.table("Person").count
      try transaction.delete("Person", person)
    }
    #expect(try database.snapshot().table("Dog").count == 0)
    #expect(try database.check().findings == [])
  }

  @Test func anObjectThatIsLinkedToNoMoreIsDeleted() throws {
    try addClasses(.deny)
    try database.write { transaction in
      let dogs = try dogs(transaction)
      let person = try transaction.create("Person", ["one": try link(dogs[0], transaction)])
      try transaction.set("Person", person, "one", try link(dogs[1], transaction))
      try transaction.delete("Dog", dogs[0])
    }
    #expect(try database.snapshot().table("Dog").count == 4)
  }

  @Test func aCycleOfCascadesEnds() throws {
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Node", properties: [PropertySchema("next", linkTo: "Node", deletionRule: .cascade)]))
      let table = try #require(transaction.schema.table("Node")).id
      var keys: [ObjectKey] = []
      for _ in 0..<10_000 { keys.append(try transaction.create("Node")) }
      for (key, next) in zip(keys, keys.dropFirst() + [keys[0]]) {
        try transaction.set(
          "Node", key, "next", .link(ObjectLink(table: table, key: next.rawValue)))
      }
      try transaction.delete("Node", keys[5000])
    }
    #expect(try database.snapshot().table("Node").count == 0)
    #expect(try database.check().findings == [])
  }

  @Test func aRuleIsForLinksToObjects() throws {
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema("Part", properties: [PropertySchema("n", .int)], isEmbedded: true),
        ClassSchema(
          "Whole",
          properties: [
            PropertySchema("n", .int), PropertySchema("any", .mixed),
            PropertySchema("part", linkTo: "Part"), PropertySchema("next", linkTo: "Whole"),
          ]),
      ])
      for (name, rule) in [
        ("n", DeletionRule.cascade), ("any", .cascade), ("n", .deny), ("part", .deny),
      ] {
        #expect(
          throws: ObjectError.invalidSchema(.wrongDeletionRule(name, className: "Whole"))
        ) { try transaction.setDeletionRule(rule, on: name, of: "Whole") }
      }
      try transaction.setDeletionRule(.cascade, on: "part", of: "Whole")
      try transaction.setDeletionRule(.deny, on: "next", of: "Whole")
    }
    let schema = try #require(try database.snapshot().schema["Whole"])
    #expect(schema.properties.map(\.deletionRule) == [.nullify, .nullify, .cascade, .deny])
  }

  @Test(arguments: seeds(60))
  func randomProgramsFollowTheRules(seed: UInt64) throws {
    var program = try DeletionRuleProgram(seed: seed)
    try program.run()
  }
}
