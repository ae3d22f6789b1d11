import AtollCapture
import AtollObjects
import Synchronization
import TestThreads
import Testing

@testable import AtollSync

/// What cannot be divided of the messages of those who have taken much has a small part of the time.
@Suite(.computing) struct LongMessageTests {
  /// A server of which ann and bob have taken much time.
  private struct Scene {
    let clock = SteadyClock()
    private let uptime: UptimeClock
    let world: ServerWorld

    init(adjust: (inout SyncServer.Options) -> Void) throws {
      let uptime = UptimeClock()
      self.uptime = uptime
      world = try ServerWorld.timed(by: clock) {
        $0.uptime = { uptime.now }
        $0.bounds.work.delayFactor = 20
        adjust(&$0)
      }
    }

    /// Lets so many nanoseconds pass.
    func wait(_ nanoseconds: UInt64) { uptime.advance(nanoseconds) }

    /// What others took is forgotten by now.
    func takeMuch() {
      world.now += 1_000_000
      for name in ["ann", "bob"] {
        world.server.context.shares.addTime(10_000_000_000, ofUser: name, host: "", now: world.now)
      }
    }

    /// Advances the server, and delivers what it says.
    func advance(_ count: Int = 1) throws {
      for _ in 0..<count { try world.settle(limit: 1) }
    }
  }

  private final class UptimeClock: Sendable {
    private let nanoseconds = Mutex<UInt64>(1)

    var now: UInt64 { nanoseconds.withLock { $0 } }

    func advance(_ count: UInt64) { nanoseconds.withLock { $0 += count } }
  }

  /// A push is judged at once: long ones of those who have taken much have a small part of the time,
  /// whoever sends them.
  @Test func longPushesOfThoseWhoTookMuchWait() throws {
    let scene = try Scene {
      $0.bounds.work.longOperationCount = 4
    }
    let names = ["ann", "bob", "carol"]
    let devices = try names.enumerated().map { place, name in
      let device = try scene.world.device(
        UInt64(place + 1), user: name, subscribing: ["TRUEPREDICATE"])
      try device.make(Int64(place), team: 1)
      return device
    }
    try scene.world.settle()
    func push(_ place: Int, _ count: Int, _ text: String) throws -> UInt64 {
      let device = devices[place]
      return try device.push(
        Array(repeating: device.set(Int64(place), text: text), count: count))
    }
    func isAnswered(_ place: Int, _ number: UInt64) -> Bool {
      devices[place].state.verdicts[number] != nil
    }
    scene.takeMuch()
    scene.clock.setStep(50_000_000)
    let first = try push(0, 5, "long")
    for _ in 0..<20 where !isAnswered(0, first) { try scene.advance() }
    scene.clock.setStep(0)
    #expect(isAnswered(0, first))
    // One that takes less does not end the wait.
    scene.world.server.context.delayLongMessages(after: 41_000_000)
    scene.wait(850_000_000)
    // What was sent to carol took time too.
    scene.takeMuch()
    let waiting = [try push(0, 5, "longer"), try push(1, 5, "long")]
    let (short, ofCarol) = (try push(2, 4, "short"), try push(2, 5, "long"))
    try scene.advance(20)
    #expect(isAnswered(2, short) && isAnswered(2, ofCarol))
    #expect(!isAnswered(0, waiting[0]) && !isAnswered(1, waiting[1]))
    scene.wait(10_000_000_000)
    try scene.world.settle()
    #expect(isAnswered(0, waiting[0]) && isAnswered(1, waiting[1]))
  }

  /// A set is read in parts of at least one query, and a query may be long.
  @Test func longSetsOfThoseWhoTookMuchWait() throws {
    let scene = try Scene {
      $0.bounds.work.setByteCount = 64
    }
    let dora = try scene.world.device(9, user: "dora", subscribing: ["TRUEPREDICATE"])
    for key in 0..<3 as Range<Int64> { try dora.make(key, team: key) }
    let devices = try ["ann", "bob", "carol"].enumerated().map { place, name in
      try scene.world.device(UInt64(place + 1), user: name, subscribing: ["team == 9"])
    }
    try scene.world.settle()
    func long(_ team: Int, _ name: String) -> String {
      "team == \(team) AND text != '\(String(repeating: name, count: 40))'"
    }
    scene.takeMuch()
    scene.clock.setStep(50_000_000)
    try devices[0].subscribe([long(0, "ann")])
    for _ in 0..<20 where devices[0].texts.isEmpty { try scene.advance() }
    scene.clock.setStep(0)
    #expect(devices[0].texts.count == 1)
    scene.takeMuch()
    try devices[0].subscribe([long(1, "ann"), long(2, "ann")])
    try devices[1].subscribe(["team == 2"])
    try devices[2].subscribe([long(2, "carol")])
    try scene.advance(20)
    #expect(devices[1].texts.count == 1 && devices[2].texts.count == 1)
    #expect(devices[0].texts.count == 1)
    scene.wait(10_000_000_000)
    try scene.world.settle()
    #expect(devices[0].texts.count == 2)
  }
}
