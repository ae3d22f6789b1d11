import AtollCapture
import AtollObjects
import Synchronization
import TestThreads
import Testing

@testable import AtollSync

/// What cannot be divided of the messages of those who have taken much has a small part of the time.
@Suite(.computing) struct LongMessageTests {
  private func world(
    _ clock: SteadyClock, adjust: (inout SyncServer.Options) -> Void
  ) throws -> ServerWorld {
    try ServerWorld(store: AtollStore(Database.inMemory())) {
      $0.processorTime = { clock.look() }
      $0.bounds.work.restFactor = 0
      $0.bounds.work.delayFactor = 20
      adjust(&$0)
    }
  }

  /// Advances the server once, and delivers what it says.
  private func advance(_ world: ServerWorld) throws { try world.settle(limit: 1) }

  /// A push is judged at once: long ones of those who have taken much have a small part of the time,
  /// whoever sends them.
  @Test func longPushesOfThoseWhoTookMuchWait() throws {
    let clock = SteadyClock()
    let uptime = Mutex<UInt64>(1)
    let world = try world(clock) {
      $0.uptime = { uptime.withLock { $0 } }
      $0.bounds.work.longOperationCount = 4
    }
    let names = ["ann", "bob", "carol"]
    let devices = try names.enumerated().map { place, name in
      let device = try world.device(
        UInt64(place + 1), user: name, subscribing: ["TRUEPREDICATE"])
      try device.make(Int64(place), team: 1)
      return device
    }
    try world.settle()
    func takeMuch() {
      world.now += 1_000_000
      for name in ["ann", "bob"] {
        world.server.context.shares.addTime(10_000_000_000, ofUser: name, host: "", now: world.now)
      }
    }
    func push(_ place: Int, _ count: Int, _ text: String) throws -> UInt64 {
      let device = devices[place]
      return try device.push(
        Array(repeating: device.set(Int64(place), text: text), count: count))
    }
    func isAnswered(_ place: Int, _ number: UInt64) -> Bool {
      devices[place].state.verdicts[number] != nil
    }
    takeMuch()
    clock.setStep(50_000_000)
    let first = try push(0, 5, "long")
    for _ in 0..<20 where !isAnswered(0, first) { try advance(world) }
    clock.setStep(0)
    #expect(isAnswered(0, first))
    // One that takes less does not end the wait.
    world.server.context.delayLongMessages(after: 41_000_000)
    uptime.withLock { $0 += 850_000_000 }
    // What was sent to carol took time too, which is forgotten.
    takeMuch()
    let waiting = [try push(0, 5, "longer"), try push(1, 5, "long")]
    let (short, ofCarol) = (try push(2, 4, "short"), try push(2, 5, "long"))
    for _ in 0..<20 { try advance(world) }
    #expect(isAnswered(2, short) && isAnswered(2, ofCarol))
    #expect(!isAnswered(0, waiting[0]) && !isAnswered(1, waiting[1]))
    uptime.withLock { $0 += 10_000_000_000 }
    try world.settle()
    #expect(isAnswered(0, waiting[0]) && isAnswered(1, waiting[1]))
  }

  /// A set is read in parts of at least one query, and a query may be long.
  @Test func longSetsOfThoseWhoTookMuchWait() throws {
    let clock = SteadyClock()
    let uptime = Mutex<UInt64>(1)
    let world = try world(clock) {
      $0.uptime = { uptime.withLock { $0 } }
      $0.bounds.work.setByteCount = 64
    }
    let dora = try world.device(9, user: "dora", subscribing: ["TRUEPREDICATE"])
    for key in 0..<3 as Range<Int64> { try dora.make(key, team: key) }
    let devices = try ["ann", "bob", "carol"].enumerated().map { place, name in
      try world.device(UInt64(place + 1), user: name, subscribing: ["team == 9"])
    }
    try world.settle()
    func takeMuch() {
      world.now += 1_000_000
      for name in ["ann", "bob"] {
        world.server.context.shares.addTime(10_000_000_000, ofUser: name, host: "", now: world.now)
      }
    }
    func long(_ team: Int, _ name: String) -> String {
      "team == \(team) AND text != '\(String(repeating: name, count: 40))'"
    }
    takeMuch()
    clock.setStep(50_000_000)
    try devices[0].subscribe([long(0, "ann")])
    for _ in 0..<20 where devices[0].texts.isEmpty { try advance(world) }
    clock.setStep(0)
    #expect(devices[0].texts.count == 1)
    takeMuch()
    try devices[0].subscribe([long(1, "ann"), long(2, "ann")])
    try devices[1].subscribe(["team == 2"])
    try devices[2].subscribe([long(2, "carol")])
    for _ in 0..<20 { try advance(world) }
    #expect(devices[1].texts.count == 1 && devices[2].texts.count == 1)
    #expect(devices[0].texts.count == 1)
    uptime.withLock { $0 += 10_000_000_000 }
    try world.settle()
    #expect(devices[0].texts.count == 2)
  }
}
