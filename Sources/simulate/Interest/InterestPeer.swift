internal import AtollCapture
internal import AtollSync

/// A device that notes which objects it holds, and confirms what it gets.
final class InterestPeer {
  let id: UInt64
  let user: String
  let connection: ConnectionID
  private(set) var held: Set<ObjectAddress> = []
  private(set) var generations: [ObjectAddress: Cursor] = [:]
  private(set) var problem: String?
  private var reader = MessageReader()
  private var token: UInt64 = 0
  private var cursor: Cursor?
  private var answered: UInt64 = 0
  private var nextNumber: UInt64 = 1
  private var waiting: [SyncMessage] = []
  private var isConfirmationDue = false

  init(_ id: UInt64, user: String, connection: ConnectionID) {
    self.id = id
    self.user = user
    self.connection = connection
  }

  func hello() -> [[UInt8]] {
    MessageFrames.encode(
      .hello(
        Hello(
          client: id, token: nil, proof: nil, cursor: nil, answered: 0, sets: nil, bootstrap: nil,
          isProgressive: false)))
  }

  /// What the pushes that are not answered made.
  private var made: [UInt64: ObjectAddress] = [:]

  private func take(_ answer: Answer) {
    answered = answer.number
    let object = made.removeValue(forKey: answer.number)
    for verdict in answer.verdicts {
      switch verdict {
      case .applied(let generation?): if let object { generations[object] = generation }
      case .applied, .known, .outdated: break
      case .refused(let refusal): problem = refusal.text
      }
    }
  }

  private func header() -> EntryHeader {
    defer { nextNumber += 1 }
    return EntryHeader(
      number: nextNumber, digest: nextNumber &* 7,
      firstName: EntryName(client: id, number: nextNumber))
  }

  func subscribe(_ members: [SetMember]) {
    let header = header()
    waiting.append(
      .sets(SetsEntry(header: header, version: Int64(header.number), members: members)))
  }

  /// The name of what the next push creates at a place of it.
  func creation(_ index: Int) -> Generation {
    .pending(number: nextNumber, index: UInt32(index))
  }

  func push(_ operations: [Operation], clock: HybridClock) {
    let transaction = RecordedTransaction(clock: clock, seen: cursor, operations: operations)
    for operation in operations where operation.action == .create {
      made[nextNumber] = operation.object
    }
    waiting.append(.push(PushEntry(header: header(), transaction: transaction)))
  }

  /// What is to be sent now.
  func outgoing() -> [[UInt8]] {
    guard token != 0 else { return [] }
    var frames: [[UInt8]] = []
    if isConfirmationDue {
      isConfirmationDue = false
      frames += MessageFrames.encode(
        .confirm(Confirmation(token: token, cursor: cursor, answered: answered)))
    }
    for message in waiting { frames += MessageFrames.encode(message) }
    waiting = []
    return frames
  }

  func receive(_ frame: [UInt8]) throws {
    guard let message = try reader.receive(frame) else { return }
    switch message {
    case .welcome(let welcome):
      token = welcome.token
      isConfirmationDue = true
    case .batch(let batch):
      for change in batch.objects {
        switch change.change {
        case .leave:
          held.remove(change.object)
          generations[change.object] = nil
        case .full(let generation, _):
          held.insert(change.object)
          generations[change.object] = generation
        case .update: break
        }
      }
      for answer in batch.answers {
        take(answer)
      }
      if let to = batch.to { cursor = to }
      isConfirmationDue = true
    case .error(let error): problem = error.text
    default: break
    }
  }
}
