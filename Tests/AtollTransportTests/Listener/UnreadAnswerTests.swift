#if Sync
import AtollTransport
import TestSupport
import TestThreads
import Testing

/// Peers that ask and ask and never read what they are answered.
@Suite(.waiting, .hangLimit) struct UnreadAnswerTests {
  /// The answers to all of them lay in the memory of the server.
  @Test func requestsAreReadNoFasterThanTheirAnswersLeave() async throws {
    var options = TestListener.patient
    options.answerTimeoutMilliseconds = 3_000
    let server = try await TestListener(options: options)
    let peer = try #require(RawSocket(port: server.address.port, receiveBufferByteCount: 4_096))
    let (count, request) = (4_000, Self.request(byteCount: 16 << 10))
    var sentCount = 0
    while sentCount < count, await peer.send(request) == request.count { sentCount += 1 }
    #expect(sentCount < count)
    // What the system takes for a peer that reads nothing, and the one answer that waits.
    #expect(server.count(.requests) < count / 4)
    #expect(await eventually { server.count(.openConnections) == 0 })
    await server.listener.stop()
  }

  /// One read of the socket brings several short requests, whose answers are longer.
  @Test func ofRequestsThatCameTogetherOneAnswerWaits() async throws {
    var options = TestListener.patient
    options.answerTimeoutMilliseconds = 3_000
    let server = try await TestListener(options: options)
    let peer = try #require(RawSocket(port: server.address.port, receiveBufferByteCount: 4_096))
    let request = "GET /large HTTP/1.1\r\nHost: test\r\n\r\n"
    await peer.send(String(repeating: request, count: 16))
    #expect(await eventually { server.count(.requests) > 0 })
    #expect(await eventually { server.count(.openConnections) == 0 })
    #expect(server.count(.requests) == 1)
    await server.listener.stop()
  }

  /// Only connections that are kept were watched while an answer waited.
  @Test func aLastAnswerThatIsNotReadEndsTheConnectionToo() async throws {
    var options = TestListener.patient
    options.answerTimeoutMilliseconds = 3_000
    let server = try await TestListener(options: options)
    let peer = try #require(RawSocket(port: server.address.port, receiveBufferByteCount: 4_096))
    await peer.send("GET /large HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
    #expect(await eventually { server.count(.requests) == 1 })
    #expect(await eventually { server.count(.openConnections) == 0 })
    await server.listener.stop()
  }

  @Test func requestsThatCameTogetherAreAllAnsweredInOrder() async throws {
    let server = try await TestListener()
    let peer = try #require(RawSocket(port: server.address.port))
    let bodies = (0..<16).map { "body \($0)." }
    var requests = ""
    for (index, body) in bodies.enumerated() {
      let end = index + 1 == bodies.count ? "Connection: close\r\n" : ""
      requests +=
        "POST /echo HTTP/1.1\r\nHost: test\r\n\(end)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
    await peer.send(requests)
    let answers = String(decoding: try #require(await peer.receiveAll()), as: UTF8.self)
    let found = answers.split(separator: "\r\n\r\n").dropFirst()
    #expect(found.count == bodies.count)
    for (body, answer) in zip(bodies, found) { #expect(answer.hasPrefix(body)) }
    await server.listener.stop()
  }

  /// Requests that are answered on the spot must not call each other.
  ///
  /// Where the peer takes their answers too slowly, it is left.
  @Test func manyRequestsThatAreRefusedAtOnceEndNoStack() async throws {
    let server = try await TestListener()
    let peer = try #require(RawSocket(port: server.address.port))
    let count = 20_000
    let request = "GET /sync HTTP/1.1\r\nHost: a\r\n\r\n"
    let last = "GET /sync HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    let sending = Task { await peer.send(String(repeating: request, count: count - 1) + last) }
    let reader = Task { await peer.receiveAll() }
    #expect(
      await eventually {
        server.count(.acceptedConnections) == 1 && server.count(.openConnections) == 0
      })
    await sending.value
    _ = await reader.value
    #expect((1...count).contains(server.counts(.refusedRequests)["426"] ?? 0))
    let other = try #require(RawSocket(port: server.address.port))
    await other.send("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")
    let answer = String(decoding: try #require(await other.receiveAll()), as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    await server.listener.stop()
  }

  /// The pongs to all pings lay in the memory of the server, and nothing watched whether they left.
  @Test func ofPingsWhoseAnswersAreNotReadTheNewestIsAnswered() async throws {
    let server = try await TestListener()
    let peer = try #require(RawSocket(port: server.address.port, receiveBufferByteCount: 4_096))
    #expect(await peer.upgrade().hasPrefix("HTTP/1.1 101"))
    let count = 120_000
    var pings: [UInt8] = []
    for number in 0..<count { pings += maskedFrame(Self.payload(number), opcode: 9) }
    await peer.send(pings + maskedFrame([1]))
    // Behind the pings comes a frame: all of them were read then.
    #expect(await eventually { server.record.receivedCount == 1 })
    var received: [UInt8] = []
    let end = Self.payload(count - 1)
    while !received.suffix(2 * end.count).contains(end), let bytes = await peer.receive(),
      !bytes.isEmpty
    {
      received += bytes
    }
    #expect(received.suffix(2 * end.count).contains(end))
    #expect(received.count < pings.count / 2)
    await server.listener.stop()
  }

  /// Each ping of a flood was answered with a system call and a pong of its own.
  @Test func ofPingsThatComeTogetherTheNewestIsAnswered() async throws {
    let server = try await TestListener()
    let peer = try #require(RawSocket(port: server.address.port))
    #expect(await peer.upgrade().hasPrefix("HTTP/1.1 101"))
    let count = 50_000
    let pings = Array(repeatElement(maskedFrame([], opcode: 9), count: count - 1).joined())
    await peer.send(pings + maskedFrame([0x65, 0x6E, 0x64], opcode: 9))
    let end: [UInt8] = [0x8A, 3, 0x65, 0x6E, 0x64]
    var received: [UInt8] = []
    while !received.suffix(end.count).elementsEqual(end), let bytes = await peer.receive(),
      !bytes.isEmpty
    {
      received += bytes
    }
    #expect(received.suffix(end.count) == end[...])
    // Pongs without data are two bytes long; of those, each read brings one.
    #expect((received.count - end.count) / 2 < count / 4)
    await server.listener.stop()
  }

  /// Pings are signs of life, but not of reading.
  @Test func aPeerThatPingsAndReadsNothingIsLeft() async throws {
    var options = TestListener.patient
    options.connection.stallTimeoutMilliseconds = 500
    let server = try await TestListener(
      options: options, greeting: ([UInt8](repeating: 1, count: 100_000), 1_000))
    let peer = try #require(RawSocket(port: server.address.port, receiveBufferByteCount: 4_096))
    #expect(await peer.upgrade().hasPrefix("HTTP/1.1 101"))
    let pings = Array(repeatElement(maskedFrame(Self.payload(0), opcode: 9), count: 1_000).joined())
    let sending = Task {
      var isCutOff = false
      for _ in 0..<200 where !isCutOff { isCutOff = await peer.send(pings) < pings.count }
    }
    #expect(await eventually { server.record.disconnectCount == 1 })
    // A system whose buffer for what it receives is full may drop the reset that tells it of the end,
    // and ask again minutes later.
    peer.end()
    await sending.value
    await server.listener.stop()
  }

  private static func request(byteCount: Int) -> [UInt8] {
    Array("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: \(byteCount)\r\n\r\n".utf8)
      + [UInt8](repeating: 1, count: byteCount)
  }

  /// As long as a control frame may be, another for each number.
  private static func payload(_ number: Int) -> [UInt8] {
    let text = "ping \(number)."
    return Array(text.utf8) + [UInt8](repeating: 0x2E, count: 125 - text.utf8.count)
  }
}
#endif
