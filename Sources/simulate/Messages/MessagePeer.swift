internal import AtollCapture
internal import AtollObjects
internal import AtollStorage
internal import AtollSync
internal import TestSupport

/// A device of a user: a file in memory, and the client that synchronises it.
final class MessagePeer {
  let user: String
  let database: Database
  let client: SyncClient
  var connection: ConnectionID?
  /// The values of the user's own objects that the device has written: `n` by key.
  var written: [String: Int64]

  private let clock: VirtualClock
  private let random: SharedRandom

  /// `bytes`: of a file that is there; nil: a new one.
  init(
    user: String, bytes: [UInt8]?, written: [String: Int64] = [:], clock: VirtualClock,
    random: SharedRandom
  ) throws {
    self.user = user
    self.written = written
    self.clock = clock
    self.random = random
    database = try Self.open(bytes, name: user, clock, random)
    client = SyncClient(database: database, configuration: SyncClient.Configuration())
    guard bytes == nil else { return }
    try database.write { try $0.addClasses(MessageSchema.classes) }
    try subscribe("TRUEPREDICATE")
  }

  /// A file may grow to as many bytes.
  private static let byteLimit = 256 << 20

  static func open(
    _ bytes: [UInt8]?, name: String, _ clock: VirtualClock, _ random: SharedRandom
  ) throws -> Database {
    let file = try MemoryFile(path: name, capacity: byteLimit)
    if let bytes { try file.write(bytes, at: 0) }
    let store = try PageStore(
      file: file, coordinator: LocalCoordinator(path: name), cacheByteCount: 1 << 20, key: nil,
      makeFileID: { (0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) } })
    var options = Database.Options.recording
    options.clock = { clock.milliseconds }
    options.random = { random.next() }
    return Database(store: store, options: options)
  }

  // MARK: The app

  /// Replaces the subscription set by one query on the items.
  func subscribe(_ query: String) throws {
    try database.write { transaction in
      guard let now = Timestamp(seconds: 0, nanoseconds: 0) else { return }
      var editor = try SubscriptionEditor(transaction, now: now) {
        ObjectID(
          seconds: 0, random: self.random.next(),
          counter: UInt32(truncatingIfNeeded: self.random.next()))
      }
      editor.removeAll()
      editor.add("Item", query: query)
      try editor.save(in: transaction)
    }
  }

  /// Changes one of the user's own objects; makes it if it is not there.
  ///
  /// None is deleted: any user could create another one with its key.
  func write(_ random: inout SplitMix64, key: String? = nil) throws {
    let keys = MessageSchema.keys(of: user)
    let key = key ?? keys[Int.random(in: 0..<keys.count, using: &random)]
    let n = Int64.random(in: 0..<100, using: &random)
    let choice = Int.random(in: 0..<6, using: &random)
    try database.write { transaction in
      guard let found = try transaction.key("Item", primaryKey: .string(key)) else {
        let made = try transaction.create(
          "Item", ["_id": .string(key), "owner": .string(user), "n": .int(n)])
        try transaction.set("Item", made, "tags", .list([.string("new")]))
        written[key] = n
        return
      }
      switch choice {
      case 0: try transaction.set("Item", found, "tags", .list([]))
      case 1: try transaction.set("Item", found, "tags", .list([.string("a"), .string("\(n)")]))
      case 2: try transaction.set("Item", found, "marks", .set([.string("m\(n % 3)")]))
      case 3: try transaction.createEmbedded(in: "Item", found, "part", ["x": .int(n)])
      case 4: try transaction.set("Item", found, "scores", .map(["k": .int(n)]))
      default: try transaction.set("Item", found, "text", .string("text \(n)"))
      }
      try transaction.set("Item", found, "n", .int(n))
      written[key] = n
    }
  }

  // MARK: What it holds

  /// All items with their units.
  func items() throws -> [ObjectAddress: [UnitPath: UnitValue]] {
    let transaction = try database.beginWrite()
    defer { transaction.cancel() }
    var found: [ObjectAddress] = []
    try transaction.table("Item").forEach {
      found.append(ObjectAddress(className: "Item", primaryKey: try $0["_id"]))
    }
    var items: [ObjectAddress: [UnitPath: UnitValue]] = [:]
    for address in found {
      items[address] = try transaction.readObject(address).filter { $0.key != .existence }
    }
    return items
  }

  /// The entries of the outbox: name and count of operations, by number; nil for those without.
  func outbox() throws -> [UInt64: (name: EntryName, operationCount: Int?)] {
    var entries: [UInt64: (name: EntryName, operationCount: Int?)] = [:]
    try database.snapshot().forEachOutboxEntry { entry throws(ObjectError) in
      var count: Int?
      if case .push(let transaction) = entry.content { count = transaction.operations.count }
      entries[entry.number] = (entry.firstName, count)
      return true
    }
    return entries
  }

  /// The errors of the file.
  func findings() throws -> String? {
    let findings = try database.check().findings
    return findings.isEmpty ? nil : "the file of \(user): \(findings.prefix(3))"
  }
}
