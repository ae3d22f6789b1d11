package import AtollCapture
internal import AtollObjects
internal import AtollStorage

/// The server: orders pushed transactions, and sends each device the objects of its subscriptions.
///
/// Without input and output of its own. `receive` accepts messages; `advance` judges them, in one
/// transaction of the store for all connections, and returns messages to send. These contain only
/// durable state. One thread uses a server.
package final class SyncServer {
  package typealias Options = ServerOptions
  package typealias Output = ServerOutput

  private(set) var context: ServerContext
  /// Connections that exceed the limit of their users.
  private var excess: [ConnectionID] = []
  private var lastConnection: UInt64 = 0
  private var failure: ServerStoreError?

  /// Opens a store and begins an incarnation of it.
  ///
  /// `random`: a source of unguessable ids.
  ///
  /// - Throws: What the store throws.
  package init(
    store: any ServerStore, options: Options, random: @escaping () -> UInt64
  ) throws(ServerStoreError) {
    let incarnation = random()
    let state = try store.tick { transaction throws(ServerStoreError) in
      var state = ServerState()
      if let bytes = try transaction.record(ServerState.key, in: .state) {
        state = try ServerState(bytes)
      }
      let previous = state.incarnation
      state.incarnations.append(Cursor(incarnation: incarnation, version: state.version + 1))
      try transaction.set(state.encoded, for: ServerState.key, in: .state)
      try PartVersions(store: transaction).prepare(for: incarnation, after: previous)
      return state
    }
    context = ServerContext(store: store, options: options, state: state, random: random)
  }

  /// The newest version of the store.
  package var version: UInt64 { context.state.version }

  /// The starts of the store: a random id, and the first version of each.
  package var incarnations: [Cursor] { context.state.incarnations }

  /// The answer to an entry of an outbox, under any number; nil when it never arrived.
  package func answer(to name: EntryName, digest: UInt64) throws(ServerStoreError) -> Answer? {
    try context.store.tick { transaction throws(ServerStoreError) in
      try transaction.record(AnswerRecord.key(name, digest: digest), in: .names)
        .map { bytes throws(ServerStoreError) in try AnswerRecord(bytes).answer }
    }
  }

  /// Sets other rules: the next `advance` brings all connections up to date.
  ///
  /// A disconnected device gets its changes when it connects.
  package func setRights(_ rights: Rights) {
    context.rights = rights
    context.hasNewRights = true
  }

  /// Sets other limits, for later messages.
  package func setLimits(_ limits: UserLimits) { context.limits = limits }

  /// The bounds of the server now in force.
  package var bounds: ServerBounds { context.bounds }

  /// Sets other bounds of the server, from the next tick.
  package func setBounds(_ bounds: ServerBounds) {
    context.bounds = bounds
    // What is free is compared with the new one.
    context.disk = nil
  }

  /// Whether `advance` has something to do for connections that are ready.
  package var hasWork: Bool {
    hasWaitingMessages || !excess.isEmpty || !context.pings.isEmpty
      || context.busy.contains { context.connections[$0]?.hasNews ?? false }
  }

  /// Whether work waits for the next `advance`: messages beyond the last one's limit, other rules,
  /// a started catch-up without anything to send yet, or views to drop.
  package var hasWaitingMessages: Bool {
    context.waiting.count > context.heldCount || context.hasNewRights
      || context.hasUnfinishedRound || context.views.hasUnused
  }

  /// The bytes of a connection's messages that wait for the next `advance`.
  ///
  /// The reader of the connection must pause when there are many: nothing else bounds this queue.
  package func waitingByteCount(of id: ConnectionID) -> Int {
    context.connections[id]?.waitingByteCount ?? 0
  }

  // MARK: Connections

  /// A connection is up; the user has logged in.
  ///
  /// `host`: from where, for what all connections of a host may take together; empty: not known.
  package func connect(user: String, host: String = "", now: UInt64) -> ConnectionID {
    lastConnection += 1
    let id = ConnectionID(rawValue: lastConnection)
    context.connectionCounts[user, default: 0] += 1
    if context.connectionCounts[user, default: 0] > context.limits.connectionCount {
      excess.append(id)
    }
    // More only once it is known whose file connects.
    let limit = min(context.options.messageByteLimit, ServerOptions.helloByteLimit)
    context.connections[id] = Connection(
      id: id, user: user, host: host, reader: MessageReader(messageByteLimit: limit))
    return id
  }

  /// A connection is gone.
  package func disconnect(_ id: ConnectionID) {
    context.forget(id)
    context.tellObserver()
  }

  /// Takes a frame in.
  ///
  /// `arrivedAt`: when it came, in nanoseconds of the clock that nobody sets; nil: now.
  /// Returns immediate outputs; the others come with `advance`.
  package func receive(
    _ frame: [UInt8], from id: ConnectionID, now: UInt64, arrivedAt: UInt64? = nil
  ) -> [Output] {
    let outputs = take(frame, id, arrivedAt: arrivedAt ?? context.options.uptime())
    context.tellObserver()
    return outputs
  }

  /// Notes how many bytes the transport holds of a frame that is not complete.
  ///
  /// They count as those of a message that is not complete do. Returns immediate outputs.
  package func hold(_ byteCount: Int, of id: ConnectionID) -> [Output] {
    guard let connection = context.connections[id] else { return [] }
    connection.transportByteCount = byteCount
    context.held.count(connection)
    let outputs = context.endExcess(of: connection)
    context.tellObserver()
    return outputs
  }

  private func take(_ frame: [UInt8], _ id: ConnectionID, arrivedAt: UInt64) -> [Output] {
    guard let connection = context.connections[id] else { return [] }
    // What it was said to hold may be of this frame.
    connection.transportByteCount = 0
    let message: SyncMessage
    let heldByteCount = connection.reader.openByteCount
    do throws(MessageError) {
      guard let complete = try connection.reader.receive(frame) else {
        context.held.count(connection)
        guard SyncMessage.Kind(rawValue: frame[0]) != nil else {
          return context.noteMeaningless(of: connection, arrivedAt: arrivedAt)
        }
        return context.endExcess(of: connection)
      }
      message = complete
    } catch {
      context.options.observer?.received(nil, byteCount: frame.count)
      return context.end(id, ErrorMessage(error))
    }
    let byteCount = frame.count + (message.kind.hasParts ? heldByteCount : 0)
    context.options.observer?.received(message.kind, byteCount: byteCount)
    switch message {
    case .ping(let number):
      guard context.pings.updateValue(number, forKey: id) != nil else { return [] }
      // The one before it is not answered any more.
      return context.noteMeaningless(of: connection, arrivedAt: arrivedAt)
    case .pong: return context.noteMeaningless(of: connection, arrivedAt: arrivedAt)
    case .error(let error): return context.end(id, nil, reason: error.text)
    case .bye: return context.end(id, nil, reason: "the device said goodbye")
    case .hello, .schema, .sets, .push, .confirm, .mark, .verify:
      guard (connection.phase == .new && connection.waitingCount == 0) == (message.kind == .hello)
      else { return context.end(id, .unexpected(message.kind)) }
      if case .confirm(let confirmation) = message, confirmation.token == connection.token {
        guard confirmation.answered >= connection.announcedAnswer else {
          return context.end(id, .unexpected(message.kind))
        }
        connection.announcedAnswer = confirmation.answered
      }
      connection.waitingCount += 1
      let memoryByteCount = byteCount + message.extraMemoryByteCount
      connection.waitingByteCount += byteCount
      connection.waitingMemoryByteCount += memoryByteCount
      context.held.count(connection)
      context.waiting.append(
        message, byteCount: byteCount, memoryByteCount: memoryByteCount, from: id,
        arrivedAt: arrivedAt)
      return context.endExcess(of: connection)
    case .welcome, .batch, .digests: return context.end(id, .unexpected(message.kind))
    }
  }

  /// Judges received messages and sends to connections that can take more.
  ///
  /// `now`: milliseconds since 1970. `blocked`: those that cannot take some hundred kilobytes.
  ///
  /// - Throws: What the store throws; nothing more can be done with the server then, nor with its
  ///   connections.
  package func advance(
    now: UInt64, blocked: Set<ConnectionID> = []
  ) throws(ServerStoreError) -> [Output] {
    if let failure { throw failure }
    let outputs = try advanced(now, blocked)
    context.tellObserver()
    return outputs
  }

  private func advanced(
    _ now: UInt64, _ blocked: Set<ConnectionID>
  ) throws(ServerStoreError) -> [Output] {
    let hasNews = !context.connectionsWithNews(except: blocked, now: now).isEmpty
    let ended = endExcess() + answerPings()
    context.hasUnfinishedRound = false
    context.views.dropUnused(within: context.budget(context.bounds.work.connection))
    guard !context.waiting.isEmpty || hasNews || context.hasNewRights else { return ended }
    let state = context.state
    let context = context
    do throws(ServerStoreError) {
      let outputs = try context.store.tick { transaction throws(ServerStoreError) in
        let tick = Tick(server: context, store: transaction, now: now, blocked: blocked)
        try tick.takeRights()
        try tick.takeMessages()
        try tick.stream()
        return try tick.finish()
      }
      return ended + outputs
    } catch  where error.isFullDisk {
      return ended + startAgain(from: state)
    } catch {
      failure = error
      throw error
    }
  }

  /// Ends all connections after a tick that found the disk full, of which nothing is in the store:
  /// what it changed in memory goes with them.
  private func startAgain(from state: ServerState) -> [Output] {
    let former = context
    former.forgetTally()
    let outputs = former.connections.keys.sorted().flatMap { former.end($0, .fullDisk) }
    while former.views.hasUnused { former.views.dropUnused(within: former.budget(.max)) }
    former.tellObserver()
    context = ServerContext(
      store: former.store, options: former.options, state: state, random: former.random)
    context.limits = former.limits
    context.bounds = former.bounds
    context.rights = former.rights
    context.allowances = former.allowances
    context.shares = former.shares
    excess = []
    return outputs
  }

  /// Answers the newest PING of each connection: a flood of them costs an answer for each turn.
  private func answerPings() -> [Output] {
    let pings = context.pings
    context.pings = [:]
    return pings.sorted { $0.key < $1.key }.flatMap { context.send(.pong($0.value), to: $0.key) }
  }

  /// Ends the connections that are too many, before anything of theirs is taken.
  private func endExcess() -> [Output] {
    defer { excess = [] }
    return excess.flatMap { id -> [Output] in
      guard context.connections[id] != nil else { return [] }
      return context.turnAway(
        id, "the user has more than \(context.limits.connectionCount) connections")
    }
  }
}

extension ServerStoreError {
  /// Whether the disk has no room for what was to be written; the store is as it was.
  fileprivate var isFullDisk: Bool {
    guard case .objects(.storage(let error)) = self else { return false }
    return error.isFullDisk
  }
}

extension ErrorMessage {
  /// The server has no room for what the device has and sends.
  static let fullDisk = ErrorMessage(
    .retry, .tooBusy, retryAfterMilliseconds: 10_000,
    text: "the server's disk is full; nothing that waits here is lost")
}
