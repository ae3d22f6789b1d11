#if Sync
import AtollTransport
import Logging
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

@Suite(.waiting, .hangLimit) struct SyncServiceTests {
  @Test(arguments: [
    ("GET", "/", 404), ("GET", "", 400), ("GET", "/v1", 404), ("GET", "/v1/app/a/login", 405),
    ("POST", "/v1/app/a/other", 404), ("POST", "/v1/app/../login", 404),
    ("POST", "/v1/app//login", 404), ("POST", "/v1/app/a/login", 400), ("PUT", "/health", 405),
    ("POST", "/v1/app/a/session", 401), ("DELETE", "/v1/app/a/session", 401),
    ("POST", "/v1/app/a/register", 400), ("GET", "/v1/app/a/login/x", 404),
    ("GET", "/metrics", 404), ("GET", "/metrics/", 404),
  ])
  func whatIsNotThereIsRefused(method: String, path: String, status: Int) async throws {
    let server = try await TestService()
    let reply = try await HTTPClient(server.service.address, timeoutMilliseconds: 1_800_000).send(
      method, path)
    #expect(reply.status == status)
    await server.service.stop()
  }

  @Test(arguments: [
    "", "{", "[]", "null", "{}", #"{"provider":"x"}"#, #"{"provider":1}"#,
    #"{"provider":"local-userpass"}"#, #"{"provider":"local-userpass","email":"a@b.c"}"#,
    #"{"email":["a"],"password":{}}"#, "\u{0}", String(repeating: "[", count: 10_000),
  ])
  func badBodiesAreRefused(body: String) async throws {
    let server = try await TestService()
    let client = HTTPClient(server.service.address, timeoutMilliseconds: 1_800_000)
    for action in ["login", "register"] {
      let reply = try await client.send(
        "POST", "/v1/app/app-1/\(action)", json: Array(body.utf8))
      #expect(reply.status == 400)
    }
    await server.service.stop()
  }

  @Test(arguments: [false, true])
  func bodiesInUTF16AreRefused(isBigEndian: Bool) async throws {
    let server = try await TestService()
    let client = HTTPClient(server.service.address, timeoutMilliseconds: 1_800_000)
    let body = #"{"provider":"anon-user"}"#.utf16.flatMap { unit -> [UInt8] in
      let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
      return isBigEndian ? bytes.reversed() : bytes
    }
    let reply = try await client.send("POST", "/v1/app/app-1/login", json: body)
    #expect(reply.status == 400)
    await server.service.stop()
  }

  /// A form of a web page can send JSON as text to any server without asking it.
  @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"])
  func bodiesThatAreNotSaidToBeJSONAreRefused(type: String) async throws {
    let server = try await TestService()
    let client = HTTPClient(server.service.address, timeoutMilliseconds: 1_800_000)
    let body = Array(#"{"provider":"anon-user"}"#.utf8)
    for action in ["login", "register", "session"] {
      let reply = try await client.send(
        "POST", "/v1/app/app-1/\(action)", json: body, headers: ["Content-Type": type])
      #expect(reply.status == 415)
    }
    let reply = try await client.send(
      "POST", "/v1/app/app-1/login", json: body,
      headers: ["Content-Type": "Application/JSON; charset=utf-8"])
    #expect(reply.status == 200)
    await server.service.stop()
  }

  @Test func theLogSaysWhichWebPageWasRefused() async throws {
    let server = try await TestService()
    let reply = try await HTTPClient(server.service.address, timeoutMilliseconds: 1_800_000).send(
      "POST", "/v1/app/app-1/login", json: Array(#"{"provider":"anon-user"}"#.utf8),
      headers: ["Origin": "http://example.org"])
    #expect(reply.status == 403)
    await server.service.stop()
    #expect(
      server.log.all.joined().contains(
        #"msg="refused a request of a web page" host=127.0.0.1 origin=http://example.org"#))
  }

  @Test func developmentStaysOnThisMachine() async throws {
    let folder = TemporaryFolder()
    var options = TestService.options(folder)
    options.isDevelopment = true
    for host in ["0.0.0.0", "::", "192.0.2.1", "example.org"] {
      options.host = host
      let error = #expect(throws: ServerError.self) {
        try SyncService.start(options, logger: silent) { _ in }
      }
      #expect(error == .developmentOutsideLoopback(host: host))
    }
    #expect(folder.names() == [])
    options.host = "0.0.0.0"
    options.isInsecure = true
    let service = try SyncService.start(options, logger: silent) { _ in }
    await service.stop()
  }

  @Test func aPortInUseIsATypedError() async throws {
    let first = try await TestService()
    let port = first.service.address.port
    let folder = TemporaryFolder()
    await #expect(throws: ServerError.listening(.portInUse(host: "127.0.0.1", port: port))) {
      try await TestService(in: folder, port: port)
    }
    // Nothing holds the folder of the one that did not start. Another test may have the port by
    // now.
    await first.service.stop()
    let second = try await TestService(in: folder)
    await second.service.stop()
  }

  @Test func anAddressOfAnotherMachineIsATypedError() async throws {
    let folder = TemporaryFolder()
    var options = TestService.options(folder)
    options.host = "192.0.2.1"
    let error = #expect(throws: ServerError.self) {
      try SyncService.start(options, logger: silent) { _ in }
    }
    guard case .listening(.notBindable("192.0.2.1", 0, _))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func twoServersDoNotShareAFolder() async throws {
    let first = try await TestService()
    let error = await #expect(throws: ServerError.self) {
      try await TestService(in: first.folder)
    }
    guard case .inUse? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await first.service.stop()
  }

  @Test func theLogTellsOfConnectionsAndNotOfSecrets() async throws {
    let server = try await TestService()
    try await server.client().register(email: "a@b.c", password: "secret-word")
    let login = try await server.client().login(
      .emailPassword(email: "a@b.c", password: "secret-word"))
    let inbox = try await server.connect(token: login.accessToken)
    try await inbox.send([1])
    _ = await inbox.next()
    await server.service.stop()
    let log = server.log.all.joined()
    for words in [
      "msg=listening", "adopted app", "sync connected", "sync disconnected", "msg=stopped",
    ] {
      #expect(log.contains(words), "\(words)")
    }
    #expect(log.contains("user=\(login.userID)"))
    for secret in ["secret-word", login.accessToken, login.refreshToken] {
      #expect(!log.contains(secret))
    }
  }
}

private let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
#endif
