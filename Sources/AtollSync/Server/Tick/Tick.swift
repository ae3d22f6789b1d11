internal import AtollCapture
internal import AtollQuery

/// One transaction of the store: judges received messages and gathers messages to send.
///
/// The caller sends them when the transaction is durable.
final class Tick {
  let server: ServerContext
  let store: any ServerTransaction
  /// Milliseconds since 1970.
  let now: UInt64
  /// Connections that can take no batch.
  let blocked: Set<ConnectionID>
  var judge: Judge
  var outputs: [ServerOutput] = []
  /// Objects that this tick changed.
  var changed: Set<ObjectNumber> = []
  /// Whole objects that were read, for all clients that they enter.
  var wholes: [WholeObject: ObjectChange] = [:]
  /// For what this tick does for one connection, in nanoseconds.
  var connectionTime: UInt64 = 0
  /// Names and answers of transactions that wait for `judge.settle`.
  var headers: [HeaderKey: EntryHeader] = [:]

  struct HeaderKey: Hashable {
    var client: UInt64
    var number: UInt64
  }

  init(
    server: ServerContext, store: any ServerTransaction, now: UInt64, blocked: Set<ConnectionID>
  ) {
    self.server = server
    self.store = store
    self.now = now
    self.blocked = blocked
    judge = Judge(
      store: store, state: server.state, time: server.time, storedBytes: server.storedBytes)
  }

  var state: ServerState { judge.state }
  var rights: Rights { server.rights }

  // MARK: Messages

  /// How many marks of a connection may wait; a device needs one at a time.
  private static let markLimit = 1_000
  /// Transactions of more bytes are settled one by one.
  private static let smallByteCount = 64 << 10
  private static let smallViewByteCount = 4 << 10
  /// How many pushes of those who have taken much time may wait for what is to be found out about
  /// their objects, and what it may cost: bytes of the pushes, times those of the queries.
  private static let openLimit = 32
  private static let openCostLimit = 4 << 20

  /// Processes received messages, up to the limits of a tick.
  ///
  /// In order for each connection. Each may use an equal share of the operations, so that a device
  /// with a long outbox does not delay the others; and those whose users took little time lately
  /// come first.
  func takeMessages() throws(ServerStoreError) {
    server.heldBack = []
    let budget = server.budget(server.bounds.work.messages)
    var isFirst = true
    var byteCount = 0
    var openCost = 0
    // Whose pushes wait to be settled, as it has taken much time; nobody else pays for that.
    var owner: Connection?
    for id in turns() {
      if let last = owner, last.id != id {
        try server.work(for: last, now: now) { () throws(ServerStoreError) in try settle() }
        owner = nil
        openCost = 0
      }
      guard let connection = server.connections[id], !server.heldBack.contains(id),
        let next = server.waiting.message(0, of: id)
      else { continue }
      // A tick that takes nothing would stop all connections.
      guard isFirst || !budget.isSpent && byteCount < server.bounds.work.byteCount else { break }
      let isReplaced = isReplaced(next.message, connection)
      let owesConfirmation = try owesConfirmation(before: next.message, connection)
      guard server.connections[id] != nil else { continue }
      guard
        isReplaced
          || !owesConfirmation && !mustWait(next, connection)
            && (connection.isNextCharged
              || isAllowed(next.message, byteCount: next.byteCount, connection))
      else {
        server.heldBack.insert(id)
        continue
      }
      connection.isNextCharged = true
      guard try prepare(next, connection) else {
        isFirst = false
        continue
      }
      connection.isNextCharged = false
      server.waiting.removeFirst(of: id)
      connection.waitingCount -= 1
      connection.waitingByteCount -= next.byteCount
      connection.waitingMemoryByteCount -= next.memoryByteCount
      server.held.count(connection)
      server.busy.insert(id)
      server.noteTaken(next, of: connection)
      if isReplaced { continue }
      isFirst = false
      byteCount += next.byteCount
      let start = budget.now
      try server.work(for: connection, now: now) { () throws(ServerStoreError) in
        try take(next.message, connection)
        server.endPreparation(of: connection)
        server.held.count(connection)
        // What may be costly to find out about new objects is not put off to where the time of the
        // tick no longer bounds it; what cannot be is found out about many together.
        guard !judge.open.isEmpty else {
          openCost = 0
          return
        }
        // Without views there are filters of the rights.
        let viewByteCount = max(64, connection.viewByteCount)
        openCost += next.byteCount * viewByteCount
        let isBusy = server.rank(of: connection, now: now) > 0
        if viewByteCount > Self.smallViewByteCount || next.byteCount > Self.smallByteCount
          || isBusy && (judge.open.count >= Self.openLimit || openCost > Self.openCostLimit)
        {
          try settle()
          openCost = 0
          owner = nil
        } else if isBusy {
          owner = connection
        }
      }
      server.delayLongMessages(after: budget.elapsed(since: start))
    }
    dropFullAllowances()
    let charged = judge.viewTimes
    try settle()
    // The views of many were tested together.
    for (client, time) in judge.viewTimes {
      guard let connection = server.clients[client].flatMap({ server.connections[$0] }) else {
        continue
      }
      server.shares.addTime(
        time - (charged[client] ?? 0), ofUser: connection.user, host: connection.host, now: now)
    }
    try noteChanges()
  }

  /// The connections whose next messages are to be taken, for each message once.
  ///
  /// Those whose users took little time lately first, and of these the messages as they came. Each
  /// may use an equal share of the operations, and at least one.
  private func turns() -> [ConnectionID] {
    let waiting = server.waiting
    let share = server.options.operationLimit / max(1, waiting.connections.count)
    var turns: [(rank: Int, arrival: UInt64, id: ConnectionID)] = []
    for id in waiting.connections {
      guard let connection = server.connections[id] else { continue }
      let rank = server.rank(of: connection, now: now)
      var operationCount = 0
      var offset = 0
      while operationCount < max(1, share), let next = waiting.message(offset, of: id) {
        turns.append((rank, next.arrival, id))
        offset += 1
        operationCount += 1
        if case .push(let entry) = next.message { operationCount += entry.operationCount }
      }
    }
    return turns.sorted { ($0.rank, $0.arrival) < ($1.rank, $1.arrival) }.map(\.id)
  }

  /// Whether a confirmation is followed by another one of its connection: it says nothing that the
  /// last one does not.
  private func isReplaced(_ message: SyncMessage, _ connection: Connection) -> Bool {
    guard case .confirm = message, connection.phase == .confirmed,
      case .confirm? = server.waiting.message(1, of: connection.id)?.message
    else { return false }
    return true
  }

  /// Whether a message is so long that others would notice, and its user has taken much already.
  private func mustWait(_ next: WaitingMessages.Message, _ connection: Connection) -> Bool {
    guard server.isDelayingLongMessages, server.rank(of: connection, now: now) > 0 else {
      return false
    }
    guard case .push(let entry) = next.message else { return isReadInParts(next, connection) }
    let work = server.bounds.work
    return entry.transaction.operations.count > work.longOperationCount
      || next.byteCount > work.longByteCount
  }

  private func take(_ message: SyncMessage, _ connection: Connection) throws(ServerStoreError) {
    switch message {
    case .hello(let hello):
      try settle()
      try self.hello(hello, connection)
    case .confirm(let confirmation):
      try settle()
      try confirm(confirmation, connection)
    case .schema, .sets, .push:
      guard connection.phase == .confirmed else {
        return try end(connection, .unexpected(message.kind))
      }
      try takeEntry(message, connection)
    case .mark(let number):
      guard connection.phase == .confirmed else { return try end(connection, .unexpected(.mark)) }
      guard connection.marks.count < Self.markLimit else {
        return try end(
          connection, ErrorMessage(.retry, .tooBusy, text: "too many marks wait to be answered"))
      }
      connection.marks.append(number)
    case .verify(let number):
      guard connection.phase == .confirmed else {
        return try end(connection, .unexpected(.verify))
      }
      connection.verification = ActiveVerification(number: number)
    case .welcome, .batch, .digests, .ping, .pong, .error, .bye: break
    }
  }

  // MARK: The end

  /// Writes the changed records of clients and the head.
  ///
  /// - Returns: The messages to send once this is durable.
  func finish() throws(ServerStoreError) -> [ServerOutput] {
    for id in server.busy {
      guard let connection = server.connections[id] else { continue }
      try save(connection)
      if !connection.hasNews { server.busy.remove(id) }
    }
    try sweep()
    try server.storedBytes.save(in: store)
    if state != server.state {
      try store.set(state.encoded, for: ServerState.key, in: .state)
      server.state = state
    }
    return outputs
  }

  /// Writes the record of a connection's client, if it changed.
  func save(_ connection: Connection) throws(ServerStoreError) {
    guard connection.isClientChanged, connection.phase == .confirmed else { return }
    connection.isClientChanged = false
    if connection.countedViewVersion != connection.client.viewVersion {
      try countSet(of: connection.client, connection.clientID, connection)
    }
    try save(connection.client, connection.clientID)
  }

  func save(_ client: ClientRecord, _ id: UInt64) throws(ServerStoreError) {
    try store.set(client.encoded, for: AnswerRecord.prefix(id), in: .clients)
  }

  // MARK: Outputs

  func send(_ message: SyncMessage, _ connection: Connection) {
    outputs += server.send(message, to: connection.id)
  }

  /// Ends a connection; what it pushed before stays.
  func end(_ connection: Connection, _ error: ErrorMessage) throws(ServerStoreError) {
    try save(connection)
    outputs += server.end(connection.id, error)
  }

  /// Ends a connection that is to be tried again in a minute.
  func turnAway(_ connection: Connection, _ text: String) throws(ServerStoreError) {
    try save(connection)
    outputs += server.turnAway(connection.id, text)
  }

  // MARK: Memberships of the past

  private static let sweepPrefix = Array("swept ".utf8)
  private static let sweepLimit = 2_000

  /// Marks a membership that no client uses any more.
  func forget(membership: UInt64) throws(ServerStoreError) {
    var key = Self.sweepPrefix
    key.appendNumber(membership)
    try store.set([], for: key, in: .state)
    server.hasGarbage = true
  }

  /// Removes some records of unused memberships.
  private func sweep() throws(ServerStoreError) {
    guard server.hasGarbage else { return }
    var key: [UInt8]?
    try store.forEach(in: .state, from: Self.sweepPrefix, prefix: Self.sweepPrefix) { found, _ in
      key = found
      return false
    }
    guard let key else {
      server.hasGarbage = false
      return
    }
    let membership = Array(key.dropFirst(Self.sweepPrefix.count))
    var garbage: [[UInt8]] = []
    try store.forEach(in: .members, from: membership, prefix: membership) { member, _ in
      garbage.append(member)
      return garbage.count < Self.sweepLimit
    }
    for member in garbage { try store.set(nil, for: member, in: .members) }
    if garbage.count < Self.sweepLimit { try store.set(nil, for: key, in: .state) }
  }
}
