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
    var sent = 0
    while true {
      try await Task.sleep(for: .milliseconds(100))
      let now = server.count(.sentBytes)
      if now == sent { break }
      sent = now
    }
    #expect(sent < UInt64(frameCount * byteCount) / 2)
    // A read of the system may bring some frames more than the window.
    #expect(inbox.frameCount < 30)
    for _ in 0..<frameCount { #expect(await inbox.next()?.count == byteCount) }
    #expect(server.count(.sentBytes) == frameCount * byteCount)
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

  /// A frame takes memory beside its bytes: millions of small ones waited before the limit was met.
  @Test func smallFramesCountWithTheMemoryThatTheyTake() async throws {
    let server = try await TestListener()
    let sender = SmallFrameSender(count: 3_000)
    try await server.connector().connect(sender)
    // The loop of the connection has written none of them.
    #expect(sender.wasWritable == false)
    #expect(await eventually { sender.connection?.isWritable == true })
    sender.connection?.close(.normal)
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
    patient.connection.silenceMilliseconds = 6_000
    patient.connection.pingMilliseconds = nil
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

  /// A peer whose network is gone sends no end of its connection either.
  @Test func aPeerThatAnswersNoPingIsLeft() async throws {
    var options = TestListener.patient
    options.connection.pingMilliseconds = 40
    options.connection.silenceMilliseconds = 80
    let server = try await TestListener(options: options)
    let peer = try #require(RawSocket(port: server.address.port))
    #expect(await peer.upgrade().hasPrefix("HTTP/1.1 101"))
    let all = try #require(await peer.receiveAll())
    // A ping without data, and at the end the code 4408: it was asked before it was left.
    #expect(all.starts(with: [0x89, 0]))
    let close = try #require(all.firstIndex(of: 0x88))
    #expect(all[(close + 2)...].starts(with: [UInt8(4_408 >> 8), UInt8(4_408 & 0xFF)]))
    #expect(await eventually { server.record.disconnectCount == 1 })
    await server.listener.stop()
  }

  /// Where one end only receives, the other would hear nothing.
  @Test func anEndThatHearsMuchAndSendsNothingPings() async throws {
    var options = TestListener.patient
    options.connection.pingMilliseconds = 300
    let server = try await TestListener(options: options)
    server.record.content.withLock { $0.isBusy = true }
    let peer = try #require(RawSocket(port: server.address.port))
    #expect(await peer.upgrade().hasPrefix("HTTP/1.1 101"))
    let isOver = Mutex(false)
    let talking = Task {
      while !isOver.withLock(\.self) {
        await peer.send(maskedFrame([1]))
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    #expect(await peer.receive(2) == [0x89, 0])
    isOver.withLock { $0 = true }
    _ = await talking.value
    await server.listener.stop()
  }

  @Test func bothEndsPingEveryTwentySecondsAndWaitHalfAMinute() {
    for options in [ConnectionOptions.client, .server] {
      #expect(options.pingMilliseconds == 20_000)
      #expect(options.silenceMilliseconds == 30_000)
    }
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

/// Sends empty frames on the loop of its connection, which cannot write meanwhile.
private final class SmallFrameSender: FrameReceiver {
  private let count: Int
  private let state = Mutex<(connection: (any FrameConnection)?, wasWritable: Bool?)>((nil, nil))

  init(count: Int) { self.count = count }

  var connection: (any FrameConnection)? { state.withLock { $0.connection } }
  var wasWritable: Bool? { state.withLock { $0.wasWritable } }

  func opened(_ connection: any FrameConnection) {
    connection.send(Array(repeating: [], count: count))
    state.withLock { $0 = (connection, connection.isWritable) }
  }

  func received(_ frames: [[UInt8]], on connection: any FrameConnection) {
    connection.consumed(frameCount: frames.count, byteCount: frames.reduce(0) { $0 + $1.count })
  }

  func becameWritable(_ connection: any FrameConnection) {}
  func closed(_ connection: any FrameConnection, _ reason: CloseReason) {}
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
