import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// How a device identifies itself, and how it detects that it is a copy (R3).
@Suite(.computing) struct ClientGreetingTests {
  @Test func helloNamesWhatTheFileHas() throws {
    let device = try TestDevice()
    guard case .hello(let first)? = try device.open().first else {
      Issue.record("no HELLO")
      return
    }
    #expect(first.token == nil)
    #expect(first.cursor == nil)
    #expect(first.answered == 0)
    #expect(first.sets == nil)
    #expect(first.bootstrap == nil)
    try device.receive(
      .welcome(
        Welcome(token: 77, isFromStart: false, pushed: 0, digest: 0, wantsSchema: false)))
    try device.receive(.live(nil, 20))
    device.client.close(now: 0)
    guard case .hello(let second)? = try device.open().first else { return }
    #expect(second.client == first.client)
    #expect(second.token == 77)
    #expect(second.cursor == Cursor(20))
    #expect(second.proof == Cursor(20))
  }

  /// R2: a push follows the confirmation of the cursor it was recorded at.
  @Test func nothingIsSentBeforeTheWelcomeAndConfirmComesFirst() throws {
    let device = try TestDevice()
    try device.createTask(1, "a")
    _ = try device.open()
    #expect(try device.outgoing() == [])
    try device.receive(
      .welcome(Welcome(token: 77, isFromStart: false, pushed: 0, digest: 0, wantsSchema: true)))
    let sent = try device.outgoing()
    #expect(sent.map(\.kind) == [.confirm, .schema, .push])
    guard case .confirm(let confirmation) = sent[0], case .schema(let schema) = sent[1] else {
      return
    }
    #expect(confirmation == Confirmation(token: 77, cursor: nil, answered: 0))
    #expect(schema.header.number == 0)
    #expect(schema.classes.map(\.name) == ["Task", "Team"])
    // Nothing is said twice.
    #expect(try device.outgoing() == [])
  }

  @Test func whatTheServerHasIsNotSentAgain() throws {
    let device = try TestDevice()
    try device.createTask(1, "a")
    try device.createTask(2, "b")
    try device.connect(pushed: 1)
    let numbers = try device.outgoing().compactMap { message -> UInt64? in
      guard case .push(let push) = message else { return nil }
      return push.header.number
    }
    #expect(numbers == [2])
  }

  /// The server has another entry under a number of this file: another copy continued.
  ///
  /// Promise: reset.copies.
  @Test func anotherDigestMakesTheFileTakeANewId() throws {
    let device = try TestDevice()
    try device.createTask(1, "a")
    try device.createTask(2, "b")
    let old = try device.state
    _ = try device.open()
    let error = #expect(throws: SyncError.self) {
      try device.receive(
        .welcome(Welcome(token: 1, isFromStart: false, pushed: 1, digest: 4, wantsSchema: false)))
    }
    guard case .newIdentity? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try Self.checkNewIdentity(device, old)
  }

  @Test(arguments: [(3, 1), (5, 0)] as [(UInt64, UInt64)])
  func numbersThatDoNotFitMakeTheFileTakeANewId(pushed: UInt64, _ unused: UInt64) throws {
    let device = try TestDevice()
    try device.createTask(1, "a")
    try device.createTask(2, "b")
    let old = try device.state
    _ = try device.open()
    #expect(throws: SyncError.self) {
      try device.receive(
        .welcome(
          Welcome(token: 1, isFromStart: false, pushed: pushed, digest: 4, wantsSchema: false)))
    }
    try Self.checkNewIdentity(device, old)
  }

  @Test func theServerMayAskForANewId() throws {
    let device = try TestDevice()
    try device.connect()
    try device.receive(.live(nil, 20))
    try device.createTask(1, "a")
    try device.set(1, "minutes", .int(5))
    let old = try device.state
    #expect(throws: SyncError.self) {
      try device.receive(.error(ErrorMessage(.newIdentity, .copiedFile, text: "")))
    }
    try Self.checkNewIdentity(device, old)
    // What was pending still names its create, under the new numbers.
    let operations = FullModel.pending(try device.outbox)
    #expect(operations.map(\.operation.action).contains(.create))
    for edit in operations where edit.operation.action != .create {
      #expect(edit.operation.generation == operations[0].name)
    }
    try FullModel().check(device)
    // Seen stays: a later create is one after all that was seen (R8).
    #expect(try device.state.seen == Cursor(20))
    #expect(device.client.takeEvents().contains(.newIdentity))
  }

  /// New names may be old ones of other creations.
  @Test func anObjectThatWasMadeTwiceKeepsItsSecondCreationUnderANewId() throws {
    let device = try TestDevice()
    try device.connect()
    try device.receive(.live(nil, 20))
    // So that the numbers of the outbox do not begin at 1.
    try device.createTask(7, "sent")
    let answer = Answer(number: 1, verdicts: [.outdated(.deletion), .outdated(.deletion)])
    try device.receive(.live(20, 21, [], [answer]))
    try device.createTask(1, "a")
    try device.deleteTask(1)
    try device.createTask(1, "b")
    try device.set(1, "minutes", .int(5))
    #expect(throws: SyncError.self) {
      try device.receive(.error(ErrorMessage(.newIdentity, .copiedFile, text: "")))
    }
    #expect(try device.outbox.map(\.number) == [1, 2, 3, 4])
    try FullModel().check(device)
  }

  /// Edits of a creation that was refused wait on, and its number is another creation's under a new
  /// id.
  @Test func editsOfARefusedCreationNameNoOtherCreationUnderANewId() throws {
    let device = try TestDevice()
    try device.connect()
    try device.receive(.live(nil, 20))
    try device.createTask(1, "refused")
    try device.set(1, "minutes", .int(5))
    let refusal = Verdict.refused(Refusal(.outsideView))
    try device.receive(.live(20, 21, [], [Answer(number: 1, verdicts: [refusal, refusal])]))
    try device.createTask(2, "other")
    #expect(throws: SyncError.self) {
      try device.receive(.error(ErrorMessage(.newIdentity, .copiedFile, text: "")))
    }
    let entries = try device.outbox
    #expect(entries.map(\.number) == [1, 2])
    guard case .push(let edit) = entries[0].content else {
      Issue.record("\(entries[0])")
      return
    }
    #expect(edit.operations.map(\.object) == [device.task(1)])
    #expect(edit.operations.map(\.generation) == [.pending(number: 0, index: 0)])
  }

  /// Two copies of a file that subscribe to something else under one number.
  @Test func theDigestOfASetTellsCopiesApart() throws {
    let (a, b) = (try TestDevice(), try TestDevice())
    // Both have one id, as copies do.
    for device in [a, b] { _ = try device.open() }
    #expect(try a.state.clientID == b.state.clientID)
    _ = b.database.random()
    for (device, query) in [(a, "minutes == 1"), (b, "minutes == 2")] {
      try device.database.write { transaction in
        var editor = try SubscriptionEditor(
          transaction, now: try #require(Timestamp(seconds: 1, nanoseconds: 0))
        ) { ObjectID(seconds: 1, random: 1, counter: 1) }
        editor.add("Task", query: query)
        try editor.save(in: transaction)
      }
    }
    #expect(try a.outbox.map(\.digest) != b.outbox.map(\.digest))
  }

  private static func checkNewIdentity(_ device: TestDevice, _ old: SyncState) throws {
    let new = try device.state
    #expect(new.clientID != old.clientID)
    #expect(new.token == nil)
    #expect(new.cursor == nil)
    #expect(new.answered == 0)
    let outbox = try device.outbox
    #expect(outbox.map(\.number) == Array(1..<(UInt64(outbox.count) + 1)))
    #expect(new.nextNumber == UInt64(outbox.count) + 1)
    #expect(outbox.allSatisfy { $0.firstName.client == old.clientID })
  }

  /// Promise: reset.readable.
  @Test func aServerThatKnowsNothingOfTheCursorMakesTheFileSynchroniseFromTheStart() throws {
    let device = try TestDevice()
    try device.connect()
    try device.receive(
      .live(nil, 20, [Self.full(device.task(1), "a", 15), Self.full(device.task(2), "b", 16)]))
    device.client.close(now: 0)
    try device.connect(isFromStart: true)
    #expect(try device.state.cursor == nil)
    // Until the last batch, reads continue.
    #expect(try device.value(1, "taskName") == .string("a"))
    try device.receive(.part(nil, nil, readAt: 30, [Self.full(device.task(2), "c", 16)]))
    #expect(try device.value(1, "taskName") == .string("a"))
    try device.receive(.part(nil, 31, readAt: 31))
    #expect(try device.value(1, "taskName") == nil)
    #expect(try device.value(2, "taskName") == .string("c"))
  }

  static func full(_ object: ObjectAddress, _ name: String, _ generation: UInt64) -> ObjectChange {
    ObjectChange(
      object,
      .full(
        generation: Cursor(generation),
        [UnitChange(.property("taskName"), .value(.string(name)))]))
  }
}
