import AtollStorage
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import AtollObjects

/// A database that nobody refers to any more leaves nothing behind: no memory, and no open file.
@Suite(.computing) struct DatabaseLifetimeTests {
  enum Use: CaseIterable {
    case nothing, writing, failing, reading, changingInTurn, checking, committingAsync, waiting
    case following, compacting, closing
  }

  @Test(arguments: Use.allCases) func nothingStaysInMemory(use: Use) async throws {
    weak var store: PageStore?
    weak var file: MemoryFile?
    do {
      let memory = try MemoryFile(path: "memory")
      file = memory
      let database = Database(
        store: try PageStore(
          file: memory, coordinator: LocalCoordinator(path: "memory"), cacheByteCount: 1 << 20,
          makeFileID: { Array(repeating: 7, count: 16) }))
      store = database.store
      try Self.fill(database)
      try await Self.run(use, database)
    }
    // The threads that commit and wait for others end a little later.
    for _ in 0..<1000 where store != nil || file != nil {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(store == nil)
    #expect(file == nil)
  }

  #if os(Linux)
  @Test(arguments: Use.allCases) func noFileStaysOpen(use: Use) async throws {
    let folder = TemporaryFolder()
    do {
      let database = try Database.open(folder.path(of: "a.atoll"))
      try Self.fill(database)
      #expect(try Self.openFiles(in: folder.path).count >= 2)
      try await Self.run(use, database)
    }
    for _ in 0..<1000 where try !Self.openFiles(in: folder.path).isEmpty {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try Self.openFiles(in: folder.path) == [])
  }

  /// What this process has open below a folder.
  private static func openFiles(in folder: String) throws -> [String] {
    let descriptors = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: descriptors).compactMap {
      // Other tests close files meanwhile.
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
    }.filter { $0.hasPrefix("\(folder)/") }
  }
  #endif

  private static func fill(_ database: Database) throws {
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Person",
          properties: [
            PropertySchema("id", .int), PropertySchema("name", .string, isIndexed: true),
            PropertySchema("about", .string, isFullTextIndexed: true),
            PropertySchema("friends", linkTo: "Person", collection: .list),
          ], primaryKey: "id")
      ])
      for id in 0..<300 { _ = try transaction.create("Person", person(id)) }
      try transaction.link(
        "Person", ObjectKey(integerPrimaryKey: 1), "friends", toPrimaryKeys: [.int(2), .int(999)])
    }
  }

  private static func person(_ id: Int) -> [String: Value] {
    [
      "id": .int(Int64(id)), "name": .string("Name \(id % 7)"),
      "about": .string(String(repeating: "word ", count: id % 50 == 0 ? 2000 : 3)),
    ]
  }

  private struct Failure: Error {}

  private static func run(_ use: Use, _ database: Database) async throws {
    switch use {
    case .nothing: break
    case .writing:
      try database.write { transaction in
        _ = try transaction.create("Person", person(1000))
        try transaction.delete("Person", ObjectKey(integerPrimaryKey: 2))
      }
    case .failing:
      #expect(throws: Failure.self) {
        try database.write { transaction in
          _ = try transaction.create("Person", person(1000))
          throw Failure()
        }
      }
      let transaction = try database.beginWrite()
      _ = try transaction.create("Person", person(1001))
    case .reading: try read(database.snapshot())
    case .changingInTurn:
      let old = try database.snapshot()
      for id in 1000..<1010 {
        try database.write { _ = try $0.create("Person", person(id)) }
        try read(database.snapshot())
      }
      try read(old)
    case .checking: #expect(try database.check().findings == [])
    case .committingAsync:
      for id in 1000..<1003 {
        try await database.writeAsync { _ = try $0.create("Person", person(id)) }
      }
    case .waiting:
      _ = try database.waitForCommit(
        after: database.snapshot().version, timeout: .milliseconds(20))
    case .following:
      let commits = database.commits
      try database.write { _ = try $0.create("Person", person(1000)) }
      for try await version in commits {
        #expect(version == 3)
        break
      }
      let task = Task { for try await _ in database.commits {} }
      try await Task.sleep(for: .milliseconds(20))
      task.cancel()
      try await task.value
    case .compacting: _ = try database.compactInPlace()
    case .closing: try database.close()
    }
  }

  private static func read(_ snapshot: Snapshot) throws {
    let table = try snapshot.table("Person")
    try table.forEach { object in
      for column in object.table.schema.columns { _ = try object.value(column) }
    }
    let name = try table.column("name")
    let index = try #require(try snapshot.index(name))
    #expect(index.entryCount == table.count)
    let friend = try #require(try table.object(primaryKey: .int(2)))
    #expect(try friend.backlinks(table.column("friends")) == [ObjectKey(integerPrimaryKey: 1)])
  }
}
