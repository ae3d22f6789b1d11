#if Sync
import AtollObjects
import TestThreads
import Testing

@testable import AtollServer

@Suite(.computing) struct EndedSessionTests {
  private let database: Database
  private let accounts: AccountStore

  init() throws {
    database = try Database.inMemory()
    accounts = try AccountStore(database, options: .init(), random: TestRandom().next)
  }

  private func storedCount() throws -> Int {
    var count = 0
    try database.snapshot().table("EndedSession").forEach { _ in count += 1 }
    return count
  }

  @Test func anEndedLogInIsKnownUntilItsTokensExpire() throws {
    let session = try accounts.loginAnonymously(host: "host", now: 1_000)
    try accounts.end(session: session.id, until: 5_000, now: 2_000)
    #expect(try accounts.endedSessions(now: 4_999) == [session.id: 5_000])
    #expect(try accounts.endedSessions(now: 5_000).isEmpty)
    #expect(try !accounts.isOpen(session: session.id, now: 2_000))
    try accounts.removeEndedSessions(now: 5_000)
    #expect(try storedCount() == 0)
  }

  @Test func whatHasExpiredGoesWhileTheServerRuns() throws {
    for number in 0..<100 {
      let now = UInt64(number) * 1_000
      try accounts.end(session: "\(number)", until: now + 10_000, now: now)
    }
    #expect(try accounts.endedSessions(now: 99_000).count == 10)
    #expect(try storedCount() <= 21)
  }

  /// The file of a server that did not keep them.
  @Test func aFileWithoutTheirClassGetsIt() throws {
    let old = try Database.inMemory()
    try old.write { transaction in
      try transaction.addClasses([
        ClassSchema("User", properties: [PropertySchema("id", .string)], primaryKey: "id"),
        ClassSchema(
          "Session",
          properties: [PropertySchema("id", .string), PropertySchema("expiresAt", .int)],
          primaryKey: "id"),
      ])
    }
    let accounts = try AccountStore(old, options: .init(), random: TestRandom().next)
    try accounts.end(session: "a", until: 2, now: 1)
    #expect(try accounts.endedSessions(now: 1) == ["a": 2])
  }
}
#endif
