import AtollObjects
import TestThreads
import Testing

@testable import AtollCapture

@Suite(.computing) struct WaitingTargetTests {
  private static func address(_ name: String) -> ObjectAddress {
    ObjectAddress(className: "Task", primaryKey: .string(name))
  }

  private func database() throws -> Database { try SyncedModel(seed: 0).database }

  private func titles(_ transaction: Transaction, _ className: String, _ key: ObjectKey) throws
    -> [String?]
  {
    guard case .list(let links) = try transaction.value(className, key, "tasks") else { return [] }
    return try links.map {
      try transaction.value("Task", ObjectKey(rawValue: $0.link?.key ?? 0), "_id").string
    }
  }

  private func expectTitles(
    _ titles: [String], of className: String, _ key: ObjectKey, _ database: Database
  ) throws {
    let found = try database.write { try self.titles($0, className, key) }
    #expect(found == titles)
  }

  /// A local-only object that links to tasks a, b and c, of which b went away.
  private func prepared() throws -> (Database, ObjectKey) {
    let database = try database()
    let local = try database.write { transaction in
      let links = try ["a", "b", "c"].map { name in
        Value.link(
          ObjectLink(
            table: try transaction.table("Task").schema.id,
            key: try transaction.create("Task", ["_id": .string(name)]).rawValue))
      }
      return try transaction.create(
        "Local", ["number": .int(1), "task": links[1], "tasks": .list(links)])
    }
    try database.write { transaction in
      transaction.origin = .sync
      try transaction.leave(Self.address("b"))
    }
    return (database, local)
  }

  @Test func linksToAnObjectThatLeavesWaitAndComeBack() throws {
    let (database, local) = try prepared()
    try expectTitles(["a", "c"], of: "Local", local, database)
    #expect(try database.write { try $0.value("Local", local, "task") } == .null)
    #expect(try database.snapshot().pendingLinkCount == 2)
    try database.write { transaction in
      transaction.origin = .sync
      try transaction.createAddressed(Self.address("b"))
    }
    try expectTitles(["a", "b", "c"], of: "Local", local, database)
    #expect(try database.write { try $0.value("Local", local, "task") }.link != nil)
    #expect(try database.snapshot().pendingLinkCount == 0)
    #expect(try database.check().findings == [])
  }

  @Test func anEditOfTheVisibleListKeepsWaitingElementsAndTheirPlaces() throws {
    let (database, local) = try prepared()
    try database.write { transaction in
      guard case .list(let links) = try transaction.value("Local", local, "tasks") else { return }
      try transaction.set("Local", local, "tasks", .list(links))
      let d = try transaction.create("Task", ["_id": .string("d")])
      let new = Value.link(
        ObjectLink(table: try transaction.table("Task").schema.id, key: d.rawValue))
      try transaction.set("Local", local, "tasks", .list([new] + links))
    }
    try database.write { try $0.create("Task", ["_id": .string("b")]) }
    try expectTitles(["d", "a", "b", "c"], of: "Local", local, database)
    #expect(try database.check().findings == [])
  }

  @Test func aDeletionInASyncedClassRecordsNothingOfTheObjectsThatLink() throws {
    let database = try database()
    let (task, team) = try database.write { transaction in
      let task = try transaction.create("Task", ["_id": .string("a")])
      let link = Value.link(
        ObjectLink(table: try transaction.table("Task").schema.id, key: task.rawValue))
      return (task, try transaction.create("Team", ["_id": .int(1), "tasks": .list([link])]))
    }
    try database.write { try $0.delete("Task", task) }
    try database.write { transaction in
      var last: OutboxEntry?
      try transaction.capture.forEachEntry { entry throws(ObjectError) in
        last = entry
        return true
      }
      guard case .push(let content)? = last?.content else { return }
      #expect(content.operations.map(\.action) == [.delete])
      #expect(try titles(transaction, "Team", team) == [])
      let elements = try transaction.capture.elements(
        of: ObjectAddress(className: "Team", primaryKey: .int(1)), "tasks")
      #expect(elements.count == 1)
    }
    #expect(try database.check().findings == [])
  }

  @Test func aDeletionInALocalClassClearsLinks() throws {
    let database = try Database.inMemory(options: .recording)
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Node",
          properties: [PropertySchema("id", .int), PropertySchema("next", linkTo: "Node")],
          primaryKey: "id"))
      let a = try transaction.create("Node", ["id": .int(1)])
      let link = Value.link(
        ObjectLink(table: try transaction.table("Node").schema.id, key: a.rawValue))
      try transaction.create("Node", ["id": .int(2), "next": link])
      try transaction.delete("Node", a)
    }
    #expect(try database.snapshot().pendingLinkCount == 0)
  }

  @Test func manyElementsOfOneListThatComeLaterCostWhatTheyAre() throws {
    let database = try database()
    let count = 5000
    let team = ObjectAddress(className: "Team", primaryKey: .int(1))
    try database.write { transaction in
      transaction.origin = .sync
      try transaction.createAddressed(team)
      let positions = ListPosition.between(nil, nil, count: count)
      for index in 0..<count {
        try transaction.write(
          Unit(
            object: team,
            path: .element(
              property: "tasks", ElementID(client: 1, number: 1, index: UInt32(index)))),
          .element(positions[index], .link(Self.address("\(index)"))))
      }
    }
    #expect(try database.snapshot().pendingLinkCount == count)
    try database.write { transaction in
      transaction.origin = .sync
      for index in (0..<count).reversed() {
        try transaction.createAddressed(Self.address("\(index)"))
      }
    }
    let key = ObjectKey(integerPrimaryKey: 1)
    try expectTitles((0..<count).map { "\($0)" }, of: "Team", key, database)
    #expect(try database.check().findings == [])
  }
}
