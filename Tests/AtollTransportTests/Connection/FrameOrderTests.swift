#if Sync
import Synchronization
import TestThreads
import Testing

@testable import AtollTransport

/// Frames that a read brings together.
@Suite(.waiting, .hangLimit) struct FrameOrderTests {
  private static func payload(_ number: Int) -> [UInt8] {
    [UInt8(number >> 8), UInt8(number & 0xFF)]
  }

  /// The core had a turn for almost each of them.
  @Test func manyAreTakenInOrderAndInFewTurns() async throws {
    let server = try await TestListener()
    let peer = try #require(RawSocket(port: server.address.port))
    #expect(await peer.upgrade().hasPrefix("HTTP/1.1 101"))
    let count = 10_000
    let sent = (0..<count).flatMap { maskedFrame(Self.payload($0)) }
    let sending = Task { await peer.send(sent) }
    let expected: [UInt8] = (0..<count).flatMap { [0x82, 2] + Self.payload($0) }
    var received: [UInt8] = []
    while received.count < expected.count, let bytes = await peer.receive(), !bytes.isEmpty {
      received += bytes
    }
    let isInOrder = received == expected
    #expect(isInOrder)
    #expect(server.count(.turns) < count / 4)
    _ = await sending.value
    await server.listener.stop()
  }

  /// What came before the close frame, or before what is no frame, is taken too.
  @Test(arguments: [maskedFrame([3, 0xE8], opcode: 8), maskedFrame([], opcode: 11)])
  func whatComesBeforeTheEndIsTaken(end: [UInt8]) async throws {
    let server = try await TestListener()
    let peer = try #require(RawSocket(port: server.address.port))
    #expect(await peer.upgrade().hasPrefix("HTTP/1.1 101"))
    let frames = (0..<10).flatMap { maskedFrame(Self.payload($0)) }
    await peer.send(frames + end)
    #expect(await eventually { server.record.disconnectCount == 1 })
    #expect(server.record.receivedCount == 10)
    await server.listener.stop()
  }

  @Test func theReceiverIsToldOfThemBeforeAnythingElse() async throws {
    let log = ReceiverLog()
    let server = try await TestListener(greeting: ([7], 3))
    try await server.connector().connect(log)
    #expect(await eventually { log.events.count >= 4 })
    server.hub.end(sessions: ["session"])
    #expect(await eventually { log.events.last == "closed" })
    #expect(log.events == ["opened", "frame", "frame", "frame", "closed"])
    await server.listener.stop()
  }
}

/// Writes down what a receiver is told.
private final class ReceiverLog: FrameReceiver {
  private let content = Mutex<[String]>([])

  var events: [String] { content.withLock { $0 } }

  func opened(_ connection: any FrameConnection) { content.withLock { $0.append("opened") } }

  func received(_ frames: [[UInt8]], on connection: any FrameConnection) {
    content.withLock { $0 += frames.map { _ in "frame" } }
    connection.consumed(frameCount: frames.count, byteCount: frames.reduce(0) { $0 + $1.count })
  }

  func becameWritable(_ connection: any FrameConnection) {}

  func closed(_ connection: any FrameConnection, _ reason: CloseReason) {
    content.withLock { $0.append("closed") }
  }
}
#endif
