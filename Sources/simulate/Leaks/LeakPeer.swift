internal import AtollCapture
internal import AtollObjects
internal import AtollSync

/// A device that sends the messages of a script, and keeps only the state that it needs.
///
/// Unlike a real one it names objects that it does not hold.
final class LeakPeer {
  let user: String
  let id: UInt64
  var connection: ConnectionID?
  /// The generations of the objects that it received.
  private(set) var generations: [ObjectAddress: Cursor] = [:]
  /// All frames that it was sent.
  private(set) var heard: [[UInt8]] = []
  private var reader = MessageReader()
  private var token: UInt64?
  private(set) var cursor: Cursor?
  private var answered: UInt64 = 0
  private var nextNumber: UInt64 = 1
  private var sets: AnsweredSets?
  private var bootstrap: BootstrapPosition?
  private var outbox: [(number: UInt64, message: SyncMessage, operations: [Operation])] = []
  private var sentNumber: UInt64 = .max

  init(user: String, id: UInt64) {
    self.user = user
    self.id = id
  }

  // MARK: Saying

  /// The frames of a new connection.
  func hello() -> [[UInt8]] {
    reader = MessageReader()
    sentNumber = .max
    return MessageFrames.encode(
      .hello(
        Hello(
          client: id, token: token, proof: cursor, cursor: cursor, answered: answered, sets: sets,
          bootstrap: bootstrap, isProgressive: false)))
  }

  private func header() -> EntryHeader {
    defer { nextNumber += 1 }
    return EntryHeader(
      number: nextNumber, digest: nextNumber &* 7,
      firstName: EntryName(client: id, number: nextNumber))
  }

  func subscribe(_ members: [SetMember]) {
    let header = header()
    let entry = SetsEntry(header: header, version: Int64(header.number), members: members)
    outbox.append((header.number, .sets(entry), []))
  }

  func push(_ operations: [Operation], clock: HybridClock) {
    let header = header()
    let transaction = RecordedTransaction(clock: clock, seen: cursor, operations: operations)
    outbox.append(
      (header.number, .push(PushEntry(header: header, transaction: transaction)), operations))
  }

  /// The name of a creation that the next push makes at this place.
  func creation(_ index: Int) -> Generation {
    .pending(number: nextNumber, index: UInt32(index))
  }

  /// What is to be sent now.
  func outgoing() -> [[UInt8]] {
    var frames: [[UInt8]] = []
    for entry in outbox where entry.number > sentNumber {
      sentNumber = entry.number
      frames += MessageFrames.encode(entry.message)
    }
    return frames
  }

  // MARK: Hearing

  /// Takes a frame; gives what is to be answered.
  func receive(_ frame: [UInt8]) throws -> [[UInt8]] {
    heard.append(frame)
    guard let message = try reader.receive(frame), let token = try take(message) else { return [] }
    self.token = token
    return MessageFrames.encode(
      .confirm(Confirmation(token: token, cursor: cursor, answered: answered))) + outgoing()
  }

  /// The token to confirm with; nil when nothing is to be confirmed.
  private func take(_ message: SyncMessage) throws -> UInt64? {
    switch message {
    case .welcome(let welcome):
      if welcome.isFromStart { (cursor, bootstrap) = (nil, nil) }
      sentNumber = welcome.pushed
      return welcome.token
    case .batch(let batch):
      for change in batch.objects {
        switch change.change {
        case .leave: generations[change.object] = nil
        case .full(let generation, _): generations[change.object] = generation
        case .update: break
        }
      }
      if let run = batch.run {
        bootstrap = BootstrapPosition(
          run: run.number, position: run.position, from: batch.from)
      }
      for answer in batch.answers where answer.number > answered { take(answer) }
      guard let to = batch.to else { return nil }
      (cursor, bootstrap) = (to, nil)
      return token
    default: return nil
    }
  }

  private func take(_ answer: Answer) {
    answered = answer.number
    guard let entry = outbox.first, entry.number == answer.number else { return }
    outbox.removeFirst()
    if case .sets(let sets) = entry.message, case .applied? = answer.runs.first?.verdict {
      self.sets = AnsweredSets(
        number: answer.number, version: sets.version, members: sets.members)
    }
    for (operation, verdict) in zip(entry.operations, answer.verdicts) {
      guard case .applied(let made) = verdict else { continue }
      switch operation.action {
      case .create: generations[operation.object] = made
      case .delete: generations[operation.object] = nil
      default: break
      }
    }
  }
}
