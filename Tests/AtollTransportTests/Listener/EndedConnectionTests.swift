#if Sync
import Dispatch
import Synchronization
import TestThreads
import Testing

@testable import AtollTransport

/// What a connection had sent before it ended.
@Suite(.waiting, .hangLimit) struct EndedConnectionTests {
  /// Each frame takes 300 ms.
  ///
  /// What a second suffices for is taken; the rest is dropped, and the core
  /// hears that the connection is gone.
  @Test func whatIsLeftAfterASecondIsDropped() async throws {
    let clock = Mutex<UInt64>(0)
    let log = CoreLog()
    let isSent = DispatchSemaphore(value: 0)
    let core = SlowCore(log, begin: isSent) { clock.withLock { $0 += 300_000_000 } }
    let hub = SyncHub(core, now: { 0 }, uptime: { clock.withLock { $0 } })
    let (flooding, brief) = (receiver(of: hub), receiver(of: hub))
    let connections = (FrameSink(), FrameSink())
    flooding.opened(connections.0)
    brief.opened(connections.1)
    for _ in 0..<100 { flooding.received([[1]], on: connections.0) }
    brief.received([[2]], on: connections.1)
    brief.closed(connections.1, .normal)
    flooding.closed(connections.0, .lost)
    isSent.signal()
    #expect(await eventually { log.content.withLock { $0.gone } == 2 })
    let frames = log.content.withLock { $0.frames }
    #expect(frames.contains([2]))
    #expect(frames.count { $0 == [1] } < 10)
    await hub.stop()
  }

  private func receiver(of hub: SyncHub) -> any FrameReceiver {
    hub.receiver(user: "u", host: "h", session: "s", expiresAtMilliseconds: nil) { _ in }
  }
}

/// What a core was told.
private final class CoreLog: Sendable {
  let content = Mutex((frames: [[UInt8]](), gone: 0))
}

/// Takes its time for each frame.
private final class SlowCore: FrameServer {
  let sendByteLimit = Int.max
  private let log: CoreLog
  /// Is waited for before the first connection is taken.
  private let begin: DispatchSemaphore
  private let work: () -> Void
  private var count: UInt64 = 0

  init(_ log: CoreLog, begin: DispatchSemaphore, _ work: @escaping () -> Void) {
    self.log = log
    self.begin = begin
    self.work = work
  }

  func connect(user: String, host: String, now: UInt64) -> PeerID {
    if count == 0 { begin.wait() }
    count += 1
    return PeerID(rawValue: count)
  }

  func receive(
    _ frame: [UInt8], from peer: PeerID, now: UInt64, arrivedAt: UInt64
  ) -> [FrameOutput] {
    work()
    log.content.withLock { $0.frames.append(frame) }
    return []
  }

  func advance(now: UInt64, blocked: Set<PeerID>) -> [FrameOutput] { [] }
  var hasInput: Bool { false }
  func waitingByteCount(of peer: PeerID) -> Int { 0 }
  func disconnect(_ peer: PeerID) { log.content.withLock { $0.gone += 1 } }
  func stop() {}
}

/// Takes all that is sent.
private final class FrameSink: FrameConnection {
  let bufferedByteCount = 0
  var isWritable: Bool { true }
  func send(_ frames: [[UInt8]]) {}
  func consumed(frameCount: Int, byteCount: Int) {}
  func close(_ reason: CloseReason) {}
  func drop(_ reason: CloseReason) {}
  func probe(timeoutMilliseconds: UInt64) {}
}
#endif
