internal import AtollCapture
internal import AtollObjects
internal import AtollStorage
internal import AtollSync
internal import Synchronization
internal import TestSupport

/// A time of day that a test moves.
final class VirtualClock: Sendable {
  private let value: Atomic<UInt64>

  init(_ milliseconds: UInt64) { value = Atomic(milliseconds) }

  var milliseconds: UInt64 {
    get { value.load(ordering: .relaxed) }
    set { value.store(newValue, ordering: .relaxed) }
  }
}

/// Random numbers that a seed decides, for any thread.
final class SharedRandom: Sendable {
  private let generator: Mutex<SplitMix64>

  init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}

/// A device: a file on a simulated disk, the client that synchronises it, and the model of both.
final class SyncDevice {
  let index: Int
  let isProgressive: Bool
  /// The elements of the lists of all devices.
  let lists: ListHistory
  /// What the transaction that is being made does to lists.
  var listWork: ListWork?
  let clock: VirtualClock
  let random: SharedRandom
  private(set) var disk: SimulatedFile
  private(set) var process: ProcessFile
  private(set) var database: Database
  private(set) var client: SyncClient
  var connection: SyncConnection?
  /// The client before, while there is something left that had arrived for it.
  var overtaken: OvertakenClient?
  /// The device whose file this one began as a copy of.
  private(set) var origin: Int?
  /// Whether there are, or were, other files with the id of this one.
  var isCopied = false
  /// Counts how often the file was replaced by an older one.
  private(set) var life = 0
  private var backup: Backup?
  /// Steps during which the device is offline.
  var partedStepCount = 0

  var model = SyncModel()
  /// The local keys of objects, as long as they are in head or confirmed (R7).
  var keys: [ObjectAddress: ObjectKey] = [:]
  /// What the file held at versions that a power cut may bring back.
  private var states: [State] = []
  /// What the model may be once the step that is being done has committed.
  var inFlight: SyncModel?
  /// The newest version that is known to be on the disk.
  private var durableVersion: UInt64 = 0

  /// On half of the devices so little that most transactions become several entries; not where each
  /// list of a transaction is followed by the number of its entry.
  private var limits = RecordingLimits()

  /// How many versions the last restart did not find.
  private(set) var lostCommitCount = 0

  /// A copy of the file, kept to be put back.
  private struct Backup {
    var disk: SimulatedFile
    var model: SyncModel
    var keys: [ObjectAddress: ObjectKey]
  }

  private struct State {
    var version: UInt64
    var model: SyncModel
    var keys: [ObjectAddress: ObjectKey]
  }

  init(
    index: Int, seed: UInt64, milliseconds: UInt64, isProgressive: Bool,
    lists: ListHistory
  ) throws {
    self.index = index
    self.isProgressive = isProgressive
    self.lists = lists
    clock = VirtualClock(milliseconds)
    random = SharedRandom(seed: seed)
    disk = try SimulatedFile(path: "device \(index)", capacity: 1 << 24)
    process = ProcessFile(disk)
    if !lists.options.isOn, seed & 1 == 0 { limits.operationCount = 3 }
    database = try Self.open(process, fileNumber: Self.fileNumber(index), clock, random, limits)
    try database.write { try $0.addClasses(SyncSchema.classes(isIndexed: index % 2 == 1)) }
    client = Self.makeClient(database, isProgressive: isProgressive)
    try didStep()
    durableVersion = try version()
  }

  /// A device that begins with a copy of another one's file.
  init(copyOf other: SyncDevice, index: Int, seed: UInt64) throws {
    self.index = index
    isProgressive = other.isProgressive
    lists = other.lists
    origin = other.origin ?? other.index
    isCopied = true
    clock = VirtualClock(other.clock.milliseconds)
    random = SharedRandom(seed: seed)
    disk = try other.disk.copied(to: "device \(index)")
    process = ProcessFile(disk)
    limits = other.limits
    database = try Self.open(process, fileNumber: Self.fileNumber(index), clock, random, limits)
    client = Self.makeClient(database, isProgressive: isProgressive)
    model = other.model
    keys = other.keys
    try didStep()
    durableVersion = try version()
  }

  // MARK: Backups

  /// Keeps the file as it is now.
  func backUp() throws {
    backup = Backup(disk: try disk.copied(to: disk.path), model: model, keys: keys)
  }

  var hasBackup: Bool { backup != nil }

  /// Whether an entry waits in the file, or in its backup.
  func holds(_ name: SyncJournal.PushName) -> Bool {
    let entries = model.outbox + (backup?.model.outbox ?? [])
    return entries.contains { $0.name == name.entry && $0.digest == name.digest }
  }

  /// Puts the kept file back; the connection is gone.
  func restoreBackup() throws {
    guard let backup else { return }
    life += 1
    isCopied = true
    // It may be put back once more.
    disk = try backup.disk.copied(to: backup.disk.path)
    process = ProcessFile(disk)
    database = try reopen()
    client = Self.makeClient(database, isProgressive: isProgressive)
    connection = nil
    overtaken = nil
    model = backup.model
    keys = backup.keys
    inFlight = nil
    states = []
    try didStep()
    durableVersion = try version()
  }

  private func reopen() throws -> Database {
    try Self.open(process, fileNumber: Self.fileNumber(index, life: life), clock, random, limits)
  }

  /// The number of a file that a device has had.
  private static func fileNumber(_ index: Int, life: Int = 0) -> UInt64 {
    UInt64(index + 1) << 32 | UInt64(life)
  }

  private static func open(
    _ file: ProcessFile, fileNumber: UInt64, _ clock: VirtualClock, _ random: SharedRandom,
    _ limits: RecordingLimits
  ) throws -> Database {
    let store = try PageStore(
      file: file, coordinator: LocalCoordinator(path: file.path), cacheByteCount: 1 << 20,
      key: nil, makeFileID: { (0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) } })
    var options = Database.Options().recording(limits)
    options.clock = { clock.milliseconds }
    options.random = { random.next() }
    return Database(store: store, options: options, fileNumber: fileNumber)
  }

  /// Another client begins, and the one before keeps what has arrived for it.
  func overtake(_ connection: SyncConnection) throws {
    overtaken = OvertakenClient(
      client: client, connection: connection, token: try reading { try $0.state().token })
    client = Self.makeClient(database, isProgressive: isProgressive)
    self.connection = nil
  }

  private static func makeClient(_ database: Database, isProgressive: Bool) -> SyncClient {
    var configuration = SyncClient.Configuration()
    configuration.isProgressive = isProgressive
    // So small that an outbox leaves in portions.
    configuration.outgoingByteLimit = 200
    return SyncClient(database: database, configuration: configuration)
  }

  func version() throws -> UInt64 { try database.snapshot().version }

  func clientID() throws -> UInt64 { try reading { try $0.state().clientID } }

  // MARK: Steps

  /// Notes what the file holds after a step that returned.
  func didStep() throws {
    inFlight = nil
    let version = try version()
    if let last = states.indices.last, states[last].version == version {
      states[last].model = model
    } else {
      states.append(State(version: version, model: model, keys: keys))
    }
    // What lies before the durable version cannot come back.
    if let first = states.lastIndex(where: { $0.version <= durableVersion }), first > 0 {
      states.removeFirst(first)
    }
  }

  /// A commit returned that had waited for the disk, unless it changed nothing.
  ///
  /// `before`: the version before it.
  func didSynchronize(since before: UInt64) throws {
    let version = try version()
    if version > before { durableVersion = version }
  }

  /// The keys that were compared belong to the version that the file has.
  func didCompare() throws {
    guard let last = states.indices.last, states[last].version == (try version()) else { return }
    states[last].keys = keys
  }

  // MARK: Faults

  /// The power fails, or the process dies, at the `count`th write, synchronisation or resize from
  /// now.
  func arm(powerCut: Bool, after count: Int) {
    if powerCut {
      disk.operationsUntilPowerLoss = count
    } else {
      process.operationsUntilDeath = count
    }
  }

  var isDown: Bool { disk.hasLostPower || process.isDead }

  /// Runs without a fault that waits to strike.
  func undisturbed<Result>(_ body: () throws -> Result) rethrows -> Result {
    let (cut, death) = (disk.operationsUntilPowerLoss, process.operationsUntilDeath)
    disk.operationsUntilPowerLoss = nil
    process.operationsUntilDeath = nil
    defer {
      disk.operationsUntilPowerLoss = cut
      process.operationsUntilDeath = death
    }
    return try body()
  }

  /// Opens the file again, after the power has failed or the process has died.
  ///
  /// After a power cut, what was not synchronised may be gone. Returns what is wrong with what is
  /// found; nil when it is a state that may come back.
  func restart(
    isPowerCut: Bool, tearing: SimulatedFile.Tearing, fate: inout SplitMix64
  ) throws -> String? {
    if isPowerCut {
      disk = try disk.afterPowerLoss(using: &fate, tearing: tearing)
    }
    process = ProcessFile(disk)
    database = try reopen()
    client = Self.makeClient(database, isProgressive: isProgressive)
    connection = nil
    overtaken = nil
    let version = try version()
    if version < durableVersion {
      return "version \(durableVersion) was durable, and version \(version) is found"
    }
    lostCommitCount = states.count { $0.version > version }
    var candidates = states.filter { $0.version == version }
    if candidates.isEmpty {
      // The step during which it happened had committed, perhaps a part of what it was to.
      let committed = inFlight.map { State(version: version, model: $0, keys: keys) }
      candidates = (committed.map { [$0] } ?? []) + states.reversed()
    }
    var problem: String?
    for candidate in candidates {
      model = candidate.model
      keys = candidate.keys
      try takeNewEntries()
      let found = try difference()
      if found == nil {
        states.removeAll { $0.version >= version }
        try didStep()
        if isPowerCut { durableVersion = version }
        try settleLists(isCertain: false)
        return nil
      }
      problem = problem ?? found
    }
    return "after a restart: \(problem ?? "no state")"
  }

  /// Puts what the file recorded since into the model's outbox.
  func takeNewEntries() throws {
    let next = try reading { capture in
      var entries: [SyncModel.Entry] = []
      let last = model.outbox.last?.number ?? model.answered
      try capture.forEachEntry(from: last + 1) { entry throws(ObjectError) in
        entries.append(SyncModel.Entry(entry))
        return true
      }
      return entries
    }
    model.outbox += next
  }

  /// Lends what the file keeps for synchronisation, without changing anything.
  func reading<Result>(_ body: (Capture) throws -> Result) throws -> Result {
    try undisturbed {
      let transaction = try database.beginWrite()
      defer { transaction.cancel() }
      return try body(transaction.capture)
    }
  }
}

extension SyncModel.Entry {
  init(_ entry: OutboxEntry) {
    number = entry.number
    name = entry.firstName
    digest = entry.digest
    operations = []
    if case .push(let transaction) = entry.content { operations = transaction.operations }
  }
}
