#if Sync
import Synchronization
import TestThreads
import Testing

@testable import AtollTransport

/// What waits to be sent, for all connections together.
@Suite(.waiting, .hangLimit) struct SendBoundTests {
  /// Of those that do not keep up, those are closed for which most waits, and no more than needed.
  @Test func theSlowestAreClosedWhenTooMuchWaits() async throws {
    let hub = SyncHub(TalkingCore(limit: 1_000), now: { 0 })
    let connections = [100, 700, 650, 300].map { SlowConnection($0) }
    for connection in connections {
      let receiver = hub.receiver(
        user: "u", host: "h", session: "s", expiresAtMilliseconds: nil
      ) { _ in }
      receiver.opened(connection)
      receiver.received([[1]], on: connection)
    }
    // 1 750 bytes wait: without the 700 still too many, without 650 more not.
    @Sendable func areClosed(_ right: [Bool]) -> Bool {
      connections.map { $0.closed.withLock { $0 } == .tooSlow } == right
    }
    #expect(await eventually { areClosed([false, true, true, false]) })
    await hub.stop()
    #expect(areClosed([false, true, true, false]))
  }
}

/// Sends something to each connection that was heard.
private final class TalkingCore: FrameServer {
  let sendByteLimit: Int
  private var count: UInt64 = 0

  init(limit: Int) { sendByteLimit = limit }

  func connect(user: String, host: String, now: UInt64) -> PeerID {
    count += 1
    return PeerID(rawValue: count)
  }

  func receive(
    _ frame: [UInt8], from peer: PeerID, now: UInt64, arrivedAt: UInt64
  ) -> [FrameOutput] { [.send(peer, [1])] }

  func advance(now: UInt64, blocked: Set<PeerID>) -> [FrameOutput] { [] }
  var hasInput: Bool { false }
  func waitingByteCount(of peer: PeerID) -> Int { 0 }
  func disconnect(_ peer: PeerID) {}
  func stop() {}
}

/// Takes nothing of what is sent.
private final class SlowConnection: FrameConnection {
  let bufferedByteCount: Int
  let closed = Mutex<CloseReason?>(nil)

  init(_ byteCount: Int) { bufferedByteCount = byteCount }

  var isWritable: Bool { false }
  func send(_ frames: [[UInt8]]) {}
  func consumed(frameCount: Int, byteCount: Int) {}
  func close(_ reason: CloseReason) {}
  func drop(_ reason: CloseReason) { closed.withLock { $0 = $0 ?? reason } }
  func probe(timeoutMilliseconds: UInt64) {}
}
#endif
