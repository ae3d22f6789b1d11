internal import AtollCapture
internal import AtollObjects
internal import AtollSync
internal import TestSupport

/// A server in memory, devices with many different views, and one that writes.
final class InterestWorld {
  private let server: SyncServer
  private var peers: [ConnectionID: InterestPeer] = [:]
  private var now: UInt64 = 1_700_000_000_000
  private var clock = ContinuousClock()
  private let writer: InterestPeer
  /// How long the server worked.
  private(set) var worked = Duration.zero
  /// How many frames it sent.
  private(set) var sentFrameCount = 0

  init(classes: [ClassSchema], rules: (Schema) throws -> Rights) throws {
    let database = try Database.inMemory(options: .recording)
    try database.write { transaction in
      try transaction.addClasses(
        classes.map { added in
          var added = added
          added.isSynced = true
          return added
        })
    }
    var options = SyncServer.Options(rights: try rules(database.snapshot().schema))
    options.limits.viewCount = .max
    options.limits.operationsPerMinute = 1 << 40
    options.limits.bytesPerMinute = 1 << 50
    let random = SharedRandom(seed: 1)
    server = try SyncServer(store: AtollStore(database), options: options) { random.next() }
    let connection = server.connect(user: "writer", now: now)
    writer = InterestPeer(1, user: "writer", connection: connection)
    peers[connection] = writer
    try say(writer.hello(), writer)
    writer.subscribe(
      classes.map { SetMember(className: $0.name, query: "TRUEPREDICATE") })
    try settle()
  }

  /// Connects a device with these subscriptions.
  func connect(user: String, _ members: [SetMember]) throws -> InterestPeer {
    let connection = server.connect(user: user, now: now)
    let peer = InterestPeer(
      UInt64(peers.count + 1), user: user, connection: connection)
    peers[connection] = peer
    try say(peer.hello(), peer)
    peer.subscribe(members)
    speaking.append(peer)
    return peer
  }

  /// Makes objects, each in a transaction of its own.
  func create(_ objects: [(ObjectAddress, [(String, RecordedValue)])]) throws {
    for (object, values) in objects {
      let made = writer.creation(0)
      writer.push(
        [Operation(object: object, generation: nil, action: .create)]
          + values.map { property, value in
            Operation(object: object, generation: made, action: .set(property: property, value))
          }, clock: HybridClock(milliseconds: now))
    }
    try settle()
  }

  /// Sets properties of objects, each in a transaction of its own.
  func change(_ changes: [(object: ObjectAddress, property: String, value: RecordedValue)]) throws {
    try edit(changes.map { ($0.object, .set(property: $0.property, $0.value)) })
  }

  /// Changes objects that are there, each in a transaction of its own.
  func edit(_ edits: [(object: ObjectAddress, action: Operation.Action)]) throws {
    for edit in edits {
      guard let generation = writer.generations[edit.object] else {
        throw InterestProblem("the writer does not hold \(edit.object)")
      }
      writer.push(
        [Operation(object: edit.object, generation: .confirmed(generation), action: edit.action)],
        clock: HybridClock(milliseconds: now))
    }
    try settle()
  }

  /// Delivers until nobody has anything to say.
  func settle() throws {
    while true {
      now += 1
      var isQuiet = true
      speaking.append(writer)
      for peer in speaking {
        let frames = peer.outgoing()
        if !frames.isEmpty { isQuiet = false }
        try say(frames, peer)
      }
      speaking = []
      var outputs: [SyncServer.Output] = []
      worked += try clock.measure { outputs = try server.advance(now: now) }
      for output in outputs {
        isQuiet = false
        switch output {
        case .send(let id, let frame):
          sentFrameCount += 1
          guard let peer = peers[id] else { continue }
          try peer.receive(frame)
          if let problem = peer.problem { throw InterestProblem(problem) }
          speaking.append(peer)
        case .close(_, let reason): throw InterestProblem("a connection was closed: \(reason)")
        }
      }
      if isQuiet, !server.hasWork { return }
    }
  }

  /// Peers that may have something to say.
  private var speaking: [InterestPeer] = []

  private func say(_ frames: [[UInt8]], _ peer: InterestPeer) throws {
    var outputs: [SyncServer.Output] = []
    worked += clock.measure {
      for frame in frames { outputs += server.receive(frame, from: peer.connection, now: now) }
    }
    guard outputs.isEmpty else { throw InterestProblem("the server answered at once") }
  }

  /// Begins a measurement.
  func reset() { (worked, sentFrameCount) = (.zero, 0) }
}

/// What went wrong in a measurement.
struct InterestProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
