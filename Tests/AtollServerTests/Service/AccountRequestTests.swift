#if Sync
import AtollTransport
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

@Suite(.waiting, .hangLimit) struct AccountRequestTests {
  @Test func anAccountLogsInAndSynchronises() async throws {
    let server = try await TestService()
    let client = server.client()
    try await client.register(email: "ada@example.org", password: "lovelace")
    let login = try await client.login(
      .emailPassword(email: "Ada@Example.ORG", password: "lovelace"))
    #expect(login.userID.count == 24)
    let inbox = try await server.connect(token: login.accessToken)
    try await inbox.send([1, 2, 3])
    #expect(await inbox.next() == Array(login.userID.utf8) + [1, 2, 3])
    // The same user again, with a log-in of its own.
    let again = try await client.login(
      .emailPassword(email: "ada@example.org", password: "lovelace"))
    #expect(again.userID == login.userID)
    #expect(again.refreshToken != login.refreshToken)
    await server.service.stop()
    #expect(await inbox.ended() == .goingAway)
  }

  @Test func everyAnonymousUserIsAnother() async throws {
    let server = try await TestService()
    let first = try await server.client().login(.anonymous)
    let second = try await server.client().login(.anonymous)
    #expect(first.userID != second.userID)
    await server.service.stop()
  }

  @Test func aWrongPasswordAndNoAccountAreToldAlike() async throws {
    let server = try await TestService()
    let client = server.client()
    try await client.register(email: "a@b.c", password: "secret")
    var refusals: [TransportError.Refusal?] = []
    for (email, password) in [("a@b.c", "Secret"), ("a@b.c", ""), ("x@b.c", "secret"), ("", "")] {
      refusals.append(
        await refusal { () throws(TransportError) in
          _ = try await client.login(.emailPassword(email: email, password: password))
        })
    }
    for refusal in refusals {
      #expect(refusal?.status == 401)
      #expect(refusal?.code == "invalid-credentials")
      #expect(refusal == refusals[0])
    }
    await server.service.stop()
  }

  @Test func guessingIsSlowedDown() async throws {
    let server = try await TestService()
    let client = server.client()
    try await client.register(email: "a@b.c", password: "secret")
    func login(_ password: String) async -> TransportError.Refusal? {
      await refusal { () throws(TransportError) in
        _ = try await client.login(.emailPassword(email: "a@b.c", password: password))
      }
    }
    for _ in 0..<10 { #expect(await login("guess!")?.status == 401) }
    let refused = await login("secret")
    #expect(refused?.status == 429)
    #expect(refused?.code == "too-many-attempts")
    let seconds = try #require(refused?.retryAfterSeconds)
    #expect(1...7 ~= seconds)
    server.time.advance(seconds: seconds)
    #expect(await login("secret") == nil)
    await server.service.stop()
  }

  @Test func badAccountsAreRefused() async throws {
    let server = try await TestService()
    let client = server.client()
    func register(_ email: String, _ password: String) async -> String? {
      await refusal { () throws(TransportError) in
        try await client.register(email: email, password: password)
      }?.code
    }
    #expect(await register("a@b.c", "secret") == nil)
    #expect(await register("A@B.C", "another") == "account-exists")
    for email in [
      "", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\n",
      String(repeating: "a", count: 254) + "@b",
    ] {
      #expect(await register(email, "secret") == "invalid-email")
    }
    #expect(await register("x@b.c", "short") == "invalid-password")
    #expect(
      await register("x@b.c", String(repeating: "x", count: 129)) == "invalid-password")
    #expect(await register("x@b.c", "sécrét") == nil)
    await server.service.stop()
  }

  @Test func inDevelopmentTheFirstAppIsAdopted() async throws {
    let server = try await TestService()
    _ = try await server.client("one").login(.anonymous)
    let refused = await refusal { () throws(TransportError) in
      _ = try await server.client("two").login(.anonymous)
    }
    #expect(refused?.status == 404)
    #expect(refused?.code == "unknown-app")
    for id in ["", "..", "a/b", "a b", "ä"] {
      let refused = await refusal { () throws(TransportError) in
        _ = try await server.client(id).login(.anonymous)
      }
      #expect(refused != nil, "\(id)")
    }
    await server.service.stop()
    // It stays the server's own, also where nothing is adopted.
    let again = try await TestService(in: server.folder, isDevelopment: false)
    let login = try await again.client("one").login(.anonymous)
    let denied = await refusal { () throws(TransportError) in
      _ = try await again.connect(token: login.accessToken)
    }
    #expect(denied?.status == 403)
    #expect(denied?.code == "no-rules")
    await again.service.stop()
  }

  /// Any request with a made-up app claimed a fresh server, so that its own app was refused.
  @Test func aRefusedRequestAdoptsNoApp() async throws {
    let server = try await TestService()
    let other = server.client("other")
    let login = await refusal { () throws(TransportError) in
      _ = try await other.login(.emailPassword(email: "a@b.c", password: "guess!"))
    }
    #expect(login?.code == "invalid-credentials")
    let registration = await refusal { () throws(TransportError) in
      try await other.register(email: "a@b.c", password: "short")
    }
    #expect(registration?.code == "invalid-password")
    try await server.client("mine").register(email: "a@b.c", password: "secret")
    let late = await refusal { () throws(TransportError) in
      _ = try await other.login(.anonymous)
    }
    #expect(late?.code == "unknown-app")
    await server.service.stop()
  }

  @Test func withoutDevelopmentNoAppIsAdopted() async throws {
    let server = try await TestService(isDevelopment: false)
    let refused = await refusal { () throws(TransportError) in
      _ = try await server.client().login(.anonymous)
    }
    #expect(refused?.code == "unknown-app")
    #expect(refused?.message.contains("--development") == true)
    await server.service.stop()
  }

  @Test func anExpiredAccessTokenIsRenewed() async throws {
    let server = try await TestService()
    let login = try await server.client().login(.anonymous)
    server.time.advance(seconds: 30 * 60)
    let refused = await refusal { () throws(TransportError) in
      _ = try await server.connect(token: login.accessToken)
    }
    #expect(refused?.code == "token-expired")
    let access = try await server.client().refresh(login.refreshToken)
    let inbox = try await server.connect(token: access)
    // The connection ends with its token.
    server.time.advance(seconds: 30 * 60)
    #expect(await inbox.ended() == .tokenExpired)
    // Refresh tokens last for sixty days.
    server.time.advance(seconds: 60 * 24 * 3_600)
    let late = await refusal { () throws(TransportError) in
      _ = try await server.client().refresh(login.refreshToken)
    }
    #expect(late?.status == 401)
    await server.service.stop()
  }

  @Test func aLogInThatAsksAgainAndAgainIsSlowedDown() async throws {
    let server = try await TestService()
    let login = try await server.client().login(.anonymous)
    let other = try await server.client().login(.anonymous)
    for _ in 0..<60 { _ = try await server.client().refresh(login.refreshToken) }
    let refused = await refusal { () throws(TransportError) in
      _ = try await server.client().refresh(login.refreshToken)
    }
    #expect(refused?.status == 429 && refused?.code == "too-many-attempts")
    _ = try await server.client().refresh(other.refreshToken)
    server.time.advance(seconds: 1)
    _ = try await server.client().refresh(login.refreshToken)
    await server.service.stop()
  }

  @Test func aForgedTokenOpensNothing() async throws {
    let server = try await TestService()
    let login = try await server.client().login(.anonymous)
    let now = server.time.now() / 1_000
    let forged = TokenSigner(key: [UInt8](repeating: 0, count: 32)).sign(
      Token(
        use: .access, app: "app-1", user: login.userID, session: "s", issuedAtSeconds: now,
        expiresAtSeconds: now + 1_000))
    for token in [forged, "", "x", login.refreshToken, login.accessToken + "A"] {
      let refused = await refusal { () throws(TransportError) in
        _ = try await server.connect(token: token)
      }
      #expect(refused?.code == "invalid-token")
    }
    for token in [forged, login.accessToken] {
      let refused = await refusal { () throws(TransportError) in
        _ = try await server.client().refresh(token)
      }
      #expect(refused?.code == "invalid-token")
    }
    await server.service.stop()
  }

  @Test func aLogInIsOfTheAppThatItNames() async throws {
    let server = try await TestService()
    let login = try await server.client().login(.anonymous)
    let refreshed = await refusal { () throws(TransportError) in
      _ = try await server.client("other").refresh(login.refreshToken)
    }
    #expect(refreshed?.code == "unknown-app")
    let ended = await refusal { () throws(TransportError) in
      try await server.client("other").logOut(login.refreshToken)
    }
    #expect(ended?.code == "unknown-app")
    _ = try await server.client().refresh(login.refreshToken)
    await server.service.stop()
  }

  @Test func aLogOutEndsTheLogInAndItsConnections() async throws {
    let server = try await TestService()
    let client = server.client()
    let login = try await client.login(.anonymous)
    let other = try await client.login(.anonymous)
    let inbox = try await server.connect(token: login.accessToken)
    let bystander = try await server.connect(token: other.accessToken)
    try await client.logOut(login.refreshToken)
    #expect(await inbox.ended() == .tokenExpired)
    let refused = await refusal { () throws(TransportError) in
      _ = try await client.refresh(login.refreshToken)
    }
    #expect(refused?.code == "session-ended")
    let late = await refusal { () throws(TransportError) in
      _ = try await server.connect(token: login.accessToken)
    }
    #expect(late?.status == 401)
    // Again, it changes nothing.
    try await client.logOut(login.refreshToken)
    try await bystander.send([5])
    #expect(await bystander.next() != nil)
    await server.service.stop()
  }

  /// Only the memory of the server knew that the access token was withdrawn.
  @Test func aLogOutOutlivesTheServer() async throws {
    let server = try await TestService()
    let login = try await server.client().login(.anonymous)
    try await server.client().logOut(login.refreshToken)
    await server.service.stop()
    let again = try await TestService(
      in: server.folder, time: server.time, random: TestRandom(seed: 9))
    let refused = await refusal { () throws(TransportError) in
      _ = try await again.connect(token: login.accessToken)
    }
    #expect(refused?.status == 401)
    await again.service.stop()
  }

  @Test func accountsOutliveTheServer() async throws {
    let server = try await TestService()
    try await server.client().register(email: "a@b.c", password: "secret")
    let login = try await server.client().login(.emailPassword(email: "a@b.c", password: "secret"))
    await server.service.stop()
    let again = try await TestService(
      in: server.folder, time: server.time, random: TestRandom(seed: 9))
    _ = try await again.connect(token: login.accessToken)
    _ = try await again.client().refresh(login.refreshToken)
    let same = try await again.client().login(.emailPassword(email: "a@b.c", password: "secret"))
    #expect(same.userID == login.userID)
    await again.service.stop()
  }
}
#endif
