import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// What batches do to the file.
@Suite(.computing) struct ClientBatchTests {
  private static func full(
    _ object: ObjectAddress, _ name: String, _ generation: UInt64
  ) -> ObjectChange {
    ClientGreetingTests.full(object, name, generation)
  }

  // MARK: R12

  @Test func aBatchFromAnotherCursorEndsTheConnection() throws {
    let device = try TestDevice()
    try device.connect()
    try device.receive(.live(nil, 20))
    #expect(throws: SyncError.self) {
      try device.receive(.live(19, 22, [Self.full(device.task(1), "a", 21)]))
    }
    #expect(try device.value(1, "taskName") == nil)
    #expect(try device.state.cursor == Cursor(20))
    #expect(!device.client.isWelcomed)
  }

  /// R2: what an earlier connection brings after the HELLO of the next one counts as lost.
  @Test func aBatchOfAnEarlierConnectionIsNotAppliedOnceTheNextOneIsWelcomed() throws {
    let device = try TestDevice()
    try device.connect()
    let earlier = device.client
    device.client = SyncClient(database: device.database)
    try device.connect(token: 100)
    let next = device.client
    device.client = earlier
    #expect(throws: SyncError.self) {
      try device.receive(.live(nil, 20, [Self.full(device.task(1), "a", 15)]))
    }
    #expect(try device.value(1, "taskName") == nil)
    device.client = next
    try device.receive(.live(nil, 21, [Self.full(device.task(1), "b", 21)]))
    #expect(try device.value(1, "taskName") == .string("b"))
  }

  /// R2: also of a batch that waits for the rest of its catch-up.
  @Test(arguments: [true, false])
  func aWelcomeOfAFileThatHasGoneOnSinceItsGreetingEndsTheConnection(isWhole: Bool) throws {
    let device = try TestDevice()
    try device.connect()
    let earlier = device.client
    device.client = SyncClient(database: device.database)
    _ = try device.open()
    let next = device.client
    device.client = earlier
    try device.receive(isWhole ? .live(nil, 20) : .part(nil, nil, readAt: 20))
    device.client = next
    let welcome = Welcome(
      token: 100, isFromStart: false, isRunLost: false, pushed: 0, digest: 0, wantsSchema: false)
    #expect(throws: SyncError.self) { try device.receive(.welcome(welcome)) }
    #expect(try device.state.token == 99)
    try device.connect(token: 101)
    #expect(try device.state.token == 101)
  }

  /// R2: of two connections of one file the one that was welcomed last goes on.
  @Test func aWelcomeOfAnEarlierConnectionIsNotStored() throws {
    let device = try TestDevice()
    try device.connect()
    device.client = SyncClient(database: device.database)
    _ = try device.open()
    let earlier = device.client
    device.client = SyncClient(database: device.database)
    try device.connect(token: 100)
    let next = device.client
    device.client = earlier
    let welcome = Welcome(
      token: 101, isFromStart: false, isRunLost: false, pushed: 0, digest: 0, wantsSchema: false)
    #expect(throws: SyncError.self) { try device.receive(.welcome(welcome)) }
    #expect(try device.state.token == 100)
    device.client = next
    try device.receive(.live(nil, 21, [Self.full(device.task(1), "b", 21)]))
    #expect(try device.value(1, "taskName") == .string("b"))
  }

  @Test func readAtNeverDecreases() throws {
    let device = try TestDevice()
    try device.connect()
    try device.receive(.part(nil, nil, readAt: 20))
    #expect(throws: SyncError.self) { try device.receive(.part(nil, 19, readAt: 19)) }
  }

  @Test func anUpdateOfWhatIsNotConfirmedIsRefused() throws {
    let device = try TestDevice()
    try device.connect()
    try device.createTask(1, "mine")
    let update = ObjectChange(
      device.task(1), .update([UnitChange(.property("minutes"), .value(.int(3)))]))
    #expect(throws: SyncError.self) { try device.receive(.live(nil, 20, [update])) }
    #expect(try device.state.cursor == nil)
  }

  // MARK: R11

  /// A device that indexes a property stopped permanently at a value too long for its index: the
  /// batch was rejected each time it arrived.
  @Test func aValueTooLongForAnIndexOfTheDeviceArrives() throws {
    let device = try TestDevice()
    try device.database.write { transaction in
      transaction.origin = .sync
      try transaction.addIndex(on: "taskName", of: "Task")
    }
    let long = String(repeating: "x", count: 70_000)
    try device.connect()
    try device.createTask(2, "mine")
    try device.receive(.live(nil, 20, [Self.full(device.task(1), long, 15)]))
    #expect(try device.value(1, "taskName") == .string(long))
    #expect(try device.state.cursor == Cursor(20))
    // The app's own changes of the object are merged with such a value too.
    try device.set(1, "minutes", .int(4))
    let update = ObjectChange(
      device.task(1), .update([UnitChange(.property("taskName"), .value(.string(long + "y")))]))
    try device.receive(.live(20, 21, [update]))
    #expect(try device.value(1, "taskName") == .string(long + "y"))
    #expect(try device.value(1, "minutes") == .int(4))
    try device.receive(.live(21, 22, [ObjectChange(device.task(1), .leave)]))
    #expect(try device.database.check().findings == [])
  }

  /// A position of more bytes than are read makes the whole list unreadable.
  @Test(arguments: [ListPosition.byteCountLimit, ListPosition.madeByteCountLimit])
  func whatIsInsertedBetweenLongPositionsGetsAShortOne(byteCount: Int) throws {
    let device = try TestDevice()
    try device.connect()
    let prefix = [UInt8](repeating: 0x80, count: byteCount - 1)
    let units = try [[0x7F], prefix + [0x80], prefix + [0x81], [0x90]].enumerated().map {
      index, bytes in
      UnitChange(
        .element(
          property: "labels", ElementID(client: 9, number: 1, index: UInt32(index))),
        .element(try #require(ListPosition(decoding: bytes)), .string("\(index)")))
    }
    try device.receive(
      .live(nil, 20, [ObjectChange(device.task(1), .full(generation: Cursor(15), units))]))
    func labels(_ names: [String]) -> Value { .list(names.map { .string($0) }) }
    try device.set(1, "labels", labels(["0", "1", "mine", "2", "3"]))
    try device.set(1, "labels", labels(["0", "1", "again", "mine", "2", "3"]))
    let positions = FullModel.pending(try device.outbox).compactMap { pending in
      switch pending.operation.action {
      case .insert(_, _, let position, _), .moveElement(_, _, let position): position
      default: nil
      }
    }
    // The two long ones moved with the first insertion, and not again.
    #expect(positions.count == 4)
    #expect(positions.allSatisfy { $0.bytes.count <= ListPosition.madeByteCountLimit })
    #expect(try device.database.check().findings == [])
    let last = ObjectChange(
      device.task(1), .update([UnitChange(units[3].path, nil)]))
    try device.receive(.live(20, 21, [last]))
    #expect(try device.value(1, "labels") == labels(["0", "1", "again", "mine", "2"]))
  }

  // MARK: R4

  @Test func theClockFollowsThatOfTheBatches() throws {
    let device = try TestDevice()
    try device.connect()
    let newest = HybridClock(milliseconds: 1_900_000_000_000)
    try device.receive(
      .batch(
        Batch(
          from: nil, to: Cursor(20), readAt: 20, readTime: 0, newestClock: newest, setNumber: 0,
          run: nil)))
    try device.createTask(1, "a")
    guard case .push(let recorded)? = try device.outbox.first?.content else {
      Issue.record("nothing recorded")
      return
    }
    #expect(recorded.clock > newest)
    #expect(recorded.seen == Cursor(20))
  }

  // MARK: R9, R10

  @Test func answersAreConfirmedAndTheirEntriesGo() throws {
    let device = try TestDevice()
    try device.connect()
    try device.createTask(1, "a")
    _ = try device.outgoing()
    let made = Answer(
      number: 1, verdicts: [.applied(generation: Cursor(20)), .applied(generation: nil)])
    try device.receive(.live(nil, 20, [], [made]))
    #expect(try device.outbox == [])
    #expect(try device.value(1, "taskName") == .string("a"))
    #expect(
      try device.outgoing() == [
        .confirm(Confirmation(token: 99, cursor: Cursor(20), answered: 1))
      ])
    #expect(device.client.takeEvents().contains(.answered(upTo: 1)))
    // The same answer again has no effect.
    try device.receive(.live(20, 21, [], [made]))
    #expect(try device.state.answered == 1)
  }

  /// Promise: refusals.undone, refusals.reason.
  @Test func whatIsRefusedIsUndoneAndReportedOnce() throws {
    let device = try TestDevice()
    try device.connect()
    try device.receive(.live(nil, 20, [Self.full(device.task(1), "theirs", 15)]))
    try device.set(1, "taskName", .string("mine"))
    try device.set(1, "minutes", .int(7))
    _ = try device.outgoing()
    let refused = Answer(
      number: 1, verdicts: [.refused(Refusal(.outsideView, text: "not yours"))])
    try device.receive(.live(20, 21, [], [refused]))
    #expect(try device.value(1, "taskName") == .string("theirs"))
    // R13: the other one still waits, and its value is seen.
    #expect(try device.value(1, "minutes") == .int(7))
    #expect(try device.outbox.map(\.number) == [2])
    let inbox = try Inbox.entries(device.database.snapshot())
    #expect(inbox.count == 1)
    #expect(inbox[0].object == device.task(1))
    #expect(inbox[0].kind == .set)
    #expect(inbox[0].property == "taskName")
    #expect(inbox[0].value == .string("mine"))
    #expect(inbox[0].reason == .refused(.outsideView))
    #expect(inbox[0].text == "not yours")
    #expect(device.client.takeEvents().contains(.inboxGrew(inbox.map(\.id))))
    // It stays until the app has handled it.
    let removals = try (0..<2).map { _ in
      try device.database.write { try Inbox.remove(inbox[0].id, in: $0) }
    }
    #expect(removals == [true, false])
    #expect(try Inbox.entries(device.database.snapshot()) == [])
  }

  @Test func aLossToANewerClockIsNotReported() throws {
    let device = try TestDevice()
    try device.connect()
    try device.receive(.live(nil, 20, [Self.full(device.task(1), "theirs", 15)]))
    try device.set(1, "taskName", .string("mine"))
    let newer = ObjectChange(
      device.task(1), .update([UnitChange(.property("taskName"), .value(.string("newer")))]))
    try device.receive(
      .live(20, 21, [newer], [Answer(number: 1, verdicts: [.outdated(.newerClock)])]))
    #expect(try device.value(1, "taskName") == .string("newer"))
    #expect(try Inbox.entries(device.database.snapshot()) == [])
  }

  /// Promise: refusals.deleted.
  @Test func anEditOfADeletedObjectIsReported() throws {
    let device = try TestDevice()
    try device.connect()
    try device.receive(.live(nil, 20, [Self.full(device.task(1), "theirs", 15)]))
    try device.set(1, "taskName", .string("mine"))
    try device.receive(
      .live(
        20, 21, [ObjectChange(device.task(1), .leave)],
        [Answer(number: 1, verdicts: [.outdated(.deletion)])]))
    #expect(try device.value(1, "taskName") == nil)
    #expect(try Inbox.entries(device.database.snapshot()).map(\.reason) == [.deletion])
  }

  @Test func answersThatDoNotFitEndTheConnection() throws {
    let device = try TestDevice()
    try device.connect()
    try device.createTask(1, "a")
    try device.createTask(2, "b")
    let wrong = [
      Answer(number: 2, verdicts: [.applied(generation: Cursor(20)), .applied(generation: nil)]),
      Answer(number: 1, verdicts: [.applied(generation: Cursor(20))]),
      Answer(number: 9, verdicts: []),
    ]
    for answer in wrong {
      if !device.client.isWelcomed { try device.connect() }
      #expect(throws: SyncError.self) { try device.receive(.live(nil, 20, [], [answer])) }
      #expect(try device.outbox.count == 2)
    }
  }

  /// R8: pending edits name the generation in the answer.
  @Test func theAnswerToACreateNamesWhatWaits() throws {
    let device = try TestDevice()
    try device.connect()
    try device.createTask(1, "a")
    try device.set(1, "minutes", .int(4))
    let made = Answer(
      number: 1, verdicts: [.applied(generation: Cursor(20)), .applied(generation: nil)])
    try device.receive(.live(nil, 20, [], [made]))
    let pending = FullModel.pending(try device.outbox)
    #expect(pending.map(\.operation.generation) == [.confirmed(Cursor(20))])
    #expect(try device.value(1, "minutes") == .int(4))
  }

  // MARK: R6, R7

  /// Promise: view.linkIsNil, view.linkArrives.
  @Test func aLinkToWhatIsNotHereWaits() throws {
    let device = try TestDevice()
    try device.connect()
    let team = ObjectAddress(className: "Team", primaryKey: .string("t"))
    let task = ObjectChange(
      device.task(1),
      .full(generation: Cursor(15), [UnitChange(.property("team"), .value(.link(team)))]))
    try device.receive(.live(nil, 20, [task]))
    #expect(try device.value(1, "team") == .null)
    try device.receive(.live(20, 21, [ObjectChange(team, .full(generation: Cursor(16), []))]))
    #expect(try device.value(1, "team")?.link != nil)
    try device.receive(.live(21, 22, [ObjectChange(team, .leave)]))
    #expect(try device.value(1, "team") == .null)
    try device.receive(.live(22, 23, [ObjectChange(team, .full(generation: Cursor(16), []))]))
    #expect(try device.value(1, "team")?.link != nil)
  }

  /// Promise: view.sameKey.
  @Test func theServersObjectAdoptsTheRowOfALocalOne() throws {
    let device = try TestDevice()
    try device.connect()
    try device.database.write { _ = try $0.create("Team", ["_id": .string("t")]) }
    let key = try device.database.snapshot().table("Team").object(primaryKey: .string("t"))?.key
    let team = ObjectAddress(className: "Team", primaryKey: .string("t"))
    try device.receive(
      .live(
        nil, 20,
        [
          ObjectChange(
            team,
            .full(
              generation: Cursor(16), [UnitChange(.property("teamName"), .value(.string("x")))]))
        ],
        [Answer(number: 1, verdicts: [.refused(Refusal(.outsideView))])]))
    let object = try device.database.snapshot().table("Team").object(primaryKey: .string("t"))
    #expect(object?.key == key)
    #expect(try object?["teamName"] == .string("x"))
  }

  // MARK: Classes

  @Test func aClassOfTheServerGivesUpTheUniqueIndexThatItHadHere() throws {
    let device = try TestDevice()
    try device.connect()
    let place = ClassSchema(
      "Place", properties: [PropertySchema("_id", .int), PropertySchema("city", .string)],
      primaryKey: "_id")
    var indexed = place
    indexed.indexes = [IndexSchema(["city"], isUnique: true)]
    try device.database.write { try $0.addClasses([indexed]) }
    let objects = [1, 2].map { key in
      ObjectChange(
        ObjectAddress(className: "Place", primaryKey: .int(key)),
        .full(
          generation: Cursor(15), [UnitChange(.property("city"), .value(.string("Rome")))]))
    }
    try device.receive(
      .batch(
        Batch(
          from: nil, to: Cursor(20), readAt: 20, readTime: 0, newestClock: HybridClock(rawValue: 0),
          setNumber: 0, run: nil, classes: [place], objects: objects)))
    let snapshot = try device.database.snapshot()
    #expect(snapshot.schema["Place"]?.isSynced == true)
    #expect(snapshot.schema["Place"]?.indexes == [])
    #expect(try snapshot.table("Place").count == 2)
  }

  @Test func classesThatTheFileLacksAreMade() throws {
    let device = try TestDevice()
    try device.connect()
    let place = ClassSchema(
      "Place", properties: [PropertySchema("_id", .int), PropertySchema("city", .string)],
      primaryKey: "_id")
    var task = try #require(try device.database.snapshot().schema["Task"])
    task.properties.append(PropertySchema("color", .string, isOptional: true))
    try device.receive(
      .batch(
        Batch(
          from: nil, to: Cursor(20), readAt: 20, readTime: 0, newestClock: HybridClock(rawValue: 0),
          setNumber: 0, run: nil, classes: [place, task],
          objects: [
            ObjectChange(
              ObjectAddress(className: "Place", primaryKey: .int(1)),
              .full(
                generation: Cursor(15),
                [UnitChange(.property("city"), .value(.string("Rome")))]))
          ])))
    let snapshot = try device.database.snapshot()
    #expect(snapshot.schema["Place"]?.isSynced == true)
    #expect(snapshot.schema["Task"]?["color"] != nil)
    #expect(try snapshot.table("Place").object(primaryKey: .int(1))?["city"] == .string("Rome"))
    #expect(try device.outbox == [])
  }

  @Test func aClassInConflictIsRefusedNamingBoth() throws {
    let device = try TestDevice()
    try device.connect()
    let task = ClassSchema(
      "Task", properties: [PropertySchema("_id", .int), PropertySchema("minutes", .string)],
      primaryKey: "_id")
    let error = #expect(throws: SyncError.self) {
      try device.receive(
        .batch(
          Batch(
            from: nil, to: Cursor(20), readAt: 20, readTime: 0,
            newestClock: HybridClock(rawValue: 0),
            setNumber: 0, run: nil, classes: [task])))
    }
    #expect(error?.description.contains("Task.minutes") == true)
    #expect(error?.action == .stop)
  }

  // MARK: Marks and errors

  /// Promise: waits.download.
  @Test func aMarkIsAskedForOnceAConnectionAndReached() throws {
    let device = try TestDevice()
    let mark = device.client.requestMark()
    try device.connect()
    #expect(try device.outgoing().last == .mark(mark))
    #expect(try device.outgoing() == [])
    device.client.close(now: 0)
    try device.connect()
    #expect(try device.outgoing().last == .mark(mark))
    _ = device.client.takeEvents()
    try device.receive(.mark(mark))
    #expect(device.client.takeEvents() == [.reached(mark: mark)])
    #expect(try device.outgoing() == [])
  }

  @Test func pingIsAnswered() throws {
    let device = try TestDevice()
    try device.connect()
    #expect(try device.receive(.ping(5)) == [.pong(5)])
  }

  @Test func errorsTellWhatToDo() throws {
    for action in [ErrorMessage.Action.retry, .logIn, .stop] {
      let device = try TestDevice()
      try device.connect()
      let error = #expect(throws: SyncError.self) {
        try device.receive(.error(ErrorMessage(action, .serverFailed, text: "x")))
      }
      #expect(error?.action == action)
    }
    let device = try TestDevice()
    try device.connect()
    let report = ErrorMessage(.report, .tooBusy, text: "slow")
    try device.receive(.error(report))
    #expect(device.client.takeEvents().contains(.reported(report)))
    #expect(device.client.isWelcomed)
  }

  @Test func bytesThatAreNoMessageEndTheConnectionAndChangeNothing() throws {
    let device = try TestDevice()
    try device.connect()
    let version = try device.database.snapshot().version
    #expect(throws: SyncError.self) { try device.client.receive([6, 0, 1, 2, 3], now: 0) }
    #expect(try device.client.receive([6, 0, 1, 2, 3], now: 0) == [])
    #expect(try device.database.snapshot().version == version)
  }
}
