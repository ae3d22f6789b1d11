import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// Subscription sets and the catch-ups that bring their objects (R1, R17).
@Suite(.computing) struct ClientSetTests {
  private static func subscribe(_ device: TestDevice, _ query: String) throws {
    try device.database.write { transaction in
      var counter: UInt32 = 0
      var editor = try SubscriptionEditor(
        transaction, now: try #require(Timestamp(seconds: 1, nanoseconds: 0))
      ) {
        counter += 1
        return ObjectID(seconds: 1, random: transaction.version, counter: counter)
      }
      editor.removeAll()
      editor.add("Task", query: query)
      try editor.save(in: transaction)
    }
  }

  private static func state(_ device: TestDevice, _ version: Int64) throws -> SubscriptionState {
    try SubscriptionSets(device.database.snapshot()).state(ofVersion: version)
  }

  private static func task(_ device: TestDevice, _ id: Int64) -> ObjectChange {
    ClientGreetingTests.full(device.task(id), "t\(id)", 15)
  }

  private static func accepted(_ number: UInt64) -> Answer {
    Answer(number: number, verdicts: [.applied(generation: nil)])
  }

  /// R1: each push is judged by the set in force there.
  ///
  /// Promise: sets.order.
  @Test func setsAndPushesLeaveInTheOrderOfTheirCommits() throws {
    let device = try TestDevice()
    try Self.subscribe(device, "a")
    try device.createTask(1, "A")
    try Self.subscribe(device, "b")
    try device.createTask(2, "B")
    try device.connect()
    let sent = try device.outgoing()
    #expect(sent.map(\.kind) == [.confirm, .sets, .push, .sets, .push])
    let members = sent.compactMap { message -> [SetMember]? in
      guard case .sets(let sets) = message else { return nil }
      return sets.members
    }
    #expect(members.map { $0.map(\.query) } == [["a"], ["b"]])
  }

  /// A server refuses a set of a class that it does not know yet.
  @Test func aClassLeavesBeforeTheSetThatNamesIt() throws {
    let device = try TestDevice()
    try device.database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Place", properties: [PropertySchema("_id", .int)], primaryKey: "_id", isSynced: true)
      ])
      var editor = try SubscriptionEditor(
        transaction, now: try #require(Timestamp(seconds: 1, nanoseconds: 0))
      ) { ObjectID(seconds: 1, random: 1, counter: 1) }
      editor.add("Place", query: "TRUEPREDICATE")
      try editor.save(in: transaction)
      try transaction.create("Place", ["_id": .int(1)])
    }
    try device.connect()
    let sent = try device.outgoing()
    #expect(sent.map(\.kind) == [.confirm, .schema, .sets, .push])
    guard case .schema(let schema)? = sent.dropFirst().first else { return }
    #expect(schema.header.number == 1)
    #expect(schema.classes.map(\.name).contains("Place"))
  }

  @Test func aSetOfAHelloThatIsRefusedHasItsReason() throws {
    let device = try TestDevice()
    try Self.subscribe(device, "a")
    try device.connect()
    _ = try device.outgoing()
    try device.receive(.part(nil, 10, readAt: 10, set: 1, [], [Self.accepted(1)]))
    #expect(try Self.state(device, 1) == .complete)
    device.client.close(now: 0)
    try device.connect()
    _ = device.client.takeEvents()
    try device.receive(.error(ErrorMessage(.report, .setRefused, text: "no class Task")))
    #expect(try Self.state(device, 1) == .error("no class Task"))
    #expect(device.client.takeEvents() == [.setChanged(version: 1)])
    #expect(device.client.isWelcomed)
    device.client.close(now: 0)
    guard case .hello(let hello)? = try device.open().first else {
      Issue.record("no HELLO")
      return
    }
    #expect(hello.sets == nil)
  }

  /// Promise: bootstrap.atomic, bootstrap.complete.
  @Test func aSetIsCompleteWithTheLastBatch() throws {
    let device = try TestDevice()
    try device.connect()
    try device.receive(.part(nil, 10, readAt: 10))
    try Self.subscribe(device, "a")
    #expect(try Self.state(device, 1) == .pending)
    _ = try device.outgoing()
    _ = device.client.takeEvents()
    try device.receive(.part(10, nil, readAt: 20, run: 2, set: 1, [Self.task(device, 1)]))
    #expect(try Self.state(device, 1) == .bootstrapping)
    #expect(device.client.takeEvents() == [.setChanged(version: 1)])
    #expect(try device.value(1, "taskName") == nil)
    try device.receive(
      .part(10, 21, readAt: 21, run: 2, set: 1, [Self.task(device, 2)], [Self.accepted(1)]))
    #expect(try Self.state(device, 1) == .complete)
    #expect(device.client.takeEvents().contains(.setChanged(version: 1)))
    #expect(try device.value(1, "taskName") == .string("t1"))
    #expect(try device.value(2, "taskName") == .string("t2"))
    #expect(try device.state.boot == nil)
    device.client.close(now: 0)
    guard case .hello(let hello)? = try device.open().first else { return }
    #expect(
      hello.sets
        == AnsweredSets(
          number: 1, version: 1, members: [SetMember(className: "Task", query: "a")]))
  }

  /// Promise: bootstrap.progressive, bootstrap.complete.
  @Test func whereBatchesAreCommittedOneByOneTheSetStaysBootstrapping() throws {
    let device = try TestDevice(isProgressive: true)
    try device.connect()
    try device.receive(.part(nil, 10, readAt: 10))
    try Self.subscribe(device, "a")
    try device.receive(
      .part(10, nil, readAt: 20, run: 2, set: 1, [Self.task(device, 1)], [Self.accepted(1)]))
    #expect(try device.value(1, "taskName") == .string("t1"))
    #expect(try Self.state(device, 1) == .bootstrapping)
    try device.receive(.part(10, nil, readAt: 20, run: 2, set: 1, [Self.task(device, 2)]))
    #expect(try Self.state(device, 1) == .bootstrapping)
    try device.receive(.part(10, 21, readAt: 21, run: 2, set: 1))
    #expect(try Self.state(device, 1) == .complete)
  }

  /// R17: it is resumed where it stood, also after the process died.
  ///
  /// Promise: bootstrap.resume.
  @Test func anInterruptedBootstrapIsResumedByItsPosition() throws {
    let device = try TestDevice()
    try device.connect()
    try Self.subscribe(device, "a")
    try device.receive(.part(nil, nil, readAt: 20, run: 7, set: 1, [Self.task(device, 1)]))
    // Another process, with nothing in memory.
    device.client = SyncClient(database: device.database)
    guard case .hello(let hello)? = try device.open().first else { return }
    #expect(hello.bootstrap == BootstrapPosition(run: 7, position: [7], from: nil))
    try device.receive(
      .welcome(Welcome(token: 5, isFromStart: false, pushed: 0, digest: 0, wantsSchema: false)))
    try device.receive(
      .part(nil, 22, readAt: 22, run: 7, set: 1, [Self.task(device, 2)], [Self.accepted(1)]))
    #expect(try device.value(1, "taskName") == .string("t1"))
    #expect(try device.value(2, "taskName") == .string("t2"))
    #expect(try Self.state(device, 1) == .complete)
  }

  /// It continues as it began, and the next one follows the application's setting.
  ///
  /// Promise: bootstrap.complete.
  @Test(arguments: [true, false])
  func aChangeOfTheModeInTheMiddleOfABootstrapLosesNothing(isProgressive: Bool) throws {
    let device = try TestDevice(isProgressive: isProgressive)
    try device.connect()
    try Self.subscribe(device, "a")
    try device.receive(.part(nil, nil, readAt: 20, run: 7, set: 1, [Self.task(device, 1)]))
    #expect(try device.value(1, "taskName") == (isProgressive ? .string("t1") : nil))
    var configuration = device.client.configuration
    configuration.isProgressive.toggle()
    device.client = SyncClient(database: device.database, configuration: configuration)
    guard case .hello(let hello)? = try device.open().first else {
      Issue.record("no HELLO")
      return
    }
    #expect(hello.isProgressive == isProgressive)
    try device.receive(
      .welcome(Welcome(token: 5, isFromStart: false, pushed: 0, digest: 0, wantsSchema: false)))
    try device.receive(
      .part(nil, 22, readAt: 22, run: 7, set: 1, [Self.task(device, 2)], [Self.accepted(1)]))
    #expect(try device.value(1, "taskName") == .string("t1"))
    #expect(try device.value(2, "taskName") == .string("t2"))
    #expect(try Self.state(device, 1) == .complete)
    device.client.close(now: 0)
    guard case .hello(let next)? = try device.open().first else { return }
    #expect(next.isProgressive == !isProgressive)
  }

  /// Promise: bootstrap.sameEnd.
  @Test func aBootstrapThatBeginsAgainDropsWhatCameBefore() throws {
    let device = try TestDevice()
    try device.connect()
    try device.receive(.part(nil, nil, readAt: 20, run: 7, [Self.task(device, 1)]))
    device.client.close(now: 0)
    try device.connect()
    try device.receive(
      .part(nil, 22, readAt: 22, run: 8, isRestart: true, [Self.task(device, 2)]))
    #expect(try device.value(1, "taskName") == nil)
    #expect(try device.value(2, "taskName") == .string("t2"))
  }

  /// Promise: sets.errorKeepsActive, sets.goodAfterBad.
  @Test func aBadSetIsAnErrorAndTheOneBeforeStays() throws {
    let device = try TestDevice()
    try device.connect()
    try Self.subscribe(device, "a")
    try device.receive(
      .part(nil, 20, readAt: 20, run: 1, set: 1, [Self.task(device, 1)], [Self.accepted(1)]))
    try Self.subscribe(device, "bad")
    let refused = Answer(
      number: 2, verdicts: [.refused(Refusal(.invalidQuery, text: "'bad' is not queryable"))])
    try device.receive(.live(20, 21, [], [refused]))
    #expect(try Self.state(device, 2) == .error("'bad' is not queryable"))
    #expect(try SubscriptionSets(device.database.snapshot()).active.version == 1)
    #expect(try device.value(1, "taskName") == .string("t1"))
    #expect(try device.state.answeredSet == 1)
    try Self.subscribe(device, "c")
    try device.receive(
      .part(
        21, 22, readAt: 22, run: 2, set: 3, [ObjectChange(device.task(1), .leave)],
        [
          Self.accepted(3)
        ]))
    #expect(try Self.state(device, 2) == .superseded)
    #expect(try Self.state(device, 3) == .complete)
    #expect(try device.value(1, "taskName") == nil)
  }

  /// A set that was replaced before its catch-up ended is complete with the newer one's, and gone.
  ///
  /// Promise: sets.superseded.
  @Test func ofSeveralSetsTheNewestThatWasAcceptedCompletes() throws {
    let device = try TestDevice()
    try device.connect()
    try Self.subscribe(device, "a")
    try Self.subscribe(device, "b")
    try device.receive(
      .part(nil, 20, readAt: 20, run: 3, set: 2, [], [Self.accepted(1), Self.accepted(2)]))
    #expect(try Self.state(device, 1) == .superseded)
    #expect(try Self.state(device, 2) == .complete)
  }

  /// Answers come first, then what the batches of the catch-up carry, wherever it came.
  @Test func aValueThatWaitedWinsOverTheAnswerOfTheLastBatch() throws {
    let device = try TestDevice()
    try device.connect()
    try device.receive(.live(nil, 10, [Self.task(device, 1)]))
    try device.set(1, "taskName", .string("mine"))
    let newer = ObjectChange(
      device.task(1), .update([UnitChange(.property("taskName"), .value(.string("newer")))]))
    try device.receive(.part(10, nil, readAt: 20, run: 2, [newer]))
    #expect(try device.value(1, "taskName") == .string("mine"))
    try device.receive(
      .part(
        10, 21, readAt: 21, run: 2, [], [Answer(number: 1, verdicts: [.applied(generation: nil)])]))
    #expect(try device.value(1, "taskName") == .string("newer"))
  }
}
