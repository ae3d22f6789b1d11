import AtollCapture
import AtollObjects
import Synchronization
import TestThreads
import Testing

@testable import AtollSync

/// The server works for some for a while only, and then for the others.
@Suite(.computing) struct WorkTests {
  private let all = ["TRUEPREDICATE"]

  /// Advances the server once, and delivers what it says.
  private func advance(_ world: ServerWorld) throws { try world.settle(limit: 1) }

  @Test func aLongCatchUpDelaysNobody() throws {
    let clock = SteadyClock()
    let world = try ServerWorld.timed(by: clock) { $0.batchByteCount = 1 << 20 }
    let bob = try world.device(1, user: "bob", subscribing: all)
    for key in 0..<2_000 as Range<Int64> { try bob.make(key, team: key % 2, text: "t\(key)") }
    let carol = try world.device(2, user: "carol", subscribing: ["_id == 9999"])
    try world.settle()
    let ann = world.device(3, user: "ann")
    try ann.connect()
    try ann.subscribe(["text CONTAINS '9' AND team == 1", "text LIKE '*8?' AND team == 0"])
    // From now on each look at the clock takes half of the time of a connection in a tick.
    clock.setStep(5_000_000)
    try bob.make(9_999, team: 3, text: "now")
    var tickCount = 0
    while carol.texts.isEmpty {
      try advance(world)
      tickCount += 1
      #expect(tickCount < 10)
    }
    // What was asked of the server before takes longer.
    #expect(ann.texts.isEmpty)
    while ann.texts.count < 271 + 101, tickCount < 5_000 {
      try advance(world)
      tickCount += 1
    }
    #expect(tickCount > 3)
    clock.setStep(0)
    try world.settle()
    let expected = bob.texts.filter { key, text in
      key % 2 == 1 && text.contains("9") && key < 2_000
        || key % 2 == 0 && text.dropLast().hasSuffix("8")
    }
    #expect(ann.texts == expected)
  }

  @Test func aSubscriptionWhoseTestOfOneObjectTakesTooLongIsRefused() throws {
    let world = try ServerWorld.timed(by: SteadyClock())
    let bob = try world.device(1, user: "bob", subscribing: all)
    try bob.make(1, team: 1, text: String(repeating: "a", count: 2_000_000))
    try bob.make(2, team: 2, text: "b")
    try world.settle()
    let piece = String(repeating: "a?", count: 20_000)
    let ann = try world.device(
      2, user: "ann", subscribing: ["text LIKE '*\(piece)b*'", "team == 2"])
    #expect(ann.errors.map(\.code) == [.setRefused])
    #expect(ann.errors.first?.action == .report)
    #expect(ann.errors.first?.members.map(\.index) == [1])
    #expect(ann.errors.first?.text.contains("longer for one object than the server allows") == true)
    #expect(ann.texts == [2: "b"])
    // Also when such an object comes later, and for whoever pushes it.
    let carol = try world.device(
      3, user: "carol", subscribing: ["text LIKE '*\(piece)c*' AND team == 4", "team == 2"])
    #expect(carol.errors.isEmpty)
    let long = String(repeating: "a", count: 2_000_000)
    try bob.make(4, team: 4, text: long)
    try world.settle()
    #expect(carol.errors.map(\.code) == [.setRefused])
    #expect(bob.errors.isEmpty)
    #expect(carol.texts == [2: "b"])
  }

  @Test func changesUnderCostlyViewsAreFoundInTheTimeOfWhoHasThem() throws {
    let clock = SteadyClock()
    let world = try ServerWorld.timed(by: clock) { $0.bounds.work.judgement = 1 << 60 }
    let bob = try world.device(1, user: "bob", subscribing: ["team == 1"])
    // Forty views that no value screens.
    let ann = try world.device(
      2, user: "ann", subscribing: (0..<40).map { "text CONTAINS '<\($0)>'" })
    let carol = try world.device(3, user: "carol", subscribing: ["team == 1"])
    clock.setStep(1_000_000)
    try bob.make(1, team: 1, text: "<39>")
    for _ in 0..<500 where ann.texts.isEmpty || carol.texts.isEmpty { try advance(world) }
    #expect(carol.texts == [1: "<39>"])
    #expect(ann.texts == [1: "<39>"])
    // The tick did not find out for all of ann's views: a catch-up did.
    #expect(ann.batches.contains { $0.run != nil && !$0.objects.isEmpty })
    #expect(ann.errors.isEmpty)
    // A leave is found in the same way.
    try bob.push([bob.set(1, text: "none")])
    for _ in 0..<500 where !ann.texts.isEmpty { try advance(world) }
    #expect(ann.texts.isEmpty)
  }

  /// What cannot be divided takes the time of who asks for it.
  @Test func whoTookMoreThanItsPartRests() throws {
    let clock = SteadyClock()
    let uptime = Mutex<UInt64>(1)
    let world = try ServerWorld.timed(by: clock) {
      $0.bounds.work.restFactor = 4
      $0.uptime = { uptime.withLock { $0 } }
    }
    let bob = try world.device(1, user: "bob", subscribing: all)
    for key in 0..<40 as Range<Int64> { try bob.make(key, team: 1, text: "t") }
    let ann = world.device(2, user: "ann")
    try ann.connect()
    try ann.subscribe(["team == 1 AND text != 'x'"])
    clock.setStep(30_000_000)
    try advance(world)
    clock.setStep(0)
    #expect(ann.texts.isEmpty)
    // At the same time of day it is not served, and others are.
    for _ in 0..<20 { try advance(world) }
    #expect(ann.texts.isEmpty)
    try bob.push([bob.set(1, text: "new")])
    let number = try #require(bob.state.outbox.last?.number)
    for _ in 0..<20 { try advance(world) }
    #expect(bob.state.verdicts[number] == [.applied(generation: nil)])
    #expect(ann.texts.isEmpty)
    uptime.withLock { $0 += 2_000_000_000 }
    try world.settle()
    #expect(ann.texts.count == 40)
  }

  /// What is made while a catch-up is under way comes in parts, as what was there before; so does
  /// what a device holds when its set changes.
  @Test func whatIsMadeDuringACatchUpComesInParts() throws {
    let clock = SteadyClock()
    let world = try ServerWorld.timed(by: clock) { $0.batchByteCount = 2_000 }
    let bob = try world.device(1, user: "bob", subscribing: all)
    for key in 0..<300 as Range<Int64> { try bob.make(key, team: key % 2, text: "t\(key)") }
    try world.settle()
    let ann = world.device(2, user: "ann")
    try ann.connect()
    try ann.subscribe(["team >= 0"])
    clock.setStep(50_000)
    for _ in 0..<20 where ann.batches.isEmpty { try advance(world) }
    #expect(ann.texts.isEmpty)
    for key in 300..<1_500 as Range<Int64> { try bob.make(key, team: key % 2, text: "t\(key)") }
    for key in 0..<20 as Range<Int64> { try bob.push([bob.set(key, text: "new \(key)")]) }
    try world.settle()
    var expected = Dictionary(
      uniqueKeysWithValues: (0..<1_500 as Range<Int64>).map { ($0, "t\($0)") })
    for key in 0..<20 as Range<Int64> { expected[key] = "new \(key)" }
    let isSame = ann.texts == expected
    #expect(isSame, "\(ann.texts.count)")
    let parts = ann.batches.filter { $0.run != nil }.map(\.objects.count)
    #expect(parts.count > 20 && parts.allSatisfy { $0 < 400 }, "\(parts)")
    // Half of what is held leaves.
    try ann.subscribe(["team == 1"])
    try world.settle()
    let isHalf = ann.texts == expected.filter { $0.key % 2 == 1 }
    #expect(isHalf, "\(ann.texts.count)")
    #expect(ann.errors.isEmpty)
  }

  /// A flood of PINGs is answered once for each turn.
  @Test func ofManyPingsTheLastIsAnswered() throws {
    let world = try ServerWorld()
    let ann = try world.device(1, user: "ann", subscribing: all)
    for number in 1...500 as ClosedRange<UInt64> { try ann.say(.ping(number)) }
    #expect(world.server.hasWork)
    try world.settle()
    #expect(ann.pongs == [500])
    try ann.say(.ping(7))
    try world.settle()
    #expect(ann.pongs == [500, 7])
    #expect(!world.server.hasWork)
  }

  /// Digests that are made in parts are of one state: an own creation in between begins them again.
  @Test func digestsAreOfOneState() throws {
    let clock = SteadyClock()
    let world = try ServerWorld.timed(by: clock)
    let ann = try world.device(
      1, user: "ann", subscribing: (0..<6).map { "team == \($0) OR text CONTAINS 'x\($0)'" })
    for key in 0..<12 as Range<Int64> { try ann.make(key, team: key % 6) }
    try world.settle()
    // Each tick makes one or two of the six.
    clock.setStep(4_000_000)
    try ann.say(.verify(1))
    for _ in 0..<3 { try advance(world) }
    #expect(ann.digests.isEmpty)
    try ann.make(50, team: 0)
    for _ in 0..<200 where ann.digests.isEmpty { try advance(world) }
    let digests = try #require(ann.digests.first?.digests)
    #expect(digests.map(\.count) == [3, 2, 2, 2, 2, 2])
  }

  @Test func whoTookMuchTimeIsServedLast() throws {
    let clock = SteadyClock()
    let world = try ServerWorld.timed(by: clock)
    let ann = try world.device(1, user: "ann", subscribing: all)
    let bob = try world.device(2, user: "bob", subscribing: all)
    world.server.context.shares.addTime(
      10_000_000_000, ofUser: "ann", host: "", now: world.now)
    // One message is all that a tick has time for.
    clock.setStep(100_000_000)
    try ann.make(1, team: 1, text: "ann")
    try bob.make(2, team: 1, text: "bob")
    let number = try #require(ann.state.outbox.last?.number)
    for _ in 0..<50 where bob.state.verdicts.count < 2 { try advance(world) }
    #expect(bob.state.verdicts.count == 2)
    #expect(ann.state.verdicts[number] == nil)
    for _ in 0..<50 where ann.state.verdicts[number] == nil { try advance(world) }
    #expect(ann.state.verdicts[number] != nil)
    // It is forgotten with time.
    world.now += 120_000
    #expect(world.server.context.shares.rank(ofUser: "ann", host: "", now: world.now) == 0)
  }

  @Test func whatUsersOfOneHostTookCountsForAllOfThem() {
    var shares = WorkShares()
    for number in 0..<50 {
      shares.addTime(40_000_000, ofUser: "user \(number)", host: "10.0.0.1", now: 1_000)
    }
    func rank(_ user: String, _ host: String) -> Int {
      shares.rank(ofUser: user, host: host, now: 1_000)
    }
    #expect(rank("user 3", "10.0.0.2") == 0)
    #expect(rank("user 3", "10.0.0.1") > 0)
    #expect(rank("a new one", "10.0.0.1") > 0)
    #expect(rank("a new one", "10.0.0.2") == 0)
    #expect(rank("a new one", "") == 0)
    shares.sweep(now: 1_000_000)
    #expect(rank("a new one", "10.0.0.1") == 0)
  }

  @Test func whoseSubscriptionsTakeTooLongToTestMayMakeNothingAndOthersMay() throws {
    let clock = SteadyClock()
    let world = try ServerWorld.timed(by: clock)
    var bounds = world.server.bounds
    bounds.work.judgement = 5_000_000
    world.server.setBounds(bounds)
    let ann = try world.device(
      1, user: "ann", subscribing: (0..<40).map { "text CONTAINS '<\($0)>'" })
    let bob = try world.device(2, user: "bob", subscribing: all)
    clock.setStep(1_000_000)
    let number = try ann.make(1, team: 1, text: "<39>")
    try bob.make(2, team: 1, text: "bob")
    for _ in 0..<500 where ann.state.verdicts[number] == nil || bob.texts.isEmpty {
      try advance(world)
    }
    #expect(bob.texts == [2: "bob"])
    guard case .refused(let refusal)? = ann.state.verdicts[number]?.first else {
      Issue.record("the object was accepted")
      return
    }
    #expect(refusal.reason == .tooLarge)
    #expect(refusal.text.contains("takes too long"))
  }

  // MARK: Sets

  /// The queries of a large set are read in parts, between which others are served; it is judged as
  /// if it had been read at once.
  @Test func aLargeSetDelaysNobody() throws {
    let clock = SteadyClock()
    let world = try ServerWorld.timed(by: clock)
    let bob = try world.device(1, user: "bob", subscribing: all)
    for key in 0..<50 as Range<Int64> { try bob.make(key, team: key, text: "t\(key)") }
    let carol = try world.device(2, user: "carol", subscribing: ["team == 99"])
    let ann = try world.device(3, user: "ann", subscribing: ["team == 1"])
    try world.settle()
    clock.setStep(200_000)
    let padding = String(repeating: "x", count: 200)
    let queries = (0..<100).map { "team == \($0) AND text != '\(padding)'" }
    try ann.subscribe(queries)
    try bob.make(99, team: 99, text: "now")
    try advance(world)
    #expect(carol.texts == [99: "now"])
    // The set in force stays until the other one is judged.
    #expect(ann.texts == [1: "t1"])
    var tickCount = 1
    while ann.texts.count < 51, tickCount < 2_000 {
      try advance(world)
      tickCount += 1
    }
    #expect(tickCount > 3)
    #expect(ann.texts == bob.texts)
    #expect(world.server.context.connections.values.allSatisfy { $0.preparation == nil })
    // It connects again with the set, whose views are made in parts too.
    ann.disconnect()
    try ann.connect(settles: false)
    try bob.make(98, team: 98, text: "later")
    for _ in 0..<2_000 where ann.texts.count < 52 || carol.connection == nil { try advance(world) }
    #expect(ann.texts == bob.texts)
    #expect(ann.errors.isEmpty)
  }

  @Test func aLargeSetIsRefusedForItsMembersAsASmallOne() throws {
    let clock = SteadyClock()
    let world = try ServerWorld.timed(by: clock) { $0.bounds.work.setByteCount = 0 }
    let ann = try world.device(1, user: "ann", subscribing: all)
    clock.setStep(1_000_000)
    let number = try ann.subscribe(["team == 1", "nothing == 2", "team == 3", "text LIKE"])
    for _ in 0..<500 where ann.state.verdicts[number] == nil { try advance(world) }
    guard case .refused(let refusal)? = ann.state.verdicts[number]?.first else {
      Issue.record("the set was accepted")
      return
    }
    #expect(refusal.reason == .invalidQuery)
    #expect(refusal.members.map(\.index) == [0, 3])
    // What was made ahead is dropped.
    try world.settle()
    #expect(!world.server.context.views.hasUnused)
  }

  /// What was read of a set under other rights is read again.
  @Test func aLargeSetIsJudgedByTheRightsOfTheEnd() throws {
    let clock = SteadyClock()
    let world = try ServerWorld.timed(by: clock) { $0.bounds.work.setByteCount = 0 }
    let ann = try world.device(1, user: "ann", subscribing: ["team == 5"])
    try ann.make(5, team: 5, text: "five")
    try world.settle()
    clock.setStep(10_000_000)
    try ann.subscribe((0..<20).map { "team == \($0)" })
    try advance(world)
    #expect(world.server.context.connections.values.contains { $0.preparation != nil })
    world.server.setRights(Rights(.denied))
    for _ in 0..<500 where world.server.hasWork { try advance(world) }
    #expect(ann.texts.isEmpty)
  }

  /// A connection may go while its set is read.
  @Test func theViewsOfASetWhoseConnectionIsGoneAreDropped() throws {
    let clock = SteadyClock()
    let store = try AtollStore(Database.inMemory())
    let world = try ServerWorld(store: store) {
      $0.processorTime = { clock.look() }
      $0.bounds.work.restFactor = 0
      $0.bounds.work.delayFactor = 0
      $0.bounds.work.setByteCount = 0
    }
    let ann = try world.device(1, user: "ann", subscribing: ["team == 1"])
    clock.setStep(10_000_000)
    try ann.subscribe((0..<20).map { "team == \($0)" })
    try advance(world)
    #expect(store.views.count > 1)
    ann.disconnect()
    for _ in 0..<100 { try advance(world) }
    #expect(store.views.count == 0)
  }

  // MARK: Messages

  @Test func aConfirmationThatAnotherFollowsIsNotJudged() throws {
    let world = try ServerWorld()
    let ann = try world.device(1, user: "ann", subscribing: all)
    let token = try #require(ann.state.token)
    for number in 0..<100 as Range<UInt64> {
      try ann.say(
        .confirm(Confirmation(token: token &+ number, cursor: ann.state.cursor, answered: 1)))
    }
    try ann.say(.confirm(Confirmation(token: token, cursor: ann.state.cursor, answered: 1)))
    try world.settle()
    #expect(ann.connection != nil)
    // The last one counts.
    try ann.say(.confirm(Confirmation(token: token, cursor: ann.state.cursor, answered: 1)))
    try ann.say(.confirm(Confirmation(token: token &+ 1, cursor: ann.state.cursor, answered: 1)))
    try world.settle()
    #expect(ann.connection == nil)
  }

  @Test func everyMessageHasAPlaceInTheShareOfItsConnection() throws {
    let world = try ServerWorld { $0.operationLimit = 10 }
    let ann = try world.device(1, user: "ann", subscribing: all)
    let bob = try world.device(2, user: "bob", subscribing: all)
    for number in 0..<100 as Range<UInt64> { try ann.say(.mark(number)) }
    try bob.make(1, team: 1, text: "bob")
    try advance(world)
    #expect(ann.marks.count == 5)
    #expect(bob.texts == [1: "bob"])
    try world.settle()
    #expect(ann.marks.count == 100)
  }
}
