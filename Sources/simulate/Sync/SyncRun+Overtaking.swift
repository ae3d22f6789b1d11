internal import AtollCapture
internal import AtollSync

// Two clients of one file: the lock of the network keeps them apart, and R2 bears them all the same.

/// A client that another one has followed, with what had arrived for it.
struct OvertakenClient {
  let client: SyncClient
  let connection: SyncConnection
  /// The token that its connection has in the file.
  let token: UInt64?
}

extension SyncRun {
  /// Another client connects while the one before still has some of what had arrived for it, as where
  /// a session ends and begins again too early.
  func overtake(_ device: SyncDevice) throws {
    guard let connection = device.connection, device.client.isWelcomed, !connection.isDisturbed
    else { return }
    count(.overtakings)
    connection.isOpenAtDevice = false
    let arrived = Int.random(in: 0...connection.down.count, using: &random)
    connection.down.removeLast(connection.down.count - arrived)
    try device.overtake(connection)
    try connect(device)
  }

  /// Gives the client before something that had arrived for it.
  ///
  /// - Returns: Whether there was anything.
  @discardableResult
  func deliverLate(_ device: SyncDevice) throws -> Bool {
    guard let former = device.overtaken, !former.connection.down.isEmpty else {
      device.overtaken = nil
      return false
    }
    let frame = former.connection.down.removeFirst()
    count(.messages)
    let message = try former.connection.received.receive(frame)
    if let message { note("\(device.index) <~ \(message.short)") }
    switch message {
    case .batch?, .mark?, .pong?, nil: break
    default:
      device.overtaken = nil
      return true
    }
    let before = try device.reading { try $0.state() }
    guard before.token == former.token else {
      try refuseLate(frame, isBatch: message?.kind == .batch, device, former)
      return true
    }
    try onDevice(device) {
      let after =
        try message.map { try model(of: device, after: $0, on: former.connection) } ?? device.model
      device.inFlight = after
      do throws(SyncError) { _ = try former.client.receive(frame, now: milliseconds) } catch {
        if device.isDown { throw error }
        throw violation("device \(device.index), late: \(error)")
      }
      device.model = after
      let now = try device.reading { try $0.state() }
      guard now.cursor != before.cursor || now.boot != before.boot else { return }
      device.connection?.isOvertaken = true
    }
    return true
  }

  /// The next connection was welcomed: a batch of the one before is not applied any more.
  private func refuseLate(
    _ frame: [UInt8], isBatch: Bool, _ device: SyncDevice, _ former: OvertakenClient
  ) throws {
    try onDevice(device) {
      do throws(SyncError) {
        _ = try former.client.receive(frame, now: milliseconds)
      } catch {
        if device.isDown { throw error }
        guard case .unexpected = error, isBatch else {
          throw violation("device \(device.index), late: \(error)")
        }
        count(.refusedBatches)
        device.overtaken = nil
        return
      }
      guard !isBatch else {
        throw violation("R2: device \(device.index) took a batch of an earlier connection")
      }
    }
  }
}
