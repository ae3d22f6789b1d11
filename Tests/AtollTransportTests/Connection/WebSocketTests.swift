#if Sync
import AtollTransport
import Synchronization
import TestSupport
import TestThreads
import Testing

@Suite(.waiting, .hangLimit) struct WebSocketTests {
  @Test func framesComeBackInOrder() async throws {
    let server = try await TestListener()
    let inbox = try await server.connect()
    for length in [0, 1, 125, 126, 65_535, 65_536, 300_000] {
      let frame = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try await inbox.send(frame)
      #expect(await inbox.next() == frame)
    }
    #expect(server.record.users == ["user"])
    inbox.connection?.close(.normal)
    #expect(await inbox.ended() == .normal)
    #expect(await eventually { server.record.disconnectCount == 1 })
    await server.listener.stop()
  }

  /// Both ends stop reading and making frames long before the server has made all of them.
  @Test func aReaderThatFallsBehindHoldsTheServerBack() async throws {
    let (frameCount, byteCount) = (2_000, 50_000)
    let frame = [UInt8](repeating: 7, count: byteCount)
    let server = try await TestListener(greeting: (frame, frameCount))
    var options = ConnectionOptions.client
    options.receiveWindowByteCount = 100_000
    let inbox = try await server.connect(options: options)
    #expect(await eventually { inbox.frameCount > 0 })
    // Until the buffers of both ends and of the system are full.
    var sent: UInt64 = 0
    while true {
      try await Task.sleep(for: .milliseconds(100))
      let now = server.hub.counters.values.sentBytes
      if now == sent { break }
      sent = now
    }
    #expect(sent < UInt64(frameCount * byteCount) / 2)
    // A read of the system may bring some frames more than the window.
    #expect(inbox.frameCount < 30)
    for _ in 0..<frameCount { #expect(await inbox.next()?.count == byteCount) }
    #expect(server.hub.counters.values.sentBytes == UInt64(frameCount * byteCount))
    await server.listener.stop()
  }

  @Test func aReaderThatTakesNothingIsLeft() async throws {
    var options = TestListener.patient
    options.connection.stallTimeoutMilliseconds = 200
    let server = try await TestListener(
      options: options, greeting: ([UInt8](repeating: 1, count: 100_000), 1_000))
    let socket = try #require(
      RawSocket(port: server.address.port, receiveBufferByteCount: 4_096))
    #expect(await socket.upgrade().hasPrefix("HTTP/1.1 101"))
    #expect(await eventually { server.record.disconnectCount == 1 })
    await server.listener.stop()
  }

  /// A client that sends requests and never reads must not fill the server's memory.
  @Test func aClientThatNeverReadsAnswersIsLeft() async throws {
    var options = TestListener.patient
    options.connection.sendLimitByteCount = 1 << 20
    let server = try await TestListener(options: options)
    let socket = try #require(
      RawSocket(port: server.address.port, receiveBufferByteCount: 4_096))
    #expect(await socket.upgrade().hasPrefix("HTTP/1.1 101"))
    let frame = maskedFrame([UInt8](repeating: 3, count: 60_000))
    var isCutOff = false
    for _ in 0..<1_000 where !isCutOff { isCutOff = await socket.send(frame) < frame.count }
    #expect(isCutOff)
    #expect(await eventually { server.record.disconnectCount == 1 })
    await server.listener.stop()
  }

  @Test func aFrameBeyondTheLimitEndsTheConnection() async throws {
    var options = TestListener.patient
    options.connection.maximumFrameByteCount = 10_000
    let server = try await TestListener(options: options)
    let inbox = try await server.connect()
    try await inbox.send([UInt8](repeating: 0, count: 10_000))
    #expect(await inbox.next()?.count == 10_000)
    try await inbox.send([UInt8](repeating: 0, count: 10_001))
    #expect(await inbox.ended() == .tooLarge)
    #expect(server.record.receivedCount == 1)
    await server.listener.stop()
  }

  @Test func whatTheCoreClosesSaysWhy() async throws {
    let server = try await TestListener()
    server.record.content.withLock { $0.poison = [6, 6, 6] }
    let inbox = try await server.connect()
    try await inbox.send([6, 6, 6])
    #expect(await inbox.ended() == .protocolError)
    #expect(server.record.disconnectCount == 1)
    await server.listener.stop()
  }

  @Test func silenceEndsAConnection() async throws {
    var patient = TestListener.patient
    patient.connection.idleTimeoutMilliseconds = 6_000
    let server = try await TestListener(options: patient)
    var (silent, lively) = (ConnectionOptions.client, ConnectionOptions.client)
    silent.pingMilliseconds = nil
    lively.pingMilliseconds = 20
    let options = (lively: lively, silent: silent)
    // Where the machine is busy for so long, the connection ends while it is opened.
    #expect(
      await eventually {
        (try? await server.connect(options: options.silent).ended()) == .silent
      })
    // Pings are signs of life: a connection that sends them outlives one that began later. Where the
    // machine lets no ping through for so long, both may end.
    #expect(
      await eventually {
        guard let inbox = try? await server.connect(options: options.lively),
          let later = try? await server.connect(options: options.silent)
        else { return false }
        _ = await later.ended()
        return inbox.closeReason == nil
      })
    await server.listener.stop()
  }

  @Test func aServerThatAnswersNoPingIsGivenUp() async throws {
    let server = try await TestListener()
    let inbox = try await server.connect()
    inbox.connection?.probe(timeoutMilliseconds: 1_800_000)
    try await inbox.send([1])
    #expect(await inbox.next() == [1])
    inbox.connection?.probe(timeoutMilliseconds: 0)
    #expect(await inbox.ended() == .silent)
    await server.listener.stop()
  }

  @Test func anExpiredTokenEndsTheConnection() async throws {
    let server = try await TestListener(
      responder: EchoResponder(expiresAtMilliseconds: 1_000), now: { 2_000 })
    #expect(try await server.connect().ended() == .tokenExpired)
    let other = try await TestListener(responder: EchoResponder())
    let inbox = try await other.connect()
    other.hub.end(sessions: ["another"])
    try await inbox.send([1])
    #expect(await inbox.next() == [1])
    other.hub.end(sessions: ["session"])
    #expect(await inbox.ended() == .tokenExpired)
    // One that was admitted just before.
    #expect(try await other.connect().ended() == .tokenExpired)
    await server.listener.stop()
    await other.listener.stop()
  }
}

/// A frame as a client sends it, with a mask of zeros.
func maskedFrame(_ bytes: [UInt8], opcode: UInt8 = 2, isFinal: Bool = true) -> [UInt8] {
  var frame: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
  switch bytes.count {
  case ..<126: frame.append(0x80 | UInt8(bytes.count))
  case ..<65_536: frame += [0x80 | 126, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
  default:
    frame.append(0x80 | 127)
    frame += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(bytes.count) >> (56 - 8 * $0)) }
  }
  return frame + [0, 0, 0, 0] + bytes
}
#endif
