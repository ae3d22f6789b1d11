import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollCommand

/// `watch`.
@Suite(.computing) struct WatchCommandTests {
  /// A file of two classes, and the database that changes it.
  private func makeDatabase(_ run: CommandRun) throws -> Database {
    let database = try Database.open(run.path("a"))
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema("A", properties: [PropertySchema("n", .int)], primaryKey: "n"),
        ClassSchema("B", properties: [PropertySchema("n", .int)]),
      ])
      for n in 0..<5 { try transaction.create("A", ["n": .int(Int64(n))]) }
    }
    return database
  }

  /// The text of a line after its time.
  private static func news(_ line: String) throws -> String {
    let found = try #require(line.wholeMatch(of: /\d+-\d\d-\d\dT\d\d:\d\d:\d\dZ  (.*)/))
    return String(found.1)
  }

  @Test func eachCommitIsALine() throws {
    let run = CommandRun()
    let database = try makeDatabase(run)
    let program = try ChildProcess(
      ChildProcess.path(ofProgram: "atoll"), ["watch", run.path("a"), "--count", "2"])
    #expect(try Self.news(program.receive()) == "version 2  A 5 objects (+5), B 0 objects")
    try database.write { transaction in
      for n in 0..<3 { try transaction.delete("A", .init(integerPrimaryKey: Int64(n))) }
      try transaction.create("B", ["n": .int(1)])
    }
    #expect(
      try Self.news(program.receive())
        == "version 3  A 2 objects (-3), B 1 object (+1)")
    try database.write { transaction in
      try transaction.addClass(ClassSchema("C", properties: [PropertySchema("n", .int)]))
      try transaction.upsert("A", primaryKey: .int(3), [:])
    }
    #expect(try Self.news(program.receive()) == "version 4  C 0 objects")
    #expect(program.waitForSuccess())
  }

  @Test func programsGetJSON() throws {
    let run = CommandRun()
    let database = try makeDatabase(run)
    let program = try ChildProcess(
      ChildProcess.path(ofProgram: "atoll"), ["watch", run.path("a"), "--count", "1", "--json"])
    #expect(try program.receive().hasPrefix(#"{"version":2,"seconds":"#))
    try database.write { try $0.create("B", ["n": .int(1)]) }
    let line = try program.receive()
    #expect(line.hasPrefix(#"{"version":3,"seconds":"#))
    #expect(
      line.hasSuffix(#""changedClasses":[{"name":"B","objects":1,"added":1}]}"#), "\(line)")
    #expect(program.waitForSuccess())
  }

  @Test func aTimeoutIsANo() throws {
    let run = CommandRun()
    let database = try makeDatabase(run)
    let outcome = run("watch", run.path("a"), "--timeout", "0.01")
    #expect(outcome.status == .failure)
    #expect(outcome.output.split(separator: "\n").count == 1)
    #expect(outcome.errors == "\(run.path("a")): no commit in 10.0 ms\n")
    withExtendedLifetime(database) {}
  }
}
