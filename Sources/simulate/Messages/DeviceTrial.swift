internal import AtollCapture
internal import AtollObjects
internal import AtollSync
internal import TestSupport

/// The trial of a device with a hostile server.
///
/// A server may say whatever it likes of the data, as it is the authority; so the device may come
/// to hold anything. But it loses nothing of its outbox without an answer that fits it, changes
/// nothing for a message that it does not take, keeps its own records to itself, and is well again
/// with the next server.
final class DeviceTrial {
  private let trial: MessageTrial
  private let world: MessageWorld
  private let device: MessagePeer
  private var line: HostileLine
  private var outcome = MessageTrial.Outcome(isOnDevice: true)
  private var reader = MessageReader()
  private var random = SplitMix64(seed: 4)

  private static let roundCount = 5
  /// How often a device may have to connect until it has recovered.
  private static let recoveryLimit = 20

  init(_ trial: MessageTrial) throws {
    self.trial = trial
    world = try MessageWorld(
      sample: trial.sample, seed: 7, isDevelopment: trial.edits.isDevelopment)
    device = try world.add("ann", sample: trial.sample)
    line = try HostileLine(
      edits: trial.edits, clients: [try device.clientID()], device: device)
  }

  func run() throws -> MessageTrial.Outcome {
    let other = try world.add("bob", sample: trial.sample)
    world.toServer = { [unowned self] frame, peer in
      if peer === device { line.overhear(frame) }
      return [frame]
    }
    world.toDevice = { [unowned self] frame, peer in peer === device ? line.pass(frame) : [frame] }
    world.taking = { [unowned self] peer, frame, take in
      peer === device ? try watch(frame, take) : try take()
    }
    world.deviceEnded = { [unowned self] peer, error in
      outcome.isEnded = true
      if peer !== device { throw CaseViolation("the other device ends: \(error)") }
    }
    world.serverEnded = { [unowned self] peer, reason in
      outcome.isEnded = true
      if peer !== device { throw CaseViolation("the other device is ended: \(reason)") }
    }
    try world.connect(other)
    for _ in 0..<Self.roundCount {
      world.clock.milliseconds += 500
      try device.write(&random)
      try other.write(&random)
      if device.connection == nil {
        reader = MessageReader()
        try world.connect(device)
      }
      try world.settle()
    }
    world.disconnect(device)
    if let findings = try device.findings() { throw CaseViolation(findings) }
    try recover()
    (outcome.isChanged, outcome.byteCount) = (line.isChanged, line.byteCount)
    return outcome
  }

  // MARK: One frame

  /// The state of a device beside the objects.
  private struct Holding {
    let version: UInt64
    let cursor: Cursor?
    let outbox: [UInt64: (name: EntryName, operationCount: Int?)]
    let inboxCount: Int
    let sets: [Int64]

    init(_ device: MessagePeer) throws {
      let snapshot = try device.database.snapshot()
      version = snapshot.version
      cursor = try snapshot.syncState()?.cursor
      outbox = try device.outbox()
      inboxCount = try Inbox.entries(snapshot).count
      sets = try SubscriptionSets(snapshot).stored.map(\.version)
    }
  }

  private func watch(_ frame: [UInt8], _ take: () throws -> [[UInt8]]) throws -> [[UInt8]] {
    let before = try Holding(device)
    let message = try? reader.receive(frame)
    var answers: [Answer] = []
    if case .batch(let batch)? = message { answers = batch.answers }
    let replies: [[UInt8]]
    do { replies = try take() } catch let error as SyncError {
      let after = try Holding(device)
      try compare(before, after, answers: [])
      switch error {
      case .newIdentity, .resetRequired, .resetsRepeated: break
      default:
        guard after.version == before.version else {
          throw CaseViolation("the file was changed by what was not taken: \(error)")
        }
      }
      throw error
    }
    let after = try Holding(device)
    try compare(before, after, answers: answers)
    if case .batch(let batch)? = message, after.cursor != batch.to ?? before.cursor {
      throw CaseViolation("the cursor is not that of the batch that was taken")
    }
    return replies
  }

  private func compare(_ before: Holding, _ after: Holding, answers: [Answer]) throws {
    let names = Set(after.outbox.values.map(\.name))
    for (number, entry) in before.outbox where !names.contains(entry.name) {
      let isAnswered = answers.contains { answer in
        answer.number == number
          && (entry.operationCount.map { answer.verdictCount == UInt64($0) } ?? true)
      }
      guard isAnswered else {
        throw CaseViolation("entry \(number) of the outbox is gone, and was not answered")
      }
    }
    guard after.inboxCount == before.inboxCount || !answers.isEmpty else {
      throw CaseViolation("the inbox was changed without an answer")
    }
    guard Set(after.sets).isSubset(of: before.sets) else {
      throw CaseViolation("the file has a subscription set that no update committed")
    }
  }

  // MARK: The next server

  /// The device goes to a server that keeps to the protocol and knows nothing of it.
  private func recover() throws {
    let world = try MessageWorld(sample: nil, seed: 8, isDevelopment: false)
    world.clock.milliseconds = self.world.clock.milliseconds
    // As an application does it that waits for a reset.
    var errors: [String] = []
    world.deviceEnded = { peer, error in
      errors.append("\(error)")
      switch error {
      case SyncError.newIdentity: break
      case SyncError.resetRequired, SyncError.resetsRepeated:
        try SyncClient.allowReset(
          peer.database, upTo: SyncClient.newestNumber(peer.database.snapshot()))
      default: throw CaseViolation("does not get on with the next server: \(error)")
      }
    }
    world.serverEnded = { _, reason in errors.append(reason) }
    world.adopt(device)
    try device.subscribe("TRUEPREDICATE")
    let key = "ann after"
    try device.write(&random, key: key)
    for _ in 0..<Self.recoveryLimit {
      if device.connection == nil { try world.connect(device) }
      try world.settle()
      if device.connection != nil { break }
    }
    guard device.connection != nil else {
      throw CaseViolation("does not get on with the next server: \(errors.suffix(3))")
    }
    guard try device.outbox().isEmpty else {
      throw CaseViolation("the next server does not answer all of the outbox")
    }
    // A reset may have dropped earlier writes.
    try device.write(&random, key: key)
    try world.settle()
    let held = try world.items()
    // What only the hostile server declared is the device's own from now on: with its default in
    // what the device adds.
    let items = try device.items().mapValues { units in
      units.filter { path, _ in path.property.map(MessageSchema.isProperty) ?? true }
    }
    guard items == held, held[MessageSchema.item(key)] != nil else {
      throw CaseViolation(
        "does not hold what the next server holds: \(MessageTrial.difference(items, held))")
    }
    if let findings = try device.findings() { throw CaseViolation(findings) }
  }
}
