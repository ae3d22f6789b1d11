internal import AtollCapture
internal import AtollObjects
internal import AtollSync
internal import TestSupport

// Messages on their way.

extension SyncRun {
  private var server: SyncServer {
    get throws {
      guard let host else { throw violation("there is no server") }
      return host.server
    }
  }

  // MARK: Connections

  func connect(_ device: SyncDevice) throws {
    guard device.connection == nil, device.partedStepCount == 0 else { return }
    let id = try server.connect(user: "user", now: milliseconds)
    let connection = SyncConnection(deviceIndex: device.index, id: id)
    connections.append(connection)
    device.connection = connection
    try onDevice(device) {
      try emit(device.client.open(now: milliseconds), device, connection)
    }
  }

  /// The connection of a device dies, if it has one.
  func drop(_ device: SyncDevice) {
    guard let connection = device.connection else { return }
    count(.droppedConnections)
    device.client.close(now: milliseconds)
    device.connection = nil
    connection.isOpenAtDevice = false
    connection.down = []
    // Some of what is under way still arrives.
    let arriving = Int.random(in: 0...connection.up.count, using: &random)
    connection.up.removeLast(connection.up.count - arriving)
  }

  /// Notifies the server that a connection is gone.
  private func disconnect(_ connection: SyncConnection) throws {
    guard connection.isOpenAtServer else { return }
    connection.isOpenAtServer = false
    try server.disconnect(connection.id)
    connections.removeAll { $0 === connection }
  }

  // MARK: From the device

  @discardableResult
  func send(_ device: SyncDevice) throws -> Bool {
    guard let connection = device.connection else { return false }
    let before = connection.up.count
    try onDevice(device) {
      let frames: [[UInt8]]
      do throws(SyncError) { frames = try device.client.outgoing(now: milliseconds) } catch {
        return try connectionEnded(device, error)
      }
      try emit(frames, device, connection)
    }
    return connection.up.count > before
  }

  /// Handles a client's reason why a connection cannot continue.
  private func connectionEnded(_ device: SyncDevice, _ error: SyncError) throws {
    switch error {
    case .remote(let message) where message.action == .retry:
      note("device \(device.index) hears: \(message.text)")
      drop(device)
      // Copies that reconnect at once would take over from each other without end.
      device.partedStepCount = Int.random(in: 0..<4, using: &random)
    case .file where device.isDown: throw error
    default: throw violation("device \(device.index): \(error)")
    }
  }

  private func emit(
    _ frames: [[UInt8]], _ device: SyncDevice, _ connection: SyncConnection
  ) throws {
    for frame in frames {
      if let message = try connection.sent.receive(frame) {
        count(.messages)
        try look(at: message, from: device, connection)
      }
      connection.up.append(frame)
    }
  }

  /// What a device says must fit what its model knows.
  private func look(
    at message: SyncMessage, from device: SyncDevice, _ connection: SyncConnection
  ) throws {
    note("\(device.index) -> \(message.short)")
    func fail(_ problem: String) -> SeedViolation {
      violation("device \(device.index), \(message.short): \(problem)")
    }
    switch message {
    case .hello(let hello):
      guard hello.cursor == device.model.cursor, hello.answered == device.model.answered else {
        throw fail("R2: it is at \(device.model.cursor as Any), \(device.model.answered)")
      }
      connection.client = hello.client
      if hello.bootstrap != nil { count(.resumedBootstraps) }
      let position = hello.bootstrap.map { ($0.run, $0.position) }
      if let problem = device.model.resume(at: position) { throw fail(problem) }
    case .confirm(let confirmation):
      guard confirmation.cursor == device.model.cursor else { throw fail("another cursor") }
      if let cursor = confirmation.cursor {
        connection.heldAt[cursor] = device.model.heldAtCursor
      }
    case .push(let entry):
      try noteSent(entry.header, device, fail)
      sentEntries.insert(
        SyncJournal.PushName(entry: entry.header.firstName, digest: entry.header.digest))
      connection.subscriptionsAt[entry.header.number] = device.model.subscriptions(
        at: entry.header.number)
    case .sets(let entry): try noteSent(entry.header, device, fail)
    case .schema(let entry):
      if entry.header.number > 0 { try noteSent(entry.header, device, fail) }
    default: break
    }
  }

  /// R1: a number stands for one entry, and numbers leave in their order.
  private func noteSent(
    _ header: EntryHeader, _ device: SyncDevice, _ fail: (String) -> SeedViolation
  ) throws {
    guard let connection = device.connection else { return }
    let sent = SentNumber(
      deviceIndex: device.index, life: device.life, client: connection.client,
      number: header.number)
    if let known = sentDigests.updateValue(header.digest, forKey: sent) {
      guard known == header.digest else { throw fail("R1: number \(header.number) used twice") }
      count(.pushesSentAgain)
    }
    guard header.number > connection.lastSentNumber else { throw fail("R1: out of order") }
    connection.lastSentNumber = header.number
  }

  // MARK: To the server

  @discardableResult
  func deliverUp(_ device: SyncDevice) throws -> Bool {
    // What an older connection sent arrives first, or its end.
    let all = connections.filter { $0.deviceIndex == device.index && $0.isOpenAtServer }
    guard let connection = all.randomElement(using: &random) else { return false }
    guard !connection.up.isEmpty else {
      guard !connection.isOpenAtDevice else { return false }
      try disconnect(connection)
      return true
    }
    let frame = connection.up.removeFirst()
    if let message = try connection.arrived.receive(frame) {
      switch message {
      case .hello(let hello): journal.noteHello(of: hello.client, from: connection.id)
      case .confirm(let confirmation):
        connection.held = confirmation.cursor.flatMap { connection.heldAt[$0] }
        connection.confirmedVersion = confirmation.cursor?.version ?? 0
      case .push(let entry):
        let push = SyncJournal.Push(
          id: SyncJournal.PushID(client: connection.client, number: entry.header.number),
          name: SyncJournal.PushName(
            entry: entry.header.firstName, digest: entry.header.digest),
          deviceIndex: device.index, transaction: entry.transaction,
          subscriptions: connection.subscriptionsAt[entry.header.number] ?? [],
          held: connection.held, confirmedVersion: connection.confirmedVersion)
        journal.note(push, from: connection.id)
      default: break
      }
    }
    take(try server.receive(frame, from: connection.id, now: milliseconds))
    return true
  }

  /// Lets the server judge what arrived, and send what there is to send.
  @discardableResult
  func advanceServer(isReady: Bool = false) throws -> Bool {
    guard let host else { return false }
    journal.beginTick(version: host.server.version, milliseconds: milliseconds) { id in
      connections.contains { $0.id == id && $0.isOpenAtServer }
    }
    let unready = isReady ? nil : connections.randomElement(using: &random)?.id
    do {
      let outputs = try host.server.advance(
        now: milliseconds, blocked: Set([unready].compactMap(\.self)))
      journal.endTick(version: host.server.version)
      take(outputs)
      if host.isDown { try restartServer() }
      return !outputs.isEmpty || host.server.hasWaitingMessages
    } catch {
      guard host.isDown else { throw error }
      try restartServer()
      return true
    }
  }

  private func restartServer() throws {
    guard let host else { return }
    let isPowerCut = host.disk.hasLostPower
    count(isPowerCut ? .serverPowerCuts : .serverDeaths)
    note("the server \(isPowerCut ? "loses power" : "dies")")
    for device in devices { drop(device) }
    connections = []
    do {
      try host.restart(isPowerCut: isPowerCut, tearing: profile.tearing, fate: &fate)
      journal.serverDied(version: host.server.version)
    } catch {
      guard host.isDown else { throw error }
      try restartServer()
    }
  }

  private func take(_ outputs: [SyncServer.Output]) {
    for output in outputs {
      switch output {
      case .send(let id, let frame):
        guard let connection = connections.first(where: { $0.id == id }) else { continue }
        if connection.isOpenAtDevice { connection.down.append(frame) }
      case .close(let id, let reason):
        guard let connection = connections.first(where: { $0.id == id }) else { continue }
        note("the server closes the connection of \(connection.deviceIndex): \(reason)")
        connection.isOpenAtServer = false
        connections.removeAll { $0 === connection }
      }
    }
  }

  // MARK: To the device

  @discardableResult
  func deliverDown(_ device: SyncDevice) throws -> Bool {
    guard let connection = device.connection else { return false }
    guard !connection.down.isEmpty else {
      guard !connection.isOpenAtServer else { return false }
      drop(device)
      return true
    }
    let frame = connection.down.removeFirst()
    count(.messages)
    let message = try connection.received.receive(frame)
    if let message { note("\(device.index) <- \(message.short)") }
    if case .batch(let batch)? = message, isOutOfPlace(batch, device, connection) {
      try refuse(batch, frame, device)
      return true
    }
    try onDevice(device) {
      let after =
        try message.map { try model(of: device, after: $0, on: connection) } ?? device.model
      device.inFlight = after
      let replies: [[UInt8]]
      do throws(SyncError) {
        replies = try device.client.receive(frame, now: milliseconds)
      } catch {
        if case .newIdentity = error {
          device.model = after
          count(.newIdentities)
          return drop(device)
        }
        if case .unexpected = error, case .welcome? = message, connection.isOvertaken {
          count(.staleGreetings)
          return drop(device)
        }
        return try connectionEnded(device, error)
      }
      if case .welcome? = message, connection.isOvertaken {
        throw violation("R2: device \(device.index) took the welcome of a file that has gone on")
      }
      device.model = after
      try emit(replies, device, connection)
    }
    return true
  }

  /// R12: whether a batch comes where it must not be applied, after others were lost or moved.
  private func isOutOfPlace(
    _ batch: Batch, _ device: SyncDevice, _ connection: SyncConnection
  ) -> Bool {
    connection.isDisturbed
      && (batch.from != device.model.cursor || batch.readAt < connection.readAt)
  }

  /// The device ends the connection, and nothing of the batch is applied.
  private func refuse(_ batch: Batch, _ frame: [UInt8], _ device: SyncDevice) throws {
    count(.refusedBatches)
    try onDevice(device) {
      do throws(SyncError) {
        _ = try device.client.receive(frame, now: milliseconds)
      } catch {
        if device.isDown { throw error }
        guard case .unexpected = error else {
          throw violation("device \(device.index): \(error)")
        }
        return drop(device)
      }
      throw violation("R12: device \(device.index) took a batch that was out of place")
    }
  }

  /// What a message makes of the model.
  func model(
    of device: SyncDevice, after message: SyncMessage, on connection: SyncConnection
  ) throws -> SyncModel {
    var model = device.model
    switch message {
    case .welcome(let welcome):
      journal.welcome(client: try device.clientID(), pushed: welcome.pushed)
      guard model.matches(pushed: welcome.pushed, digest: welcome.digest) else {
        return try underAnotherIdentity(device)
      }
      if welcome.isFromStart {
        count(.resets)
        model.cursor = nil
        model.parts = []
      }
    case .batch(let batch):
      guard batch.readAt >= connection.readAt else {
        throw violation("R12: read-at decreases")
      }
      connection.readAt = batch.readAt
      if batch.run?.isRestart ?? false { count(.restartedBootstraps) }
      if batch.run != nil, device.isProgressive { count(.progressiveBatches) }
      let verdicts = Dictionary(
        batch.answers.map { ($0.number, $0.verdicts.map(SyncModel.Verdict.init)) }
      ) { $1 }
      for verdict in verdicts.values.joined() { count(verdict.event) }
      note(verdicts, to: device, connection.client)
      let problem = model.receive(
        from: batch.from, to: batch.to,
        run: batch.run.map { ($0.number, $0.position, $0.isRestart) },
        changes: Dictionary(
          batch.objects.map { ($0.object, SyncModel.Change($0.change)) }
        ) { $1 },
        answers: verdicts, isProgressive: device.isProgressive)
      if let problem { throw violation("device \(device.index), \(message.short): \(problem)") }
      if batch.to != nil { model.viewNumber = max(model.viewNumber ?? 0, batch.setNumber) }
    case .error(let error) where error.action == .newIdentity:
      return try underAnotherIdentity(device)
    case .error(let error) where error.action != .retry:
      throw violation("device \(device.index) hears \(error.code.rawValue): \(error.text)")
    default: break
    }
    return model
  }

  /// R3: only a file of which there are copies, or a server that was put back, makes it take
  /// another id.
  private func underAnotherIdentity(_ device: SyncDevice) throws -> SyncModel {
    guard device.isCopied || isServerRestored else {
      throw violation(
        "R3: device \(device.index) takes another id, and there is no copy of its file")
    }
    return device.model.underAnotherIdentity()
  }

  /// Keeps what the server answered, for the judgement at the end.
  private func note(
    _ verdicts: [UInt64: [SyncModel.Verdict]], to device: SyncDevice, _ client: UInt64
  ) {
    for entry in device.model.outbox where !entry.operations.isEmpty {
      guard let verdicts = verdicts[entry.number] else { continue }
      journal.note(
        verdicts, to: SyncJournal.PushID(client: client, number: entry.number),
        named: SyncJournal.PushName(entry: entry.name, digest: entry.digest))
    }
  }
}

/// A number under which a file sent an entry.
struct SentNumber: Hashable {
  var deviceIndex: Int
  /// How often the file was replaced before.
  var life: Int
  var client: UInt64
  var number: UInt64
}
