import AtollCapture
import AtollObjects
import Synchronization
import Testing

@testable import AtollSync

/// The time of day of a device, which a test moves.
final class TestClock: Sendable {
  private let value: Mutex<UInt64>

  init(_ milliseconds: UInt64 = 1_700_000_000_000) { value = Mutex(milliseconds) }

  var milliseconds: UInt64 {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

/// A device with a file in memory, and the messages that go in and out of its client.
final class TestDevice {
  let database: Database
  let clock: TestClock
  var client: SyncClient
  private(set) var inbox: [SyncEvent] = []

  static let classes = [
    ClassSchema(
      "Task",
      properties: [
        PropertySchema("_id", .int), PropertySchema("taskName", .string),
        PropertySchema("assignee", .string, isOptional: true), PropertySchema("minutes", .int),
        PropertySchema("labels", .string, collection: .list),
        PropertySchema("team", linkTo: "Team"),
      ], primaryKey: "_id", isSynced: true),
    ClassSchema(
      "Team",
      properties: [
        PropertySchema("_id", .string), PropertySchema("teamName", .string),
        PropertySchema("tasks", linkTo: "Task", collection: .list),
      ], primaryKey: "_id", isSynced: true),
  ]

  init(
    seed: UInt64 = 1, isProgressive: Bool = false,
    resetMode: ResetMode = .recover, classes: [ClassSchema] = []
  ) throws {
    clock = TestClock()
    database = try Database.inMemory(options: Self.options(seed, clock))
    try database.write { transaction in
      // So that the first entry of the outbox is the first one of a test.
      transaction.origin = .sync
      try transaction.addClasses(Self.classes + classes)
    }
    var configuration = SyncClient.Configuration()
    configuration.isProgressive = isProgressive
    configuration.resetMode = resetMode
    client = SyncClient(database: database, configuration: configuration)
  }

  /// Opens a copy of the file of `other`, as it was when the copy was made.
  init(copyOf other: TestDevice, at path: String, seed: UInt64) throws {
    clock = TestClock(other.clock.milliseconds)
    database = try Database.open(path, options: Self.options(seed, clock))
    client = SyncClient(database: database, configuration: other.client.configuration)
  }

  private static func options(_ seed: UInt64, _ clock: TestClock) -> Database.Options {
    let counter = Mutex(seed << 20)
    // On half of them most transactions become several entries.
    var limits = RecordingLimits()
    if seed >> 40 & 1 == 1 { limits.operationCount = 3 }
    var options = Database.Options().recording(limits)
    options.clock = { clock.milliseconds }
    options.random = {
      counter.withLock {
        $0 += 1
        return $0
      }
    }
    return options
  }

  var state: SyncState { get throws { try #require(try database.snapshot().syncState()) } }

  var outbox: [OutboxEntry] {
    get throws {
      var entries: [OutboxEntry] = []
      try database.snapshot().forEachOutboxEntry { entry throws(ObjectError) in
        entries.append(entry)
        return true
      }
      return entries
    }
  }

  // MARK: Messages

  private var readerOfOutput = MessageReader()

  func decode(_ frames: [[UInt8]]) throws -> [SyncMessage] {
    var messages: [SyncMessage] = []
    for frame in frames {
      if let message = try readerOfOutput.receive(frame) { messages.append(message) }
    }
    return messages
  }

  func open() throws -> [SyncMessage] { try decode(client.open(now: 0)) }

  func outgoing() throws -> [SyncMessage] { try decode(client.outgoing(now: 0)) }

  @discardableResult
  func receive(_ message: SyncMessage) throws -> [SyncMessage] {
    var answers: [SyncMessage] = []
    for frame in MessageFrames.encode(message) {
      answers += try decode(client.receive(frame, now: 0))
    }
    return answers
  }

  /// Opens a connection and is welcomed.
  func connect(
    token: UInt64 = 99, isFromStart: Bool = false, isRunLost: Bool = false, pushed: UInt64? = nil
  ) throws {
    _ = try open()
    let state = try state
    let pushed = pushed ?? state.answered
    let digest = try outbox.first { $0.number == pushed }?.digest ?? 0
    try receive(
      .welcome(
        Welcome(
          token: token, isFromStart: isFromStart, isRunLost: isRunLost, pushed: pushed,
          digest: digest,
          wantsSchema: false)))
  }

  // MARK: Objects

  func task(_ id: Int64) -> ObjectAddress {
    ObjectAddress(className: "Task", primaryKey: .int(id))
  }

  func createTask(_ id: Int64, _ name: String) throws {
    try database.write {
      try $0.create("Task", ["_id": .int(id), "taskName": .string(name)])
    }
  }

  func set(_ id: Int64, _ property: String, _ value: Value) throws {
    try database.write { transaction in
      let key = try #require(try transaction.key("Task", primaryKey: .int(id)))
      try transaction.set("Task", key, property, value)
    }
  }

  func deleteTask(_ id: Int64) throws {
    try database.write { transaction in
      let key = try #require(try transaction.key("Task", primaryKey: .int(id)))
      try transaction.delete("Task", key)
    }
  }

  func value(_ id: Int64, _ property: String) throws -> Value? {
    try database.snapshot().table("Task").object(primaryKey: .int(id))?[property]
  }

  struct Stop: Error {}

  /// Reads in a transaction that is then cancelled.
  func read<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
    var result: Result?
    do {
      try database.write { transaction in
        transaction.origin = .sync
        result = try body(transaction)
        throw Stop()
      }
    } catch is Stop {}
    return try #require(result)
  }
}

extension Cursor {
  /// A version of the only incarnation of a scripted server.
  init(_ version: UInt64) { self.init(incarnation: 5, version: version) }
}

extension SyncMessage {
  /// A batch of a live stream.
  static func live(
    _ from: UInt64?, _ to: UInt64, _ objects: [ObjectChange] = [], _ answers: [Answer] = []
  ) -> SyncMessage {
    .batch(
      Batch(
        from: from.map { Cursor($0) }, to: Cursor(to), readAt: to, readTime: 0,
        newestClock: HybridClock(rawValue: 0), setNumber: 0, run: nil, objects: objects,
        answers: answers))
  }

  /// A batch of a catch-up.
  static func part(
    _ from: UInt64?, _ to: UInt64?, readAt: UInt64, run: UInt64 = 1, isRestart: Bool = false,
    set: UInt64 = 0, _ objects: [ObjectChange] = [], _ answers: [Answer] = []
  ) -> SyncMessage {
    .batch(
      Batch(
        from: from.map { Cursor($0) }, to: to.map { Cursor($0) }, readAt: readAt, readTime: 0,
        newestClock: HybridClock(rawValue: 0), setNumber: set,
        run: BatchRun(number: run, position: [UInt8(run)], isRestart: isRestart),
        objects: objects, answers: answers))
  }
}
