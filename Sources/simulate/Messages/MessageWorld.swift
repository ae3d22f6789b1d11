internal import AtollCapture
internal import AtollObjects
internal import AtollStorage
internal import AtollSync
internal import TestSupport

/// The files of a server and of devices that have met, to begin each case with.
struct MessageSample {
  let server: [UInt8]
  /// By user: the file, and what it has written.
  let devices: [String: (bytes: [UInt8], written: [String: Int64])]

  init() throws {
    let world = try MessageWorld(sample: nil, seed: 1, isDevelopment: false)
    var random = SplitMix64(seed: 2)
    for user in MessageSchema.users {
      let peer = try world.add(user, sample: nil)
      try world.connect(peer)
      for key in MessageSchema.keys(of: user) { try peer.write(&random, key: key) }
      try world.settle()
    }
    var devices: [String: (bytes: [UInt8], written: [String: Int64])] = [:]
    for peer in world.peers {
      devices[peer.user] = (try MessagePeer.bytes(of: peer.database), peer.written)
    }
    server = try MessagePeer.bytes(of: world.database)
    self.devices = devices
  }
}

/// A server and devices, whose frames all go through here; those of one side may be changed on the
/// way.
final class MessageWorld {
  /// Changes a frame on its way from, or to, a device: what is delivered in its place.
  typealias Interception = (_ frame: [UInt8], _ peer: MessagePeer) -> [[UInt8]]

  let clock = VirtualClock(1_700_000_000_000)
  let random: SharedRandom
  let database: Database
  private let store: AtollStore
  private let options: SyncServer.Options
  private(set) var server: SyncServer
  private(set) var peers: [MessagePeer] = []
  /// Intercepts frames from devices, and frames to them.
  var toServer: Interception = { frame, _ in [frame] }
  var toDevice: Interception = { frame, _ in [frame] }
  /// Called when the client of a device has ended its connection; throws when that must not be.
  var deviceEnded: (MessagePeer, any Error) throws -> Void = { peer, error in
    throw CaseViolation("the device of \(peer.user) ends the connection: \(error)")
  }
  /// Called when the server has ended a connection; throws when that must not be.
  var serverEnded: (MessagePeer, String) throws -> Void = { peer, reason in
    throw CaseViolation("the server ends the connection of \(peer.user): \(reason)")
  }
  /// Called around each frame that a device takes in.
  var taking: (MessagePeer, [UInt8], () throws -> [[UInt8]]) throws -> [[UInt8]] = {
    _, _, take in try take()
  }

  init(sample: MessageSample?, seed: UInt64, isDevelopment: Bool) throws {
    random = SharedRandom(seed: seed)
    database = try MessagePeer.open(sample?.server, name: "server", clock, random)
    store = AtollStore(database)
    let rules = try store.declare(MessageSchema.classes) { try MessageSchema.rules(in: $0) }
    var options = SyncServer.Options(
      rights: Rights(isDevelopment ? .development : .rules(rules)))
    // So small that a catch-up has parts.
    options.batchByteCount = 300
    self.options = options
    server = try SyncServer(store: store, options: options, random: { [random] in random.next() })
  }

  func add(_ user: String, sample: MessageSample?) throws -> MessagePeer {
    let file = sample?.devices[user]
    let peer = try MessagePeer(
      user: user, bytes: file?.bytes, written: file?.written ?? [:], clock: clock, random: random)
    peers.append(peer)
    return peer
  }

  /// Lets a device of another world come here.
  func adopt(_ peer: MessagePeer) { peers.append(peer) }

  // MARK: The network

  func connect(_ peer: MessagePeer) throws {
    peer.connection = server.connect(user: peer.user, now: clock.milliseconds)
    do {
      for frame in try peer.client.open(now: clock.milliseconds) { try say(frame, peer) }
    } catch let error as SyncError {
      disconnect(peer)
      try deviceEnded(peer, error)
    }
  }

  func disconnect(_ peer: MessagePeer) {
    guard let id = peer.connection else { return }
    server.disconnect(id)
    peer.connection = nil
    peer.client.close(now: clock.milliseconds)
  }

  /// The server ends without a word, and another one opens the store.
  func restart() throws {
    for peer in peers where peer.connection != nil {
      peer.connection = nil
      peer.client.close(now: clock.milliseconds)
    }
    server = try SyncServer(store: store, options: options, random: { [random] in random.next() })
  }

  /// Delivers until no peer has anything to send.
  func settle() throws {
    for _ in 0..<2_000 {
      var isQuiet = true
      for peer in peers where peer.connection != nil {
        for frame in try outgoing(peer) {
          isQuiet = false
          try say(frame, peer)
        }
      }
      let outputs: [SyncServer.Output]
      do throws(ServerStoreError) {
        outputs = try server.advance(now: clock.milliseconds)
      } catch { throw CaseViolation("the server fails: \(error)") }
      if outputs.isEmpty, isQuiet, !server.hasWaitingMessages { return }
      try take(outputs)
    }
    throw CaseViolation("does not come to rest")
  }

  private func outgoing(_ peer: MessagePeer) throws -> [[UInt8]] {
    do throws(SyncError) { return try peer.client.outgoing(now: clock.milliseconds) } catch {
      disconnect(peer)
      try deviceEnded(peer, error)
      return []
    }
  }

  func say(_ frame: [UInt8], _ peer: MessagePeer) throws {
    for frame in toServer(frame, peer) {
      guard let id = peer.connection else { return }
      try take(server.receive(frame, from: id, now: clock.milliseconds))
    }
  }

  private func take(_ outputs: [SyncServer.Output]) throws {
    for output in outputs {
      switch output {
      case .send(let id, let frame):
        guard let peer = peers.first(where: { $0.connection == id }) else { continue }
        for frame in toDevice(frame, peer) { try hear(frame, peer) }
      case .close(let id, let reason):
        guard let peer = peers.first(where: { $0.connection == id }) else { continue }
        peer.connection = nil
        peer.client.close(now: clock.milliseconds)
        try serverEnded(peer, reason)
      }
    }
  }

  private func hear(_ frame: [UInt8], _ peer: MessagePeer) throws {
    guard peer.connection != nil else { return }
    let replies: [[UInt8]]
    do {
      replies = try taking(peer, frame) {
        try peer.client.receive(frame, now: clock.milliseconds)
      }
      _ = peer.client.takeEvents()
    } catch let error as SyncError {
      disconnect(peer)
      return try deviceEnded(peer, error)
    }
    for reply in replies { try say(reply, peer) }
  }

  // MARK: What the server holds

  /// All items with their units.
  func items() throws -> [ObjectAddress: [UnitPath: UnitValue]] {
    try store.tick { transaction throws(ServerStoreError) in
      var items: [ObjectAddress: [UnitPath: UnitValue]] = [:]
      guard let table = transaction.schema.table("Item") else { return items }
      let query = ViewQuery(className: "Item", text: "TRUEPREDICATE")
      for key in try transaction.keys(matching: query, among: nil, in: .now) {
        let number = ObjectNumber(classNumber: table.id, key: key)
        guard let address = try transaction.address(of: number) else { continue }
        items[address] = try transaction.values(of: address).filter { $0.key != .existence }
      }
      return items
    }
  }
}

extension MessagePeer {
  /// The bytes of a database in memory, which ends with this.
  static func bytes(of database: Database) throws -> [UInt8] {
    guard let file = database.store.file as? MemoryFile else {
      throw CaseViolation("the file is not in memory")
    }
    try database.synchronize()
    return try file.bytes()
  }
}
