#if Sync
import AtollObjects
import AtollTransport
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

/// Users with several ways to log in.
@Suite(.computing) struct LinkedIdentityTests {
  private let host = HostKey("192.0.2.1")

  private func makeAccounts() throws -> AccountStore {
    try AccountStore(try Database.inMemory(), options: .forTests, random: TestRandom().next)
  }

  private func register(_ email: String, _ accounts: AccountStore) throws -> String {
    let registration = try accounts.registration(
      email: email, password: "secret", host: host, now: 1_000)
    try accounts.register(registration, registration.password.hash(), now: 1_000)
    return try accounts.userID(of: email)
  }

  private func link(
    _ email: String, _ password: String = "secret", to user: String, _ accounts: AccountStore,
    now: UInt64 = 2_000
  ) throws {
    let link = try accounts.passwordLink(
      email: email, password: password, user: user, host: host, now: now)
    try accounts.link(link, link.test(), now: now)
  }

  private func login(
    _ email: String, _ accounts: AccountStore, now: UInt64 = 2_000
  ) throws -> AccountStore.Session {
    try accounts.login(email: email, password: "secret", host: host, now: now)
  }

  @Test func anAnonymousUserKeepsTheIDAndLogsInWithTheAddress() throws {
    let accounts = try makeAccounts()
    let guest = try accounts.loginAnonymously(host: host, now: 1_000)
    #expect(
      try accounts.identities(of: guest.user) == [.init(provider: "anon-user", id: guest.user)])
    try link("Ann@example.com", to: guest.user, accounts)
    #expect(try login("ann@EXAMPLE.com", accounts).user == guest.user)
    #expect(try accounts.session(guest.id, now: 2_000) != nil)
    #expect(
      try accounts.identities(of: guest.user) == [
        .init(provider: "anon-user", id: guest.user),
        .init(provider: "local-userpass", id: "ann@example.com"),
      ])
    #expect(try accounts.userID(of: "ANN@example.com") == guest.user)
    #expect(try accounts.users(now: 2_000).count == 1)
    // The answer to the first request was lost.
    try link("ann@example.com", to: guest.user, accounts)
    #expect(throws: AccountError.passwordExists) {
      try link("bob@example.com", to: guest.user, accounts)
    }
  }

  /// A program that gets no answer asks again, perhaps while the first request is at work.
  @Test func ofTwoEqualRequestsTheSecondMayBeAskedAgain() throws {
    let accounts = try makeAccounts()
    let guest = try accounts.loginAnonymously(host: host, now: 1_000)
    let links = try (0..<2).map { _ in
      let link = try accounts.passwordLink(
        email: "ann@example.com", password: "secret", user: guest.user, host: host, now: 2_000)
      return (link, link.test())
    }
    try accounts.link(links[0].0, links[0].1, now: 2_000)
    #expect(throws: AccountError.overtaken) {
      try accounts.link(links[1].0, links[1].1, now: 2_000)
    }
    #expect(AccountError.overtaken.reply.status == 503)
    try link("ann@example.com", to: guest.user, accounts)
    #expect(throws: AccountError.invalidCredentials) {
      try link("ann@example.com", "another", to: guest.user, accounts)
    }
    #expect(try login("ann@example.com", accounts).user == guest.user)
  }

  /// Programs register an account before they link it.
  @Test func anAccountThatNobodyHasUsedIsGivenToWhoKnowsItsPassword() throws {
    let accounts = try makeAccounts()
    let ann = try register("ann@example.com", accounts)
    let guest = try accounts.loginAnonymously(host: host, now: 1_000)
    #expect(throws: AccountError.accountExists) {
      try link("ann@example.com", "another", to: guest.user, accounts)
    }
    try link("ann@example.com", to: guest.user, accounts)
    #expect(try login("ann@example.com", accounts).user == guest.user)
    #expect(try accounts.users(now: 2_000).map(\.id) == [guest.user])
    #expect(throws: AccountError.noSuchUser(ann)) { try accounts.userID(of: ann) }
  }

  /// What a right and a wrong password for the account of another one are answered is the same.
  @Test(arguments: ["secret", "another"])
  func anAccountInUseIsRefusedWhateverThePassword(password: String) throws {
    let accounts = try makeAccounts()
    _ = try register("ann@example.com", accounts)
    let ann = try login("ann@example.com", accounts)
    try accounts.register(email: "operator@example.com", password: "secret", now: 1_000)
    let disabled = try register("bob@example.com", accounts)
    try accounts.setDisabled(true, user: disabled, now: 1_000)
    let guest = try accounts.loginAnonymously(host: host, now: 1_000)
    for email in ["ANN@example.com", "operator@example.com", "bob@example.com"] {
      #expect(throws: AccountError.accountExists) {
        try link(email, password, to: guest.user, accounts)
      }
    }
    #expect(try accounts.session(ann.id, now: 2_000)?.user == ann.user)
    #expect(try accounts.identities(of: guest.user).count == 1)
    #expect(throws: AccountError.invalidEmail) {
      try link("an\u{200B}n@example.com", password, to: guest.user, accounts)
    }
  }

  @Test func passwordsOfLinksAreCountedAsThoseOfLogIns() throws {
    let accounts = try makeAccounts()
    _ = try register("ann@example.com", accounts)
    let guest = try accounts.loginAnonymously(host: host, now: 1_000)
    for _ in 0..<10 {
      #expect(throws: AccountError.accountExists) {
        try link("ann@example.com", "a guess", to: guest.user, accounts)
      }
    }
    #expect(throws: AccountError.tooManyAttempts(retryAfterSeconds: 7)) {
      try link("ann@example.com", to: guest.user, accounts)
    }
    #expect(throws: AccountError.tooManyAttempts(retryAfterSeconds: 7)) {
      try login("ann@example.com", accounts)
    }
  }

  /// One hash each, whether there is the account or not.
  @Test func aLinkHashesOnceWhetherTheAccountExistsOrNot() throws {
    let accounts = try makeAccounts()
    _ = try register("ann@example.com", accounts)
    let guest = try accounts.loginAnonymously(host: host, now: 1_000)
    func test(_ email: String) throws -> AccountStore.PasswordTest {
      try accounts.passwordLink(
        email: email, password: "a guess", user: guest.user, host: host, now: 2_000
      ).test()
    }
    guard case .compared(false) = try test("ann@example.com"),
      case .hashed(.some) = try test("bob@example.com")
    else {
      Issue.record("no hash, or two")
      return
    }
  }

  @Test func whatAnotherDoesMeanwhileIsSeenWhenTheHashIsThere() throws {
    let accounts = try makeAccounts()
    let guest = try accounts.loginAnonymously(host: host, now: 1_000)
    func begun(_ email: String) throws -> AccountStore.PasswordLink {
      try accounts.passwordLink(
        email: email, password: "secret", user: guest.user, host: host, now: 2_000)
    }
    // Registered by another.
    let new = try begun("ann@example.com")
    let ann = try register("ann@example.com", accounts)
    #expect(throws: AccountError.accountExists) { try accounts.link(new, new.test(), now: 2_000) }
    // Its own user logs in first.
    let fresh = try begun("ann@example.com")
    #expect(try login("ann@example.com", accounts).user == ann)
    #expect(throws: AccountError.accountExists) {
      try accounts.link(fresh, fresh.test(), now: 2_000)
    }
    // Two requests of one user at once.
    let (first, second) = (try begun("bob@example.com"), try begun("cid@example.com"))
    try accounts.link(first, first.test(), now: 2_000)
    #expect(throws: AccountError.passwordExists) {
      try accounts.link(second, second.test(), now: 2_000)
    }
    // The user is disabled, then deleted.
    try accounts.setDisabled(true, user: guest.user, now: 2_000)
    #expect(throws: AccountError.userDisabled) {
      try accounts.link(from: .token(issuer: "i"), name: "dan", to: guest.user)
    }
    try accounts.delete(user: guest.user, now: 2_000)
    #expect(throws: AccountError.noSuchUser(guest.user)) {
      try accounts.link(from: .token(issuer: "i"), name: "dan", to: guest.user)
    }
    _ = try register("bob@example.com", accounts)
  }

  /// A log-in that was compared before the account changed hands is that of its user now.
  @Test func aLogInThatMeetsALinkIsOfTheUserWhoHasTheAccountNow() throws {
    let accounts = try makeAccounts()
    _ = try register("ann@example.com", accounts)
    let guest = try accounts.loginAnonymously(host: host, now: 1_000)
    let claim = try accounts.claim(
      email: "ann@example.com", password: "secret", host: host, now: 2_000)
    try link("ann@example.com", to: guest.user, accounts)
    #expect(try accounts.login(claim, isRight: claim.isRight(), now: 2_000).user == guest.user)
  }

  // MARK: A random program

  /// Accounts as plain values.
  private struct Model {
    struct User {
      var identities: Set<String> = []
      var isDisabled = false
      var isFresh = false
    }

    var users: [String: User] = [:]
    var passwords: [String: String] = [:]
    /// The user and the provider of each open log-in.
    var sessions: [String: (user: String, provider: String)] = [:]

    func owner(of identity: String) -> String? {
      users.first { $0.value.identities.contains(identity) }?.key
    }

    mutating func link(_ identity: String, to user: String) {
      if users[user]?.identities.isEmpty == true {
        users[user]?.identities = ["anon-user:\(user)"]
      }
      users[user]?.identities.insert(identity)
      users[user]?.isFresh = false
    }

    mutating func endSessions(where isEnded: (String, String) -> Bool) {
      sessions = sessions.filter { !isEnded($0.value.user, $0.value.provider) }
    }
  }

  /// One world: the accounts in a file, the model, and the random numbers of the program.
  private struct World {
    let path: String
    var accounts: AccountStore
    var model = Model()
    var random: SplitMix64
    var now: UInt64 = 1_000
    let host = HostKey("192.0.2.1")

    init(seed: UInt64, _ path: String) throws {
      self.path = path
      random = SplitMix64(seed: seed)
      accounts = try Self.open(path)
    }

    private static func open(_ path: String) throws -> AccountStore {
      try AccountStore(
        try Database.open(path), options: .forTests, random: SystemRandom.next)
    }

    private enum SystemRandom {
      private static let source = TestRandom(seed: 77)
      static let next = source.next
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
      elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    /// An address and its normal form.
    private mutating func email() -> (typed: String, name: String) {
      let name = pick(["ann", "bob", "cid"])
      let typed = pick([name, name.uppercased(), name.prefix(1).uppercased() + name.dropFirst()])
      return ("\(typed)@example.com", "local-userpass:\(name)@example.com")
    }

    private mutating func user() -> String { pick(model.users.keys.sorted() + ["nobody"]) }

    private func error(_ body: () throws -> Void) -> AccountError? {
      do {
        try body()
        return nil
      } catch { return error as? AccountError }
    }

    private mutating func begin(_ session: AccountStore.Session) {
      model.sessions[session.id] = (session.user, session.origin?.provider ?? "")
      model.users[session.user]?.isFresh = false
    }

    mutating func step() throws {
      // Longer than any limit of attempts.
      now += 1_000_000
      switch Int.random(in: 0..<13, using: &random) {
      case 0: try register()
      case 1, 2: try logInWithPassword()
      case 3, 4: try logInByToken()
      case 5:
        let session = try accounts.loginAnonymously(host: host, now: now)
        model.users[session.user] = Model.User()
        begin(session)
      case 6, 7: try linkPassword()
      case 8: try linkToken()
      case 9: try disableOrDelete()
      case 10: try setPassword()
      case 11: try removeProvider()
      default:
        accounts.close()
        accounts = try Self.open(path)
      }
    }

    private mutating func register() throws {
      let (typed, name) = email()
      let password = pick(["secret", "another"])
      let result = error {
        let registration = try accounts.registration(
          email: typed, password: password, host: host, now: now)
        try accounts.register(registration, registration.password.hash(), now: now)
      }
      guard model.owner(of: name) == nil else { return #expect(result == .accountExists) }
      #expect(result == nil)
      model.users[try accounts.userID(of: typed)] = Model.User(identities: [name], isFresh: true)
      model.passwords[name] = password
    }

    private mutating func logInWithPassword() throws {
      let (typed, name) = email()
      let password = pick(["secret", "another"])
      var session: AccountStore.Session?
      let result = error {
        session = try accounts.login(email: typed, password: password, host: host, now: now)
      }
      guard let owner = model.owner(of: name), model.passwords[name] == password else {
        return #expect(result == .invalidCredentials)
      }
      guard model.users[owner]?.isDisabled == false else {
        return #expect(result == .userDisabled)
      }
      #expect(session?.user == owner)
      if let session { begin(session) }
    }

    private mutating func origin() -> (SessionOrigin, name: String) {
      pick([
        (.token(issuer: "i"), "dan"), (.token(issuer: "i"), "eve"),
        (.key(name: "k", digest: "1"), "k"),
      ])
    }

    private mutating func logInByToken() throws {
      let (origin, name) = origin()
      let owner = model.owner(of: "\(origin.provider):\(name)")
      var session: AccountStore.Session?
      let result = error { session = try accounts.login(from: origin, name: name, now: now) }
      if let owner, model.users[owner]?.isDisabled == true {
        return #expect(result == .userDisabled)
      }
      let new = try #require(session)
      if let owner { #expect(new.user == owner) }
      if owner == nil {
        model.users[new.user] = Model.User(identities: ["\(origin.provider):\(name)"])
      }
      begin(new)
    }

    private mutating func linkPassword() throws {
      let (user, (typed, name)) = (user(), email())
      let password = pick(["secret", "another"])
      let result = error {
        let link = try accounts.passwordLink(
          email: typed, password: password, user: user, host: host, now: now)
        try accounts.link(link, link.test(), now: now)
      }
      let own = model.users[user]?.identities.first { $0.hasPrefix("local-userpass:") }
      if let own, own != name { return #expect(result == .passwordExists) }
      guard let known = model.users[user] else { return #expect(result == .noSuchUser(user)) }
      guard !known.isDisabled else { return #expect(result == .userDisabled) }
      let isRight = model.passwords[name] == password
      if let owner = model.owner(of: name) {
        if owner == user {
          #expect(result == (isRight ? nil : .invalidCredentials))
          if isRight { model.users[user]?.isFresh = false }
          return
        }
        guard isRight, model.users[owner]?.isFresh == true, model.users[owner]?.isDisabled == false
        else { return #expect(result == .accountExists) }
        model.users[owner] = nil
      }
      #expect(result == nil)
      model.passwords[name] = password
      model.link(name, to: user)
    }

    private mutating func linkToken() throws {
      let (user, (origin, name)) = (user(), origin())
      let identity = "\(origin.provider):\(name)"
      let result = error { try accounts.link(from: origin, name: name, to: user) }
      guard let known = model.users[user] else { return #expect(result == .noSuchUser(user)) }
      guard !known.isDisabled else { return #expect(result == .userDisabled) }
      if let owner = model.owner(of: identity), owner != user {
        return #expect(result == .identityTaken)
      }
      #expect(result == nil)
      if known.identities.contains(identity) {
        model.users[user]?.isFresh = false
      } else {
        model.link(identity, to: user)
      }
    }

    private mutating func disableOrDelete() throws {
      let user = user()
      let choice = Int.random(in: 0..<4, using: &random)
      let result = error {
        switch choice {
        case 0: _ = try accounts.delete(user: user, now: now)
        case 1: _ = try accounts.setDisabled(true, user: user, now: now)
        default: _ = try accounts.setDisabled(false, user: user, now: now)
        }
      }
      guard model.users[user] != nil else { return #expect(result == .noSuchUser(user)) }
      #expect(result == nil)
      switch choice {
      case 0:
        for name in model.users[user]?.identities ?? [] { model.passwords[name] = nil }
        model.users[user] = nil
      case 1: model.users[user]?.isDisabled = true
      default:
        model.users[user]?.isDisabled = false
        return
      }
      model.endSessions { owner, _ in owner == user }
    }

    private mutating func setPassword() throws {
      let (user, password) = (user(), pick(["secret", "another"]))
      let result = error { _ = try accounts.setPassword(password, user: user, now: now) }
      guard let known = model.users[user] else { return #expect(result == .noSuchUser(user)) }
      guard let name = known.identities.first(where: { $0.hasPrefix("local-userpass:") }) else {
        return #expect(result == .noPassword)
      }
      #expect(result == nil)
      model.passwords[name] = password
      model.endSessions { owner, _ in owner == user }
    }

    /// The configuration does not have a provider any more, and has it again.
    private mutating func removeProvider() throws {
      let provider = pick(["anon-user", "local-userpass", "custom-token", "api-key"])
      _ = try accounts.endSessions(now: now) { $0.provider != provider }
      model.endSessions { $1 == provider }
    }

    func check() throws {
      let users = try accounts.users(now: now)
      #expect(Set(users.map(\.id)) == Set(model.users.keys))
      for user in users {
        let known = try #require(model.users[user.id])
        #expect(Set(user.identities) == known.identities && user.isDisabled == known.isDisabled)
        #expect(user.sessionCount == model.sessions.values.count { $0.user == user.id })
        let told = try accounts.identities(of: user.id).map { "\($0.provider):\($0.id)" }
        #expect(
          told == (known.identities.isEmpty ? ["anon-user:\(user.id)"] : known.identities.sorted()))
        for name in known.identities { #expect(try accounts.userID(of: name) == user.id) }
      }
      for (id, session) in model.sessions {
        #expect(try accounts.session(id, now: now)?.user == session.user)
      }
    }
  }

  @Test(arguments: UInt64(1)...12) func aRandomProgramIsThatOfAPlainModel(seed: UInt64) throws {
    let folder = TemporaryFolder()
    var world = try World(seed: seed, folder.path(of: "accounts.atoll"))
    for _ in 0..<120 {
      try world.step()
      try world.check()
    }
    world.accounts.close()
  }
}
#endif
