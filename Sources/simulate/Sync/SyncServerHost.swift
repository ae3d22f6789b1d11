internal import AtollCapture
internal import AtollObjects
internal import AtollStorage
internal import AtollSync
internal import TestSupport

/// A server on a simulated disk.
final class SyncServerHost {
  let clock: VirtualClock
  private let random: SharedRandom
  private(set) var disk: SimulatedFile
  private(set) var process: ProcessFile
  private(set) var database: Database
  private(set) var server: SyncServer
  /// A copy of the store, kept to be put back.
  private var backup: SimulatedFile?

  init(seed: UInt64, milliseconds: UInt64) throws {
    clock = VirtualClock(milliseconds)
    random = SharedRandom(seed: seed)
    disk = try SimulatedFile(path: "server", capacity: 1 << 24)
    process = ProcessFile(disk)
    database = try Self.open(process, clock, random)
    server = try Self.makeServer(database, random)
  }

  private static func open(
    _ file: ProcessFile, _ clock: VirtualClock, _ random: SharedRandom
  ) throws -> Database {
    let store = try PageStore(
      file: file, coordinator: LocalCoordinator(path: file.path), cacheByteCount: 1 << 20,
      key: nil, makeFileID: { (0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) } })
    var options = Database.Options.recording
    options.clock = { clock.milliseconds }
    options.random = { random.next() }
    return Database(store: store, options: options)
  }

  private static func makeServer(
    _ database: Database, _ random: SharedRandom
  ) throws -> SyncServer {
    var options = SyncServer.Options(rights: Rights(.development))
    // So small that a catch-up of a few objects takes several batches.
    options.batchByteCount = 64
    // In half of the runs each tick stops somewhere in its queries, catch-ups and digests, and what
    // it left goes on in the next one.
    if random.next() & 1 == 0 {
      let clock = JumpingClock(seed: random.next())
      options.processorTime = { clock.look() }
      // So short that it is over after a few looks at the clock.
      options.bounds.work.changes = 2_000_000
      options.bounds.work.stream = 3_000_000
      options.bounds.work.connection = 1_000_000
      // Virtual time stands still where the clock jumps.
      options.bounds.work.restFactor = 0
      options.bounds.work.delayFactor = 0
      if random.next() & 1 == 0 { options.bounds.work.lateCount = 0 }
      // The journal takes all that waits as judged by the next tick, and nothing as refused for
      // taking too long.
      options.bounds.work.messages = 1 << 60
      options.bounds.work.judgement = 1 << 60
    }
    return try SyncServer(
      store: AtollStore(database), options: options, random: { random.next() })
  }

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

  /// Opens the store again, after the power has failed or the process has died.
  func restart(
    isPowerCut: Bool, tearing: SimulatedFile.Tearing, fate: inout SplitMix64
  ) throws {
    if isPowerCut { disk = try disk.afterPowerLoss(using: &fate, tearing: tearing) }
    process = ProcessFile(disk)
    database = try Self.open(process, clock, random)
    server = try Self.makeServer(database, random)
  }

  // MARK: Backups

  func backUp() throws { backup = try disk.copied(to: disk.path) }

  var hasBackup: Bool { backup != nil }

  /// Opens the stored server.
  func restoreBackup() throws {
    guard let backup else { return }
    disk = try backup.copied(to: backup.path)
    process = ProcessFile(disk)
    database = try Self.open(process, clock, random)
    server = try Self.makeServer(database, random)
  }

  /// What the server holds.
  func contents() throws -> [ObjectAddress: [UnitPath: UnitValue]] {
    let transaction = try database.beginWrite()
    defer { transaction.cancel() }
    guard transaction.schema.table("Item") != nil else { return [:] }
    var contents: [ObjectAddress: [UnitPath: UnitValue]] = [:]
    var addresses = SyncSchema.keys.map(SyncSchema.item)
    if transaction.schema.table("Event") != nil {
      try transaction.table("Event").forEach { event in
        addresses.append(ObjectAddress(className: "Event", primaryKey: try event["_id"]))
      }
    }
    for address in addresses {
      var units = try transaction.readObject(address)
      guard units.removeValue(forKey: .existence) != nil else { continue }
      contents[address] = units
    }
    return contents
  }
}
