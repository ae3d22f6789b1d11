import AtollObjects
import TestThreads
import Testing

@testable import AtollCapture

@Suite(.computing) struct RecordingTests {
  static let a = ObjectAddress(className: "Task", primaryKey: .string("a"))
  static let b = ObjectAddress(className: "Task", primaryKey: .string("b"))

  private func database() throws -> Database { try SyncedModel(seed: 0).database }

  private func entries(_ database: Database) throws -> [OutboxEntry] {
    var entries: [OutboxEntry] = []
    let transaction = try database.beginWrite()
    defer { transaction.cancel() }
    try transaction.capture.forEachEntry { entry throws(ObjectError) in
      entries.append(entry)
      return true
    }
    return entries
  }

  private func actions(_ entry: OutboxEntry?) -> [AtollCapture.Operation.Action] {
    guard case .push(let content)? = entry?.content else { return [] }
    return content.operations.map(\.action)
  }

  @Test func aNewObjectIsACreationAndWhatDiffersFromDefaults() throws {
    let database = try database()
    try database.write {
      try $0.create(
        "Task",
        [
          "_id": .string("a"), "title": .string("x"), "size": .int(0),
          "tags": .list([.string("p"), .string("q")]),
        ])
    }
    let entry = try entries(database).first
    let ids = (0..<2).map { ElementID(client: 77, number: 3, index: UInt32($0)) }
    #expect(
      actions(entry) == [
        .create, .set(property: "title", .string("x")),
        .insert(property: "tags", ids[0], ListPosition([0, 77, 0]), .string("p")),
        .insert(property: "tags", ids[1], ListPosition([0, 77, 1]), .string("q")),
      ])
    #expect(entry?.number == 1 && entry?.firstName == EntryName(client: 77, number: 1))
    guard case .push(let content)? = entry?.content else { return }
    #expect(content.clock == HybridClock(milliseconds: 1_000_000))
    #expect(content.operations.map(\.generation).first == .some(nil))
    #expect(content.operations.last?.generation == .pending(number: 1, index: 0))
  }

  @Test func whatOnlyGoesToTheServerLeavesOperationsAndNoRow() throws {
    let database = try database()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Event",
          properties: [
            PropertySchema("_id", .int), PropertySchema("text", .string),
            PropertySchema("task", linkTo: "Task"), PropertySchema("detail", linkTo: "Detail"),
            PropertySchema("tags", .string, collection: .list),
          ], primaryKey: "_id", isSynced: true, isAsymmetric: true)
      ])
    }
    try database.write { transaction in
      try transaction.create("Task", ["_id": .string("a")])
      let task = try #require(try transaction.table("Task").object(primaryKey: .string("a")))
      let event = try transaction.create(
        "Event",
        [
          "_id": .int(1), "text": .string("x"), "task": .link(task.link),
          "tags": .list([.string("t")]),
        ])
      try transaction.createEmbedded(in: "Event", event, "detail", ["count": .int(2)])
    }
    let event = ObjectAddress(className: "Event", primaryKey: .int(1))
    let id = ElementID(client: 77, number: 4, index: 0)
    #expect(
      actions(try entries(database).last) == [
        .create, .create, .set(property: "text", .string("x")),
        .set(property: "task", .link(Self.a)),
        .set(
          property: "detail",
          .embedded(EmbeddedValue([RecordedField(property: "count", value: .int(2))]))),
        .insert(property: "tags", id, ListPosition([0, 77, 0]), .string("t")),
      ])
    let snapshot = try database.snapshot()
    #expect(try snapshot.table("Event").count == 0 && snapshot.table("Detail").count == 0)
    let transaction = try database.beginWrite()
    let capture = try transaction.capture
    #expect(try capture.pending(of: event).isEmpty && capture.images(of: event).isEmpty)
    #expect(try capture.generations(of: event).head == nil)
    #expect(try capture.elements(of: event, "tags").isEmpty)
    transaction.cancel()
    #expect(try database.check().findings.isEmpty)
    #expect(throws: ObjectError.self) {
      try database.write {
        try $0.addProperty(PropertySchema("event", linkTo: "Event"), to: "Team")
      }
    }
  }

  @Test func anElementThatIsMovedStaysTheSame() throws {
    let database = try database()
    let tags = ["p", "q", "q", "r"].map { Value.string($0) }
    let key = try database.write {
      try $0.create("Task", ["_id": .string("a"), "tags": .list(tags)])
    }
    let ids = (0..<4).map { ElementID(client: 77, number: 3, index: UInt32($0)) }
    func write(
      _ body: (Transaction, Column) throws -> Void
    ) throws -> [AtollCapture.Operation.Action] {
      try database.write { transaction in
        try body(transaction, #require(transaction.schema.table("Task")?.column("tags")))
      }
      return actions(try entries(database).last)
    }
    // Of two equal ones the one that was moved; the others keep their places.
    #expect(
      try write { try $0.rearrange(key, $1, [1, 0, 2, 3], moved: [1]) }
        == [.moveElement(property: "tags", ids[1], ListPosition([0, 77, -1]))])
    // With other edits before and after the move.
    let mixed = try write { transaction, column in
      func set(_ names: [String]) throws {
        try transaction.set("Task", key, "tags", .list(names.map { .string($0) }))
      }
      try set(["q", "p", "q", "x"])
      try transaction.rearrange(key, column, [3, 0, 1, 2], moved: [3])
      try set(["x", "q", "p", "new", "q"])
    }
    #expect(
      mixed == [
        .removeElement(property: "tags", ids[3]),
        .insert(
          property: "tags", ElementID(client: 77, number: 5, index: 0), ListPosition([0, 77, -2]),
          .string("x")),
        .insert(
          property: "tags", ElementID(client: 77, number: 5, index: 1), ListPosition([0, 77, 1]),
          .string("new")),
      ])
    // There and back is no move.
    let count = try entries(database).count
    _ = try write { transaction, column in
      try transaction.rearrange(key, column, [1, 0, 2, 3, 4], moved: [0])
      try transaction.rearrange(key, column, [1, 0, 2, 3, 4], moved: [1])
    }
    #expect(try entries(database).count == count)
    #expect(throws: ObjectError.self) {
      _ = try write { try $0.rearrange(key, $1, [0, 0, 2, 3, 4], moved: []) }
    }
    #expect(try database.check().findings.isEmpty)
  }

  @Test func whatIsAddedIsRecordedAsThat() throws {
    let database = try database()
    let key = try database.write {
      try $0.create("Task", ["_id": .string("a"), "size": .int(3)])
    }
    try database.write { transaction in
      #expect(try transaction.increment("Task", key, "size", by: 5) == 8)
      let writer = try transaction.objectWriter("Task")
      #expect(try writer.select(key))
      try writer.increment(writer.column("size"), by: -1)
    }
    try database.write { transaction in
      try transaction.increment("Task", key, "size", by: 1)
      try transaction.set("Task", key, "size", .int(100))
      try transaction.increment("Task", key, "size", by: 2)
    }
    try database.write { try $0.increment("Task", key, "size", by: .max) }
    let entries = try entries(database)
    #expect(actions(entries[1]) == [.increment(property: "size", by: 4)])
    #expect(actions(entries[2]) == [.set(property: "size", .int(102))])
    #expect(actions(entries[3]) == [.increment(property: "size", by: .max)])
    let object = try #require(try database.snapshot().table("Task").object(key))
    #expect(try object["size"] == .int(102 &+ .max))
    #expect(throws: ObjectError.self) {
      try database.write { try $0.increment("Task", key, "title", by: 1) }
    }
  }

  /// An entry that no server takes would hold up all after it for ever.
  @Test func aTransactionThatNoServerTakesIsRefusedAndLeavesNothing() throws {
    let database = try database()
    try database.write { transaction in
      transaction.origin = .sync
      try transaction.addClasses([
        ClassSchema(
          "Event",
          properties: [
            PropertySchema("_id", .int), PropertySchema("tags", .string, collection: .list),
          ], primaryKey: "_id", isSynced: true, isAsymmetric: true)
      ])
    }
    let text = Value.string(String(repeating: "x", count: 16 << 20))
    // What is sent as one, and cannot be divided.
    func write(_ count: Int) throws {
      try database.write { transaction in
        try transaction.create(
          "Event", ["_id": .int(1), "tags": .list(Array(repeating: text, count: count))])
      }
    }
    #expect {
      try write(4)
    } throws: { error in
      guard case ObjectError.transactionTooLarge(let byteCount, let limit) = error else {
        return false
      }
      return byteCount > limit && "\(error)".contains("divide")
    }
    #expect(try entries(database).isEmpty)
    try write(3)
    #expect(try entries(database).map(\.number) == [1])
  }

  @Test func onlyWhatDiffersIsRecorded() throws {
    let database = try database()
    let key = try database.write {
      try $0.create("Task", ["_id": .string("a"), "title": .string("x")])
    }
    try database.write {
      try $0.set("Task", key, "title", .string("y"))
      try $0.set("Task", key, "title", .string("x"))
      try $0.set("Task", key, "size", .int(0))
      let other = try $0.create("Task", ["_id": .string("b")])
      try $0.delete("Task", other)
    }
    #expect(try entries(database).count == 1)
    try database.write { try $0.set("Task", key, "size", .int(4)) }
    #expect(try actions(entries(database).last) == [.set(property: "size", .int(4))])
    #expect(try entries(database).map(\.number) == [1, 2])
  }

  @Test func writesOfOtherOriginsAndOfLocalClassesAreNotRecorded() throws {
    let database = try database()
    try database.write {
      $0.origin = .sync
      try $0.create("Task", ["_id": .string("a")])
    }
    try database.write {
      $0.origin = .derived
      try $0.create("Task", ["_id": .string("b"), "tags": .list([.string("x")])])
    }
    try database.write { try $0.create("Local", ["number": .int(1)]) }
    #expect(try entries(database).isEmpty)
    #expect(try database.check().findings == [])
  }

  /// Writes of the app before and behind writes of the server are two entries.
  @Test func whatTheAppWroteIsRecordedWhenTheOriginChanges() throws {
    let database = try database()
    let key = try database.write { try $0.create("Task", ["_id": .string("a")]) }
    let address = ObjectAddress(className: "Task", primaryKey: .string("a"))
    try database.write { transaction in
      try transaction.set("Task", key, "size", .int(4))
      transaction.origin = .sync
      try transaction.write(
        Unit(object: address, path: .property("title")), .value(.string("x")))
      transaction.origin = .app
      try transaction.set("Task", key, "size", .int(5))
    }
    #expect(
      try entries(database).map(actions) == [
        [.create], [.set(property: "size", .int(4))], [.set(property: "size", .int(5))],
      ])
    #expect(try database.check().findings == [])
  }

  @Test func theClockAndTheDigestGoOn() throws {
    let database = try database()
    let key = try database.write { try $0.create("Task", ["_id": .string("a")]) }
    for size in 1...3 { try database.write { try $0.set("Task", key, "size", .int(Int64(size))) } }
    let entries = try entries(database)
    let clocks = entries.compactMap { entry -> HybridClock? in
      if case .push(let content) = entry.content { content.clock } else { nil }
    }
    #expect(zip(clocks, clocks.dropFirst()).allSatisfy { $0 < $1 })
    #expect(Set(entries.map(\.digest)).count == 4)
    var last: UInt64 = 0
    for entry in entries {
      var writer = RecordedWriter()
      writer.append(entry.content)
      #expect(entry.digest == Capture.digest(after: last, entry.firstName, writer.bytes))
      last = entry.digest
    }
  }

  @Test func aSubscriptionSetTakesTheNextNumber() throws {
    let database = try database()
    try database.write {
      try $0.capture.append(.sets(version: 3))
      try $0.create("Task", ["_id": .string("a")])
    }
    #expect(try entries(database).map(\.number) == [1, 2])
    #expect(try entries(database).first?.content == .sets(version: 3))
  }

  @Test func anEditedListKeepsTheIDsOfWhatStays() throws {
    let database = try database()
    let key = try database.write {
      try $0.create(
        "Task", ["_id": .string("a"), "tags": .list([.string("p"), .string("q"), .string("r")])])
    }
    try database.write {
      try $0.set(
        "Task", key, "tags", .list([.string("p"), .string("x"), .string("r"), .string("s")]))
    }
    let old = (0..<3).map { ElementID(client: 77, number: 3, index: UInt32($0)) }
    #expect(
      try actions(entries(database).last) == [
        .removeElement(property: "tags", old[1]),
        .insert(
          property: "tags", ElementID(client: 77, number: 4, index: 0), ListPosition([0, 77, 1]),
          .string("x")),
        .insert(
          property: "tags", ElementID(client: 77, number: 4, index: 1), ListPosition([0, 77, 3]),
          .string("s")),
      ])
    try database.write {
      try $0.set("Task", key, "tags", .list([.string("r"), .string("s"), .string("t")]))
    }
    #expect(
      try actions(entries(database).last) == [
        .removeElement(property: "tags", old[0]),
        .removeElement(property: "tags", ElementID(client: 77, number: 4, index: 0)),
        .insert(
          property: "tags", ElementID(client: 77, number: 5, index: 0), ListPosition([0, 77, 4]),
          .string("t")),
      ])
  }

  @Test func anObjectThatIsDeletedAndMadeAgainKeepsItsKeyAndIsANewLife() throws {
    let database = try database()
    let cursor = Cursor(incarnation: 5, version: 6)
    let key = try database.write { transaction in
      transaction.origin = .sync
      let key = try transaction.createAddressed(Self.a)
      try transaction.capture.setGenerations(
        ObjectGenerations(confirmed: cursor, head: .confirmed(cursor)), of: Self.a)
      return key
    }
    try database.write { try $0.delete("Task", key) }
    let again = try database.write { try $0.create("Task", ["_id": .string("a")]) }
    #expect(again == key)
    try database.write { try $0.set("Task", key, "size", .int(1)) }
    let operations = try entries(database).flatMap { entry -> [AtollCapture.Operation] in
      if case .push(let content) = entry.content { content.operations } else { [] }
    }
    #expect(
      operations.map(\.generation) == [.confirmed(cursor), nil, .pending(number: 2, index: 0)])
    let once = try database.write {
      try $0.delete("Task", key)
      return try $0.create("Task", ["_id": .string("a")])
    }
    #expect(once == key)
    #expect(try actions(entries(database).last) == [.delete, .create])
  }

  @Test func aChangeInAnEmbeddedObjectIsOneInsideItsOwner() throws {
    let database = try database()
    let (key, child) = try database.write { transaction in
      let key = try transaction.create("Task", ["_id": .string("a")])
      return (
        key, try transaction.createEmbedded(in: "Task", key, "detail", ["note": .string("n")])
      )
    }
    let field = RecordedField(property: "note", value: .string("n"))
    let incarnation = ElementID(client: 77, number: 3, index: 0)
    #expect(
      try actions(entries(database).last) == [
        .create,
        .set(property: "detail", .embedded(EmbeddedValue(incarnation: incarnation, [field]))),
      ])
    try database.write { try $0.set("Detail", child, "count", .int(2)) }
    func at(_ name: String) -> InnerPlace { InnerPlace(incarnation: incarnation, names: [name]) }
    #expect(
      try actions(entries(database).last) == [
        .edit(.property("detail"), at("count"), .set(.int(2)))
      ])
    try database.write {
      try $0.set("Detail", child, "note", .string(""))
      try $0.increment("Detail", child, "count", by: 3)
    }
    #expect(
      try actions(entries(database).last) == [
        .edit(.property("detail"), at("note"), .remove),
        .edit(.property("detail"), at("count"), .increment(by: 3, startsAtZero: false)),
      ])
    try database.write { try $0.delete("Detail", child) }
    #expect(try actions(entries(database).last) == [.set(property: "detail", .null)])
    #expect(try database.write { try $0.value("Task", key, "detail") } == .null)
  }

  @Test func aSyncedClassTakesANumberBeforeTheOperationsThatNeedIt() throws {
    let database = try Database.inMemory(options: .recording)
    func add(_ name: String, _ origin: WriteOrigin, isSynced: Bool = true) throws {
      try database.write { transaction in
        transaction.origin = origin
        try transaction.addClass(
          ClassSchema(
            name, properties: [PropertySchema("_id", .int)], primaryKey: "_id",
            isSynced: isSynced))
        try transaction.create(name, ["_id": .int(1)])
      }
    }
    try add("Local", .app, isSynced: false)
    #expect(try entries(database) == [])
    try add("FromServer", .sync)
    #expect(try entries(database) == [])
    try add("Mine", .app)
    let contents = try entries(database).map(\.content)
    #expect(contents.count == 2)
    #expect(contents[0] == .schema)
    // Nothing new, no entry.
    try database.write { try $0.create("Mine", ["_id": .int(2)]) }
    #expect(try entries(database).count == 3)
    try database.write {
      try $0.addProperty(PropertySchema("more", .string, isOptional: true), to: "Mine")
    }
    #expect(try entries(database).last?.content == .schema)
  }

  @Test func aClassWithoutPrimaryKeyCannotBeSynced() throws {
    let database = try Database.inMemory(options: .recording)
    #expect(throws: ObjectError.invalidSchema(.syncedWithoutPrimaryKey("Bare"))) {
      try database.write {
        try $0.addClass(
          ClassSchema("Bare", properties: [PropertySchema("x", .int)], isSynced: true))
      }
    }
  }

  @Test func aLargeTransactionTakesTimeAndMemoryByItsSize() throws {
    let database = try database()
    try database.write { transaction in
      for number in 0..<8_000 {
        try transaction.create("Team", ["_id": .int(Int64(number)), "name": .string("n")])
      }
    }
    #expect(try entries(database).map { actions($0).count } == Array(repeating: 2_000, count: 8))
  }
}
