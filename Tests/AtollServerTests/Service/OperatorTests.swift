#if Sync
import AtollObjects
import AtollTransport
import Logging
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

/// The address for operators, and what a reload changes about connections.
@Suite(.waiting, .hangLimit) struct OperatorTests {
  private func clients(_ server: TestService) throws -> (all: HTTPClient, operators: HTTPClient) {
    (
      HTTPClient(server.service.address, timeoutMilliseconds: 1_800_000),
      HTTPClient(try #require(server.service.metricsAddress), timeoutMilliseconds: 1_800_000)
    )
  }

  @Test func operatorsHaveAnAddressOfTheirOwn() async throws {
    let server = try await TestService()
    let (all, operators) = try clients(server)
    for client in [all, operators] {
      #expect(
        try await client.send("GET", "/health")
          == HTTPReply(status: 200, body: Array(#"{"status":"ok"}"#.utf8)))
      #expect(try await client.send("POST", "/health").status == 405)
    }
    #expect(try await all.send("GET", "/metrics").status == 404)
    let metrics = try await operators.send("GET", "/metrics")
    #expect(metrics.contentType == "text/plain; version=0.0.4")
    let lines = String(decoding: metrics.body, as: UTF8.self).split(separator: "\n")
    // Those of operators are not counted.
    #expect(lines.contains("atoll_requests_total 3"))
    #expect(lines.contains("atoll_open_sessions 0"))
    for (method, path) in [
      ("POST", "/v1/app/app-1/login"), ("GET", "/sync"), ("GET", "/"), ("GET", "/health/"),
    ] {
      #expect(try await operators.send(method, path).status == 404, "\(path)")
    }
    #expect(try await operators.send("DELETE", "/metrics").status == 405)
    await server.service.stop()
    await #expect(throws: TransportError.self) { _ = try await operators.send("GET", "/health") }
  }

  @Test func withoutAPortForThemThereIsNone() async throws {
    let folder = TemporaryFolder()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let service = try SyncService.start(
      TestService.options(folder), logger: logger, handleFailure: { _ in })
    #expect(service.metricsAddress == nil)
    await service.stop()
  }

  @Test func healthTellsOfACoreThatServesNobody() async throws {
    let server = try await TestService()
    let (all, operators) = try clients(server)
    let login = try await server.client().login(.anonymous)
    let inbox = try await server.connect(token: login.accessToken)
    try await inbox.send(CoreGate.frame)
    #expect(await eventually { server.gate.isHeld })
    #expect(try await all.send("GET", "/health").status == 200)
    server.uptime.advance(seconds: 7)
    for client in [all, operators] {
      let reply = try await client.send("GET", "/health")
      #expect(reply.status == 503 && reply.retryAfterSeconds == 5)
      let error = JSON.decode(ErrorBody.self, reply.body)?.error
      #expect(error?.code == "core-busy" && error?.message.contains("7 seconds") == true)
    }
    let metrics = try await operators.send("GET", "/metrics")
    #expect(String(decoding: metrics.body, as: UTF8.self).contains("\natoll_turn_seconds 7\n"))
    server.gate.open()
    #expect(await eventually { (try? await all.send("GET", "/health").status) == 200 })

    try await inbox.send(CoreGate.failure)
    #expect(await inbox.ended() == .internalError)
    for client in [all, operators] {
      let reply = try await client.send("GET", "/health")
      #expect(reply.status == 503)
      #expect(JSON.decode(ErrorBody.self, reply.body)?.error.code == "core-failed")
    }
    await server.service.stop()
  }

  /// A stopped 'atoll users' held all log-ins back, and nothing told of it.
  @Test func lockedAccountsAreToldAndRefusedAtOnce() async throws {
    let server = try await TestService()
    let (all, operators) = try clients(server)
    let login = try await server.client().login(.anonymous)
    let accounts = try Database.open(
      server.folder.path(of: "server/accounts.atoll"), options: Database.Options())
    let transaction = try accounts.beginWrite()
    // Not by a request: it could not be told from the server's own looks at the accounts whether that
    // is what is at work.
    let hasBegun = Mutex(false)
    let now = server.time.now()
    async let waiting = server.service.accounts.run { accounts in
      hasBegun.withLock { $0 = true }
      return Result { try accounts.loginAnonymously(host: HostKey("192.0.2.1"), now: now) }
    }
    #expect(await eventually { hasBegun.withLock { $0 } })
    #expect(try await all.send("GET", "/health").status == 200)
    server.uptime.advance(seconds: 7)
    for client in [all, operators] {
      let reply = try await client.send("GET", "/health")
      // To start it again would not help, and end what devices do.
      #expect(reply.status == 200)
      let body = JSON.decode([String: String].self, reply.body)
      #expect(body?["status"] == "accounts-locked")
      #expect(body?["message"]?.contains("7 seconds") == true)
    }
    await #expect(throws: TransportError.self) { _ = try await server.client().login(.anonymous) }
    await #expect(throws: TransportError.self) {
      _ = try await server.client().refresh(login.refreshToken)
    }
    transaction.cancel()
    _ = try await waiting.get()
    #expect(
      await eventually {
        guard let reply = try? await all.send("GET", "/health") else { return false }
        return JSON.decode([String: String].self, reply.body)?["status"] == "ok"
      })
    _ = try await server.client().refresh(login.refreshToken)
    try accounts.close()
    await server.service.stop()
  }

  /// What is over in the accounts is removed once the server has begun, whatever another process does
  /// with them.
  @Test func aServerBeginsWhileItsAccountsAreLocked() async throws {
    let first = try await TestService()
    let guest = try await first.client().login(.anonymous)
    await first.service.stop()
    let accounts = try Database.open(
      first.folder.path(of: "server/accounts.atoll"), options: Database.Options())
    let transaction = try accounts.beginWrite()
    // The log-in has ended meanwhile, and nothing else leads to its user.
    first.time.advance(seconds: 10 * 365 * 86_400)
    let server = try await TestService(in: first.folder, time: first.time)
    let (all, _) = try clients(server)
    #expect(try await all.send("GET", "/health").status == 200)
    transaction.cancel()
    #expect(
      await eventually {
        (try? accounts.snapshot().table("User").object(primaryKey: .string(guest.userID)) == nil)
          == true
      })
    try accounts.close()
    await server.service.stop()
  }

  /// A web page of a name that points to this machine could read them.
  @Test func onLoopbackOperatorsNameThisMachine() async throws {
    let server = try await TestService()
    let (all, operators) = try clients(server)
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""] {
      let reply = try await operators.send("GET", "/metrics", headers: ["Host": host])
      #expect(reply.status == 403, "\(host)")
      #expect(JSON.decode(ErrorBody.self, reply.body)?.error.code == "foreign-host")
      // A proxy in front of the other address may keep the name.
      if !host.isEmpty {
        #expect(try await all.send("GET", "/health", headers: ["Host": host]).status == 200)
      }
    }
    for host in ["localhost", "LOCALHOST:9", "127.0.0.1", "[::1]:80"] {
      #expect(
        try await operators.send("GET", "/metrics", headers: ["Host": host]).status == 200,
        "\(host)")
    }
    await server.service.stop()
  }

  @Test func aReloadChangesWhoseTheConnectionsAre() async throws {
    let configuration = "app: app-1\nlogin: {anonymous: true}\n"
    let server = try await TestService(configuration: configuration)
    let (all, _) = try clients(server)
    func ask() async throws {
      _ = try await all.send("GET", "/health", headers: ["X-Forwarded-For": "198.51.100.7"])
    }
    try await ask()
    #expect(!server.log.all.joined().contains("198.51.100.7"))
    try server.service.adopt(
      ServerConfiguration(yaml: configuration + "trustedProxies: [127.0.0.0/8]\n", path: "x"))
    try await ask()
    #expect(server.log.all.joined().contains("host=198.51.100.7"))
    let login = try await server.client().login(.anonymous)
    let connection = try await server.connect(token: login.accessToken)
    try server.service.adopt(
      ServerConfiguration(yaml: configuration + "server: {connectionsPerHost: 1}\n", path: "x"))
    await #expect(throws: TransportError.self) {
      _ = try await server.connect(token: login.accessToken)
    }
    try await connection.send([1])
    #expect(await connection.next() != nil)
    await server.service.stop()
  }
}
#endif
