#if Sync
import AtollTransport
import Dispatch
import Synchronization
import TestThreads
import Testing

/// What the hub tells about its core, while the core works.
@Suite(.waiting, .hangLimit) struct CoreHealthTests {
  private final class Uptime: Sendable {
    let milliseconds = Mutex<UInt64>(1_000)
    @Sendable func now() -> UInt64 { milliseconds.withLock { $0 } }
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
    #expect(hub.health == .well && hub.turnMilliseconds == 5_000)
    uptime.milliseconds.withLock { $0 += 1 }
    #expect(hub.health == .busy(milliseconds: 5_001))
    isOver.signal()
    #expect(await eventually { hub.health == .well && hub.turnMilliseconds == 0 })
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
    receiver.received([1], on: connection)
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

  @Test func metricsAreTextThatPrometheusReads() async throws {
    let server = try await TestListener()
    let client = HTTPClient(server.address, timeoutMilliseconds: 1_800_000)
    for path in ["/health", "/nothing", "/nowhere", "/sync"] {
      _ = try await client.send("GET", path)
    }
    let text = server.hub.counters.values.text(turnMilliseconds: 1_500)
    var types: [Substring: Substring] = [:]
    var samples: [String: Double] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.hasPrefix("# HELP ") {
        #expect(words.count > 3 && types[words[2]] == nil, "\(line)")
      } else if line.hasPrefix("# TYPE ") {
        #expect(words.count == 4 && ["counter", "gauge"].contains(words[3]), "\(line)")
        #expect(words[2].hasSuffix("_total") == (words[3] == "counter"), "\(line)")
        types[words[2]] = words[3]
      } else {
        let sample = try #require(
          line.wholeMatch(of: /(atoll_[a-z_]+)(\{[a-z]+="[a-z0-9]+"\})? ([0-9.]+)/))
        #expect(types[sample.1] != nil, "\(line)")
        samples[sample.1 + String(sample.2 ?? "")] = Double(sample.3)
      }
    }
    #expect(text.hasSuffix("\n"))
    #expect(samples["atoll_requests_total"] == 4)
    #expect(samples["atoll_refused_requests_total{status=\"404\"}"] == 2)
    #expect(samples["atoll_refused_requests_total{status=\"426\"}"] == 1)
    #expect(samples["atoll_refused_connections_total{reason=\"full\"}"] == 0)
    #expect(samples["atoll_turn_seconds"] == 1.5)
    await server.listener.stop()
  }
}

/// Takes its time for each frame.
private final class SlowCore: FrameServer, Sendable {
  let isHeld = Mutex(false)
  let isOver = DispatchSemaphore(value: 0)

  func connect(user: String, host: String, now: UInt64) -> PeerID { PeerID(rawValue: 1) }

  func receive(_ frame: [UInt8], from peer: PeerID, now: UInt64) -> [FrameOutput] {
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
  func send(_ frames: [[UInt8]]) {}
  func consumed(frameCount: Int, byteCount: Int) {}
  func close(_ reason: CloseReason) {}
  func probe(timeoutMilliseconds: UInt64) {}
}
#endif
