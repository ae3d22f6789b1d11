internal import AtollCapture
internal import AtollObjects
internal import AtollSync
internal import TestSupport

/// A conversation in which one side is hostile: tests the other one.
struct MessageTrial {
  let sample: MessageSample
  let edits: MessageEdits

  /// What came of it.
  struct Outcome {
    var isOnDevice = false
    /// Whether any frame was changed on its way.
    var isChanged = false
    /// Whether a connection was ended, by either side.
    var isEnded = false
    var byteCount = 0

    /// In the order of `MessagesCommand.kind`.
    var flags: [Bool] { [isOnDevice, isChanged, isEnded, isChanged && !isEnded] }
  }

  /// How many times the hostile side connects again, and how often all sides write.
  private static let roundCount = 6

  func run() throws -> Outcome {
    try edits.isOnDevice ? DeviceTrial(self).run() : runOnServer()
  }

  // MARK: A hostile device

  private func runOnServer() throws -> Outcome {
    let world = try MessageWorld(sample: sample, seed: 7, isDevelopment: edits.isDevelopment)
    let honest = try MessageSchema.honestUsers.map { try world.add($0, sample: sample) }
    let hostile = try world.add(MessageSchema.hostileUser, sample: sample)
    let clients = try (honest + [hostile]).map { try $0.clientID() }
    var line = try HostileLine(edits: edits, clients: clients, device: hostile)
    var outcome = Outcome()
    world.toServer = { frame, peer in peer === hostile ? line.pass(frame) : [frame] }
    world.toDevice = { frame, peer in
      if peer === hostile { line.overhear(frame) }
      return [frame]
    }
    let (deviceEnded, serverEnded) = (world.deviceEnded, world.serverEnded)
    world.deviceEnded = { peer, error in
      guard peer === hostile else { return try deviceEnded(peer, error) }
      outcome.isEnded = true
    }
    world.serverEnded = { peer, reason in
      guard peer === hostile else { return try serverEnded(peer, reason) }
      outcome.isEnded = true
    }
    var random = SplitMix64(seed: 3)
    for peer in honest { try world.connect(peer) }
    for round in 0..<Self.roundCount {
      world.clock.milliseconds += 500
      try honest[round % honest.count].write(&random)
      if hostile.connection == nil { try world.connect(hostile) }
      try hostile.write(&random)
      try world.settle()
    }
    world.disconnect(hostile)
    try judge(world, honest)
    // The store must be valid for the next server too.
    try world.restart()
    for peer in honest {
      try world.connect(peer)
      try peer.write(&random)
    }
    try world.settle()
    try judge(world, honest)
    for peer in [hostile] + honest {
      if let findings = try peer.findings() { throw CaseViolation(findings) }
    }
    let findings = try world.database.check().findings
    guard findings.isEmpty else { throw CaseViolation("the server's store: \(findings.prefix(3))") }
    (outcome.isChanged, outcome.byteCount) = (line.isChanged, line.byteCount)
    return outcome
  }

  /// The others hold what the server holds, and that is what they wrote.
  private func judge(_ world: MessageWorld, _ honest: [MessagePeer]) throws {
    let held = try world.items()
    for peer in honest {
      guard peer.connection != nil else {
        throw CaseViolation("\(peer.user) is not connected any more")
      }
      let items = try peer.items()
      guard items == held else {
        throw CaseViolation(
          "\(peer.user) does not hold what the server holds: \(Self.difference(items, held))")
      }
      guard try peer.outbox().isEmpty else {
        throw CaseViolation("something of \(peer.user) was not answered")
      }
      // Without rules, objects have no owners.
      guard !edits.isDevelopment else { continue }
      for (key, n) in peer.written {
        let item = items[MessageSchema.item(key)]
        guard item?[.property("n")] == .value(.int(n)),
          item?[.property("owner")] == .value(.string(peer.user))
        else {
          throw CaseViolation(
            "'\(key)' is not what \(peer.user) wrote: \(String(describing: item))")
        }
      }
    }
  }

  static func difference(
    _ a: [ObjectAddress: [UnitPath: UnitValue]], _ b: [ObjectAddress: [UnitPath: UnitValue]]
  ) -> String {
    for address in Set(a.keys).union(b.keys).sorted(by: { "\($0)" < "\($1)" })
    where a[address] != b[address] {
      let (left, right) = (a[address] ?? [:], b[address] ?? [:])
      let path = Set(left.keys).union(right.keys).first { left[$0] != right[$0] }
      guard let path else { return "\(address) is there or not" }
      func told(_ value: UnitValue?) -> String { value.map { "\($0)" } ?? "nothing" }
      return "\(address) \(path): \(told(left[path])) and \(told(right[path]))"
    }
    return "nothing"
  }
}

/// The frames of the hostile side on their way.
struct HostileLine {
  private let edits: MessageEdits
  private var forger: MessageForger
  private var frameCount = 0
  /// Frames that are sent behind the next one.
  private var held: [[UInt8]] = []
  private(set) var isChanged = false
  /// The size of the other side's input.
  private(set) var byteCount = 0

  /// The hostile side knows what one of the devices knows.
  init(edits: MessageEdits, clients: [UInt64], device: MessagePeer) throws {
    self.edits = edits
    forger = MessageForger(clients: clients, lives: try device.lives())
  }

  mutating func overhear(_ frame: [UInt8]) { forger.overhear(frame) }

  /// The frames delivered when the hostile side sends one.
  mutating func pass(_ frame: [UInt8]) -> [[UInt8]] {
    forger.overhear(frame)
    let late = held
    held = []
    let passed = edits.frames(inPlaceOf: frame, number: frameCount, &forger)
    frameCount += 1
    if passed.isChanged { isChanged = true }
    if passed.isLate { held = passed.frames }
    let frames = (passed.isLate ? [] : passed.frames) + late
    byteCount += frames.reduce(0) { $0 + $1.count }
    return frames
  }
}

extension MessagePeer {
  /// The objects that the device holds, and which life of them.
  func lives() throws -> [(object: ObjectAddress, generation: Generation)] {
    let transaction = try database.beginWrite()
    defer { transaction.cancel() }
    let capture = try transaction.capture
    let objects = MessageSchema.users.flatMap(MessageSchema.keys(of:)).map(MessageSchema.item)
    var lives: [(object: ObjectAddress, generation: Generation)] = []
    for object in objects {
      guard let generation = try capture.generations(of: object).head else { continue }
      lives.append((object, generation))
    }
    return lives
  }

  func clientID() throws -> UInt64 {
    guard let state = try database.snapshot().syncState() else {
      throw CaseViolation("\(user) has no id")
    }
    return state.clientID
  }
}
