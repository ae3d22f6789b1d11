import AtollObjects
import TestSupport
import TestThreads
import Testing

/// Objects with keys that are given, and keys that are given out.
@Suite(.computing) struct GivenKeyTests {
  private static let thing = ClassSchema(
    "Thing", properties: [PropertySchema("name", .string), PropertySchema("next", linkTo: "Thing")])
  private static let numbered = ClassSchema(
    "Numbered", properties: [PropertySchema("_id", .int)], primaryKey: "_id")
  private static let named = ClassSchema(
    "Named", properties: [PropertySchema("_id", .string)], primaryKey: "_id")

  private static func database() throws -> Database {
    let database = try Database.inMemory()
    try database.write { try $0.addClasses([thing, numbered, named]) }
    return database
  }

  @Test func theObjectHasTheKeyAndLaterOnesLieAbove() throws {
    let database = try Self.database()
    try database.write { transaction in
      let given = ObjectKey(rawValue: 7)
      let first = try transaction.create("Thing", key: given, ["name": .string("a")])
      #expect(first == given)
      #expect(try transaction.create("Thing").rawValue == 8)
      #expect(
        try transaction.create("Thing", key: ObjectKey(rawValue: 3)) == ObjectKey(rawValue: 3))
      #expect(try transaction.create("Thing").rawValue == 9)
      #expect(try transaction.create("Named", key: given, ["_id": .string("x")]) == given)
      #expect(try transaction.key("Named", primaryKey: .string("x")) == given)
    }
    var keys: [UInt64] = []
    try database.snapshot().table("Thing").forEach { keys.append($0.key.rawValue) }
    #expect(keys == [3, 7, 8, 9])
    #expect(try database.check().findings == [])
  }

  @Test func aKeyThatIsTakenOrImpossibleIsRefused() throws {
    let database = try Self.database()
    try database.write { transaction in
      let key = try transaction.create("Thing")
      #expect(throws: ObjectError.duplicateKey(className: "Thing", key: key)) {
        try transaction.create("Thing", key: key)
      }
      for raw in [0, 1 << 62 + 1, .max] as [UInt64] {
        let key = ObjectKey(rawValue: raw)
        #expect(throws: ObjectError.invalidKey(className: "Thing", key: key)) {
          try transaction.create("Thing", key: key)
        }
      }
      let five = ObjectKey(integerPrimaryKey: 5)
      #expect(throws: ObjectError.invalidKey(className: "Numbered", key: five)) {
        try transaction.create("Numbered", key: five, ["_id": .int(6)])
      }
      #expect(try transaction.create("Numbered", key: five) == five)
      #expect(throws: ObjectError.duplicatePrimaryKey(className: "Numbered", value: "5")) {
        try transaction.create("Numbered", key: five)
      }
      try transaction.create("Named", key: key, ["_id": .string("x")])
      #expect(
        throws: ObjectError.duplicatePrimaryKey(className: "Named", value: "x")
      ) {
        try transaction.create("Named", key: ObjectKey(rawValue: 9), ["_id": .string("x")])
      }
      #expect(try transaction.create("Named", ["_id": .string("y")]).rawValue == 2)
    }
  }

  /// The key of an object that the same transaction deletes may be given to another.
  @Test func theKeyOfADeletedObjectMayBeGiven() throws {
    let database = try Self.database()
    try database.write { transaction in
      let key = try transaction.create("Thing", ["name": .string("old")])
      let other = try transaction.create(
        "Thing", ["next": transaction.schema.link(to: key, of: "Thing")])
      try transaction.delete("Thing", key)
      try transaction.create("Thing", key: key, ["name": .string("new")])
      #expect(try transaction.value("Thing", other, "next") == .null)
      #expect(try transaction.value("Thing", key, "name") == .string("new"))
      #expect(try transaction.create("Thing").rawValue == 3)
    }
    #expect(try database.check().findings == [])
  }

  /// Whatever becomes of the objects, of the file and of transactions, no key is given out twice.
  @Test func keysNeverGoBack() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "file")
    let database = try Database.open(path)
    try database.write { transaction in
      try transaction.addClasses([Self.thing, Self.named])
      try transaction.create("Thing", key: ObjectKey(rawValue: 100))
      for name in ["a", "b", "c"] { try transaction.create("Named", ["_id": .string(name)]) }
    }
    try database.write { transaction in
      try transaction.delete("Thing", ObjectKey(rawValue: 100))
      for key in 1...3 as ClosedRange<UInt64> {
        try transaction.delete("Named", ObjectKey(rawValue: key))
      }
    }
    let cancelled = try database.beginWrite()
    try cancelled.create("Thing", key: ObjectKey(rawValue: 900))
    cancelled.cancel()
    func next(_ database: Database) throws -> [UInt64] {
      let transaction = try database.beginWrite()
      defer { transaction.cancel() }
      return [
        try transaction.create("Thing").rawValue,
        try transaction.create("Named", ["_id": .string("d")]).rawValue,
      ]
    }
    #expect(try next(database) == [101, 4])
    try database.compactInPlace()
    #expect(try next(database) == [101, 4])
    let copyPath = folder.path(of: "copy")
    try database.writeCompactCopy(to: copyPath)
    #expect(try next(Database.open(copyPath)) == [101, 4])
    try database.close()
    _ = try Database.compact(path)
    #expect(try next(Database.open(path)) == [101, 4])
    let salvaged = folder.path(of: "salvaged")
    _ = try Database.salvage(path, to: salvaged)
    #expect(try next(Database.open(salvaged)) == [101, 4])
  }

  /// A link is made of what a program has: an object, or its class and key.
  @Test func linksAreMadeOfPublicInformation() throws {
    let database = try Self.database()
    try database.write { transaction in
      let first = try transaction.create("Thing")
      let link = try transaction.schema.link(to: first, of: "Thing")
      let second = try transaction.create("Thing", ["next": link])
      let object = try #require(try transaction.table("Thing").object(second))
      #expect(try transaction.schema.link(to: second, of: "Thing") == Value(linkTo: object))
      try transaction.set("Thing", first, "next", Value(linkTo: object))
      #expect(throws: ObjectError.noSuchClass("Thin", nearest: "Thing")) {
        try transaction.schema.link(to: first, of: "Thin")
      }
    }
    #expect(try database.check().findings == [])
  }
}
