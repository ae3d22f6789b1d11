import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// One file that is open several times.
@Suite(.computing) struct SharedFileTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path(of: "shared.atoll") }

  private func makeFile() throws -> Database {
    let database = try Database.open(path)
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Thing", properties: [PropertySchema("id", .int), PropertySchema("by", .string)],
          primaryKey: "id"))
    }
    return database
  }

  private func count(_ database: Database) throws -> Int {
    try database.snapshot().table("Thing").count
  }

  @Test func twoInstancesSeeEachOthersCommits() throws {
    let first = try makeFile()
    let second = try Database.open(path)
    let old = try second.snapshot()
    for round in 0..<20 {
      let writer = round % 2 == 0 ? first : second
      try writer.write {
        try $0.create("Thing", ["id": .int(Int64(round)), "by": .string("\(round % 2)")])
      }
      #expect(try count(first) == round + 1)
      #expect(try count(second) == round + 1)
    }
    #expect(try old.table("Thing").count == 0)
    try second.write {
      try $0.addProperty(PropertySchema("new", .int, isIndexed: true), to: "Thing")
    }
    try first.write { try $0.upsert("Thing", primaryKey: .int(3), ["new": .int(7)]) }
    let object = try second.snapshot().table("Thing").object(primaryKey: .int(3))
    #expect(isExactly(try #require(object)["new"], .int(7)))
    #expect(try first.status().pins.map(\.version) == [old.version])
    try first.expectSound()
    try second.close()
    try first.expectSound()
    try first.close()
  }

  @Test func writersOfTwoInstancesTakeTurns() throws {
    let databases = [try makeFile(), try Database.open(path)]
    onThreads(2) { thread in
      do {
        for round in 0..<30 {
          try databases[thread].write { transaction in
            let id = Value.int(Int64(round))
            let known = try transaction.key("Thing", primaryKey: id)
            let text = try known.map { try transaction.value("Thing", $0, "by") }
            guard case .string(let before) = text ?? .string("") else { return }
            try transaction.upsert("Thing", primaryKey: id, ["by": .string("\(before)\(thread)")])
          }
        }
      } catch { Issue.record(error) }
    }
    var texts: Set<String> = []
    try databases[0].snapshot().table("Thing").forEach { object in
      if case .string(let text) = try object["by"] { texts.insert(text) }
    }
    // Nobody's change was lost under the other's.
    #expect(texts.isSubset(of: ["01", "10"]))
    #expect(try count(databases[1]) == 30)
    try databases[1].expectSound()
  }

  @Test func anotherProcessSeesAndIsSeen() async throws {
    let database = try makeFile()
    try database.write { try $0.create("Thing", ["id": .int(1), "by": .string("parent")]) }
    let old = try database.snapshot()
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.exitStatus]
    ) { [path = path as String] in
      let database = try Database.open(path)
      let parents = try database.snapshot().table("Thing").object(primaryKey: .int(1))
      guard case .string("parent") = try #require(parents)["by"] else { return }
      for id in 2...50 {
        try database.write {
          try $0.create("Thing", ["id": .int(Int64(id)), "by": .string("child")])
        }
      }
      try database.write { try $0.delete("Thing", ObjectKey(rawValue: 1 << 63 | 1)) }
      // Ends without closing the file.
    }
    #expect(result.exitStatus == .exitCode(0))
    #expect(try count(database) == 49)
    #expect(try old.table("Thing").count == 1)
    let by = try #require(try old.table("Thing").object(primaryKey: .int(1)))["by"]
    #expect(isExactly(by, .string("parent")))
    try database.write { try $0.create("Thing", ["id": .int(51)]) }
    #expect(try count(database) == 50)
    try database.expectSound()
  }

  @Test func anInstanceIsToldOfTheCommitsOfAnother() async throws {
    let database = try makeFile()
    let reader = try Database.open(path, options: .init(mode: .readOnly))
    var commits = reader.commits.makeAsyncIterator()
    for id in 0..<20 {
      async let commit: UInt64? = {
        try database.write { try $0.create("Thing", ["id": .int(Int64(id))]) }
        return try database.snapshot().version
      }()
      let version = try await commits.next()
      #expect(try await commit == version)
      #expect(try count(reader) == id + 1)
    }
    // What was committed before is not told again, and several commits are one element.
    try database.write { try $0.create("Thing", ["id": .int(100)]) }
    try database.write { try $0.create("Thing", ["id": .int(101)]) }
    let newest = try database.snapshot().version
    #expect(try await commits.next() == newest)
    #expect(try reader.waitForCommit(after: newest, timeout: .milliseconds(1)) == nil)
    #expect(try reader.waitForCommit(after: newest - 1) == newest)
    try reader.close()
    #expect(try await commits.next() == nil)
    for try await _ in reader.commits { Issue.record("a closed database has no commits") }
    #expect(throws: ObjectError.storage(.closed(path: path, failedSync: nil))) {
      _ = try reader.waitForCommit(after: newest)
    }
  }

  @Test func aReadOnlyInstanceFollowsAndWritesNothing() throws {
    let database = try makeFile()
    let reader = try Database.open(path, options: .init(mode: .readOnly))
    try database.write { try $0.create("Thing", ["id": .int(1)]) }
    #expect(try count(reader) == 1)
    #expect(throws: ObjectError.storage(.readOnly(path: path))) { try reader.write { _ in } }
    try reader.expectSound()
  }
}
