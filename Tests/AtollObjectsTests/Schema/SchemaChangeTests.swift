import AtollObjects
import TestSupport
import TestThreads
import Testing

/// Changes of the schema while there are objects.
@Suite(.computing) struct SchemaChangeTests {
  private let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema("Thing", properties: [PropertySchema("text", .string)]))
      for index in 0..<1000 {
        try transaction.create("Thing", ["text": .string("text \(index % 10)")])
      }
    }
  }

  @Test(arguments: ValueType.allCases.filter { $0 != .link }, [false, true])
  func anAddedPropertyHasItsInitialValueEverywhere(_ type: ValueType, isOptional: Bool) throws {
    let kinds: [CollectionKind] = [.none, .list, .set, .map]
    let properties = kinds.enumerated().map { index, kind in
      PropertySchema("new\(index)", type, collection: kind, isOptional: isOptional)
    }
    try database.write { transaction in
      for property in properties { try transaction.addProperty(property, to: "Thing") }
      try transaction.create("Thing", [:])
    }
    // One object is written to, so that its leaf gets the new columns for real.
    try database.write {
      try $0.set("Thing", ObjectKey(rawValue: 5), "text", .string("changed"))
    }
    let table = try database.snapshot().table("Thing")
    #expect(table.count == 1001)
    var differenceCount = 0
    try table.forEach { object in
      for property in properties where !isExactly(try object[property.name], .initial(property)) {
        differenceCount += 1
      }
    }
    #expect(differenceCount == 0)
    try database.expectSound()
  }

  @Test func anIndexAddedLaterKnowsWhatIsThere() throws {
    try database.write { transaction in
      try transaction.set("Thing", ObjectKey(rawValue: 5), "text", .string("odd"))
      try transaction.addIndex(on: "text", of: "Thing")
      try transaction.set("Thing", ObjectKey(rawValue: 6), "text", .string("odd"))
      try transaction.delete("Thing", ObjectKey(rawValue: 7))
      // A second time it is there already.
      try transaction.addIndex(on: "text", of: "Thing")
    }
    let snapshot = try database.snapshot()
    let index = try #require(try snapshot.index(snapshot.table("Thing").column("text")))
    #expect(index.entryCount == 999)
    let odd = try #require(Index.bytes(of: .string("odd")))
    #expect(try index.keys(.equal(to: odd)) == [5, 6])
    try database.expectSound()
  }

  @Test func anIndexIsNotAddedOverAValueThatIsTooLong() throws {
    let long = String(repeating: "x", count: 70_000)
    let error = ObjectError.valueTooLarge(
      className: "Thing", property: "text", byteCount: 70_000, limit: 65_533)
    try database.write { transaction in
      try transaction.set("Thing", ObjectKey(rawValue: 900), "text", .string(long))
      #expect(throws: error) { try transaction.addIndex(on: "text", of: "Thing") }
      #expect(transaction.schema["Thing"]?["text"]?.isIndexed == false)
      try transaction.create("Thing", ["text": .string("after")])
    }
    try database.expectSound()
    try database.write { transaction in
      try transaction.set("Thing", ObjectKey(rawValue: 900), "text", .string("short"))
      try transaction.addIndex(on: "text", of: "Thing")
      // A 00 counts twice.
      for (value, byteCount) in [
        (long, 70_000), (String(repeating: "x", count: 65_534), 65_534),
        (String(repeating: "\u{0}", count: 40_000), 80_000),
      ] {
        let refused = ObjectError.valueTooLarge(
          className: "Thing", property: "text", byteCount: byteCount, limit: 65_533)
        #expect(throws: refused) {
          try transaction.set("Thing", ObjectKey(rawValue: 1), "text", .string(value))
        }
        #expect(throws: refused) { try transaction.create("Thing", ["text": .string(value)]) }
        let writer = try transaction.objectWriter("Thing")
        #expect(try writer.select(ObjectKey(rawValue: 1)))
        #expect(throws: refused) { try writer.set(writer.column("text"), value) }
      }
      try transaction.set(
        "Thing", ObjectKey(rawValue: 1), "text", .string(String(repeating: "y", count: 65_533)))
    }
    #expect(try database.snapshot().table("Thing").count == 1001)
    try database.expectSound()
  }

  @Test func aTransactionShowsItsChangesAlsoAfterItsSchemaHasChanged() throws {
    try database.write { transaction in
      let table = try #require(transaction.schema.table("Thing"))
      let other = try transaction.schema.table("Thing")?.requireColumn("text")
      #expect(!transaction.isChanged(table: table.id))
      try transaction.set("Thing", ObjectKey(rawValue: 5), "text", .string("new"))
      try transaction.addClass(ClassSchema("Other", properties: [PropertySchema("n", .int)]))
      #expect(transaction.isChanged(table: table.id))
      #expect(transaction.isChanged(table: try #require(transaction.schema.table("Other")).id))
      #expect(try transaction.value(ObjectKey(rawValue: 5), #require(other)) == .string("new"))
    }
    try database.write { transaction in
      let table = try #require(transaction.schema.table("Thing"))
      try transaction.addClass(ClassSchema("Third", properties: [PropertySchema("n", .int)]))
      #expect(!transaction.isChanged(table: table.id))
      try transaction.addProperty(PropertySchema("more", .int), to: "Thing")
      #expect(transaction.isChanged(table: table.id))
    }
    try database.expectSound()
  }

  /// Some of the changes can be made, and the last one cannot.
  @Test func severalChangesOfTheSchemaAreMadeOrNone() throws {
    let long = String(repeating: "x", count: 70_000)
    try database.write { transaction in
      try transaction.set("Thing", ObjectKey(rawValue: 5), "text", .string(long))
      let before = transaction.schema.classes
      #expect(throws: ObjectError.self) {
        try transaction.changeSchema {
          try transaction.addClass(
            ClassSchema("Other", properties: [PropertySchema("n", .int, isIndexed: true)]))
          try transaction.addProperty(PropertySchema("n", .int, isIndexed: true), to: "Thing")
          try transaction.addProperty(PropertySchema("other", linkTo: "Other"), to: "Thing")
          try transaction.addFullTextIndex(on: "text", of: "Thing")
          try transaction.addIndex(on: "text", of: "Thing")
        }
      }
      #expect(transaction.schema.classes == before)
      try transaction.set("Thing", ObjectKey(rawValue: 6), "text", .string("six"))
    }
    try database.expectSound()
    let table = try database.snapshot().table("Thing")
    #expect(try table.object(ObjectKey(rawValue: 5))?["text"] == .string(long))
    #expect(try table.object(ObjectKey(rawValue: 6))?["text"] == .string("six"))
  }

  @Test func aPropertyMadeOptionalTakesNullFromThenOn() throws {
    try database.write { transaction in
      #expect(
        throws: ObjectError.nullInRequiredProperty(className: "Thing", property: "text")
      ) { try transaction.set("Thing", ObjectKey(rawValue: 3), "text", .null) }
      try transaction.makeOptional("text", of: "Thing")
      try transaction.set("Thing", ObjectKey(rawValue: 3), "text", .null)
      try transaction.create("Thing", [:])
    }
    let table = try database.snapshot().table("Thing")
    #expect(try #require(try table.object(ObjectKey(rawValue: 3)))["text"].isNull)
    #expect(try #require(try table.object(ObjectKey(rawValue: 1001)))["text"].isNull)
    #expect(
      isExactly(
        try #require(try table.object(ObjectKey(rawValue: 4)))["text"], .string("text 3")))
    try database.expectSound()
  }

  /// Leaves older than a property do not have its values, which read as zero; when the property was
  /// made optional, they read as null.
  @Test func zerosStayZerosWhenAnAddedPropertyIsMadeOptional() throws {
    try database.write { transaction in
      try transaction.addProperty(PropertySchema("n", .int, isIndexed: true), to: "Thing")
      try transaction.addProperty(PropertySchema("s", .string), to: "Thing")
    }
    try database.write { transaction in
      try transaction.makeOptional("n", of: "Thing")
      try transaction.makeOptional("s", of: "Thing")
      #expect(transaction.changes.isEmpty)
      try transaction.create("Thing", [:])
    }
    var differenceCount = 0
    try database.snapshot().table("Thing").forEach { object in
      let isNew = object.key == ObjectKey(rawValue: 1001)
      if !isExactly(try object["n"], isNew ? .null : .int(0)) { differenceCount += 1 }
      if !isExactly(try object["s"], isNew ? .null : .string("")) { differenceCount += 1 }
    }
    #expect(differenceCount == 0)
    try database.expectSound()
  }

  @Test func aChangeThatIsGivenUpLeavesTheSchema() throws {
    let before = try database.snapshot().schema.classes
    let transaction = try database.beginWrite()
    try transaction.addClass(ClassSchema("Other", properties: []))
    try transaction.addProperty(PropertySchema("p", .int, isIndexed: true), to: "Thing")
    try transaction.addIndex(on: "text", of: "Thing")
    transaction.cancel()
    #expect(try database.snapshot().schema.classes == before)
    try database.expectSound()
  }

  @Test func anOldSnapshotKeepsItsSchema() throws {
    let old = try database.snapshot()
    try database.write {
      try $0.addProperty(PropertySchema("p", .int), to: "Thing")
      try $0.addClass(ClassSchema("Other", properties: []))
    }
    #expect(old.schema["Other"] == nil)
    #expect(throws: ObjectError.noSuchProperty("p", className: "Thing", nearest: nil)) {
      try old.table("Thing").column("p")
    }
    #expect(throws: ObjectError.noSuchClass("Other", nearest: nil)) { try old.table("Other") }
    #expect(try database.snapshot().schema.classes.map(\.name) == ["Thing", "Other"])
  }
}
