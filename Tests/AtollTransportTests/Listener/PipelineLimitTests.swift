#if Sync
import AtollTransport
import TestThreads
import Testing

/// Requests that do not wait for the answers to those before them.
@Suite(.waiting, .hangLimit) struct PipelineLimitTests {
  private static func request(_ body: String) -> String {
    "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  /// All of them lay in the memory of the server.
  @Test func aBurstOfRequestsEndsTheConnection() async throws {
    let server = try await TestListener()
    let peer = try #require(RawSocket(port: server.address.port))
    await peer.send(String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 100_000))
    #expect(
      await eventually {
        server.count(.acceptedConnections) == 1 && server.count(.openConnections) == 0
      })
    #expect(server.count(.requests) <= 16)
    // Others are served.
    let other = try #require(RawSocket(port: server.address.port))
    await other.send("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")
    let answer = String(decoding: try #require(await other.receiveAll()), as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    await server.listener.stop()
  }

  @Test func asManyAsMayWaitAreAnsweredInOrderAgainAndAgain() async throws {
    let server = try await TestListener()
    let peer = try #require(RawSocket(port: server.address.port))
    for round in 0..<20 {
      let bodies = (0..<16).map { "round \(round), body \($0)." }
      await peer.send(bodies.map(Self.request).joined())
      var answers = ""
      while !answers.hasSuffix(bodies[15]), let bytes = await peer.receive(), !bytes.isEmpty {
        answers += String(decoding: bytes, as: UTF8.self)
      }
      let found = answers.split(separator: "\r\n\r\n").dropFirst()
      #expect(found.count == bodies.count)
      for (body, answer) in zip(bodies, found) { #expect(answer.hasPrefix(body)) }
    }
    await server.listener.stop()
  }

  @Test func oneMoreEndsTheConnection() async throws {
    let server = try await TestListener()
    let peer = try #require(RawSocket(port: server.address.port))
    let requests = (0..<17).map { Self.request("body \($0).") }.joined()
    await peer.send(requests)
    let answers = try #require(await peer.receiveAll())
    #expect(answers.isEmpty)
    #expect(await eventually { server.count(.openConnections) == 0 })
    await server.listener.stop()
  }

  /// The frames that come in one piece with the handshake are none of HTTP's.
  @Test func whatComesBehindAHandshakeIsNotCounted() async throws {
    let server = try await TestListener()
    let peer = try #require(RawSocket(port: server.address.port))
    let head = """
      GET /sync HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\
      Sec-WebSocket-Protocol: atoll-sync-1\r\nAuthorization: Bearer good\r\n\r\n
      """
    let count = 100
    let frames = (0..<count).flatMap { maskedFrame([UInt8($0)]) }
    await peer.send(Array(head.utf8) + frames)
    #expect(await eventually { server.record.receivedCount == count })
    peer.end()
    #expect(await eventually { server.record.disconnectCount == 1 })
    await server.listener.stop()
  }
}
#endif
