internal import AtollSync

// What rules say is harmless: a message that comes twice, and a live batch that is lost or comes
// behind the next one. What a device sends is neither lost nor moved: transports keep the order.

extension SyncRun {
  func disturb(_ device: SyncDevice) throws {
    guard let connection = device.connection else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try repeatUp(connection)
    case 1: try repeatDown(connection)
    case 2: try loseDown(connection)
    default: try swapDown(connection)
    }
  }

  private func message(_ frame: [UInt8]) throws -> SyncMessage? {
    var reader = MessageReader()
    return try reader.receive(frame)
  }

  private func isDisturbed(_ connection: SyncConnection, _ kind: String) {
    count(.disturbances)
    connection.isDisturbed = true
    note("the network \(kind) a batch to \(connection.deviceIndex)")
  }

  /// An entry of the outbox arrives once more, at once or later; a confirmation at once.
  private func repeatUp(_ connection: SyncConnection) throws {
    guard let index = connection.up.indices.randomElement(using: &random) else { return }
    let frame = connection.up[index]
    let place: Int
    switch try message(frame) {
    case .push, .sets, .schema:
      place = Int.random(in: index...connection.up.count - 1, using: &random) + 1
    case .confirm: place = index + 1
    default: return
    }
    connection.up.insert(frame, at: place)
    count(.disturbances)
    note("the network repeats a message of \(connection.deviceIndex)")
  }

  /// A batch arrives once more, at once or later.
  private func repeatDown(_ connection: SyncConnection) throws {
    guard let index = connection.down.indices.randomElement(using: &random),
      case .batch(let batch)? = try message(connection.down[index])
    else { return }
    // A part of a catch-up tells by nothing that later parts have come.
    let isLater = batch.run == nil && batch.from != batch.to
    let place =
      isLater ? Int.random(in: index...connection.down.count - 1, using: &random) + 1 : index + 1
    connection.down.insert(connection.down[index], at: place)
    isDisturbed(connection, "repeats")
  }

  /// The places of batches of a live stream that move the cursor: the next one shows that they
  /// lack.
  private func liveBatches(_ connection: SyncConnection) throws -> [Int] {
    try connection.down.indices.filter { index in
      guard case .batch(let batch)? = try message(connection.down[index]) else { return false }
      return batch.run == nil && batch.from != batch.to
    }
  }

  private func loseDown(_ connection: SyncConnection) throws {
    guard let index = try liveBatches(connection).randomElement(using: &random) else { return }
    connection.down.remove(at: index)
    isDisturbed(connection, "loses")
  }

  private func swapDown(_ connection: SyncConnection) throws {
    let live = try liveBatches(connection)
    let pairs = live.filter { live.contains($0 + 1) }
    guard let index = pairs.randomElement(using: &random) else { return }
    connection.down.swapAt(index, index + 1)
    isDisturbed(connection, "swaps")
  }
}
