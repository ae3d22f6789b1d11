#if Sync
import AtollTransport
import Crypto
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

/// A log-in lasts no longer than what it rests on.
@Suite(.waiting, .hangLimit) struct RemovedLogInTests {
  private static let secret = "a secret of at least 32 characters"
  private let key: APIKey
  private let keyText: String

  init() { (key, keyText) = APIKey.make("importer", random: TestRandom(seed: 3).next) }

  private func configuration(
    anonymous: Bool = true, password: Bool = true, jwt: String? = Self.secret,
    issuer: String = "service", sessionDays: Int? = nil, key: String? = nil
  ) -> String {
    var text = "app: app-1\nlogin:\n  anonymous: \(anonymous)\n  password: \(password)\n"
    text += "  registration: \(password)\n"
    if let jwt {
      text += "  jwt: {algorithm: HS256, key: '\(jwt)', issuer: '\(issuer)'"
      if let sessionDays { text += ", sessionDays: \(sessionDays)" }
      text += "}\n"
    }
    if let key { text += "  keys: [{name: importer, sha256: \(key)}]\n" }
    return text
  }

  /// A token of the trusted service.
  private static func token(expiresAt seconds: UInt64, _ user: String = "ann") -> String {
    let text =
      TokenSigner.base64URL(Array(#"{"alg":"HS256"}"#.utf8)) + "."
      + TokenSigner.base64URL(
        Array(#"{"sub":"\#(user)","iss":"service","exp":\#(seconds)}"#.utf8))
    let code = HMAC<SHA256>.authenticationCode(
      for: Array(text.utf8), using: SymmetricKey(data: Array(secret.utf8)))
    return text + "." + TokenSigner.base64URL(Array(code))
  }

  private func adopt(_ yaml: String, _ server: TestService) throws {
    try server.service.adopt(
      ServerConfiguration(yaml: yaml, path: server.folder.path(of: "server.yaml")))
  }

  private func code(
    _ body: () async throws(TransportError) -> Void
  ) async -> String? { await refusal(body)?.code }

  @Test func whatIsRemovedEndsItsLogInsAndNoOthers() async throws {
    let server = try await TestService(configuration: configuration(key: key.digest))
    let client = server.client()
    try await client.register(email: "a@b.c", password: "secret")
    let exp = server.time.now() / 1_000 + 3_600
    let identities: [LoginClient.Identity] = [
      .anonymous, .emailPassword(email: "a@b.c", password: "secret"),
      .token(Self.token(expiresAt: exp)), .key(keyText),
    ]
    let other = APIKey.make("importer", random: TestRandom(seed: 4).next).key
    // The log-ins that each of the configurations does not allow any more.
    let changes: [(yaml: String, ended: Set<Int>)] = [
      (configuration(key: key.digest), []),
      (configuration(anonymous: false, key: key.digest), [0]),
      (configuration(password: false, key: key.digest), [1]),
      (configuration(jwt: nil, key: key.digest), [2]),
      (configuration(issuer: "another", key: key.digest), [2]),
      (configuration(jwt: Self.secret + "!", key: key.digest), [2]),
      (configuration(key: nil), [3]), (configuration(key: other.digest), [3]),
      (configuration(sessionDays: 3, key: key.digest), []),
    ]
    for change in changes {
      var open: [(LoginClient.Login, FrameInbox)] = []
      for identity in identities {
        let login = try await client.login(identity)
        open.append((login, try await server.connect(token: login.accessToken)))
      }
      try adopt(change.yaml, server)
      for (number, (login, inbox)) in open.enumerated() {
        let isEnded = change.ended.contains(number)
        if isEnded {
          #expect(await inbox.ended() == .tokenExpired, "\(change.yaml)")
        } else {
          try await inbox.send([1])
          #expect(await inbox.next() != nil, "\(change.yaml)")
        }
        let refreshed = await code { () throws(TransportError) in
          _ = try await client.refresh(login.refreshToken)
        }
        #expect(refreshed == (isEnded ? "session-ended" : nil), "\(change.yaml)")
        let connected = await code { () throws(TransportError) in
          _ = try await server.connect(token: login.accessToken)
        }
        #expect(connected == (isEnded ? "token-expired" : nil), "\(change.yaml)")
      }
      try adopt(configuration(key: key.digest), server)
    }
    await server.service.stop()
  }

  /// The configuration was changed while the server was stopped.
  @Test func aStartEndsWhatIsNotAllowedAnyMore() async throws {
    let server = try await TestService(configuration: configuration(key: key.digest))
    let program = try await server.client().login(.key(keyText))
    let user = try await server.client().login(.anonymous)
    await server.service.stop()
    let again = try await TestService(
      in: server.folder, configuration: configuration(), time: server.time,
      random: TestRandom(seed: 9))
    _ = try await again.connect(token: user.accessToken)
    let connected = await code { () throws(TransportError) in
      _ = try await again.connect(token: program.accessToken)
    }
    #expect(connected == "token-expired")
    let refreshed = await code { () throws(TransportError) in
      _ = try await again.client().refresh(program.refreshToken)
    }
    #expect(refreshed == "session-ended")
    await again.service.stop()
  }

  /// A server without a configuration ends nothing by itself, and refreshes nothing.
  @Test func aRefreshAsksWhatIsAllowed() async throws {
    let server = try await TestService(configuration: configuration(key: key.digest))
    let program = try await server.client().login(.key(keyText))
    await server.service.stop()
    let again = try await TestService(
      in: server.folder, time: server.time, random: TestRandom(seed: 9))
    let inbox = try await again.connect(token: program.accessToken)
    let refreshed = await code { () throws(TransportError) in
      _ = try await again.client().refresh(program.refreshToken)
    }
    #expect(refreshed == "session-ended")
    #expect(await inbox.ended() == .tokenExpired)
    await again.service.stop()
  }

  /// A password that is compared while passwords are switched off.
  @Test func aLogInThatIsUnderWayIsRefused() async throws {
    let hashes = HeldHashes()
    let server = try await TestService(configuration: configuration()) { options in
      options.accounts.matches = hashes.matches
    }
    let client = server.client()
    try await client.register(email: "a@b.c", password: "secret")
    let login = Task {
      await code { () throws(TransportError) in
        _ = try await client.login(.emailPassword(email: "a@b.c", password: "secret"))
      }
    }
    _ = await eventually { hashes.begunCount == 1 }
    try adopt(configuration(password: false), server)
    hashes.release()
    #expect(await login.value == "provider-disabled")
    await server.service.stop()
  }

  // MARK: The end of a token

  /// A token of two seconds began a log-in of sixty days.
  @Test func aLogInEndsWithItsToken() async throws {
    let server = try await TestService(configuration: configuration())
    let client = server.client()
    let login = try await client.login(
      .token(Self.token(expiresAt: server.time.now() / 1_000 + 2)))
    let inbox = try await server.connect(token: login.accessToken)
    server.time.advance(seconds: 2)
    // The clock of the service may be half a minute behind.
    server.time.advance(seconds: 29)
    _ = try await client.refresh(login.refreshToken)
    server.time.advance(seconds: 1)
    #expect(await inbox.ended() == .tokenExpired)
    let refreshed = await code { () throws(TransportError) in
      _ = try await client.refresh(login.refreshToken)
    }
    #expect(refreshed == "token-expired")
    await server.service.stop()
  }

  @Test func noAccessTokenOutlivesItsLogIn() async throws {
    let server = try await TestService(configuration: configuration())
    let client = server.client()
    // Forty minutes: an access token of half an hour, and one of the rest.
    let login = try await client.login(
      .token(Self.token(expiresAt: server.time.now() / 1_000 + 40 * 60 - 30)))
    server.time.advance(seconds: 20 * 60)
    let inbox = try await server.connect(token: try await client.refresh(login.refreshToken))
    server.time.advance(seconds: 20 * 60 - 1)
    try await inbox.send([1])
    #expect(await inbox.next() != nil)
    server.time.advance(seconds: 1)
    #expect(await inbox.ended() == .tokenExpired)
    await server.service.stop()
  }

  @Test func theConfigurationMaySayOtherwise() async throws {
    let server = try await TestService(configuration: configuration(sessionDays: 3))
    let client = server.client()
    let login = try await client.login(
      .token(Self.token(expiresAt: server.time.now() / 1_000 + 2)))
    server.time.advance(seconds: 3 * 24 * 3_600 - 1)
    _ = try await client.refresh(login.refreshToken)
    server.time.advance(seconds: 1)
    let refreshed = await code { () throws(TransportError) in
      _ = try await client.refresh(login.refreshToken)
    }
    #expect(refreshed == "token-expired")
    await server.service.stop()
  }

  /// However far the end of a token is, a log-in lasts no longer than any.
  @Test(arguments: ["1e300", "18446744073709551615", "4102444800"])
  func aDistantEndIsThatOfAnyLogIn(exp: String) async throws {
    let issuer = try TokenIssuer(.hs256, key: Self.secret, issuer: nil, audience: nil)
    let now: UInt64 = 1_700_000_000_000
    let subject = TokenIssuer.Subject(
      name: "ann", expiresAtSeconds: try #require(Double(exp)))
    #expect(issuer.sessionMilliseconds(of: subject, atMost: 1_000, now: now) == 1_000)
    let past = TokenIssuer.Subject(name: "ann", expiresAtSeconds: -1e300)
    #expect(issuer.sessionMilliseconds(of: past, atMost: 1_000, now: now) == 0)
  }

  @Test(arguments: ["0", "3651", "-1", "ten", "1.5"])
  func daysThatCannotBeAreRefused(days: String) {
    #expect(throws: ConfigurationError.self) {
      try ServerConfiguration(
        yaml: """
          app: a
          login:
            jwt: {algorithm: HS256, key: '\(Self.secret)', sessionDays: \(days)}
          """, path: "server.yaml")
    }
  }
}
#endif
