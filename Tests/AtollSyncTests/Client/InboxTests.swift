import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

@Suite(.computing) struct InboxTests {
  private struct Abandoned: Error {}

  /// The property came later than the class.
  @Test func aFileWithoutElementsGetsThemWithTheNextEntry() throws {
    let database = try Database.inMemory(options: .recording)
    var old = Inbox.schema
    old.properties.removeAll { $0.name == "element" }
    try database.write { try $0.addClass(old) }
    let element = ElementID(client: 7, number: 8, index: 9)
    let removal = Operation(
      object: ObjectAddress(className: "Team", primaryKey: .int(1)), generation: nil,
      action: .removeElement(property: "members", element))
    let edit = Operation(
      object: removal.object, generation: nil, action: .set(property: "name", .string("A")))
    try database.write { transaction in
      #expect(try Inbox.entries(transaction).isEmpty)
      for (index, operation) in [edit, removal].enumerated().reversed() {
        let isNew = try Inbox.insert(
          PendingOperation(number: 3, index: UInt32(index), operation),
          name: EntryName(client: 7, number: 3), clock: HybridClock(milliseconds: 5),
          verdict: .outdated(.deletion), in: transaction)
        #expect(isNew != nil)
      }
    }
    let entries = try Inbox.entries(database.snapshot())
    #expect(entries.map(\.kind) == [.set, .removeElement])
    #expect(entries.map(\.element) == [nil, element])
    #expect(entries.map(\.value) == [.string("A"), nil])
  }

  /// The id is that of an element which is there.
  @Test(arguments: [Refusal.Reason.duplicateElement, .forbidden])
  func aDuplicateIsRetriedAsAnotherElement(_ insertion: Refusal.Reason) throws {
    let database = try Database.inMemory(options: .recording)
    let team = ObjectAddress(className: "Team", primaryKey: .int(1))
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Team",
          properties: [
            PropertySchema("_id", .int), PropertySchema("members", .string, collection: .list),
          ], primaryKey: "_id", isSynced: true))
      try transaction.create(
        "Team", ["_id": .int(1), "members": .list([.string("zeroth"), .string("first")])])
    }
    func elements() throws -> [ListElement] {
      try database.write { try $0.capture.elements(of: team, "members") }
    }
    func members() throws -> Value? {
      try database.snapshot().table("Team").object(primaryKey: .int(1))?["members"]
    }
    let id = try #require(try elements().last).id
    let before = ListPosition.between(nil, try elements().first?.position, count: 1)[0]
    let refused: [(Operation.Action, Refusal.Reason)] = [
      (.insert(property: "members", id, before, .string("second")), insertion),
      (.setElement(property: "members", id, .string("third")), .duplicateElement),
      (.moveElement(property: "members", id, before), .duplicateElement),
      // Of the element that is there.
      (.setElement(property: "members", id, .string("other")), .forbidden),
    ]
    for (index, (action, reason)) in refused.enumerated() {
      let number = 3 + UInt64(index)
      try database.write { transaction in
        _ = try Inbox.insert(
          PendingOperation(
            number: number, index: 0, Operation(object: team, generation: nil, action: action)),
          name: EntryName(client: 7, number: number),
          clock: HybridClock(milliseconds: number), verdict: .refused(Refusal(reason)),
          in: transaction)
      }
    }
    let entries = try Inbox.entries(database.snapshot())
    #expect(entries.map(\.element) == [id, id, id, id])
    #expect(entries.map(\.reason) == refused.map { .refused($0.1) })
    // Without its insertion nothing is done to it, nor where the object is not on the device.
    func retry(_ entries: [InboxEntry]) throws -> [InboxEntry] {
      try database.write { transaction in try Inbox.retry(entries, in: transaction) }
    }
    #expect(try retry(Array(entries[1...2])) == [])
    #expect(try retry([entries[1]]) == [])
    #expect(throws: Abandoned.self) {
      try database.write { transaction in
        try transaction.delete(
          "Team", #require(try transaction.key("Team", primaryKey: .int(1))))
        #expect(try Inbox.retry(entries, in: transaction) == [])
        throw Abandoned()
      }
    }
    #expect(try members() == .list([.string("zeroth"), .string("first")]))
    #expect(try Inbox.entries(database.snapshot()) == entries)
    #expect(try Set(retry([entries[0]])) == Set(entries[...2]))
    #expect(try members() == .list([.string("zeroth"), .string("first"), .string("third")]))
    let ids = try elements().map(\.id)
    #expect(ids.count == 3 && ids[1] == id && ids[2] != id)
    #expect(try retry([entries[3]]) == [entries[3]])
    #expect(try members() == .list([.string("zeroth"), .string("other"), .string("third")]))
    #expect(try Inbox.entries(database.snapshot()).isEmpty)
  }

  /// Of an object that is made in the same transaction no element has an id yet; of another one the
  /// ids are new.
  @Test(arguments: [false, true])
  func elementsAreRetriedInTheirOrder(isThere: Bool) throws {
    let database = try Database.inMemory(options: .recording)
    let team = ObjectAddress(className: "Team", primaryKey: .int(1))
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Team",
          properties: [
            PropertySchema("_id", .int), PropertySchema("members", .string, collection: .list),
          ], primaryKey: "_id", isSynced: true))
      if isThere {
        try transaction.create("Team", ["_id": .int(1), "members": .list([.string("first")])])
      }
    }
    let (a, b, c) = (
      ElementID(client: 7, number: 1, index: 0), ElementID(client: 7, number: 1, index: 1),
      ElementID(client: 7, number: 2, index: 0)
    )
    let position = ListPosition.between(nil, nil, count: 1)[0]
    let actions: [Operation.Action] = [
      .create, .insert(property: "members", a, position, .string("a")),
      .insert(property: "members", b, position, .string("b")),
      .setElement(property: "members", a, .string("A")),
      .insert(property: "members", c, position, .string("c")),
      .removeElement(property: "members", b), .setElement(property: "members", c, .string("C")),
    ]
    try database.write { transaction in
      for (index, action) in actions.enumerated() {
        _ = try Inbox.insert(
          PendingOperation(
            number: 3, index: UInt32(index),
            Operation(object: team, generation: nil, action: action)),
          name: EntryName(client: 7, number: 3), clock: HybridClock(milliseconds: 5),
          verdict: .refused(Refusal(.outsideView)), in: transaction)
      }
    }
    let entries = try Inbox.entries(database.snapshot())
    #expect(entries.count == actions.count)
    #expect(try database.write { try Inbox.retry(entries, in: $0) }.count == actions.count)
    let found = try database.snapshot().table("Team").object(primaryKey: .int(1))?["members"]
    #expect(found == .list((isThere ? ["first", "A", "C"] : ["A", "C"]).map { .string($0) }))
    let elements = try database.write { try $0.capture.elements(of: team, "members") }
    #expect(Set(elements.map(\.id)).count == (isThere ? 3 : 2))
    #expect(try Inbox.entries(database.snapshot()).isEmpty)
    #expect(try database.check().findings == [])
  }
}
