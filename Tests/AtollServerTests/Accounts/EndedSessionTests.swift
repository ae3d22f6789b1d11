#if Sync
import AtollObjects
import AtollTransport
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

  @Test func toEndWhatHasEndedWritesNothing() throws {
    let session = try accounts.loginAnonymously(host: HostKey("127.0.0.1"), now: 1_000)
    try accounts.end(sessions: [session.id, "unknown"], now: 2_000)
    let version = try database.snapshot().version
    for now in 0..<5 as Range<UInt64> {
      try accounts.end(sessions: [session.id, "unknown"], now: 3_000 + now)
    }
    #expect(try database.snapshot().version == version)
  }

  private func storedCount() throws -> Int {
    var count = 0
    try database.snapshot().table("EndedSession").forEach { _ in count += 1 }
    return count
  }

  @Test func anEndedLogInIsKnownUntilItsTokensExpire() throws {
    let session = try accounts.loginAnonymously(host: HostKey("192.0.2.1"), now: 1_000)
    let end = AccountStore.accessTokenMilliseconds + 2_000
    #expect(try accounts.end(sessions: [session.id], now: 2_000) == end)
    #expect(try accounts.endedSessions(now: end - 1) == [session.id: end])
    #expect(try accounts.endedSessions(now: end).isEmpty)
    #expect(try accounts.session(session.id, now: 2_000) == nil)
    try accounts.removeWhatEnded(now: end)
    #expect(try storedCount() == 0)
  }

  @Test func whatHasExpiredGoesWhileTheServerRuns() throws {
    let step = AccountStore.accessTokenMilliseconds / 10
    for number in 0..<100 {
      try accounts.end(sessions: ["\(number)"], now: UInt64(number) * step)
    }
    #expect(try accounts.endedSessions(now: 99 * step).count == 10)
    #expect(try storedCount() <= 21)
  }

  /// Each visit of an app that does not keep its log-in made a user for good.
  @Test func anonymousUsersGoWithTheirLastLogIn() throws {
    let host = HostKey("192.0.2.1")
    let life = accounts.options.sessionMilliseconds
    let gone = try accounts.loginAnonymously(host: host, now: 1_000)
    let disabled = try accounts.loginAnonymously(host: host, now: 1_000)
    try accounts.setDisabled(true, user: disabled.user, now: 1_000)
    try accounts.register(email: "ada@b.c", password: "secret", now: 1_000)
    let named = try accounts.userID(of: "ada@b.c")
    let young = try accounts.loginAnonymously(host: host, now: 2_000)
    try accounts.end(sessions: [young.id], now: 3_000)
    func users() throws -> Set<String> { Set(try accounts.users(now: 0).map(\.id)) }
    try accounts.removeWhatEnded(now: life + 999)
    #expect(try users() == [gone.user, disabled.user, named, young.user])
    try accounts.removeWhatEnded(now: life + 1_000)
    #expect(try users() == [disabled.user, named, young.user])
    let late = try accounts.loginAnonymously(host: host, now: life + 1_500)
    try accounts.removeWhatEnded(now: life + 2_000)
    #expect(try users() == [disabled.user, named, late.user])
    #expect(try accounts.session(late.id, now: life + 2_000) != nil)
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
    let end = try accounts.end(sessions: ["a"], now: 1)
    #expect(try accounts.endedSessions(now: 1) == ["a": end])
  }
}
#endif
