#if Sync
import AtollTransport
import TestThreads
import Testing

@testable import AtollServer

/// A server whose workers are busy with passwords.
@Suite(.waiting, .hangLimit) struct PasswordLoadTests {
  private let hashes = HeldHashes()
  private let queue = PasswordQueue(workerCount: 1, waitingLimit: 1)

  private func start(_ configuration: String? = nil) async throws -> TestService {
    try await TestService(configuration: configuration) { options in
      options.accounts.matches = hashes.matches
      options.passwords = queue
    }
  }

  private static let credentials = LoginClient.Identity.emailPassword(
    email: "a@b.c", password: "secret")

  /// A log-in whose password is being compared.
  private func logIn(_ client: LoginClient) async -> Task<LoginClient.Login, any Error> {
    let task = Task { try await client.login(Self.credentials) }
    _ = await eventually { hashes.begunCount == 1 }
    return task
  }

  /// Refreshes and log-ins without a password took their turn behind all hashes.
  @Test func nothingElseWaitsForPasswords() async throws {
    let (key, text) = APIKey.make("importer", random: TestRandom(seed: 3).next)
    let server = try await start(
      """
      app: app-1
      login:
        anonymous: true
        password: true
        registration: true
        jwt: {algorithm: HS256, key: 'a secret of at least 32 characters'}
        keys: [{name: importer, sha256: \(key.digest)}]
      """)
    let client = server.client()
    try await client.register(email: "a@b.c", password: "secret")
    let task = await logIn(client)
    let login = try await client.login(.anonymous)
    _ = try await client.refresh(login.refreshToken)
    _ = try await client.login(.key(text))
    let other = await refusal { () throws(TransportError) in
      _ = try await client.login(.token("no token"))
    }
    #expect(other?.status == 401)
    try await client.logOut(login.refreshToken)
    hashes.release()
    _ = try await task.value
    await server.service.stop()
  }

  @Test func whatWouldWaitTooLongIsRefusedWithTheTimeToWait() async throws {
    let server = try await start()
    let client = server.client()
    try await client.register(email: "a@b.c", password: "secret")
    let running = await logIn(client)
    let waiting = Task { try await client.login(Self.credentials) }
    _ = await eventually { queue.waitingCount == 1 }
    // More often than there may be wrong passwords: what was refused is none.
    for _ in 0..<12 {
      let refused = await refusal { () throws(TransportError) in
        _ = try await client.login(Self.credentials)
      }
      #expect(refused?.status == 503)
      #expect(refused?.code == "busy")
      #expect(refused?.retryAfterSeconds == 2)
    }
    let registration = await refusal { () throws(TransportError) in
      try await client.register(email: "x@b.c", password: "secret")
    }
    #expect(registration?.status == 503)
    hashes.release()
    _ = try await (running.value, waiting.value)
    await server.service.stop()
  }

  /// Log-ins whose sockets were closed cost as much as any other.
  @Test func aLogInWhoseConnectionIsGoneIsNotHashed() async throws {
    let server = try await start()
    let client = server.client()
    try await client.register(email: "a@b.c", password: "secret")
    let running = await logIn(client)
    // Gives up soon, and closes its connection then.
    let impatient = HTTPClient(server.service.address, timeoutMilliseconds: 300)
    let body = Array(
      #"{"provider":"local-userpass","email":"a@b.c","password":"secret"}"#.utf8)
    let attempts = Task {
      while !Task.isCancelled {
        _ = try? await impatient.send("POST", "/v1/app/app-1/login", json: body)
      }
    }
    #expect(await eventually { queue.waitingCount == 1 })
    attempts.cancel()
    await attempts.value
    #expect(await eventually { queue.waitingCount == 0 })
    hashes.release()
    _ = try await running.value
    #expect(hashes.begunCount == 1)
    await server.service.stop()
  }
}
#endif
