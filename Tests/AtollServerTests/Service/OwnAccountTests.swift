#if Sync
import AtollTransport
import TestThreads
import Testing

@testable import AtollServer

/// What users do to their own accounts.
@Suite(.waiting, .hangLimit) struct OwnAccountTests {
  private static func ada(_ password: String = "secret") -> LoginClient.Identity {
    .emailPassword(email: "a@b.c", password: password)
  }

  private func code(
    _ body: () async throws(TransportError) -> Void
  ) async -> String? { await refusal(body)?.code }

  @Test func aUserIsDeletedWithAllThatIsItsOwn() async throws {
    let server = try await TestService()
    let client = server.client()
    try await client.register(email: "a@b.c", password: "secret")
    let (phone, tablet) = (try await client.login(Self.ada()), try await client.login(Self.ada()))
    let guest = try await client.login(.anonymous)
    let inbox = try await server.connect(token: tablet.accessToken)
    let bystander = try await server.connect(token: guest.accessToken)
    try await client.deleteUser(phone.refreshToken)
    #expect(await inbox.ended() == .tokenExpired)
    for login in [phone, tablet] {
      let refreshed = await code { () throws(TransportError) in
        _ = try await client.refresh(login.refreshToken)
      }
      #expect(refreshed == "session-ended")
      let connected = await code { () throws(TransportError) in
        _ = try await server.connect(token: login.accessToken)
      }
      #expect(connected == "token-expired")
    }
    let again = await code { () throws(TransportError) in
      try await client.deleteUser(phone.refreshToken)
    }
    #expect(again == "session-ended")
    let login = await code { () throws(TransportError) in
      _ = try await client.login(Self.ada())
    }
    #expect(login == "invalid-credentials")
    try await bystander.send([1])
    #expect(await bystander.next() != nil)
    try await client.deleteUser(guest.refreshToken)
    #expect(await bystander.ended() == .tokenExpired)
    await server.service.stop()
  }

  @Test func aNewPasswordKeepsTheLogInThatSetsIt() async throws {
    let server = try await TestService()
    let client = server.client()
    try await client.register(email: "a@b.c", password: "secret")
    let (phone, tablet) = (try await client.login(Self.ada()), try await client.login(Self.ada()))
    let kept = try await server.connect(token: phone.accessToken)
    let inbox = try await server.connect(token: tablet.accessToken)
    try await client.changePassword(phone.refreshToken, from: "secret", to: "another")
    #expect(await inbox.ended() == .tokenExpired)
    try await kept.send([1])
    #expect(await kept.next() != nil)
    _ = try await client.refresh(phone.refreshToken)
    let old = await code { () throws(TransportError) in _ = try await client.login(Self.ada()) }
    #expect(old == "invalid-credentials")
    #expect(try await client.login(Self.ada("another")).userID == phone.userID)
    await server.service.stop()
  }

  @Test func aPasswordIsChangedOnlyByWhoKnowsIt() async throws {
    let server = try await TestService()
    let client = server.client()
    try await client.register(email: "a@b.c", password: "secret")
    let login = try await client.login(Self.ada())
    func change(_ token: String, from old: String, to new: String) async -> String? {
      await code { () throws(TransportError) in
        try await client.changePassword(token, from: old, to: new)
      }
    }
    #expect(await change(login.refreshToken, from: "secret", to: "short") == "invalid-password")
    #expect(await change(login.accessToken, from: "secret", to: "another") == "invalid-token")
    let guest = try await client.login(.anonymous)
    #expect(await change(guest.refreshToken, from: "secret", to: "another") == "no-password")
    // Guesses are counted as those of log-ins.
    for _ in 0..<10 {
      #expect(
        await change(login.refreshToken, from: "guess!", to: "another") == "invalid-credentials")
    }
    #expect(
      await change(login.refreshToken, from: "secret", to: "another") == "too-many-attempts")
    server.time.advance(seconds: 7)
    #expect(await change(login.refreshToken, from: "secret", to: "another") == nil)
    try await client.logOut(login.refreshToken)
    #expect(await change(login.refreshToken, from: "another", to: "secret") == "session-ended")
    await server.service.stop()
  }

  @Test(arguments: [("DELETE", "user"), ("PUT", "password")])
  func anotherAppsPathIsRefused(method: String, action: String) async throws {
    let server = try await TestService()
    let login = try await server.client().login(.anonymous)
    let client = HTTPClient(server.service.address, timeoutMilliseconds: 1_800_000)
    let body = Array(#"{"password":"secret","new_password":"another"}"#.utf8)
    let other = try await client.send(
      method, "/v1/app/other/\(action)", json: body, bearerToken: login.refreshToken)
    #expect(other.status == 404)
    let wrong = try await client.send("POST", "/v1/app/app-1/\(action)", json: body)
    #expect(wrong.status == 405)
    let none = try await client.send(method, "/v1/app/app-1/\(action)", json: body)
    #expect(none.status == 401)
    await server.service.stop()
  }
}
#endif
