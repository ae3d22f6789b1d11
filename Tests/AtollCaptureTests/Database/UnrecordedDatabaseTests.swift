import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollCapture

/// A database that is opened without recording keeps what another one has recorded.
@Suite(.computing) struct UnrecordedDatabaseTests {
  @Test func checkCompactionAndSalvageKeepTheTreesOfADevice() throws {
    let folder = TemporaryFolder()
    let recording = try Database.open(folder.path(of: "source"), options: .recording)
    try recording.write { transaction in
      try transaction.addClasses(SyncedModel.classes)
      try transaction.create(
        "Task", ["_id": .string("a"), "tags": .list([.string("p"), .string("q")])])
    }
    let state = try #require(try recording.snapshot().syncState())
    try recording.close()
    let database = try Database.open(folder.path(of: "source"))
    try database.expectSound()
    try database.writeCompactCopy(to: folder.path(of: "copy"))
    try database.close()
    _ = try Database.salvage(folder.path(of: "source"), to: folder.path(of: "salvaged"))
    for name in ["source", "copy", "salvaged"] {
      let copy = try Database.open(folder.path(of: name), options: .recording)
      try copy.expectSound()
      #expect(try copy.snapshot().syncState() == state)
      // The classes, and what was written.
      #expect(try copy.snapshot().outboxCount == 2)
    }
  }

  /// What nothing records would stay on the device, and nobody would know.
  @Test func changesOfSyncedClassesAreRefused() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "file")
    #expect(throws: ObjectError.notRecorded(className: "Detail")) {
      try Database.open(path).write { try $0.addClasses(SyncedModel.classes) }
    }
    let recording = try Database.open(path, options: .recording)
    let (task, detail) = try recording.write { transaction in
      try transaction.addClasses(SyncedModel.classes)
      let task = try transaction.create("Task", ["_id": .string("a")])
      return (
        task, try transaction.createEmbedded(in: "Task", task, "detail", ["note": .string("n")])
      )
    }
    try recording.close()
    let database = try Database.open(path)
    let changes: [(className: String, change: (Transaction) throws -> Void)] = [
      ("Task", { try $0.create("Task", ["_id": .string("b")]) }),
      ("Task", { try $0.set("Task", task, "tags", .list([.string("p")])) }),
      ("Task", { try $0.append("Task", task, "tags", .string("p")) }),
      ("Task", { try $0.addProperty(PropertySchema("more", .string), to: "Task") }),
      ("Detail", { try $0.set("Detail", detail, "note", .string("p")) }),
      ("Detail", { try $0.delete("Task", task) }),
    ]
    for (className, change) in changes {
      #expect(throws: ObjectError.notRecorded(className: className)) {
        try database.write { transaction in
          try transaction.create("Local", ["number": .int(1)])
          try change(transaction)
        }
      }
    }
    #expect(try database.snapshot().table("Local").count == 0)
    let link = ObjectLink(
      table: try #require(database.snapshot().schema.table("Task")).id, key: task.rawValue)
    // Of the other classes no server is told.
    try database.write { transaction in
      try transaction.create("Local", ["number": .int(2), "task": .link(link)])
      try transaction.addClass(ClassSchema("More", properties: [PropertySchema("text", .string)]))
    }
    #expect(try database.snapshot().table("Local").count == 1)
    try database.expectSound()
  }

  /// Who writes as the server does needs no database that records.
  @Test func aTransactionBeginsToTakePartWhereItIsAsked() throws {
    let database = try Database.inMemory()
    let address = ObjectAddress(className: "Task", primaryKey: .string("a"))
    try database.write { transaction in
      try transaction.addClasses(SyncedModel.classes)
      transaction.origin = .sync
      try transaction.createAddressed(address)
    }
    #expect(try database.snapshot().table("Task").count == 1)
    #expect(try database.snapshot().outboxCount == 0)
    try database.write { transaction in
      transaction.origin = .app
      try transaction.leave(address)
    }
    #expect(try database.snapshot().outboxCount == 1)
  }
}
