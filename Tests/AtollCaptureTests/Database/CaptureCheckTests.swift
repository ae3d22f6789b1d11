import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import AtollCapture

@Suite(.computing) struct CaptureCheckTests {
  private let address = ObjectAddress(className: "Task", primaryKey: .string("a"))

  private func database() throws -> Database {
    let database = try SyncedModel(seed: 0).database
    try database.write {
      try $0.create("Task", ["_id": .string("a"), "tags": .list([.string("p"), .string("q")])])
    }
    return database
  }

  private func findings(_ change: (Transaction) throws -> Void) throws -> [String] {
    let database = try database()
    #expect(try database.check().findings == [])
    try database.write { transaction in
      transaction.origin = .sync
      try change(transaction)
    }
    return try database.check().findings.map(\.message)
  }

  @Test func anImageWithoutPendingOperationIsFound() throws {
    let found = try findings { transaction in
      let entry = try transaction.capture.entry(1)
      try transaction.capture.remove(#require(entry))
    }
    #expect(found == ["Task a has an image and no pending operation"])
  }

  @Test func anIndexOfPendingOperationsThatDoesNotMatchIsFound() throws {
    let found = try findings { transaction in
      try transaction.capture.setPending(
        PendingOperations(number: 1, first: 0, count: 2), of: address, number: 1)
    }
    #expect(found == ["1 operations of outbox entry 1 are not indexed as pending"])
    let other = try findings { transaction in
      try transaction.capture.setPending(
        PendingOperations(number: 9, first: 0, count: 1), of: address, number: 9)
    }
    #expect(
      other == [
        "Task a is said to be touched by operations of outbox entry 9"
      ])
  }

  @Test func aNumberThatWasNotGivenOutIsFound() throws {
    let found = try findings { transaction in
      var state = try transaction.capture.state()
      state.answered = 1
      try transaction.capture.setState(state)
    }
    #expect(found.contains("outbox entry 1 was answered, or its number not given out"))
  }

  @Test func elementsThatDoNotMatchTheirListAreFound() throws {
    let found = try findings { transaction in
      let key = try transaction.key("Task", primaryKey: .string("a"))
      try transaction.set("Task", #require(key), "tags", .list([.string("p")]))
    }
    #expect(found == ["the elements of Task a.tags have 2 ids"])
    let without = try findings { transaction in
      try transaction.capture.setElements([], of: address, "tags")
    }
    #expect(without == ["the elements of Task a.tags have no ids"])
  }

  @Test func aLifeOfAnObjectThatIsNotThereIsFound() throws {
    let found = try findings { transaction in
      try transaction.leave(address)
    }
    #expect(found.contains("Task a has a life in head and is not there"))
  }

  @Test func copiesAndSalvageKeepWhatIsPendingAndRecordNothing() throws {
    let folder = TemporaryFolder()
    let database = try Database.open(folder.path(of: "source"), options: .recording)
    try database.write { transaction in
      try transaction.addClasses(SyncedModel.classes)
      try transaction.create(
        "Task", ["_id": .string("a"), "tags": .list([.string("p"), .string("q")])])
    }
    try database.writeCompactCopy(to: folder.path(of: "copy"))
    let copy = try Database.open(folder.path(of: "copy"), options: .recording).snapshot()
    var numbers: [UInt64] = []
    try copy.forEachOutboxEntry { entry throws(ObjectError) in
      numbers.append(entry.number)
      return true
    }
    // The classes, and what was written.
    #expect(numbers == [1, 2])
    #expect(try copy.syncState() == database.snapshot().syncState())
    #expect(try Database.open(folder.path(of: "copy"), options: .recording).check().findings == [])

    // What a salvaged file has lost it cannot know: it keeps its writes and synchronises from the
    // start.
    try database.write { transaction in
      transaction.origin = .sync
      var state = try transaction.capture.state()
      state.cursor = Cursor(incarnation: 1, version: 9)
      state.seen = state.cursor
      try transaction.capture.setState(state)
    }
    try database.close()
    _ = try Database.salvage(
      folder.path(of: "source"), to: folder.path(of: "salvaged"), options: .recording)
    let salvaged = try Database.open(folder.path(of: "salvaged"), options: .recording)
    #expect(try salvaged.check().findings == [])
    let state = try #require(try salvaged.snapshot().syncState())
    #expect(state.cursor == nil && state.seen != nil && state.nextNumber == 3)
    #expect(try salvaged.write { try $0.capture.entry(2) } != nil)
  }

  @Test func mendingMakesAFileWithLostObjectsSoundAndKeepsTheOutbox() throws {
    let database = try database()
    try database.write { transaction in
      transaction.origin = .sync
      try transaction.createAddressed(
        ObjectAddress(className: "Task", primaryKey: .string("b")))
      try transaction.leave(address)
      try transaction.namedTree("outbox").set([1, 2, 3], for: CaptureKey.number(7))
      try transaction.capture.setElements(
        [ListElement(id: ElementID(client: 1, number: 1, index: 1), position: ListPosition([0]))],
        of: address, "tags")
    }
    #expect(try !database.check().findings.isEmpty)
    try database.write { transaction in
      transaction.origin = .sync
      try transaction.mendCapture()
    }
    #expect(try database.check().findings == [])
    #expect(try database.write { try $0.capture.entry(1) } != nil)
  }
}
