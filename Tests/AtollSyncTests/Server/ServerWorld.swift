import AtollCapture
import AtollObjects
import AtollSync
import TestSupport
import Testing

/// A server with devices that send the messages of a test.
final class ServerWorld {
  let store: any ServerStore
  private(set) var server: SyncServer
  private let options: SyncServer.Options
  var now: UInt64 = 1_000_000
  private(set) var devices: [Device] = []
  /// Connections whose buffers are full.
  var blocked: Set<ConnectionID> = []
  private let random: RandomSource

  final class RandomSource {
    var generator: SplitMix64
    init(seed: UInt64) { generator = SplitMix64(seed: seed) }
  }

  static let schema = [
    ClassSchema(
      "Task",
      properties: [
        PropertySchema("_id", .int), PropertySchema("team", .int), PropertySchema("text", .string),
        PropertySchema("tags", .string, collection: .list),
        PropertySchema("next", linkTo: "Task"),
      ], primaryKey: "_id")
  ]

  init(
    store: any ServerStore = MemoryStore(), rights: Rights = Rights(.development), seed: UInt64 = 1,
    adjust: (inout SyncServer.Options) -> Void = { _ in }
  ) throws {
    self.store = store
    var options = SyncServer.Options(rights: rights)
    adjust(&options)
    self.options = options
    let random = RandomSource(seed: seed)
    self.random = random
    server = try SyncServer(store: store, options: options) { random.generator.next() }
    try store.tick { transaction throws(ServerStoreError) in
      if transaction.schema.classes.isEmpty { try transaction.add(Self.schema) }
    }
  }

  /// The server ends without a word, and another opens the store.
  func restart() throws {
    for device in devices { device.connection = nil }
    let random = random
    server = try SyncServer(store: store, options: options) { random.generator.next() }
  }

  func device(_ id: UInt64, user: String = "user") -> Device {
    let device = Device(id, user: user, world: self)
    devices.append(device)
    return device
  }

  /// Lets each device change a task offline, the clocks in the order of the devices, and come back
  /// in `order`.
  ///
  /// - Returns: The numbers of the entries of the outboxes, by device.
  @discardableResult
  func push(
    _ actions: [Operation.Action], to id: Int64, by devices: [Device], order: [Int]
  ) throws -> [UInt64] {
    var numbers: [UInt64] = []
    for (device, action) in zip(devices, actions) {
      now += 10
      device.isSynced = false
      numbers.append(try device.push([device.edit(id, action)]))
    }
    for index in order {
      try devices[index].sync()
      try settle()
    }
    for device in devices { try device.sync() }
    try settle()
    return numbers
  }

  /// A device that is connected and has subscribed.
  func device(
    _ id: UInt64, user: String = "user", subscribing queries: [String],
    and others: [SetMember] = []
  ) throws -> Device {
    let device = device(id, user: user)
    try device.connect()
    try device.subscribe(queries, and: others)
    try settle()
    return device
  }

  /// Delivers until there are no more messages.
  func settle(limit: Int = 1_000) throws {
    for _ in 0..<limit {
      let outputs = try server.advance(now: now, blocked: blocked)
      guard !outputs.isEmpty || !isQuiet else { return }
      for output in outputs {
        switch output {
        case .send(let id, let frame):
          try devices.first { $0.connection == id }?.receive(frame)
        case .close(let id, _):
          if let device = devices.first(where: { $0.connection == id }) { device.connection = nil }
        }
      }
    }
    if limit >= 1_000 { Issue.record("the server does not come to rest") }
  }

  /// What the store holds of a view.
  func view(_ queries: [String]) throws -> [ObjectAddress: [UnitPath: UnitValue]] {
    try store.tick { transaction throws(ServerStoreError) in
      var view: [ObjectAddress: [UnitPath: UnitValue]] = [:]
      guard let table = transaction.schema.table("Task") else { return view }
      for text in queries {
        let query = ViewQuery(className: "Task", text: text)
        for key in try transaction.keys(matching: query, among: nil, in: .now) {
          let number = ObjectNumber(classNumber: table.id, key: key)
          guard let address = try transaction.address(of: number) else { continue }
          view[address] = try transaction.values(of: address)
        }
      }
      return view
    }
  }

  private var isQuiet: Bool { !server.hasWork || !blocked.isEmpty }
}
