import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// Files whose history and the server's do not fit together any more (R3, R14, R18).
@Suite(.computing) struct ResetTests {
  /// A device at version 20 with tasks 1 and 2, and the edits 1 to 3 of its own in the outbox.
  private static func device(
    _ mode: ResetMode, isProgressive: Bool = false
  ) throws -> TestDevice {
    let device = try TestDevice(isProgressive: isProgressive, resetMode: mode)
    try device.connect()
    try device.receive(
      .live(
        nil, 20,
        [
          ClientGreetingTests.full(device.task(1), "one", 15),
          ClientGreetingTests.full(device.task(2), "two", 16),
        ]))
    device.client.close(now: 0)
    try device.set(1, "taskName", .string("edited"))
    try device.createTask(3, "made")
    try device.deleteTask(2)
    return device
  }

  private static func names(_ device: TestDevice) throws -> [Value?] {
    try [1, 2, 3, 4].map { try device.value($0, "taskName") }
  }

  private static func pushes(_ messages: [SyncMessage]) -> [UInt64] {
    messages.compactMap { message in
      if case .push(let push) = message { push.header.number } else { nil }
    }
  }

  /// Compares head, images and rows with the server's values and the remaining outbox.
  private static func check(_ device: TestDevice, against changes: [ObjectChange]) throws {
    var model = FullModel()
    model.rebase([], [], changes)
    try model.check(device)
  }

  /// The data of a restored server: the old task 1, and a task 4.
  private static let restored: [ObjectChange] = [
    ClientGreetingTests.full(
      ObjectAddress(className: "Task", primaryKey: .int(1)), "one", 15),
    ClientGreetingTests.full(
      ObjectAddress(className: "Task", primaryKey: .int(2)), "two", 16),
    ClientGreetingTests.full(
      ObjectAddress(className: "Task", primaryKey: .int(4)), "four", 17),
  ]

  /// Promise: reset.recover.
  @Test(arguments: [false, true])
  func recoveringSendsAgainWhatTheServerHasNot(isProgressive: Bool) throws {
    let device = try Self.device(.recover, isProgressive: isProgressive)
    try device.connect(isFromStart: true)
    #expect(try Self.names(device) == [.string("edited"), nil, .string("made"), nil])
    #expect(try Self.pushes(device.outgoing()) == [1, 2, 3])
    try device.receive(.part(nil, 31, readAt: 31, Self.restored))
    #expect(device.client.takeEvents().contains(.resetEnded))
    #expect(
      try Self.names(device) == [.string("edited"), nil, .string("made"), .string("four")])
    #expect(try device.outbox.count == 3)
  }

  /// Promise: reset.discard, reset.readable.
  @Test(arguments: [false, true])
  func discardingGivesUpWhatTheServerHasNotWithTheLastBatch(isProgressive: Bool) throws {
    let device = try Self.device(.discard, isProgressive: isProgressive)
    try device.connect(isFromStart: true)
    // Until the end it can be read, and does not leave.
    #expect(try Self.names(device) == [.string("edited"), nil, .string("made"), nil])
    #expect(try Self.pushes(device.outgoing()) == [])
    try device.receive(.part(nil, nil, readAt: 30, [Self.restored[0]]))
    #expect(try device.value(3, "taskName") == .string("made"))
    try device.receive(.part(nil, 31, readAt: 31, Array(Self.restored.dropFirst())))
    #expect(
      try Self.names(device) == [.string("one"), .string("two"), nil, .string("four")])
    #expect(try device.outbox.isEmpty)
    #expect(try device.read { try Inbox.entries($0) }.isEmpty)
    try Self.check(device, against: Self.restored)
    // Later writes are sent.
    try device.createTask(5, "later")
    #expect(try Self.pushes(device.outgoing()) == [4])
  }

  /// The server had judged the first transaction; the answer comes with the last batch.
  @Test func discardingTakesInTheAnswersOfWhatTheServerHas() throws {
    let device = try Self.device(.discard)
    try device.connect(isFromStart: true, pushed: 1)
    var restored = Self.restored
    restored[0] = ClientGreetingTests.full(device.task(1), "edited", 15)
    try device.receive(
      .part(
        nil, 31, readAt: 31, restored,
        [Answer(number: 1, verdicts: [.applied(generation: nil)])]))
    #expect(
      try Self.names(device) == [.string("edited"), .string("two"), nil, .string("four")])
    #expect(try device.state.answered == 1)
    #expect(try device.outbox.isEmpty)
    try Self.check(device, against: restored)
  }

  /// Writes after the beginning of the reset, and the subscription sets, are not dropped.
  ///
  /// Promise: reset.readable, reset.subscriptions, reset.interrupted.
  @Test func discardingKeepsWhatIsWrittenMeanwhileAndTheSubscriptions() throws {
    let device = try Self.device(.discard)
    let version = try device.database.write { transaction in
      var editor = try SubscriptionEditor(
        transaction, now: try #require(Timestamp(seconds: 1, nanoseconds: 0))
      ) { ObjectID(seconds: 1, random: 1, counter: 1) }
      editor.add("Task", query: "TRUEPREDICATE")
      return try editor.save(in: transaction).version
    }
    try device.connect(isFromStart: true)
    let sent = try device.outgoing()
    #expect(Self.pushes(sent) == [])
    #expect(sent.contains { $0.kind == .sets })
    device.client.close(now: 0)
    // A process that starts again continues it.
    var configuration = device.client.configuration
    configuration.resetMode = .discard
    device.client = SyncClient(database: device.database, configuration: configuration)
    try device.createTask(5, "meanwhile")
    try device.connect()
    #expect(try Self.pushes(device.outgoing()) == [])
    try device.receive(
      .part(
        nil, 31, readAt: 31, Self.restored,
        [Answer(number: 4, verdicts: [.applied(generation: nil)])]))
    #expect(try device.outbox.map(\.number) == [5])
    #expect(try device.value(5, "taskName") == .string("meanwhile"))
    #expect(try device.value(3, "taskName") == nil)
    #expect(
      try SubscriptionStore.set(version: version, device.database.snapshot())?.state == .complete)
    #expect(try Self.pushes(device.outgoing()) == [5])
    try Self.check(device, against: Self.restored)
  }

  /// Another copy of the file continued.
  @Test func discardingACopyGivesUpItsOutbox() throws {
    let device = try Self.device(.discard)
    _ = try device.open()
    #expect(throws: SyncError.self) {
      try device.receive(.error(ErrorMessage(.newIdentity, .copiedFile, text: "")))
    }
    #expect(try device.outbox.count == 3)
    try device.createTask(5, "meanwhile")
    try device.connect()
    try device.receive(.part(nil, 31, readAt: 31, Self.restored))
    #expect(
      try Self.names(device) == [.string("one"), .string("two"), nil, .string("four")])
    #expect(try device.value(5, "taskName") == .string("meanwhile"))
    #expect(try device.outbox.count == 1)
    try Self.check(device, against: Self.restored)
  }

  /// Promise: reset.manual.
  @Test func manualLeavesEverythingAsItIsUntilItIsAllowed() throws {
    let device = try Self.device(.manual)
    let before = try device.state
    for _ in 0..<3 {
      #expect {
        try device.connect(isFromStart: true)
      } throws: { error in
        if case .resetRequired? = error as? SyncError { true } else { false }
      }
      #expect(try device.state == before)
      #expect(try device.outbox.count == 3)
      #expect(try SyncClient.isResetRequired(device.database.snapshot()))
    }
    try SyncClient.allowReset(
      device.database, upTo: SyncClient.newestNumber(device.database.snapshot()))
    try device.connect(isFromStart: true)
    try device.receive(.part(nil, 31, readAt: 31, Self.restored))
    #expect(
      try Self.names(device) == [.string("one"), .string("two"), nil, .string("four")])
    // The next one waits again.
    device.client.close(now: 0)
    #expect(throws: SyncError.self) { try device.connect(isFromStart: true) }
  }

  /// A connection that drops at the wrong moment is no other history: nothing is dropped, and the
  /// application is not asked.
  @Test(arguments: [ResetMode.recover, .discard, .manual])
  func aCatchUpThatCannotGoOnKeepsTheOutbox(mode: ResetMode) throws {
    let device = try Self.device(mode, isProgressive: true)
    try device.connect()
    try device.receive(.part(20, nil, readAt: 30, [Self.restored[2]]))
    device.client.close(now: 0)
    try device.connect(isFromStart: true, isRunLost: true)
    #expect(try device.state.cursor == nil)
    #expect(try device.state.boot == nil)
    #expect(try Self.pushes(device.outgoing()) == [1, 2, 3])
    _ = device.client.takeEvents()
    try device.receive(.part(nil, 31, readAt: 31, run: 2, isRestart: true, Self.restored))
    #expect(
      try Self.names(device) == [.string("edited"), nil, .string("made"), .string("four")])
    #expect(try device.outbox.count == 3)
    #expect(!device.client.takeEvents().contains(.resetEnded))
    #expect(try !SyncClient.isResetRequired(device.database.snapshot()))
    try Self.check(device, against: Self.restored)
  }

  /// A server that has found its history again needs no reset.
  @Test func aResetThatIsNoLongerNeededIsForgotten() throws {
    let device = try Self.device(.manual)
    #expect(throws: SyncError.self) { try device.connect(isFromStart: true) }
    try device.connect()
    #expect(try !SyncClient.isResetRequired(device.database.snapshot()))
    #expect(try Self.pushes(device.outgoing()) == [1, 2, 3])
  }

  /// Writes after the application has kept a copy are in no copy.
  ///
  /// Promise: reset.manual.
  @Test func anAllowedResetGivesUpNothingThatWasWrittenLater() throws {
    let device = try Self.device(.manual)
    #expect(throws: SyncError.self) { try device.connect(isFromStart: true) }
    let copied = try SyncClient.newestNumber(device.database.snapshot())
    #expect(copied == 3)
    try SyncClient.allowReset(device.database, upTo: copied)
    try device.createTask(5, "later")
    try device.connect(isFromStart: true)
    #expect(try Self.pushes(device.outgoing()) == [])
    try device.receive(.part(nil, 31, readAt: 31, Self.restored))
    #expect(
      try Self.names(device) == [.string("one"), .string("two"), nil, .string("four")])
    #expect(try device.value(5, "taskName") == .string("later"))
    #expect(try Self.pushes(device.outgoing()) == [4])
  }

  /// A reset that does not help is not repeated forever.
  ///
  /// Promise: reset.failure.
  @Test func resetsDoNotLoop() throws {
    let device = try Self.device(.recover)
    for round in 0..<SyncError.resetLimit {
      try device.connect(isFromStart: true)
      try device.receive(
        .part(nil, 31 + round, readAt: 31 + round, run: round + 1, Self.restored))
      device.client.close(now: 0)
    }
    let before = try device.state
    #expect {
      try device.connect(isFromStart: true)
    } throws: { error in
      if case .resetsRepeated? = error as? SyncError { true } else { false }
    }
    #expect(try device.state == before)
    #expect(try device.outbox.count == 3)
    // Normal operation in between resets the count.
    try device.connect()
    device.client.close(now: 0)
    try device.connect(isFromStart: true)
  }
}
