import AtollObjects
import TestSupport
import Testing

@testable import AtollSync

/// Devices and a server in one process, with frames between them that a test delivers.
final class SyncWorld {
  final class Peer {
    let device: TestDevice
    let user: String
    var connection: ConnectionID?
    var up: [[UInt8]] = []
    var down: [[UInt8]] = []
    var model = FollowingModel()
    var reader = MessageReader()
    let isProgressive: Bool

    init(_ device: TestDevice, user: String, isProgressive: Bool) {
      self.device = device
      self.user = user
      self.isProgressive = isProgressive
    }
  }

  let store: any ServerStore
  private(set) var server: SyncServer
  private(set) var peers: [Peer] = []
  /// Those that were removed too.
  private var madeCount: UInt64 = 0
  var now: UInt64 = 1_700_000_000_000
  private let options: SyncServer.Options
  private let random: Source

  final class Source {
    var generator: SplitMix64
    init(_ seed: UInt64) { generator = SplitMix64(seed: seed) }
  }

  init(seed: UInt64, store: any ServerStore = MemoryStore()) throws {
    self.store = store
    var options = SyncServer.Options(rights: Rights(.development))
    options.batchByteCount = 300
    if seed & 1 == 0 { options.unconfirmedByteLimit = 30 }
    self.options = options
    let random = Source(seed)
    self.random = random
    server = try SyncServer(store: store, options: options) { random.generator.next() }
  }

  func addPeer(isProgressive: Bool = false, classes: [ClassSchema] = []) throws -> Peer {
    let device = try TestDevice(
      seed: makeSeed(), isProgressive: isProgressive, classes: classes)
    return add(device, isProgressive: isProgressive)
  }

  /// Adds a device whose file is a copy, which lies at `path`.
  func addPeer(copyOf other: Peer, at path: String) throws -> Peer {
    let device = try TestDevice(copyOf: other.device, at: path, seed: makeSeed())
    return add(device, isProgressive: other.isProgressive)
  }

  private func add(_ device: TestDevice, isProgressive: Bool) -> Peer {
    let peer = Peer(device, user: "user", isProgressive: isProgressive)
    peers.append(peer)
    return peer
  }

  private func makeSeed() -> UInt64 {
    madeCount += 1
    return madeCount << 8 | random.generator.next() << 32
  }

  /// Takes a device out of the world, for ever.
  func remove(_ peer: Peer) {
    drop(peer)
    peers.removeAll { $0 === peer }
  }

  // MARK: Connections

  func connect(_ peer: Peer) throws {
    guard peer.connection == nil else { return }
    peer.connection = server.connect(user: peer.user, now: now)
    peer.reader = MessageReader()
    peer.up = try peer.device.client.open(now: now)
    peer.down = []
  }

  func drop(_ peer: Peer) {
    guard let connection = peer.connection else { return }
    server.disconnect(connection)
    lose(peer)
  }

  private func lose(_ peer: Peer) {
    peer.connection = nil
    peer.up = []
    peer.down = []
    peer.device.client.close(now: now)
  }

  /// The server ends without a word, and another opens its store.
  func restartServer() throws {
    for peer in peers { lose(peer) }
    let random = random
    server = try SyncServer(store: store, options: options) { random.generator.next() }
  }

  /// The process of a device ends and another one opens its file.
  func restart(_ peer: Peer) {
    drop(peer)
    peer.device.client = SyncClient(
      database: peer.device.database, configuration: peer.device.client.configuration)
  }

  // MARK: Frames

  func send(_ peer: Peer) throws -> Bool {
    guard peer.connection != nil else { return false }
    let frames = try peer.device.client.outgoing(now: now)
    peer.up += frames
    return !frames.isEmpty
  }

  func deliverUp(_ peer: Peer) -> Bool {
    guard let connection = peer.connection, !peer.up.isEmpty else { return false }
    take(server.receive(peer.up.removeFirst(), from: connection, now: now))
    return true
  }

  func advance() throws -> Bool {
    let outputs = try server.advance(now: now)
    take(outputs)
    return !outputs.isEmpty
  }

  private func take(_ outputs: [SyncServer.Output]) {
    for output in outputs {
      switch output {
      case .send(let id, let frame):
        peers.first { $0.connection == id }?.down.append(frame)
      case .close(let id, _):
        // What was sent before arrives.
        guard let peer = peers.first(where: { $0.connection == id }) else { continue }
        while (try? deliverDown(peer)) == true {}
        lose(peer)
      }
    }
  }

  /// Gives a device its next frame; the device's file has to equal the full model then.
  func deliverDown(_ peer: Peer) throws -> Bool {
    guard peer.connection != nil, !peer.down.isEmpty else { return false }
    let frame = peer.down.removeFirst()
    let outbox = try peer.device.outbox
    if let message = try peer.reader.receive(frame) {
      switch message {
      case .batch(let batch):
        peer.model.receive(batch, outbox, isProgressive: peer.isProgressive)
      case .welcome(let welcome) where welcome.isFromStart: peer.model.beginAgain()
      default: break
      }
    }
    do throws(SyncError) {
      peer.up += try peer.device.client.receive(frame, now: now)
    } catch .newIdentity {
      peer.model.beginAgain()
      drop(peer)
    } catch .contentsDiffer {
      peer.model.beginAgain()
      drop(peer)
    }
    return true
  }

  /// Delivers everything until there are no more messages.
  ///
  /// `some`: the devices that have a network; nil for all.
  func settle(_ some: [Peer]? = nil) throws {
    for _ in 0..<2_000 {
      var isBusy = false
      for peer in some ?? peers {
        // One after the other: of two files with the same id, the one that connects later takes the
        // connection of the other, which has to be able to send before.
        for _ in 0..<20 where try exchange(peer) { isBusy = true }
      }
      if !isBusy { return }
    }
    Issue.record("the devices and the server do not come to rest")
  }

  /// Delivers what waits in both directions, and answers it.
  ///
  /// - Returns: whether there was something.
  private func exchange(_ peer: Peer) throws -> Bool {
    var isBusy = peer.connection == nil
    try connect(peer)
    while deliverUp(peer) { isBusy = true }
    if try advance() { isBusy = true }
    while try deliverDown(peer) { isBusy = true }
    if try send(peer) { isBusy = true }
    return isBusy
  }
}
