#if Sync
import AtollTransport
import Synchronization
import TestThreads
import Testing

/// Who gets in, where there are as many connections as there may be.
@Suite(.waiting, .hangLimit) struct ConnectionLimitTests {
  /// A connection that sends nothing, once the server has it.
  private func idle(_ server: TestListener) async throws -> RawSocket {
    let accepted = server.count(.acceptedConnections)
    let socket = try #require(RawSocket(port: server.address.port))
    #expect(await eventually { server.count(.acceptedConnections) > accepted })
    return socket
  }

  @Test func aHostHasSoManyConnectionsAndNoMore() async throws {
    var options = TestListener.patient
    options.settings.connectionsPerHost = 2
    let server = try await TestListener(options: options)
    let first = try await server.connect()
    let waiting = try await idle(server)
    // One that does nothing makes room.
    let second = try await server.connect()
    #expect(await waiting.receiveAll() == [])
    #expect(server.count(.displacedConnections) == 1)
    let third = try await idle(server)
    #expect(await third.receiveAll() == [])
    #expect(server.counts(.refusedConnections) == ["host": 1])
    for inbox in [first, second] {
      try await inbox.send([1])
      #expect(await inbox.next() == [1])
    }
    server.listener.apply(SyncListener.Settings())
    _ = try await server.connect()
    await server.listener.stop()
  }

  @Test func aFullServerClosesTheOldestThatDoNothing() async throws {
    let gate = GateResponder()
    var options = TestListener.patient
    options.connectionLimit = 4
    let server = try await TestListener(options: options, responder: gate)
    let session = try await server.connect()
    let asking = try await idle(server)
    await asking.send("GET /slow HTTP/1.1\r\n\r\n")
    #expect(await eventually { gate.isAsked.withLock { $0 } })
    let half = try await idle(server)
    await half.send("GET /health HT")
    let younger = try await idle(server)
    let newest = try await idle(server)
    #expect(await half.receiveAll() == [])
    await younger.send("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")
    #expect(Self.text(await younger.receiveAll()).hasPrefix("HTTP/1.1 200"))
    await newest.send("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")
    #expect(Self.text(await newest.receiveAll()).hasPrefix("HTTP/1.1 200"))
    gate.open()
    #expect(Self.text(await asking.receive()).hasPrefix("HTTP/1.1 200"))
    try await session.send([1])
    #expect(await session.next() == [1])
    #expect(server.counts(.refusedConnections) == [:])
    await server.listener.stop()
  }

  /// Whatever comes through a proxy comes from this machine, too, in these tests.
  @Test func someAreKeptForOperators() async throws {
    var options = TestListener.patient
    options.connectionLimit = 4
    options.settings.trustedProxies = try Self.thisMachine()
    let server = try await TestListener(options: options)
    let inboxes = [try await server.connect(), try await server.connect()]
    let refused = try await idle(server)
    #expect(await refused.receiveAll() == [])
    #expect(server.counts(.refusedConnections) == ["full": 1])
    server.listener.apply(SyncListener.Settings())
    let client = HTTPClient(server.address, timeoutMilliseconds: 1_800_000)
    #expect(try await client.send("GET", "/health").status == 200)
    for inbox in inboxes {
      try await inbox.send([1])
      #expect(await inbox.next() == [1])
    }
    await server.listener.stop()
  }

  @Test func throughAProxyEachClientHasItsOwnLimit() async throws {
    var options = TestListener.patient
    options.settings.connectionsPerHost = 1
    options.settings.trustedProxies = try Self.thisMachine()
    let server = try await TestListener(
      options: options, responder: EchoResponder(namesUsersByHost: true))
    @Sendable func upgrade(_ client: String) async throws -> (RawSocket, answer: String) {
      let socket = try #require(RawSocket(port: server.address.port))
      return (socket, await socket.upgrade(headers: "X-Forwarded-For: 9.9.9.9, \(client)\r\n"))
    }
    let first = try await upgrade("2001:db8::1")
    #expect(first.answer.hasPrefix("HTTP/1.1 101"))
    let second = try await upgrade("2001:db8::2")
    #expect(second.answer.hasPrefix("HTTP/1.1 503"))
    #expect(second.answer.contains("Retry-After"))
    #expect(Self.text(await second.0.receive()).contains("too-many-connections"))
    let other = try await upgrade("2001:db8:0:1::1")
    #expect(other.answer.hasPrefix("HTTP/1.1 101"))
    #expect(await eventually { server.record.users.count == 2 })
    #expect(Set(server.record.users) == ["2001:db8::1", "2001:db8:0:1::1"])
    #expect(server.counts(.refusedConnections) == ["host": 1])
    first.0.end()
    #expect(
      await eventually {
        (try? await upgrade("2001:db8::3").answer.hasPrefix("HTTP/1.1 101")) ?? false
      })
    await server.listener.stop()
  }

  @Test func theAddressOfAClientIsThatWhichATrustedProxyNames() async throws {
    let server = try await TestListener()
    let client = HTTPClient(server.address, timeoutMilliseconds: 1_800_000)
    func host() async throws -> String {
      let headers = ["X-Forwarded-For": "9.9.9.9, 198.51.100.7", "Forwarded": "for=198.51.100.8"]
      return Self.text(try await client.send("GET", "/host", headers: headers).body)
    }
    #expect(try await host() == "127.0.0.1")
    var settings = SyncListener.Settings()
    settings.trustedProxies = try Self.thisMachine()
    server.listener.apply(settings)
    #expect(try await host() == "198.51.100.7")
    settings.trustedProxies.header = .forwarded
    server.listener.apply(settings)
    #expect(try await host() == "198.51.100.8")
    settings.trustedProxies.networks = [try #require(IPNetwork("127.0.0.2"))]
    server.listener.apply(settings)
    #expect(try await host() == "127.0.0.1")
    await server.listener.stop()
  }

  private static func thisMachine() throws -> TrustedProxies {
    TrustedProxies([try #require(IPNetwork("127.0.0.1"))])
  }

  private static func text(_ bytes: [UInt8]?) -> String {
    String(decoding: bytes ?? [], as: UTF8.self)
  }
}

/// Answers one request only when it is told to.
private final class GateResponder: HTTPResponder {
  let isAsked = Mutex(false)
  private let isOpen = Mutex(false)

  func open() { isOpen.withLock { $0 = true } }

  func respond(to request: HTTPRequest) async -> HTTPReply {
    if request.path == "/slow" {
      isAsked.withLock { $0 = true }
      _ = await eventually { self.isOpen.withLock { $0 } }
    }
    return HTTPReply(status: 200)
  }

  func admit(_ request: HTTPRequest) -> SyncAdmission { EchoResponder().admit(request) }
}
#endif
