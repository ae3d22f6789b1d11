import AtollObjects
import TestSupport
import TestThreads
import Testing

/// The typed path gives what the path by dictionaries gives.
@Suite(.computing) struct ObjectWriterTests {
  private static let properties = [
    PropertySchema("id", .int),
    PropertySchema("count", .int, isIndexed: true),
    PropertySchema("flag", .bool, isOptional: true, isIndexed: true),
    PropertySchema("size", .double, isOptional: true, isIndexed: true),
    PropertySchema("name", .string, isOptional: true, isIndexed: true),
    PropertySchema("made", .date, isIndexed: true),
    PropertySchema("next", linkTo: "Item"),
    PropertySchema("tags", .string, collection: .list),
  ]

  private func makeDatabase() throws -> Database {
    let database = try Database.inMemory()
    try database.write {
      try $0.addClass(ClassSchema("Item", properties: Self.properties, primaryKey: "id"))
    }
    return database
  }

  @Test(arguments: seeds(4))
  func agreesWithTheModel(seed: UInt64) throws {
    let database = try makeDatabase()
    var random = SplitMix64(seed: seed)
    var model = ObjectModel()
    model.add(
      ClassSchema("Item", properties: Self.properties, primaryKey: "id"),
      id: try #require(try database.snapshot().schema.table("Item")).id)
    var known: [UInt64] = []
    for _ in 0..<4 {
      try database.write { transaction in
        let writer = try transaction.objectWriter("Item")
        let columns = try Self.properties.map { try writer.column($0.name) }
        for _ in 0..<400 {
          let key: UInt64
          if known.isEmpty || Int.random(in: 0..<3, using: &random) > 0 {
            // Mostly ascending, as loads are, and now and then in between.
            let id =
              Int.random(in: 0..<5, using: &random) > 0
              ? Int64(known.count * 3) : Int64.random(in: -50..<2000, using: &random)
            guard model.value("Item", UInt64(bitPattern: id) ^ 1 << 63, "id") == nil else {
              #expect(
                throws: ObjectError.duplicatePrimaryKey(className: "Item", value: "\(id)")
              ) { try writer.create(primaryKey: id) }
              continue
            }
            key = try writer.create(primaryKey: id).rawValue
            try #require(model.create("Item", ["id": .int(Int64(id))]) == key)
            known.append(key)
          } else {
            key = known[Int.random(in: 0..<known.count, using: &random)]
            #expect(try writer.select(ObjectKey(rawValue: key)))
          }
          func set(_ index: Int, _ value: Value) {
            model.set("Item", key, Self.properties[index].name, value)
          }
          for index in [1, 2, 3, 4, 5, 6].shuffled(using: &random).prefix(4) {
            let number = Int64.random(in: 0..<9, using: &random)
            switch index {
            case 1:
              try writer.set(columns[1], number)
              set(1, .int(number))
            case 2:
              try writer.set(columns[2], number % 2 == 0)
              set(2, .bool(number % 2 == 0))
            case 3:
              try writer.set(columns[3], Double(number) / 4)
              set(3, .double(Double(number) / 4))
            case 4:
              let text = String(repeating: "n\(number)", count: number == 3 ? 3000 : 5)
              try writer.set(columns[4], text)
              set(4, .string(text))
            case 5:
              let date = try #require(Timestamp(normalizing: number, nanoseconds: -1))
              try writer.set(columns[5], date)
              set(5, .date(date))
            default:
              let target = known[Int.random(in: 0..<known.count, using: &random)]
              try writer.set(columns[6], linkTo: ObjectKey(rawValue: target))
              set(6, .link(model.link("Item", target)))
            }
          }
        }
        if seed % 2 == 0 {
          #expect(try ModelComparison.differences(byValueIn: transaction, model) == [])
        }
      }
      let snapshot = try database.snapshot()
      try #require(try ModelComparison.differences(snapshot, model) == [])
      try database.expectSound()
    }
  }

  @Test func aLinkToNobodyFailsTheCommit() throws {
    let database = try makeDatabase()
    #expect(throws: ObjectError.danglingLink(className: "Item", property: "next")) {
      try database.write { transaction in
        let writer = try transaction.objectWriter("Item")
        try writer.create(primaryKey: 1)
        try writer.set(writer.column("next"), linkTo: ObjectKey(rawValue: 77))
      }
    }
    #expect(try database.snapshot().table("Item").count == 0)
  }

  @Test func aLinkToNobodyFailsTheCommitAfterAChangeOfTheSchemaToo() throws {
    let database = try makeDatabase()
    #expect(throws: ObjectError.danglingLink(className: "Item", property: "next")) {
      try database.write { transaction in
        let writer = try transaction.objectWriter("Item")
        try writer.create(primaryKey: 1)
        try writer.set(writer.column("next"), linkTo: ObjectKey(rawValue: 77))
        try transaction.addClass(ClassSchema("Other", properties: []))
      }
    }
  }

  @Test func aLinkMayLeadToAnObjectThatIsMadeLater() throws {
    let database = try makeDatabase()
    try database.write { transaction in
      let writer = try transaction.objectWriter("Item")
      let next = try writer.column("next")
      let second = try writer.create(primaryKey: 2)
      try writer.set(next, linkTo: ObjectKey(rawValue: second.rawValue + 1))
      try writer.create(primaryKey: 3)
    }
    try database.expectSound()
  }

  @Test func aLinkThatIsGoneAtTheCommitIsNotLookedFor() throws {
    let database = try makeDatabase()
    try database.write { transaction in
      let writer = try transaction.objectWriter("Item")
      let next = try writer.column("next")
      let target = try writer.create(primaryKey: 1)
      let source = try writer.create(primaryKey: 2)
      try writer.set(next, linkTo: target)
      try transaction.delete("Item", target)
      #expect(try transaction.value("Item", source, "next").isNull)
    }
    try database.expectSound()
  }

  @Test func refusesTheWrongTypeAndAnotherPrimaryKey() throws {
    let database = try makeDatabase()
    try database.write { transaction in
      let writer = try transaction.objectWriter("Item")
      try writer.create(primaryKey: 1)
      #expect(
        throws: ObjectError.typeMismatch(
          className: "Item", property: "name", expected: "optional string", found: "int")
      ) { try writer.set(writer.column("name"), Int64(1)) }
      #expect(
        throws: ObjectError.typeMismatch(
          className: "Item", property: "tags", expected: "list of string", found: "string")
      ) { try writer.set(writer.column("tags"), "x") }
      #expect(throws: ObjectError.primaryKeyIsFixed(className: "Item", property: "id")) {
        try writer.set(writer.column("id"), Int64(2))
      }
      #expect(throws: ObjectError.noSuchProperty("nam", className: "Item", nearest: "name")) {
        try writer.column("nam")
      }
      #expect(throws: ObjectError.missingPrimaryKey(className: "Item", property: "id")) {
        try writer.create()
      }
      #expect(try writer.select(ObjectKey(rawValue: 99)) == false)
    }
    try database.expectSound()
  }
}

/// Stories of bugs that a reading of the code found.
@Suite(.computing) struct SelectionTests {
  /// A selection makes a leaf mutable, which gives its page up.
  ///
  /// When nothing was set and another class was changed, the commit kept the given-up page in the
  /// catalogue.
  @Test func selectingWithoutChangingKeepsTheClass() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema("A", properties: [PropertySchema("id", .int)], primaryKey: "id"),
        ClassSchema("B", properties: [PropertySchema("n", .int)]),
      ])
      for id in 0..<5000 { try transaction.create("A", ["id": .int(Int64(id))]) }
    }
    for round in 0..<20 {
      try database.write { transaction in
        let writer = try transaction.objectWriter("A")
        #expect(try writer.select(ObjectKey(integerPrimaryKey: Int64(round * 100))))
        try transaction.create("B", ["n": .int(Int64(round))])
      }
      #expect(try database.check().findings == [])
    }
    #expect(try database.snapshot().table("A").count == 5000)
  }

  /// After an object was selected by its key, the walk went on where it had stood before.
  @Test func walkingGoesOnBehindTheSelectedObject() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "A", properties: [PropertySchema("id", .int), PropertySchema("text", .string)],
          primaryKey: "id"))
      for id in 0..<5000 {
        try transaction.create("A", ["id": .int(Int64(id)), "text": .string("text \(id * 7919)")])
      }
    }
    let table = try database.snapshot().table("A")
    let reader = try ObjectReader(table, columns: [table.column("id")])
    #expect(try reader.next())
    #expect(try reader.select(primaryKey: 3000))
    var expected: Int64 = 3001
    while try reader.next() {
      #expect(try reader.int(0) == expected)
      expected += 1
    }
    #expect(expected == 5000)
  }
}
