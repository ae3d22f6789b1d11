import AtollCapture
import AtollObjects
import AtollSync
import TestSupport
import Testing

/// A simple device: it applies batches to a dictionary, and checks nothing itself.
///
/// `state` is its file; `disk` what of it survives a crash. Only what is on the disk is sent.
final class Device {
  struct State {
    var id: UInt64
    var token: UInt64?
    var cursor: Cursor?
    var proof: Cursor?
    var answered: UInt64 = 0
    var nextNumber: UInt64 = 1
    var sets: AnsweredSets?
    var bootstrap: BootstrapPosition?
    var seen: Cursor?
    var objects: [ObjectAddress: [UnitPath: UnitValue]] = [:]
    var generations: [ObjectAddress: Cursor] = [:]
    var outbox: [(number: UInt64, message: SyncMessage)] = []
    var pendingSets: [UInt64: AnsweredSets] = [:]
    var verdicts: [UInt64: [Verdict]] = [:]
    /// What a catch-up brought whose last batch has not come.
    var staged: [ObjectChange] = []
  }

  let user: String
  var host = ""
  private unowned let world: ServerWorld
  private var reader = MessageReader()
  var connection: ConnectionID?
  private var sentNumber: UInt64 = 0
  private var confirmed: (Cursor?, UInt64)?
  private var readAt: UInt64 = 0

  var state: State
  var disk: State
  var isProgressive = false
  /// Whether every change of the file is durable, and confirmed, at once.
  var isSynced = true
  var confirmsWelcome = true
  /// Whether what comes after the WELCOME is confirmed.
  var confirmsMore = true
  /// After how many batches that have objects the connection breaks.
  var stopsAfter: Int?
  var onBatch: ((Batch) throws -> Void)?
  /// The reading that the next transactions have; nil: that of the world.
  var clock: UInt64?

  private(set) var errors: [ErrorMessage] = []
  private(set) var welcome: Welcome?
  private(set) var batches: [Batch] = []
  private(set) var marks: [UInt64] = []
  private(set) var pongs: [UInt64] = []
  private(set) var digests: [ViewDigests] = []

  init(_ id: UInt64, user: String, world: ServerWorld) {
    state = State(id: id)
    disk = state
    self.user = user
    self.world = world
  }

  // MARK: Saying

  /// HELLO names what is on the disk, which everything is by then.
  ///
  /// `settles`: whether all that follows is delivered.
  func connect(settles: Bool = true) throws {
    disk = state
    connection = world.server.connect(user: user, host: host, now: world.now)
    reader = MessageReader()
    welcome = nil
    confirmed = nil
    readAt = 0
    sentNumber = .max
    try say(
      .hello(
        Hello(
          client: disk.id, token: disk.token, proof: disk.proof, cursor: disk.cursor,
          answered: disk.answered, sets: disk.sets, bootstrap: disk.bootstrap,
          isProgressive: isProgressive)))
    if settles { try world.settle() }
  }

  func disconnect() {
    if let connection { world.server.disconnect(connection) }
    connection = nil
  }

  /// The process ends: what is not durable is gone.
  func crash() {
    disconnect()
    state = disk
  }

  /// The file becomes durable; what waited for that is sent.
  func sync() throws {
    disk = state
    try send()
  }

  private func changed() throws {
    if isSynced { try sync() }
  }

  private func send() throws {
    guard connection != nil, welcome != nil, let token = disk.token, token == welcome?.token else {
      return
    }
    guard confirmsWelcome else {
      for (_, message) in disk.outbox { try say(message) }
      return
    }
    if confirmed == nil
      || confirmsMore && (confirmed?.0 != disk.cursor || confirmed?.1 != disk.answered)
    {
      confirmed = (disk.cursor, disk.answered)
      try say(.confirm(Confirmation(token: token, cursor: disk.cursor, answered: disk.answered)))
    }
    for (number, message) in disk.outbox where number > sentNumber {
      sentNumber = number
      try say(message)
    }
  }

  func say(_ message: SyncMessage) throws {
    for frame in MessageFrames.encode(message) {
      guard let connection else { return }
      for output in world.server.receive(frame, from: connection, now: world.now) {
        switch output {
        case .send(_, let frame): try receive(frame)
        case .close: self.connection = nil
        }
      }
    }
  }

  // MARK: Writing

  func header(name: EntryName? = nil, digest: UInt64? = nil) -> EntryHeader {
    let number = state.nextNumber
    state.nextNumber += 1
    return EntryHeader(
      number: number, digest: digest ?? number &* 7,
      firstName: name ?? EntryName(client: state.id, number: number))
  }

  @discardableResult
  func subscribe(_ queries: [String], and others: [SetMember] = []) throws -> UInt64 {
    let header = header()
    let members = queries.map { SetMember(className: "Task", query: $0) } + others
    let version = Int64(header.number)
    state.pendingSets[header.number] = AnsweredSets(
      number: header.number, version: version, members: members)
    state.outbox.append(
      (header.number, .sets(SetsEntry(header: header, version: version, members: members))))
    try changed()
    return header.number
  }

  /// Commits a transaction, which is pushed once it is durable.
  @discardableResult
  func push(_ operations: [Operation], header: EntryHeader? = nil) throws -> UInt64 {
    let header = header ?? self.header()
    let clock = clock.map { HybridClock(rawValue: $0) } ?? HybridClock(milliseconds: world.now)
    let transaction = RecordedTransaction(clock: clock, seen: state.seen, operations: operations)
    state.outbox.append(
      (header.number, .push(PushEntry(header: header, transaction: transaction))))
    try changed()
    return header.number
  }

  @discardableResult
  func add(_ classes: [ClassSchema]) throws -> UInt64 {
    let header = header()
    state.outbox.append(
      (header.number, .schema(SchemaEntry(header: header, classes: classes))))
    try changed()
    return header.number
  }

  // MARK: Hearing

  func receive(_ frame: [UInt8]) throws {
    guard let message = try reader.receive(frame) else { return }
    switch message {
    case .welcome(let welcome):
      self.welcome = welcome
      sentNumber = welcome.pushed
      state.token = welcome.token
      if welcome.isFromStart { (state.cursor, state.bootstrap) = (nil, nil) }
      try changed()
    case .batch(let batch):
      try apply(batch)
      try onBatch?(batch)
      guard let left = stopsAfter, !batch.objects.isEmpty else { break }
      stopsAfter = left - 1
      if left == 1 { disconnect() }
    case .error(let error): errors.append(error)
    case .mark(let number): marks.append(number)
    case .pong(let number): pongs.append(number)
    case .digests(let answer): digests.append(answer)
    default: break
    }
  }

  private func apply(_ batch: Batch) throws {
    #expect(batch.from == state.cursor)
    #expect(batch.readAt >= readAt)
    readAt = batch.readAt
    batches.append(batch)
    if let run = batch.run {
      if run.isRestart { state.staged = [] }
      state.bootstrap = BootstrapPosition(
        run: run.number, position: run.position, from: batch.from)
    }
    let waitingCount = state.staged.count
    state.staged += batch.objects
    if let to = batch.to {
      for answer in batch.answers where answer.number > state.answered { take(answer) }
      // From nothing: what does not arrive goes, also what the answers made.
      if batch.from == nil { (state.objects, state.generations) = ([:], [:]) }
      for (index, change) in state.staged.enumerated() {
        // The last batch has the rest of what is gone since an earlier one was sent.
        apply(change, isWaiting: index < waitingCount)
      }
      state.staged = []
      state.bootstrap = nil
      if let cursor = state.cursor, cursor.incarnation == to.incarnation {
        #expect(to.version >= cursor.version)
      }
      (state.cursor, state.proof, state.seen) = (to, to, to)
    }
    try changed()
  }

  private func take(_ answer: Answer) {
    state.answered = answer.number
    state.verdicts[answer.number] = Array(answer.verdicts)
    let entry = state.outbox.removeFirst()
    #expect(entry.number == answer.number)
    switch entry.message {
    case .sets:
      if case .applied? = state.verdicts[answer.number]?.first {
        state.sets = state.pendingSets[answer.number]
      }
    case .push(let push):
      for (operation, verdict) in zip(push.transaction.operations, answer.verdicts) {
        if case .applied(let generation) = verdict { apply(operation, generation) }
      }
    default: break
    }
  }

  /// What was applied as sent is not sent back.
  private func apply(_ operation: Operation, _ generation: Cursor?) {
    let object = operation.object
    switch operation.action {
    case .create:
      state.generations[object] = generation
      guard state.objects[object] == nil else { return }
      state.objects[object] = [.existence: .exists]
      for (name, value) in ClassShape(ServerWorld.schema[0]).defaults {
        state.objects[object]?[.property(name.text)] = .value(value)
      }
    case .delete:
      state.objects[object] = nil
      state.generations[object] = nil
    case .set(_, let value): state.objects[object]?[operation.unit.path] = .value(value)
    case .increment(_, let delta):
      if case .value(.int(let number))? = state.objects[object]?[operation.unit.path] {
        state.objects[object]?[operation.unit.path] = .value(.int(number &+ delta))
      }
    case .insert(_, _, let position, let value):
      state.objects[object]?[operation.unit.path] = .element(position, value)
    case .setElement(_, _, let value):
      if case .element(let position, _)? = state.objects[object]?[operation.unit.path] {
        state.objects[object]?[operation.unit.path] = .element(position, value)
      }
    case .moveElement(_, _, let position):
      if case .element(_, let value)? = state.objects[object]?[operation.unit.path] {
        state.objects[object]?[operation.unit.path] = .element(position, value)
      }
    case .setEntry(_, _, let value):
      state.objects[object]?[operation.unit.path] = .value(value)
    case .addMember: state.objects[object]?[operation.unit.path] = .exists
    case .removeElement, .removeEntry: state.objects[object]?[operation.unit.path] = nil
    case .edit(let path, let place, let change):
      if let value = state.objects[object]?[path]?.changed(at: place, by: change) {
        state.objects[object]?[path] = value
      }
    }
  }

  private func apply(_ change: ObjectChange, isWaiting: Bool) {
    switch change.change {
    case .leave:
      state.objects[change.object] = nil
      state.generations[change.object] = nil
    case .full(let generation, let units):
      state.generations[change.object] = generation
      state.objects[change.object] = [.existence: .exists]
      for unit in units { state.objects[change.object]?[unit.path] = unit.value }
    case .update(let units):
      if state.objects[change.object] == nil, isWaiting { return }
      #expect(state.objects[change.object] != nil, "an update of what is not held")
      for unit in units { state.objects[change.object]?[unit.path] = unit.value }
    }
  }

  // MARK: Operations

  func task(_ key: Int64) -> ObjectAddress {
    ObjectAddress(className: "Task", primaryKey: .int(key))
  }

  func create(_ key: Int64) -> Operation {
    Operation(object: task(key), generation: nil, action: .create)
  }

  /// An edit of the generation that the device knows, or of its own creation.
  func edit(_ key: Int64, _ action: Operation.Action, of generation: Generation? = nil)
    -> Operation
  {
    let object = task(key)
    let known = state.generations[object].map { Generation.confirmed($0) }
    return Operation(
      object: object, generation: generation ?? known ?? .pending(number: 0, index: 0),
      action: action)
  }

  func set(_ key: Int64, team: Int64, of generation: Generation? = nil) -> Operation {
    edit(key, .set(property: "team", .int(team)), of: generation)
  }

  func set(_ key: Int64, text: String, of generation: Generation? = nil) -> Operation {
    edit(key, .set(property: "text", .string(text)), of: generation)
  }

  /// Makes a task of a team and a text, in one transaction.
  @discardableResult
  func make(_ key: Int64, team: Int64, text: String = "") throws -> UInt64 {
    let own = Generation.pending(number: state.nextNumber, index: 0)
    return try push([
      create(key), set(key, team: team, of: own), set(key, text: text, of: own),
    ])
  }

  /// The tasks that the device holds: their texts by key.
  var texts: [Int64: String] {
    var texts: [Int64: String] = [:]
    for (address, values) in state.objects {
      guard case .int(let key) = address.primaryKey,
        case .value(.string(let text))? = values[.property("text")]
      else { continue }
      texts[key] = text
    }
    return texts
  }
}
