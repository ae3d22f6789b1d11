#if Sync
import Dispatch
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import AtollTransport

/// What the hub tells about its core, while the core works.
@Suite(.waiting, .hangLimit) struct CoreHealthTests {
  private final class Uptime: Sendable {
    let milliseconds = Mutex<UInt64>(1_000)
    /// In nanoseconds, as the hub asks.
    @Sendable func now() -> UInt64 { milliseconds.withLock { $0 } * 1_000_000 }
  }

  @Test func aTurnThatTakesTooLongIsSeen() async throws {
    let uptime = Uptime()
    let hub = SyncHub(EchoServer(EchoServer.Record()), now: { 0 }, uptime: uptime.now)
    #expect(hub.health == .well)
    let isOver = DispatchSemaphore(value: 0)
    await withCheckedContinuation { isHeld in
      hub.perform { _ in
        isHeld.resume()
        isOver.wait()
      }
    }
    uptime.milliseconds.withLock { $0 += 5_000 }
    #expect(hub.health == .well && hub.turnNanoseconds == 5_000_000_000)
    uptime.milliseconds.withLock { $0 += 1 }
    #expect(hub.health == .busy(milliseconds: 5_001))
    isOver.signal()
    #expect(await eventually { hub.health == .well && hub.turnNanoseconds == 0 })
    await hub.stop()
  }

  @Test func framesThatTakeTooLongAreSeen() async throws {
    let uptime = Uptime()
    let slow = SlowCore()
    let hub = SyncHub(slow, now: { 0 }, uptime: uptime.now)
    let receiver = hub.receiver(
      user: "u", host: "h", session: "s", expiresAtMilliseconds: nil
    ) { _ in }
    let connection = NoConnection()
    receiver.opened(connection)
    receiver.received([[1]], on: connection)
    #expect(await eventually { slow.isHeld.withLock { $0 } })
    uptime.milliseconds.withLock { $0 += 9_000 }
    #expect(hub.health == .busy(milliseconds: 9_000))
    slow.isOver.signal()
    #expect(await eventually { hub.health == .well })
    await hub.stop()
  }

  @Test func aCoreThatFailedIsSeen() async throws {
    let server = try await TestListener()
    let inbox = try await server.connect()
    #expect(server.hub.health == .well)
    server.record.content.withLock { $0.failure = TransportError.malformedResponse }
    try await inbox.send([1])
    #expect(await eventually { server.hub.health == .failed })
    await server.listener.stop()
  }

  @Test func requestsAndConnectionsAreCounted() async throws {
    let server = try await TestListener()
    let client = HTTPClient(server.address, timeoutMilliseconds: 1_800_000)
    for path in ["/health", "/nothing", "/nowhere", "/sync"] {
      _ = try await client.send("GET", path)
    }
    let inbox = try await server.connect()
    for frame: [UInt8] in [[1], [1, 2], [1, 2, 3]] { try await inbox.send(frame) }
    for _ in 0..<3 { _ = await inbox.next() }
    #expect(server.count(.openSessions) == 1)
    server.hub.end(sessions: ["session"])
    #expect(await inbox.ended() == .tokenExpired)
    await server.listener.stop()
    let text = try PrometheusExposition(server.metrics.text)
    #expect(Set(text.families.map(\.name)) == Set(ServerMetric.ofTransport.map(\.name)))
    #expect(server.count(.requests) == 4 && server.count(.acceptedConnections) == 5)
    #expect(server.counts(.refusedRequests) == ["404": 2, "426": 1])
    // Those that did not happen are there, too, with 0.
    #expect(text.value("atoll_refused_connections_total", ["reason": "full"]) == 0)
    #expect(text.value("atoll_refused_requests_total", ["status": "503"]) == 0)
    #expect(server.count(.sessions) == 1)
    #expect(server.counts(.closedSessions) == ["token_expired": 1])
    #expect(server.count(.openSessions) == 0 && server.count(.openConnections) == 0)
    #expect(server.count(.receivedFrames) == 3 && server.count(.receivedBytes) == 6)
    #expect(server.count(.sentFrames) == 3 && server.count(.sentBytes) == 6)
    let turns = server.count(.turns)
    #expect(turns > 0)
    #expect(text.value("atoll_turn_duration_seconds_count") == Double(turns))
  }

  /// By the clock of the test: two seconds, and none.
  @Test func turnsAreTimed() async throws {
    let (uptime, metrics) = (Uptime(), PrometheusMetrics(ServerMetric.ofTransport))
    let slow = SlowCore()
    let hub = SyncHub(
      slow, now: { 0 }, uptime: uptime.now, instruments: TransportInstruments(metrics))
    let receiver = hub.receiver(
      user: "u", host: "h", session: "s", expiresAtMilliseconds: nil
    ) { _ in }
    let connection = NoConnection()
    receiver.opened(connection)
    receiver.received([[1]], on: connection)
    #expect(await eventually { slow.isHeld.withLock { $0 } })
    uptime.milliseconds.withLock { $0 += 2_000 }
    hub.noteTurn()
    #expect(try PrometheusExposition(metrics.text).value("atoll_turn_seconds") == 2)
    #expect(slow.arrivals.withLock { $0 } == [1_000_000_000])
    slow.isOver.signal()
    await hub.stop()
    hub.noteTurn()
    let text = try PrometheusExposition(metrics.text)
    #expect(text.value("atoll_turn_seconds") == 0)
    let name = "atoll_turn_duration_seconds"
    let count = try #require(text.value("\(name)_count"))
    #expect(text.value("\(name)_sum") == 2)
    #expect(text.value("\(name)_bucket", ["le": "1"]) == count - 1)
    #expect(text.value("\(name)_bucket", ["le": "2.5"]) == count)
    #expect(text.value("atoll_turns_total") == count)
  }
}

/// Takes its time for each frame.
private final class SlowCore: FrameServer, Sendable {
  let isHeld = Mutex(false)
  /// When the frames came, as the hub says.
  let arrivals = Mutex<[UInt64]>([])
  let isOver = DispatchSemaphore(value: 0)

  func connect(user: String, host: String, now: UInt64) -> PeerID { PeerID(rawValue: 1) }

  func receive(
    _ frame: [UInt8], from peer: PeerID, now: UInt64, arrivedAt: UInt64
  ) -> [FrameOutput] {
    arrivals.withLock { $0.append(arrivedAt) }
    isHeld.withLock { $0 = true }
    isOver.wait()
    return []
  }

  func advance(now: UInt64, blocked: Set<PeerID>) -> [FrameOutput] { [] }
  var hasInput: Bool { false }
  func waitingByteCount(of peer: PeerID) -> Int { 0 }
  func disconnect(_ peer: PeerID) {}
  func stop() {}
}

private final class NoConnection: FrameConnection {
  var isWritable: Bool { true }
  var bufferedByteCount: Int { 0 }
  func send(_ frames: [[UInt8]]) {}
  func consumed(frameCount: Int, byteCount: Int) {}
  func close(_ reason: CloseReason) {}
  func drop(_ reason: CloseReason) {}
  func probe(timeoutMilliseconds: UInt64) {}
}
#endif
