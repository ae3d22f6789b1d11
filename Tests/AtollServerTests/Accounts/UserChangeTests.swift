#if Sync
import AtollObjects
import AtollTransport
import TestThreads
import Testing

@testable import AtollServer

/// What an operator does with users while they log in.
@Suite(.computing) struct UserChangeTests {
  private let accounts: AccountStore
  private let host = HostKey("192.0.2.1")

  init() throws {
    accounts = try AccountStore(
      try Database.inMemory(), options: .forTests, random: TestRandom().next)
  }

  private func register() throws -> String {
    try accounts.register(email: "ann@example.com", password: "correct horse", now: 1_000)
    return try accounts.userID(of: "ann@example.com")
  }

  private func login(_ password: String = "correct horse") throws -> AccountStore.Session {
    try accounts.login(email: "ann@example.com", password: password, host: host, now: 2_000)
  }

  @Test func usersAreFoundByAllTheirNames() throws {
    let ann = try register()
    let key = try accounts.login(
      from: .key(name: "importer", digest: "1"), name: "importer", now: 2_000)
    let token = try accounts.login(from: .token(issuer: "i"), name: "dan", now: 3_000)
    #expect(try accounts.userID(of: ann) == ann)
    #expect(try accounts.userID(of: "ANN@example.com") == ann)
    #expect(try accounts.userID(of: "api-key:importer") == key.user)
    #expect(try accounts.userID(of: "custom-token:dan") == token.user)
    #expect(throws: AccountError.noSuchUser("importer")) { try accounts.userID(of: "importer") }
    #expect(
      try accounts.users(now: 3_000).map(\.identities) == [
        ["local-userpass:ann@example.com"], ["api-key:importer"], ["custom-token:dan"],
      ])
  }

  @Test func aDisabledUserIsRefusedHoweverHeLogsIn() throws {
    let ann = try register()
    let key = try accounts.login(
      from: .key(name: "importer", digest: "1"), name: "importer", now: 2_000)
    for user in [ann, key.user] { try accounts.setDisabled(true, user: user, now: 2_000) }
    #expect(throws: AccountError.userDisabled) { try login() }
    // Who does not know the password does not hear of it.
    #expect(throws: AccountError.invalidCredentials) { try login("wrong password") }
    #expect(throws: AccountError.userDisabled) {
      try accounts.login(from: .key(name: "importer", digest: "1"), name: "importer", now: 2_000)
    }
    #expect(try accounts.session(key.id, now: 2_000) == nil)
    #expect(try accounts.endedSessions(now: 2_000).keys.contains(key.id))
    try accounts.setDisabled(false, user: ann, now: 2_000)
    #expect(try login().user == ann)
  }

  @Test func ofSeveralLogInsOneIsTakenAway() throws {
    let ann = try register()
    let key = SessionOrigin.key(name: "importer", digest: "1")
    try accounts.link(from: key, name: "importer", to: ann)
    #expect(try accounts.login(from: key, name: "importer", now: 2_000).user == ann)
    let session = try login()
    let taken = try accounts.unlink("api-key:importer", now: 2_000)
    #expect(taken.user == ann && taken.endedCount == 2)
    #expect(try accounts.session(session.id, now: 2_000) == nil)
    #expect(try accounts.identities(of: ann).map(\.provider) == ["local-userpass"])
    // It is that of a new user.
    let other = try accounts.login(from: key, name: "importer", now: 2_000)
    #expect(other.user != ann)
    #expect(try login().user == ann)
    for only in ["ANN@example.com", "api-key:importer"] {
      #expect(throws: AccountError.onlyLogIn(only)) { try accounts.unlink(only, now: 2_000) }
    }
    for unknown in [ann, "dan@example.com", ""] {
      #expect(throws: AccountError.noSuchLogIn(unknown)) {
        try accounts.unlink(unknown, now: 2_000)
      }
    }
  }

  /// The list's name of a log-in is found before an address that looks like it.
  @Test func anAddressThatLooksLikeALogInHidesNone() throws {
    let name = "custom-token:dan@example.com"
    try accounts.register(email: name, password: "correct horse", now: 1_000)
    let dan = try accounts.login(from: .token(issuer: "i"), name: "dan@example.com", now: 2_000)
    #expect(try accounts.userID(of: name) == dan.user)
    try accounts.link(from: .key(name: "k", digest: "1"), name: "k", to: dan.user)
    #expect(try accounts.unlink(name, now: 2_000).user == dan.user)
  }

  /// The identity was found before it was taken away, and the log-in begins after.
  @Test func aLogInThatIsTakenAwayMeanwhileBeginsNothing() throws {
    let ann = try register()
    try accounts.link(from: .key(name: "k", digest: "1"), name: "k", to: ann)
    let claim = try accounts.claim(
      email: "ann@example.com", password: "correct horse", host: host, now: 2_000)
    try accounts.unlink("ann@example.com", now: 2_000)
    #expect(throws: AccountError.invalidCredentials) {
      try accounts.login(claim, isRight: true, now: 2_000)
    }
    #expect(throws: AccountError.invalidCredentials) {
      try accounts.begin(
        user: ann, named: ["local-userpass:ann@example.com"], from: .password, now: 2_000)
    }
  }

  /// Nobody comes back as somebody without a name: the account is all that a linked guest has.
  @Test func theAccountOfAGuestStays() throws {
    let guest = try accounts.loginAnonymously(host: host, now: 1_000)
    try accounts.link(from: .token(issuer: "i"), name: "dan", to: guest.user)
    #expect(try accounts.identities(of: guest.user).count == 2)
    #expect(throws: AccountError.onlyLogIn("custom-token:dan")) {
      try accounts.unlink("custom-token:dan", now: 2_000)
    }
  }

  /// The hash of the old password was found before, and is compared after.
  @Test func aPasswordThatIsChangedWhileItIsComparedIsWrong() throws {
    let ann = try register()
    let claim = try accounts.claim(
      email: "ann@example.com", password: "correct horse", host: host, now: 2_000)
    try accounts.setPassword("battery staple", user: ann, now: 2_000)
    #expect(claim.isRight())
    #expect(throws: AccountError.invalidCredentials) {
      try accounts.login(claim, isRight: true, now: 2_000)
    }
    #expect(try login("battery staple").user == ann)
  }

  @Test func aUserWhoIsDeletedWhileHeLogsInIsRefused() throws {
    let ann = try register()
    let session = try login()
    let claim = try accounts.claim(
      email: "ann@example.com", password: "correct horse", host: host, now: 2_000)
    #expect(try accounts.delete(user: ann, now: 2_000) == 1)
    #expect(throws: AccountError.invalidCredentials) {
      try accounts.login(claim, isRight: true, now: 2_000)
    }
    #expect(try accounts.session(session.id, now: 2_000) == nil)
    #expect(throws: AccountError.noSuchUser(ann)) { try accounts.delete(user: ann, now: 2_000) }
    #expect(try accounts.users(now: 2_000).isEmpty)
  }

  @Test func onlyAnAccountGetsAPassword() throws {
    let guest = try accounts.loginAnonymously(host: host, now: 1_000)
    let key = try accounts.login(from: .key(name: "k", digest: "1"), name: "k", now: 1_000)
    for user in [guest.user, key.user] {
      #expect(throws: AccountError.noPassword) {
        try accounts.setPassword("battery staple", user: user, now: 1_000)
      }
    }
    #expect(throws: AccountError.invalidPassword(least: 6, most: 128)) {
      try accounts.setPassword("short", user: try register(), now: 1_000)
    }
    // Nothing was ended by what was refused.
    #expect(try accounts.session(guest.id, now: 1_000) != nil)
  }
}
#endif
