import AtollCapture
import AtollObjects
import AtollSync
import TestThreads
import Testing

/// The batches for a device that connects, changes its subscriptions, or was offline.
@Suite(.computing) struct CatchUpTests {
  private let all = ["TRUEPREDICATE"]

  private func fill(_ world: ServerWorld, _ count: Int64, teams: Int64 = 2) throws -> Device {
    let writer = try world.device(100, subscribing: ["TRUEPREDICATE"])
    for key in 1...count { try writer.make(key, team: key % teams, text: "t\(key)") }
    try world.settle()
    return writer
  }

  /// The objects that batches brought since `count`.
  private func changes(_ device: Device, since count: Int) -> [ObjectChange] {
    device.batches[count...].flatMap(\.objects)
  }

  // MARK: R16

  /// Promise: view.matches.
  @Test func aNewSubscriptionBringsWhatMatches() throws {
    let world = try ServerWorld()
    _ = try fill(world, 20)
    let a = try world.device(1, subscribing: ["team == 1"])
    #expect(a.texts.keys.sorted() == stride(from: 1, through: 19, by: 2).map { $0 })
  }

  /// Promise: sets.empty.
  @Test func aChangedSubscriptionTakesAwayWhatNoLongerMatches() throws {
    let world = try ServerWorld()
    _ = try fill(world, 20)
    let a = try world.device(1, subscribing: ["team == 1"])
    try a.subscribe(["team == 0"])
    try world.settle()
    #expect(a.texts.keys.sorted() == stride(from: 2, through: 20, by: 2).map { $0 })
    try a.subscribe([])
    try world.settle()
    #expect(a.texts.isEmpty)
  }

  /// Promise: view.overlap.
  @Test func overlappingSubscriptionsKeepAnObjectUntilTheLastOneGoes() throws {
    let world = try ServerWorld()
    _ = try fill(world, 4)
    let a = try world.device(1, subscribing: ["team == 1", "TRUEPREDICATE"])
    #expect(a.texts.count == 4)
    let count = a.batches.count
    try a.subscribe(["team == 1"])
    try world.settle()
    #expect(a.texts.keys.sorted() == [1, 3])
    #expect(changes(a, since: count).count == 2)
  }

  @Test func aChangeOfTheViewSendsNothingThatStays() throws {
    let world = try ServerWorld()
    _ = try fill(world, 50)
    let a = try world.device(1, subscribing: ["team == 1"])
    let count = a.batches.count
    try a.subscribe(["team == 1", "team == 5"])
    try world.settle()
    #expect(changes(a, since: count).isEmpty)
    #expect(a.state.sets?.members.count == 2)
  }

  /// Promise: view.follow.
  @Test func objectsEnterAndLeaveAsTheyChange() throws {
    let world = try ServerWorld()
    let writer = try fill(world, 4)
    let a = try world.device(1, subscribing: ["team == 1"])
    try writer.push([writer.set(2, team: 1), writer.set(3, team: 0)])
    try world.settle()
    #expect(a.texts.keys.sorted() == [1, 2])
    try writer.push([writer.edit(1, .delete)])
    try world.settle()
    #expect(a.texts.keys.sorted() == [2])
  }

  @Test func aDeviceThatWasAwayGetsWhatChangedAndNothingElse() throws {
    let world = try ServerWorld()
    let writer = try fill(world, 100)
    let a = try world.device(1, subscribing: all)
    a.disconnect()
    for round in 0..<30 {
      for key in [3, 5, 8] as [Int64] {
        world.now += 1
        try writer.push([writer.set(key, text: "\(round)")])
      }
      try world.settle()
    }
    try writer.push([writer.edit(7, .delete)])
    try world.settle()
    let count = a.batches.count
    try a.connect()
    try world.settle()
    let changes = changes(a, since: count)
    #expect(changes.count == 4)
    #expect(a.texts[3] == "29" && a.texts[8] == "29" && a.texts[7] == nil)
    for change in changes {
      if case .update(let units) = change.change { #expect(units.count == 1) }
    }
  }

  /// A device's own writes are not sent back to it if they were applied as sent.
  @Test func anOwnWriteIsNotEchoedWhileItIsLive() throws {
    let world = try ServerWorld()
    let writer = try fill(world, 4)
    let count = writer.batches.count
    world.now += 1
    try writer.push([writer.set(1, text: "own")])
    try world.settle()
    #expect(changes(writer, since: count).isEmpty)
    #expect(writer.batches.count == count + 1)
  }

  // MARK: R15

  /// Promise: view.follow.
  @Test func anEnterThatWasSentButNotConfirmedIsSentAgain() throws {
    let world = try ServerWorld()
    let writer = try fill(world, 4)
    let a = try world.device(1, subscribing: ["team == 1"])
    a.isSynced = false
    try writer.push([writer.set(2, team: 1), writer.set(3, team: 0)])
    try world.settle()
    #expect(a.texts.keys.sorted() == [1, 2])
    // The process ends before that is durable.
    a.crash()
    a.isSynced = true
    #expect(a.texts.keys.sorted() == [1, 3])
    try a.connect()
    try world.settle()
    #expect(a.texts.keys.sorted() == [1, 2])
  }

  /// Promise: view.follow.
  @Test func aLeaveReachesADeviceThatWasAway() throws {
    let world = try ServerWorld()
    let writer = try fill(world, 6)
    let a = try world.device(1, subscribing: ["team == 1"])
    a.disconnect()
    try writer.push([writer.set(1, team: 0)])
    try world.settle()
    try writer.push([writer.edit(3, .delete)])
    try world.settle()
    try writer.push([writer.set(2, team: 1)])
    try writer.push([writer.set(2, team: 0)])
    try world.settle()
    try a.connect()
    try world.settle()
    #expect(a.texts.keys.sorted() == [5])
    for change in a.batches.suffix(1).flatMap(\.objects) {
      // Objects that entered and left while it was offline are not sent.
      #expect(change.object != a.task(2))
    }
  }

  // MARK: R17

  @Test func aLargeBootstrapComesInParts() throws {
    let world = try ServerWorld { $0.batchByteCount = 2_000 }
    _ = try fill(world, 200)
    let a = try world.device(1, subscribing: all)
    #expect(a.texts.count == 200)
    #expect(a.batches.filter { $0.run != nil && $0.to == nil }.count > 3)
    #expect(a.batches.last?.to != nil)
  }

  /// An enter that never arrived has left a record of an object that the user may not see any more.
  @Test func whatACatchUpCountsIsInViewOrHeld() throws {
    func firstCount(afterLostEnter: Bool) throws -> UInt64? {
      let world = try ServerWorld { $0.batchByteCount = 2_000 }
      let writer = try fill(world, 200, teams: 4)
      let a = try world.device(1, subscribing: ["team == 1"])
      a.isSynced = false
      if afterLostEnter {
        try writer.push([writer.set(198, team: 1)])
        try world.settle()
        #expect(a.texts[198] != nil)
      }
      a.crash()
      if afterLostEnter {
        try writer.push([writer.set(198, team: 2)])
        try world.settle()
      }
      a.isSynced = true
      let count = a.batches.count
      try a.subscribe(["team == 1", "team == 3"])
      try a.connect()
      #expect(a.texts[198] == nil)
      #expect(a.texts.count == 100)
      return a.batches[count...].first?.run?.remainingCount
    }
    let counts = try (firstCount(afterLostEnter: false), firstCount(afterLostEnter: true))
    #expect(counts.0 ?? 0 > 0)
    #expect(counts.0 == counts.1)
  }

  /// How long a device waits for its catch-up does not tell how much others have written.
  @Test func aCatchUpThatHasNothingToSendYetGoesOnAtOnce() throws {
    let world = try ServerWorld { $0.visitLimit = 100 }
    let writer = try fill(world, 2)
    let a = try world.device(1, subscribing: ["team == 1"])
    a.disconnect()
    try writer.push((Int64(10)..<400).map { writer.create($0) })
    try world.settle()
    try a.connect(settles: false)
    let count = a.batches.count
    var silentRounds = 0
    for _ in 0..<20 where a.batches.count == count {
      try world.settle(limit: 1)
      guard a.welcome != nil, a.batches.count == count else { continue }
      silentRounds += 1
      #expect(world.server.hasWaitingMessages)
    }
    #expect(a.batches.count > count)
    #expect(silentRounds > 1)
  }

  /// Promise: bootstrap.resume.
  @Test func aBootstrapResumesWhereItWas() throws {
    let world = try ServerWorld { $0.batchByteCount = 2_000 }
    _ = try fill(world, 200)
    let a = world.device(1)
    try a.connect()
    try a.subscribe(all)
    a.stopsAfter = 2
    try world.settle()
    #expect(a.connection == nil)
    let got = a.batches.flatMap(\.objects).count
    #expect(got > 0 && got < 200)
    a.stopsAfter = nil
    try a.connect()
    try world.settle()
    #expect(a.texts.count == 200)
    #expect(a.batches.flatMap(\.objects).count < 200 + got)
  }

  /// What a file got after its greeting counts as lost, so that it would keep what leaves.
  @Test func aConfirmationOfWhatTheGreetingDidNotNameEndsTheConnection() throws {
    let world = try ServerWorld()
    let writer = try fill(world, 3)
    let a = try world.device(1, subscribing: all)
    let before = a.state
    // It has a batch that it has not confirmed.
    a.isSynced = false
    try writer.make(7, team: 1)
    try world.settle()
    let after = a.state
    a.disconnect()
    (a.state, a.isSynced) = (before, true)
    try a.connect(settles: false)
    (a.state, a.disk) = (after, after)
    try world.settle()
    #expect(a.errors.map(\.code) == [.unexpectedMessage])
    #expect(a.connection == nil)
    #expect(a.texts[7] != nil)
    try writer.push([writer.edit(7, .delete)])
    try world.settle()
    try a.connect()
    #expect(a.texts.keys.sorted() == [1, 2, 3])
  }

  /// Objects that were sent after the resumed position and lost arrive with the catch-up that
  /// replaces it.
  ///
  /// Promise: bootstrap.sameEnd.
  @Test func aChangeOfViewWhileABootstrapResumesLosesNothing() throws {
    let world = try ServerWorld { $0.batchByteCount = 2_000 }
    _ = try fill(world, 200)
    let a = world.device(1)
    try a.connect()
    try a.subscribe(all)
    try world.settle(limit: 1)
    #expect(a.state.bootstrap != nil)
    for _ in 0..<3 { _ = try world.server.advance(now: world.now) }
    a.disconnect()
    try a.subscribe(["team == 0", "team == 1"])
    try a.connect()
    try world.settle()
    #expect(a.texts.count == 200)
  }

  /// Promise: bootstrap.resume.
  @Test func aBootstrapResumesAtAServerThatWasStartedAgain() throws {
    let world = try ServerWorld { $0.batchByteCount = 2_000 }
    _ = try fill(world, 200)
    let a = world.device(1)
    try a.connect()
    try a.subscribe(all)
    a.stopsAfter = 2
    try world.settle()
    a.stopsAfter = nil
    try world.restart()
    try a.connect()
    try world.settle()
    #expect(a.texts.count == 200)
  }

  /// The objects of batches that were committed one by one are unknown when another catch-up has
  /// replaced theirs and nothing of it has arrived: the device synchronises as new.
  @Test func aCatchUpThatCannotGoOnIsToldFromAnotherHistory() throws {
    let world = try ServerWorld { $0.batchByteCount = 2_000 }
    _ = try fill(world, 200)
    let a = world.device(1)
    a.isProgressive = true
    try a.connect()
    try a.subscribe(["team == 0"])
    try world.settle()
    #expect(a.state.cursor != nil)
    a.stopsAfter = 1
    try a.subscribe(all)
    try world.settle()
    #expect(a.connection == nil && a.state.bootstrap != nil)
    a.stopsAfter = nil
    try a.subscribe(all + ["team == 1"])
    try a.connect(settles: false)
    try world.settle(limit: 1)
    #expect(a.welcome?.isFromStart == false)
    world.blocked = try [#require(a.connection)]
    try world.settle(limit: 5)
    a.disconnect()
    world.blocked = []
    try a.connect()
    #expect(a.welcome?.isFromStart == true)
    #expect(a.welcome?.isRunLost == true)
    try world.settle()
    #expect(a.texts.count == 200)
    // A cursor of a lost history is invalid.
    let store = try #require(a.state.cursor)
    a.state.cursor = Cursor(incarnation: store.incarnation, version: store.version + 1_000)
    a.state.proof = a.state.cursor
    a.disconnect()
    try a.connect()
    #expect(a.welcome?.isFromStart == true)
    #expect(a.welcome?.isRunLost == false)
  }

  /// Promise: bootstrap.meanwhile.
  @Test func whatChangesBehindTheBootstrapComesWithItsLastBatch() throws {
    let world = try ServerWorld { $0.batchByteCount = 2_000 }
    let writer = try fill(world, 200)
    let a = world.device(1)
    try a.connect()
    try a.subscribe(all)
    var isChanged = false
    a.onBatch = { batch in
      guard batch.run != nil, batch.to == nil, !isChanged, batch.objects.count > 0 else { return }
      isChanged = true
      world.now += 1
      try writer.push([writer.set(1, text: "behind"), writer.edit(2, .delete)])
    }
    try world.settle()
    #expect(isChanged)
    #expect(a.texts.count == 199)
    #expect(a.texts[1] == "behind")
  }

  // MARK: R3, R12, R14

  @Test func aServerThatWasStartedAgainGoesOn() throws {
    let world = try ServerWorld()
    let writer = try fill(world, 10)
    let a = try world.device(1, subscribing: all)
    try world.restart()
    try writer.connect()
    try writer.push([writer.set(1, text: "after")])
    try a.connect()
    let count = a.batches.count
    try world.settle()
    #expect(a.texts[1] == "after")
    #expect(changes(a, since: count - 1).count <= 1)
    #expect(a.welcome?.isFromStart == false)
  }

  /// Promise: reset.noticed.
  @Test func aStoreThatWasRestoredFromACopyIsNoticed() throws {
    let store = MemoryStore()
    let world = try ServerWorld(store: store)
    let a = try world.device(1, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    let copy = store.contents
    try a.make(2, team: 1)
    try world.settle()
    store.contents = copy
    try world.restart()
    try a.connect()
    #expect(a.errors.last?.action == .newIdentity)
    // Under a new id, with its newest cursor, it begins as if new.
    let b = world.device(9)
    b.state.seen = a.state.seen
    try b.connect()
    try b.subscribe(all)
    try world.settle()
    #expect(b.texts.keys.sorted() == [1])
  }

  /// A file that is in its first catch-up has no cursor by which this could be seen.
  @Test func aFileWithoutACursorIsToldThatTheServerIsOlder() throws {
    let store = MemoryStore()
    let world = try ServerWorld(store: store)
    let withoutFile = store.contents
    let a = try world.device(1, subscribing: all)
    try world.settle()
    let withFile = store.contents
    try a.make(1, team: 1)
    try world.settle()
    let file = a.state
    func errors(
      _ contents: MemoryStore.Contents, _ change: (inout Device.State) -> Void
    ) throws -> [ErrorMessage.Code] {
      store.contents = contents
      try world.restart()
      let device = world.device(1)
      device.state = file
      change(&device.state)
      device.disk = device.state
      try device.connect()
      return device.errors.map(\.code)
    }
    #expect(try errors(withoutFile) { ($0.cursor, $0.proof) = (nil, nil) } == [.olderServer])
    #expect(try errors(withFile) { ($0.cursor, $0.proof) = (nil, nil) } == [.olderServer])
    #expect(
      try errors(withFile) {
        $0.cursor = nil
        $0.answered = 0
      } == [.olderServer])
  }

  /// Promise: reset.copies.
  @Test func aCopyOfAFileIsToldToTakeANewIdentity() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let copy = world.device(1)
    (copy.state, copy.disk) = (a.state, a.disk)
    a.disconnect()
    try a.connect()
    try a.make(1, team: 1)
    try world.settle()
    a.disconnect()
    try copy.connect()
    #expect(copy.errors.last?.code == .copiedFile)
    #expect(copy.errors.last?.action == .newIdentity)
  }

  @Test func whatWasJudgedUnderAnotherNameIsKnown() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let header = a.header()
    let own = Generation.pending(number: header.number, index: 0)
    try a.push([a.create(1), a.set(1, text: "once", of: own)], header: header)
    try world.settle()
    let b = try world.device(2, subscribing: all)
    let version = world.server.version
    let again = b.header(name: header.firstName, digest: header.digest)
    let renamed = Generation.pending(number: again.number, index: 0)
    try b.push([b.create(1), b.set(1, text: "once", of: renamed)], header: again)
    let edit = try b.push([b.set(1, text: "more", of: renamed)])
    try world.settle()
    let generation = try #require(a.state.generations[a.task(1)])
    #expect(
      b.state.verdicts[again.number] == [.known(generation: generation), .known(generation: nil)])
    #expect(b.state.verdicts[edit] == [.applied(generation: nil)])
    #expect(world.server.version == version + 1)
    #expect(a.texts == [1: "more"])
  }

  /// A copy of the file, under an id of its own, may be faster than the file whose name an entry
  /// has.
  ///
  /// Promise: reset.copies.
  @Test(arguments: [false, true])
  func anEntryIsJudgedOnceWhoeverOfTwoCopiesSendsItFirst(isInOneTick: Bool) throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    let version = world.server.version
    let header = a.header()
    let again = b.header(name: header.firstName, digest: header.digest)
    try b.push([b.create(1)], header: again)
    if !isInOneTick { try world.settle() }
    try a.push([a.create(1)], header: header)
    try world.settle()
    let generation = try #require(b.state.generations[b.task(1)])
    #expect(b.state.verdicts[again.number] == [.applied(generation: generation)])
    #expect(a.state.verdicts[header.number] == [.known(generation: generation)])
    #expect(world.server.version == version + 1)
  }

  /// R14: the store is a copy that was made while the server ran, between a change of the view and
  /// what it sent.
  ///
  /// Promise: reset.noticed.
  @Test func whatADeviceWasToldToHoldAfterACopyWasMadeIsNoticed() throws {
    let store = MemoryStore()
    let world = try ServerWorld(store: store)
    let writer = try fill(world, 4)
    let a = try world.device(1, subscribing: all)
    world.blocked = [try #require(a.connection)]
    try a.subscribe(["team == 1"])
    try world.settle()
    let copy = store.contents
    world.blocked = []
    try world.settle()
    #expect(a.texts.count == 2)
    store.contents = copy
    try world.restart()
    try a.connect()
    try a.subscribe(all)
    try world.settle()
    #expect(a.texts.count == 4)
    _ = writer
  }

  // MARK: Order and limits

  @Test func aBlockedConnectionGetsOneBatchWhenItIsReady() throws {
    let world = try ServerWorld()
    let writer = try fill(world, 4)
    let a = try world.device(1, subscribing: all)
    let count = a.batches.count
    world.blocked = [try #require(a.connection)]
    for round in 0..<10 {
      world.now += 1
      try writer.push([writer.set(1, text: "\(round)")])
      try world.settle()
    }
    #expect(a.batches.count == count)
    world.blocked = []
    try world.settle()
    #expect(a.batches.count == count + 1)
    #expect(a.texts[1] == "9")
  }

  @Test func anIdleTickCostsNoTransaction() throws {
    let store = MemoryStore()
    let world = try ServerWorld(store: store)
    _ = try world.device(1, subscribing: all)
    let count = store.tickCount
    #expect(try world.server.advance(now: world.now) == [])
    #expect(store.tickCount == count)
  }

  @Test func aSecondConnectionOfAFileTakesOver() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let other = world.device(1)
    (other.state, other.disk) = (a.state, a.disk)
    try other.connect()
    try world.settle()
    #expect(a.errors.last?.code == .replaced)
    #expect(other.welcome != nil)
  }

  @Test func aFileOfAnotherUserIsRefused() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    a.disconnect()
    let thief = world.device(1, user: "other")
    (thief.state, thief.disk) = (a.state, a.disk)
    try thief.connect()
    #expect(thief.errors.last?.code == .otherUser)
  }

  @Test func framesThatAreNoMessagesCloseThatConnectionOnly() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = world.device(2)
    try b.connect()
    let connection = try #require(b.connection)
    let outputs = world.server.receive([3, 0, 255, 255], from: connection, now: world.now)
    #expect(outputs.count == 2)
    #expect(outputs.last.map { if case .close = $0 { true } else { false } } == true)
    #expect(world.server.receive([3, 0], from: connection, now: world.now) == [])
    try a.make(1, team: 1)
    try world.settle()
    #expect(a.texts.count == 1)
  }

  @Test func aPushBeforeTheConfirmationIsRefused() throws {
    let world = try ServerWorld()
    let a = world.device(1)
    a.confirmsWelcome = false
    try a.connect()
    try a.make(1, team: 1)
    try world.settle()
    #expect(a.errors.last?.code == .unexpectedMessage)
    #expect(a.connection == nil)
  }

  /// Promise: waits.download.
  @Test func aMarkIsAnsweredWhenAllWasSent() throws {
    let world = try ServerWorld()
    let writer = try fill(world, 4)
    let a = try world.device(1, subscribing: all)
    try writer.push([writer.set(1, text: "x")])
    try a.say(.mark(7))
    try world.settle()
    #expect(a.marks == [7])
    #expect(a.texts[1] == "x")
    // A batch has the time of its data, even when nothing has changed.
    let count = a.batches.count
    world.now += 5_000
    try a.say(.mark(8))
    try world.settle()
    #expect(a.marks == [7, 8])
    #expect(a.batches.count == count + 1)
    #expect(a.batches.last?.readTime == world.now)
  }

  // MARK: Subscription texts and classes

  /// Promise: sets.errorKeepsActive.
  @Test func aBadQueryIsAnErrorAndTheLastGoodSetStays() throws {
    let world = try ServerWorld()
    let writer = try fill(world, 4)
    let a = try world.device(1, subscribing: ["team == 1"])
    let number = try a.subscribe(["nothing == 1"])
    try world.settle()
    guard case .refused(let refusal)? = a.state.verdicts[number]?.first else {
      Issue.record("the set was accepted")
      return
    }
    #expect(refusal.reason == .invalidQuery)
    #expect(refusal.text.contains("nothing"))
    try writer.push([writer.set(1, text: "still")])
    try world.settle()
    #expect(a.texts == [1: "still", 3: "t3"])
  }

  /// Promise: rule.refused, rule.reason.
  @Test(arguments: [
    "team > 1 SORT(team ASC)", "TRUEPREDICATE LIMIT(3)", "next.team == 1", "@links.@count > 0",
    "ANY tags == tags", "team ==", "text == 3", "tags.@sum > 1",
  ])
  func aQueryThatAServerCannotFollowIsRefused(text: String) throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: ["team == 1"])
    let number = try a.subscribe([text])
    try world.settle()
    guard case .refused(let refusal)? = a.state.verdicts[number]?.first else {
      Issue.record("accepted: \(text)")
      return
    }
    #expect(refusal.reason == .invalidQuery)
    #expect(refusal.text.hasPrefix("the query '\(text)' on Task: "))
    #expect(a.state.sets?.members.map(\.query) == ["team == 1"])
  }

  enum BadSet: CaseIterable {
    case property, type, many, long

    var queries: [String] {
      switch self {
      case .property: ["nothing == 1"]
      case .type: ["team == 1", "text == 3"]
      case .many: (0...10_000).map { "team == \($0)" }
      case .long: ["text == '\(String(repeating: "x", count: 4 << 20))'"]
      }
    }
  }

  /// The set of a HELLO was not judged: its device saw an empty view and no reason, or the server
  /// ended with a query that it could not read.
  @Test(arguments: BadSet.allCases)
  func aSetOfAHelloIsRefusedAsThatOfAMessage(set: BadSet) throws {
    let queries = set.queries
    let world = try ServerWorld()
    let writer = try fill(world, 4)
    let asked = try world.device(2, subscribing: [])
    let number = try asked.subscribe(queries)
    try world.settle()
    guard case .refused(let refusal)? = asked.state.verdicts[number]?.first else {
      Issue.record("the set was accepted")
      return
    }
    for setNumber in [0, 1] as [UInt64] {
      let greeting = world.device(3 + setNumber)
      let members = queries.map { SetMember(className: "Task", query: $0) }
      greeting.state.sets = AnsweredSets(number: setNumber, version: 1, members: members)
      // It must be sent again if it was not stored.
      for _ in 0..<2 {
        // A long one takes much of what its user may send in a minute.
        world.now += 60_000
        try greeting.connect()
        #expect(
          greeting.errors.last
            == ErrorMessage(
              .report, .setRefused, text: refusal.text, members: refusal.members))
        greeting.disconnect()
      }
      #expect(greeting.errors.count == 2)
      // Another set is accepted, and the connection continues.
      greeting.state.sets = nil
      try greeting.connect()
      try greeting.subscribe(["team == 1"])
      try world.settle()
      #expect(greeting.texts == [1: "t1", 3: "t3"])
    }
    _ = writer
  }

  @Test func aQueryInAHelloThatIsNoneDoesNotEndTheServer() throws {
    let store = AtollStore(try Database.inMemory(options: .recording))
    let world = try ServerWorld(store: store)
    for (id, className) in [(1, "Task"), (2, "Missing")] as [(UInt64, String)] {
      let a = world.device(id)
      a.state.sets = AnsweredSets(
        number: 0, version: 1, members: [SetMember(className: className, query: "team ==")])
      try a.connect()
      #expect(a.errors.last?.code == .setRefused)
    }
  }

  @Test func aSetOfAHelloWaitsForTheClassesOfItsDevice() throws {
    let world = try ServerWorld()
    let (a, b) = (world.device(1), world.device(2))
    for (device, query) in [(a, "name == 1"), (b, "other == 1")] {
      let member = SetMember(className: "Team", query: query)
      device.state.sets = AnsweredSets(number: 0, version: 1, members: [member])
      try device.connect()
      #expect(device.welcome?.wantsSchema == true)
      #expect(device.errors.isEmpty)
    }
    // Without the class: it will not come any more.
    let lacking = world.device(3)
    lacking.state.sets = AnsweredSets(
      number: 0, version: 1, members: [SetMember(className: "Club", query: "name == 1")])
    try lacking.connect()
    #expect(lacking.errors.isEmpty)
    let none = EntryHeader(number: 0, digest: 0, firstName: EntryName(client: 3, number: 0))
    try lacking.say(.schema(SchemaEntry(header: none, classes: [])))
    try world.settle()
    #expect(lacking.errors.map(\.text) == ["the server has no class Club"])

    let team = ClassSchema(
      "Team", properties: [PropertySchema("name", .int)], primaryKey: "name")
    try a.say(.schema(SchemaEntry(header: none, classes: [team])))
    try world.settle()
    #expect(a.errors.isEmpty)
    #expect(b.errors.map(\.code) == [.setRefused])
    #expect(b.errors.first?.text.contains("other") == true)
  }

  @Test func classesComeFromDevicesInDevelopment() throws {
    let world = try ServerWorld()
    let a = world.device(1)
    try a.connect()
    let added = ClassSchema(
      "Team", properties: [PropertySchema("name", .string)], primaryKey: "name")
    let number = try a.add([added])
    try world.settle()
    #expect(a.state.verdicts[number] == [.applied(generation: nil)])
    var other = added
    other.properties = [PropertySchema("name", .int)]
    let next = try a.add([other])
    try world.settle()
    guard case .refused(let refusal)? = a.state.verdicts[next]?.first else {
      Issue.record("the conflict was accepted")
      return
    }
    #expect(refusal.text == "Team.name is int on the device and string on the server")
  }

  /// What one device declares ends nothing for the others.
  @Test func aClassWithoutThePropertyOfItsKeyIsRefused() throws {
    let world = try ServerWorld()
    let (a, b) = (world.device(1), world.device(2))
    try a.connect()
    try b.connect()
    let wrong = ClassSchema(
      "Team", properties: [PropertySchema("name", .string)], primaryKey: "id")
    let number = try a.add([wrong])
    try world.settle()
    guard case .refused(let refusal)? = a.state.verdicts[number]?.first else {
      Issue.record("the class was accepted")
      return
    }
    #expect(refusal.text == "class 'Team' has no property 'id' for its primary key")
    let right = ClassSchema(
      "Team", properties: [PropertySchema("name", .string)], primaryKey: "name")
    let next = try b.add([right])
    try world.settle()
    #expect(b.state.verdicts[next] == [.applied(generation: nil)])
  }

  @Test func withoutDevelopmentAClassIsRefused() throws {
    let world = try ServerWorld(rights: Rights(.denied))
    let a = world.device(1)
    try a.connect()
    let added = ClassSchema(
      "Team", properties: [PropertySchema("name", .string)], primaryKey: "name")
    let number = try a.add([added])
    try world.settle()
    guard case .refused(let refusal)? = a.state.verdicts[number]?.first else {
      Issue.record("the class was accepted")
      return
    }
    #expect(refusal.reason == .unknownSchema)
  }

  @Test func aBatchNamesTheClassesOfItsObjectsOnce() throws {
    let world = try ServerWorld()
    _ = try fill(world, 4)
    let a = try world.device(1, subscribing: all)
    #expect(a.batches.flatMap(\.classes).map(\.name) == ["Task"])
  }

  // MARK: R13

  /// The amount of a device's waiting messages was not counted, so it had no bound.
  @Test func whatWaitsToBeJudgedIsCountedUntilItIs() throws {
    let world = try ServerWorld { $0.operationLimit = 10 }
    let busy = try world.device(1, subscribing: all)
    let connection = try #require(busy.connection)
    #expect(world.server.waitingByteCount(of: connection) == 0)
    for key in 1...100 { try busy.make(Int64(key), team: 0, text: "b") }
    let all = busy.state.outbox.reduce(0) { sum, entry in
      sum + MessageFrames.encode(entry.message).reduce(0) { $0 + $1.count }
    }
    #expect(world.server.waitingByteCount(of: connection) == all)
    try world.settle(limit: 1)
    let left = world.server.waitingByteCount(of: connection)
    #expect(left < all && left > all * 9 / 10)
    try world.settle()
    #expect(world.server.waitingByteCount(of: connection) == 0)
    #expect(busy.texts.count == 100)
  }

  @Test func aMessageInPartsWaitsWhenItIsComplete() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let connection = try #require(a.connection)
    let own = Generation.pending(number: a.state.nextNumber, index: 0)
    let text = String(repeating: "x", count: 1 << 20)
    a.isSynced = false
    try a.push([a.create(1), a.set(1, team: 1, of: own), a.set(1, text: text, of: own)])
    let frames = MessageFrames.encode(try #require(a.state.outbox.first).message)
    #expect(frames.count > 4)
    for frame in frames.dropLast() {
      #expect(world.server.receive(frame, from: connection, now: world.now).isEmpty)
      #expect(world.server.waitingByteCount(of: connection) == 0)
    }
    #expect(
      world.server.receive(try #require(frames.last), from: connection, now: world.now).isEmpty)
    let waiting = world.server.waitingByteCount(of: connection)
    #expect(1 << 20..<2 << 20 ~= waiting)
  }

  @Test func tooManyMarksThatWaitEndTheConnection() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    world.blocked = [try #require(a.connection)]
    for mark in 1...1_001 { try a.say(.mark(UInt64(mark))) }
    // A tick takes a thousand messages of a connection.
    for _ in 0..<2 { try world.settle(limit: 1) }
    #expect(a.connection == nil)
    #expect(a.errors.map(\.code) == [.tooBusy])
  }

  @Test func aLongOutboxDoesNotKeepOtherDevicesWaiting() throws {
    let world = try ServerWorld { $0.operationLimit = 10 }
    let busy = try world.device(1, subscribing: all)
    let other = try world.device(2, subscribing: all)
    let witness = try world.device(3, subscribing: all)
    for key in 1...100 { try busy.make(Int64(key), team: 0, text: "b") }
    try other.make(1_000, team: 0, text: "o")
    // One turn: a part of the outbox, and all of the other device's.
    try world.settle(limit: 1)
    #expect(witness.texts[1_000] == "o")
    #expect(witness.texts.count < 20)
    try world.settle()
    #expect(witness.texts.count == 101)
  }
}
