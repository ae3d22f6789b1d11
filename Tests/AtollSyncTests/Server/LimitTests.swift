import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// The limits of one user, and their effect on other users.
@Suite(.computing) struct LimitTests {
  private let all = ["TRUEPREDICATE"]

  private func world(_ adjust: (inout UserLimits) -> Void) throws -> ServerWorld {
    try ServerWorld { options in adjust(&options.limits) }
  }

  @Test func aConnectionTooManyIsRefusedAndToldWhenToComeBack() throws {
    let world = try world { $0.connectionCount = 2 }
    let devices = (1...3).map { world.device($0, user: "ann") }
    for device in devices { try device.connect() }
    #expect(devices.map { $0.connection != nil } == [true, true, false])
    #expect(devices[2].errors.map(\.code) == [.overLimit, .overLimit])
    #expect(devices[2].errors.map(\.action) == [.report, .retry])
    #expect(devices[2].errors.last?.retryAfterMilliseconds == 60_000)
    // Another user has connections of her own, and one that ends makes room.
    let bob = world.device(4, user: "bob")
    try bob.connect()
    #expect(bob.connection != nil)
    devices[0].disconnect()
    try devices[2].connect()
    #expect(devices[2].connection != nil)
  }

  /// Nobody else is served while one entry is judged.
  @Test func anEntryOfTooManyOperationsIsRefusedAsAWhole() throws {
    let world = try world { $0.operationsPerMinute = 1_000_000 }
    let ann = try world.device(1, user: "ann", subscribing: all)
    try ann.make(1, team: 1)
    try world.settle()
    let made = ann.edit(1, .set(property: "team", .int(7)))
    let count = PushEntry.operationLimit
    try ann.push(Array(repeating: made, count: count))
    let largest = try #require(ann.state.outbox.last?.number)
    try ann.push(Array(repeating: ann.set(1, team: 9), count: count + 1))
    let refused = try #require(ann.state.outbox.last?.number)
    try ann.push([ann.set(1, text: "after")])
    try world.settle()
    #expect(ann.state.verdicts[largest]?.allSatisfy { $0 == .applied(generation: nil) } == true)
    let verdicts = try #require(ann.state.verdicts[refused])
    #expect(verdicts.count == count + 1)
    for verdict in Set(verdicts) {
      guard case .refused(let refusal) = verdict else {
        Issue.record("\(verdict)")
        continue
      }
      #expect(refusal.reason == .tooLarge)
      #expect(refusal.text.contains("at most 20000 operations"))
    }
    #expect(ann.texts == [1: "after"])
    // Nor is it judged when it comes under another number: it is known.
    ann.disconnect()
    try ann.connect()
    try world.settle()
    #expect(ann.errors.isEmpty)
  }

  /// Those that say nothing take no less room.
  @Test func connectionsThatSayNothingCount() throws {
    let world = try world { $0.connectionCount = 2 }
    for _ in 0..<5 { _ = world.server.connect(user: "ann", now: world.now) }
    var closedCount = 0
    for output in try world.server.advance(now: world.now) {
      if case .close = output { closedCount += 1 }
    }
    #expect(closedCount == 3)
  }

  @Test func aFileTooManyIsRefusedForEver() throws {
    let world = try world { $0.fileCount = 2 }
    for id in 1...2 as ClosedRange<UInt64> {
      _ = try world.device(id, user: "ann", subscribing: all)
    }
    let third = world.device(3, user: "ann")
    try third.connect()
    #expect(third.errors.map(\.code) == [.overLimit])
    #expect(third.errors.map(\.action) == [.stop])
    // Another start of the server counts on.
    try world.restart()
    try third.connect()
    #expect(third.connection == nil)
    let known = world.devices[0]
    try known.connect()
    #expect(known.connection != nil)
    #expect(try world.device(4, user: "bob", subscribing: all).connection != nil)
  }

  @Test func aSetOfTooManySubscriptionsIsRefused() throws {
    let world = try world { $0.subscriptionCount = 2 }
    let ann = try world.device(1, user: "ann", subscribing: ["team == 1", "team == 2"])
    let set = try ann.subscribe(["team == 1", "team == 2", "team == 3"])
    try world.settle()
    guard case .refused(let refusal)? = ann.state.verdicts[set]?.first else {
      Issue.record("the set was accepted")
      return
    }
    #expect(refusal.reason == .tooLarge)
    #expect(refusal.text == "a device may have at most 2 subscriptions here")
  }

  @Test func whatComesFasterWaitsAndOthersDoNot() throws {
    let world = try world { $0.operationsPerMinute = 20 }
    let ann = try world.device(1, user: "ann", subscribing: all)
    let bob = try world.device(2, user: "bob", subscribing: all)
    for key in 1...20 { try ann.make(Int64(key), team: 1, text: "t") }
    try bob.make(100, team: 1, text: "mine")
    try world.settle()
    // Each is four: the transaction and its three operations.
    #expect(bob.texts.keys.sorted() == [1, 2, 3, 4, 5, 100])
    #expect(ann.errors.map(\.code) == [.overLimit])
    #expect(ann.errors.map(\.action) == [.report])
    #expect(bob.errors.isEmpty)
    // It is reported once, and is accepted over time.
    world.now += 30_000
    try world.settle()
    #expect(bob.texts.count == 9)
    #expect(ann.errors.count == 1)
    for _ in 0..<8 {
      world.now += 60_000
      try world.settle()
    }
    #expect(bob.texts.count == 21)
    #expect(ann.texts == bob.texts)
  }

  @Test func bytesAreCountedToo() throws {
    let world = try world { $0.bytesPerMinute = 10_000 }
    let ann = try world.device(1, user: "ann", subscribing: all)
    for key in 1...3 as ClosedRange<Int64> {
      try ann.make(key, team: 1, text: String(repeating: "x", count: 8_000))
    }
    try world.settle()
    let bob = try world.device(2, user: "bob", subscribing: all)
    #expect(bob.texts.count == 2)
    world.now += 120_000
    try world.settle()
    #expect(bob.texts.count == 3)
  }

  /// A connection that ends does not give back what its user has sent.
  @Test func aNewConnectionIsNoNewAllowance() throws {
    let world = try world { $0.operationsPerMinute = 20 }
    let ann = try world.device(1, user: "ann", subscribing: all)
    let bob = try world.device(2, user: "bob", subscribing: all)
    for key in 1...20 { try ann.make(Int64(key), team: 1) }
    try world.settle()
    let count = bob.texts.count
    ann.disconnect()
    try ann.connect()
    try world.settle()
    #expect(bob.texts.count == count)
  }

  /// Also users who never send anything again.
  @Test func whoMaySendAllAgainIsForgotten() throws {
    let world = try world { $0.operationsPerMinute = 100 }
    for id in 1...5 as ClosedRange<UInt64> {
      try world.device(id, user: "user \(id)", subscribing: all).disconnect()
    }
    #expect(world.server.context.allowances.count == 5)
    world.now += 120_000
    _ = try world.device(6, user: "last", subscribing: all)
    #expect(Array(world.server.context.allowances.keys) == ["last"])
  }

  @Test func otherLimitsAreTakenOver() throws {
    let world = try world { $0.operationsPerMinute = 8 }
    let ann = try world.device(1, user: "ann", subscribing: all)
    let bob = try world.device(2, user: "bob", subscribing: all)
    for key in 1...10 { try ann.make(Int64(key), team: 1) }
    try world.settle()
    #expect(bob.texts.count < 10)
    world.server.setLimits(UserLimits())
    world.now += 1_000
    try world.settle()
    #expect(bob.texts.count == 10)
  }
}
