#if Sync
import TestThreads
import Testing

@testable import AtollTransport

/// Ends of a connection, as the other end tells them.
@Suite(.waiting, .hangLimit) struct CloseFrameTests {
  private static func contents(_ code: UInt16, _ text: String = "") -> [UInt8] {
    [UInt8(code >> 8), UInt8(code & 0xFF)] + text.utf8
  }

  private static let closeFrames: [([UInt8], UInt16)] =
    [1000, 1001, 1014, 3000].map { (contents($0), $0) }
    + [0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535].map { (contents($0), 1002) }
    + [
      ([], 1000), (contents(4999, "ä"), 4999), ([3], 1002), (contents(1000) + [0xFF], 1002),
    ]

  /// RFC 6455, 7.4.1: some codes are only for the program that reads them.
  @Test(arguments: closeFrames)
  func aCodeIsAnsweredUnlessNoFrameMayCarryIt(bytes: [UInt8], answer: UInt16) async throws {
    let server = try await TestListener()
    let peer = try #require(RawSocket(port: server.address.port))
    #expect(await peer.upgrade().hasPrefix("HTTP/1.1 101"))
    await peer.send(maskedFrame(bytes, opcode: 8))
    let answered = try #require(await peer.receiveAll())
    #expect(answered.first == 0x88)
    #expect(Array(answered.dropFirst(2).prefix(2)) == Self.contents(answer))
    await server.listener.stop()
  }

  /// The rest of what was under way is read, so that the close frame arrives; not for ever.
  @Test func aPeerThatGoesOnAfterTheEndIsLeft() async throws {
    var options = TestListener.patient
    options.connection.closeTimeoutMilliseconds = 1_800_000
    let server = try await TestListener(options: options)
    let peer = try #require(RawSocket(port: server.address.port))
    #expect(await peer.upgrade().hasPrefix("HTTP/1.1 101"))
    let frame = maskedFrame([])
    let limit = WebSocketHandler.discardedLimit
    await peer.send(maskedFrame([], opcode: 11) + (0..<limit).flatMap { _ in frame })
    #expect(Array((await peer.receive())?.dropFirst(2).prefix(2) ?? []) == Self.contents(1002))
    #expect(server.record.disconnectCount == 0)
    await peer.send(frame)
    #expect(await peer.receiveAll() == [])
    #expect(await eventually { server.record.disconnectCount == 1 })
    await server.listener.stop()
  }

  /// The library looks at the fields of a request alone (RFC 6455, 4.2.1).
  @Test(arguments: ["POST /sync HTTP/1.1", "HEAD /sync HTTP/1.1", "GET /sync HTTP/1.0"])
  func onlyARequestOfTheRightKindOpensASession(line: String) async throws {
    let server = try await TestListener()
    let peer = try #require(RawSocket(port: server.address.port))
    #expect(await peer.upgrade(line: line).hasPrefix("HTTP/1.1 400"))
    #expect(server.record.users.isEmpty)
    await server.listener.stop()
  }
}
#endif
