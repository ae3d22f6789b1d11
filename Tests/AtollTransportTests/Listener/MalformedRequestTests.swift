#if Sync
import AtollTransport
import TestThreads
import Testing

/// Bytes that are no request.
@Suite(.waiting, .hangLimit) struct MalformedRequestTests {
  @Test(arguments: [
    ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}", "malformed-request"),
    ("GET\r\n\r\n", "malformed-request"),
    ("GET / HTTP/2.0\r\n\r\n", "malformed-request"),
    ("GET / HTTP/9.9\r\n\r\n", "malformed-request"),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "malformed-request"),
    ("GET /health HTTP/1.1\r\nA b: c\r\n\r\n", "malformed-request"),
    ("POST /echo HTTP/1.1\r\nContent-Length: x\r\n\r\n", "malformed-request"),
    ("POST /echo HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "malformed-request"),
    ("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "malformed-request"),
    ("GET /health HTTP/1.1\r\nA: " + String(repeating: "x", count: 20_000), "head-too-large"),
    (
      "GET /health HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 80) + "\r\n",
      "head-too-large"
    ),
  ])
  func whatIsNoRequestIsRefusedLikeOne(text: String, code: String) async throws {
    let server = try await TestListener()
    let socket = try #require(RawSocket(port: server.address.port))
    await socket.send(text)
    try await Self.expectRefusal(try #require(await socket.receiveAll()), code)
    #expect(server.counts(.refusedRequests) == ["400": 1])
    await server.listener.stop()
  }

  @Test func whatWasAskedBeforeIsAnswered() async throws {
    let server = try await TestListener()
    let socket = try #require(RawSocket(port: server.address.port))
    await socket.send(
      "GET /health HTTP/1.1\r\n\r\nGET /host HTTP/1.1\r\n\r\nnothing at all\r\n\r\n")
    let answers = String(decoding: try #require(await socket.receiveAll()), as: UTF8.self)
    let heads = answers.ranges(of: "HTTP/1.1 ").map { answers[$0.upperBound...].prefix(3) }
    #expect(heads == ["200", "200", "400"])
    #expect(answers.contains("well") && answers.contains("127.0.0.1"))
    await server.listener.stop()
  }

  /// A target may be a whole address, as proxies get it.
  @Test(arguments: [
    ("http://example.org/health", "200"), ("HTTP://a:1/health?x=/y", "200"),
    ("http://example.org", "404"), ("http://example.org?/health", "404"), ("*", "404"),
    ("/http://example.org/health", "404"), ("health", "400"), ("://", "400"),
  ])
  func aTargetMayBeAnAddress(target: String, status: String) async throws {
    let server = try await TestListener()
    let socket = try #require(RawSocket(port: server.address.port))
    await socket.send("GET \(target) HTTP/1.1\r\nConnection: close\r\n\r\n")
    let answer = String(decoding: try #require(await socket.receiveAll()), as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
    await server.listener.stop()
  }

  /// Some programs send no body before they are told to (RFC 9110, 10.1.1).
  @Test(arguments: ["100-continue", "100-Continue"])
  func whoAsksWhetherTheBodyIsWantedIsTold(expectation: String) async throws {
    let server = try await TestListener()
    let socket = try #require(RawSocket(port: server.address.port))
    for _ in 0..<2 {
      await socket.send(
        "POST /echo HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
          + "Expect: \(expectation)\r\n\r\n")
      let told = String(decoding: try #require(await socket.receive()), as: UTF8.self)
      #expect(told == "HTTP/1.1 100 Continue\r\n\r\n")
      await socket.send("{}")
      let answer = String(decoding: try #require(await socket.receive()), as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("{}"), "\(answer)")
    }
    // What is refused by its head is not asked for.
    await socket.send(
      "POST /echo HTTP/1.1\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n")
    let refusal = String(decoding: try #require(await socket.receiveAll()), as: UTF8.self)
    #expect(refusal.hasPrefix("HTTP/1.1 413"), "\(refusal)")
    // A peer of HTTP/1.0 takes no such answer.
    let old = try #require(RawSocket(port: server.address.port))
    await old.send(
      "POST /echo HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}")
    let answer = String(decoding: try #require(await old.receiveAll()), as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    await server.listener.stop()
  }

  private static func expectRefusal(_ bytes: [UInt8], _ code: String) async throws {
    let answer = String(decoding: bytes, as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
    #expect(answer.contains("\r\nContent-Type: application/json\r\n"))
    let body = try #require(answer.firstRange(of: "\r\n\r\n"))
    let error = JSON.decode(ErrorBody.self, Array(answer[body.upperBound...].utf8))?.error
    #expect(error?.code == code)
    #expect(error?.message.isEmpty == false)
  }
}
#endif
