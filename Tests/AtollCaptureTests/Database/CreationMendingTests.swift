import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import AtollCapture

/// Objects of a salvaged file whose creation the outbox has lost.
@Suite(.computing) struct CreationMendingTests {
  private let address = ObjectAddress(className: "Task", primaryKey: .string("a"))

  /// An object with a list, a set, a map and an embedded object, made by entry 1, and changed by
  /// entry 2.
  private func database() throws -> Database {
    let database = try SyncedModel(seed: 0).database
    try database.write {
      let key = try $0.create(
        "Task",
        [
          "_id": .string("a"), "title": .string("t"), "tags": .list([.string("p"), .string("q")]),
          "marks": .set([.int(1), .int(2)]),
        ])
      try $0.createEmbedded(in: "Task", key, "detail", ["note": .string("n")])
    }
    try database.write { transaction in
      let key = try #require(try transaction.key("Task", primaryKey: .string("a")))
      try transaction.set("Task", key, "size", .int(7))
    }
    return database
  }

  private func lose(_ numbers: [UInt64], _ database: Database) throws {
    try database.write { transaction in
      transaction.origin = .sync
      for number in numbers {
        try transaction.namedTree(CaptureKey.outbox).set(nil, for: CaptureKey.number(number))
      }
      try transaction.mendCapture()
    }
  }

  private func entries(_ database: Database) throws -> [OutboxEntry] {
    var entries: [OutboxEntry] = []
    try database.snapshot().forEachOutboxEntry { entry throws(ObjectError) in
      entries.append(entry)
      return true
    }
    return entries
  }

  private func operations(_ entry: OutboxEntry?) -> [Operation] {
    guard case .push(let content)? = entry?.content else { return [] }
    return content.operations
  }

  /// What the server makes of an entry: the units that it sets.
  private func replay(_ operations: [Operation]) -> [UnitPath: UnitValue] {
    var units: [UnitPath: UnitValue] = [:]
    for operation in operations {
      switch operation.action {
      case .set(let name, let value): units[.property(name)] = .value(value)
      case .insert(let name, let id, let position, let value):
        units[.element(property: name, id)] = .element(position, value)
      case .addMember(let name, let member): units[.entry(property: name, member)] = .exists
      case .create: units[.existence] = .exists
      default: Issue.record("\(operation.action)")
      }
    }
    return units
  }

  private func units(_ database: Database) throws -> [UnitPath: UnitValue] {
    try database.write { transaction in
      transaction.origin = .sync
      return try transaction.readObject(address)
    }
  }

  /// Promise: reset.salvage.
  @Test func anObjectWhoseCreationIsLostIsRecordedAgainWithAllItsValues() throws {
    let database = try database()
    let before = try units(database)
    try lose([1, 2], database)
    #expect(try database.check().findings == [])
    let left = try entries(database)
    #expect(left.map(\.number) == [3])
    let operations = operations(left.first)
    #expect(operations.allSatisfy { $0.object == address })
    #expect(operations.first?.action == .create)
    // What is not in the entry is as it is in a new object.
    #expect(replay(operations)[.property("title")] == .value(.string("t")))
    #expect(replay(operations)[.property("size")] == .value(.int(7)))
    #expect(replay(operations)[.property("detail")] == before[.property("detail")])
    let elements = before.keys.filter { if case .element = $0 { true } else { false } }
    #expect(elements.count == 2)
    #expect(elements.allSatisfy { replay(operations)[$0] == before[$0] })
    #expect(try units(database) == before)
    // It loses to whatever the server has.
    guard case .push(let content)? = left.first?.content else { return }
    #expect(content.clock.rawValue == 0)
    // The next change names the new creation.
    try database.write { transaction in
      let key = try #require(try transaction.key("Task", primaryKey: .string("a")))
      try transaction.set("Task", key, "size", .int(8))
    }
    let next = self.operations(try entries(database).last)
    #expect(next.map(\.generation) == [.pending(number: 3, index: 0)])
    #expect(try database.check().findings == [])
  }

  /// An entry that changes the object is left, and the one that makes it is not.
  @Test func changesThatAreLeftDoNotMakeAnObject() throws {
    let database = try database()
    try lose([1], database)
    #expect(try database.check().findings == [])
    let left = try entries(database)
    #expect(left.map(\.number) == [2, 3])
    #expect(replay(operations(left.last))[.property("size")] == .value(.int(7)))
  }

  @Test func whatTheOutboxMakesIsNotRecordedAgain() throws {
    let database = try database()
    try database.write { transaction in
      transaction.origin = .sync
      try transaction.namedTree(CaptureKey.generations).removeAll()
    }
    try lose([2], database)
    #expect(try entries(database).map(\.number) == [1])
    let lives = try database.write { try $0.capture.generations(of: address) }
    #expect(lives.head == .pending(number: 1, index: 0))
  }

  @Test func anObjectThatTheServerHasIsNotRecorded() throws {
    let database = try database()
    let confirmed = Cursor(incarnation: 1, version: 9)
    try database.write { transaction in
      transaction.origin = .sync
      try transaction.capture.setGenerations(
        ObjectGenerations(confirmed: confirmed, head: .pending(number: 1, index: 0)), of: address)
    }
    try lose([1, 2], database)
    #expect(try entries(database).isEmpty)
    let lives = try database.write { try $0.capture.generations(of: address) }
    #expect(lives.head == .confirmed(confirmed))
    #expect(try database.check().findings == [])
  }

  /// Many small objects: no entry has more than a server judges.
  @Test func smallObjectsAreRecordedInEntriesThatAServerJudges() throws {
    let database = try SyncedModel(seed: 0).database
    try database.write { transaction in
      for number in 0..<5_000 {
        try transaction.create("Task", ["_id": .string("t\(number)"), "title": .string("x")])
      }
    }
    try database.write { transaction in
      transaction.origin = .sync
      try transaction.namedTree(CaptureKey.outbox).removeAll()
      try transaction.mendCapture()
    }
    let left = try entries(database)
    let counts = left.map { operations($0).count }
    #expect(counts.allSatisfy { $0 <= 2_001 })
    #expect(counts.reduce(0, +) == 10_000)
    #expect(try database.check().findings == [])
  }

  /// More objects than one entry tells of; of the first entry that made them any piece may be lost.
  @Test(arguments: [0, 1, 3]) func manyObjectsAreRecordedInSeveralEntries(lost: UInt8) throws {
    let database = try SyncedModel(seed: 0).database
    let title = String(repeating: "x", count: 50_000)
    try database.write { transaction in
      for number in 0..<50 {
        try transaction.create("Task", ["_id": .string("t\(number)"), "title": .string(title)])
      }
    }
    let key = CaptureKey.number(1)
    try database.write { transaction in
      transaction.origin = .sync
      let outbox = try transaction.namedTree(CaptureKey.outbox)
      let piece = lost == 0 ? key : key + [0xFF, 0, 0, 0, lost]
      #expect(try outbox.get(piece) != nil)
      try outbox.set(nil, for: piece)
      try transaction.mendCapture()
    }
    let left = try entries(database)
    // Two of the three that the transaction became, and one of what is recorded again.
    #expect(left.map(\.number) == [2, 3, 4])
    let made = left.map { operations($0).count { $0.action == .create } }
    #expect(made.reduce(0, +) == 50)
    #expect(try database.check().findings == [])
  }
}
