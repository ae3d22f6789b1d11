#if Sync
import AtollTransport
import Synchronization
import TestSupport
import TestThreads
import Testing

@Suite(.waiting, .hangLimit) struct HandshakeTests {
  @Test(arguments: [
    ("http://localhost:1234", "localhost", 1234), ("ws://10.0.0.1", "10.0.0.1", 9090),
    ("https://localhost:1234", "localhost", 1234), ("WSS://10.0.0.1", "10.0.0.1", 9090),
    ("HTTP://Example.org/", "Example.org", 9090), ("http://[::1]:80", "::1", 80),
    ("ws://[fe80::1]", "fe80::1", 9090),
  ])
  func addressesAreRead(text: String, host: String, port: Int) throws {
    let address = try ServerAddress(text)
    let isSecure = text.lowercased().hasPrefix("https") || text.lowercased().hasPrefix("wss")
    #expect(address == ServerAddress(host: host, port: port, isSecure: isSecure))
    #expect(try ServerAddress(address.description) == address)
  }

  @Test(arguments: [
    "", "localhost", "localhost:80", "http://", "http://:80", "http://a:0", "http://a:65536",
    "http://a:+1", "http://a:", "http://a/b", "http://a@b", "ftp://a", "http://[::1", "http://::1",
    "http://a b", "http://[x]", "http://a\r\nb", "http://[]", "http://ä",
  ])
  func whatIsNoAddressIsRefused(text: String) throws {
    #expect(throws: TransportError.invalidAddress(text)) { try ServerAddress(text) }
  }

  @Test func noServerIsATypedError() async throws {
    let server = try await TestListener()
    let connector = server.connector()
    await server.listener.stop()
    let error = await transportError { () throws(TransportError) in
      try await connector.connect(FrameInbox())
    }
    guard case .unreachable("127.0.0.1", _, _?)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.isTransient == true)
  }

  @Test func aRefusalCarriesTheServersWords() async throws {
    let server = try await TestListener()
    let refused = await transportError { () throws(TransportError) in
      try await server.connector(token: "bad").connect(FrameInbox())
    }
    #expect(
      refused
        == .refused(.init(status: 401, code: "token-expired", message: "the token has expired")))
    #expect(refused?.isTransient == false)
    let unknown = await transportError { () throws(TransportError) in
      try await server.connector(subprotocol: "atoll-sync-99").connect(FrameInbox())
    }
    guard case .refused(let refusal)? = unknown else {
      Issue.record("\(String(describing: unknown))")
      return
    }
    #expect(refusal.code == "unknown-protocol")
    #expect(refusal.message.contains(WebSocketConnector.subprotocol))
    #expect(server.record.users == [])
    await server.listener.stop()
  }

  @Test func anExpiredTokenIsRenewedOnce() async throws {
    let server = try await TestListener()
    let asked = Mutex<[String?]>([])
    let connector = WebSocketConnector(server.address, random: TestRandom().next) { refused in
      asked.withLock { $0.append(refused) }
      return refused == nil ? "old" : "good"
    }
    let inbox = FrameInbox()
    try await connector.connect(inbox)
    #expect(inbox.connection != nil)
    #expect(asked.withLock { $0 } == [nil, "old"])
    await server.listener.stop()
  }

  @Test func aServerThatSaysNothingTimesOut() async throws {
    var options = ConnectionOptions.client
    options.connectTimeoutMilliseconds = 50
    let mute = try #require(MuteServer())
    let connector = WebSocketConnector(
      ServerAddress(host: "127.0.0.1", port: mute.port), options: options,
      random: TestRandom().next
    ) { _ in "good" }
    // Where the machine is busy for so long, the time is over while the connection is opened.
    #expect(
      await eventually {
        let error = await transportError { () throws(TransportError) in
          try await connector.connect(FrameInbox())
        }
        return error == .timedOut(.upgrade, milliseconds: 50)
      })
  }

  /// Whatever answers, the client has an error and no trap.
  @Test(arguments: [
    "", "x", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhal",
    "HTTP/1.1 401 No\r\nContent-Length: 9\r\n\r\n",
    "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
    "HTTP/1.1 101 S\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
    "HTTP/1.1 301 Moved\r\nLocation: http://example.org\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\n{}",
    "SSH-2.0-OpenSSH_9.2\r\n",
  ])
  func anyAnswerIsAnError(answer: String) async throws {
    var options = ConnectionOptions.client
    options.connectTimeoutMilliseconds = 2_000
    let server = try #require(MuteServer(answer: Array(answer.utf8)))
    let connector = WebSocketConnector(
      ServerAddress(host: "127.0.0.1", port: server.port), options: options,
      random: TestRandom().next
    ) { _ in "good" }
    let inbox = FrameInbox()
    let error = await transportError { () throws(TransportError) in
      try await connector.connect(inbox)
    }
    #expect(error != nil)
    #expect(inbox.connection == nil)
  }
}
#endif
