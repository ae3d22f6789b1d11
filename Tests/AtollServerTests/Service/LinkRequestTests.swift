#if Sync
import AtollTransport
import TestThreads
import Testing

@testable import AtollServer

/// One more way to log in, asked for over HTTP.
@Suite(.waiting, .hangLimit) struct LinkRequestTests {
  private let key: APIKey
  private let keyText: String

  init() { (key, keyText) = APIKey.make("importer", random: TestRandom(seed: 3).next) }

  private static func account(
    _ email: String, _ password: String = "secret"
  ) -> LoginClient.Identity { .emailPassword(email: email, password: password) }

  private func configuration(key: Bool = true, registration: Bool = true) -> String {
    """
    app: app-1
    login:
      anonymous: true
      password: true
      registration: \(registration)
    \(key ? "  keys: [{name: importer, sha256: \(self.key.digest)}]\n" : "")
    """
  }

  private func code(
    _ body: () async throws(TransportError) -> Void
  ) async -> String? { await refusal(body)?.code }

  @Test func aGuestBecomesAUserWhoLogsInWithAPasswordOrAKey() async throws {
    let server = try await TestService(configuration: configuration())
    let client = server.client()
    let guest = try await client.login(.anonymous)
    #expect(guest.identities == [.init(provider: "anon-user", id: guest.userID)])
    let inbox = try await server.connect(token: guest.accessToken)
    let linked = try await client.link(guest.refreshToken, Self.account("Ann@B.c"))
    #expect(linked.map(\.provider) == ["anon-user", "local-userpass"])
    #expect(linked.last?.id == "ann@b.c")
    #expect(try await client.link(guest.refreshToken, .key(keyText)).count == 3)
    for identity in [Self.account("ann@b.c"), .key(keyText)] {
      let login = try await client.login(identity)
      #expect(login.userID == guest.userID && login.identities?.count == 3)
    }
    #expect(try await client.access(guest.refreshToken).identities?.count == 3)
    // The log-in that was open stays so.
    try await inbox.send([1])
    #expect(await inbox.next() != nil)
    await server.service.stop()
  }

  @Test func aRemovedKeyEndsOnlyItsOwnLogIns() async throws {
    let server = try await TestService(configuration: configuration())
    let client = server.client()
    let guest = try await client.login(.anonymous)
    _ = try await client.link(guest.refreshToken, Self.account("a@b.c"))
    _ = try await client.link(guest.refreshToken, .key(keyText))
    let (password, key) = (
      try await client.login(Self.account("a@b.c")), try await client.login(.key(keyText))
    )
    let inbox = try await server.connect(token: key.accessToken)
    try server.service.adopt(
      ServerConfiguration(yaml: configuration(key: false), path: "server.yaml"))
    #expect(await inbox.ended() == .tokenExpired)
    let ended = await code { () throws(TransportError) in
      _ = try await client.refresh(key.refreshToken)
    }
    #expect(ended == "session-ended")
    for login in [guest, password] { _ = try await client.refresh(login.refreshToken) }
    let closed = await code { () throws(TransportError) in
      _ = try await client.link(guest.refreshToken, .key(keyText))
    }
    #expect(closed == "provider-disabled")
    await server.service.stop()
  }

  @Test func whatIsAnothersOrNothingIsRefused() async throws {
    let server = try await TestService(configuration: configuration())
    let client = server.client()
    try await client.register(email: "a@b.c", password: "secret")
    let ann = try await client.login(Self.account("a@b.c"))
    _ = try await client.login(.key(keyText))
    let guest = try await client.login(.anonymous)
    func link(_ identity: LoginClient.Identity, _ token: String? = nil) async -> String? {
      await code { () throws(TransportError) in
        _ = try await client.link(token ?? guest.refreshToken, identity)
      }
    }
    #expect(await link(Self.account("A@b.c")) == "account-exists")
    #expect(await link(Self.account("a@b.c", "a guess")) == "account-exists")
    #expect(await link(.key(keyText)) == "identity-taken")
    #expect(await link(.key("no key")) == "invalid-credentials")
    #expect(await link(.token("x.y.z")) == "provider-disabled")
    #expect(await link(.anonymous) == "not-linkable")
    #expect(await link(Self.account("a@b.c", "short")) == "invalid-password")
    #expect(await link(Self.account("no address")) == "invalid-email")
    #expect(await link(Self.account("d@b.c"), guest.accessToken) == "invalid-token")
    #expect(await link(Self.account("d@b.c"), ann.refreshToken) == "password-exists")
    #expect(await link(Self.account("a@b.c", "a guess"), ann.refreshToken) == "invalid-credentials")
    try await client.logOut(guest.refreshToken)
    #expect(await link(Self.account("d@b.c")) == "session-ended")
    await server.service.stop()
  }

  /// Neither is looked at where no accounts are made, so that nothing is told about them.
  @Test func aServerThatMakesNoAccountsLinksNone() async throws {
    let server = try await TestService(configuration: configuration(registration: false))
    let client = server.client()
    let guest = try await client.login(.anonymous)
    for email in ["a@b.c", "d@b.c"] {
      let closed = await code { () throws(TransportError) in
        _ = try await client.link(guest.refreshToken, Self.account(email))
      }
      #expect(closed == "provider-disabled")
    }
    await server.service.stop()
  }

  @Test func anotherAppsPathIsRefused() async throws {
    let server = try await TestService()
    let login = try await server.client().login(.anonymous)
    let client = HTTPClient(server.service.address, timeoutMilliseconds: 1_800_000)
    let body = Array(#"{"provider":"local-userpass","email":"a@b.c","password":"secret"}"#.utf8)
    func status(_ method: String, _ app: String, _ token: String?) async throws -> Int {
      try await client.send(
        method, "/v1/app/\(app)/identity", json: body, bearerToken: token
      ).status
    }
    #expect(try await status("POST", "other", login.refreshToken) == 404)
    #expect(try await status("PUT", "app-1", login.refreshToken) == 405)
    #expect(try await status("POST", "app-1", nil) == 401)
    #expect(try await status("POST", "app-1", login.refreshToken) == 200)
    await server.service.stop()
  }
}
#endif
