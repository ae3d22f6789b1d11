package import AtollObjects

/// The server: orders what devices push, and sends each what it subscribed to.
///
/// Without input and output of its own. What arrives is taken in by `receive`; `advance` judges it,
/// in one transaction of the store for all connections, and says what is to be sent. Nothing that
/// `advance` returns says more than what is durable. One thread uses a server.
package final class SyncServer {
  /// The largest message that is taken in, in bytes, unless the options say otherwise.
  package static let messageByteLimit = 64 << 20
  /// The largest HELLO: the set in force is in it, with two lengths for each of its members.
  static let helloByteLimit = SetLimits.byteCount + 1 << 20

  package struct Options: Sendable {
    package var rights: Rights
    /// How far, in milliseconds, clocks of devices may be ahead of that of the server.
    package var clockToleranceMilliseconds: UInt64 = 60_000
    /// The largest message that is taken in, in bytes.
    package var messageByteLimit = SyncServer.messageByteLimit
    /// About how large the batches of a catch-up are, in bytes.
    package var batchByteCount = 192 << 10
    /// About how many operations one tick judges; what is left waits for the next.
    ///
    /// What others have pushed is sent on between two ticks, so it is a bound of the time that takes.
    package var operationLimit = 1_000
    /// How many objects one tick visits for one connection, in a catch-up or for its digests.
    package var visitLimit = 16_384
    /// What one user may take.
    package var limits = UserLimits()
    /// The mistake that the simulator has planted.
    package var fault: SyncFault?
    /// The leak that the simulator has planted.
    package var leak: LeakFault?
    /// The check of what devices say that the simulator has taken out.
    package var peerFault: PeerFault?

    package init(rights: Rights) { self.rights = rights }
  }

  /// What the owner of the connections is to do, in this order.
  package enum Output: Hashable, Sendable {
    case send(ConnectionID, [UInt8])
    /// Close the connection when all that was sent has left; the server has forgotten it.
    case close(ConnectionID, reason: String)
  }

  /// A message that no tick has taken.
  struct WaitingMessage {
    let connection: ConnectionID
    let message: SyncMessage
    /// How many bytes it came in.
    let byteCount: Int
  }

  let store: any ServerStore
  let options: Options
  let random: () -> UInt64
  /// Who may do what now.
  private(set) var rights: Rights
  /// Whether the rights of the connections are those of before `setRights`.
  var hasNewRights = false
  var state: ServerState
  var connections: [ConnectionID: Connection] = [:]
  /// The connection of each client that has one.
  var clients: [UInt64: ConnectionID] = [:]
  var waiting: [WaitingMessage] = []
  /// What one user may take now.
  private(set) var limits: UserLimits
  /// What users may still send who have sent something of late.
  var allowances: [String: SendingAllowance] = [:]
  /// When those that are full were last dropped.
  var allowancesSweptAt: UInt64 = 0
  /// How many messages wait only because their users have sent too much.
  var heldCount = 0
  /// What is held of messages that are not complete.
  private var unfinished = UnfinishedBytes()
  /// How many connections each user has.
  private var connectionCounts: [String: Int] = [:]
  /// Connections that are one too many for their users.
  private var excess: [ConnectionID] = []
  /// Whether the last `advance` has visited what it may for a connection, found nothing to send, and
  /// not visited all.
  var hasUnfinishedRound = false
  let views: ViewIndex
  var changes: ChangeLog
  /// Whether memberships wait to be swept; true until a look at the store says otherwise.
  var hasGarbage = true
  private var lastConnection: UInt64 = 0
  private var failure: ServerStoreError?

  /// Opens a store and begins an incarnation of it.
  ///
  /// `random`: ids that nobody can guess.
  ///
  /// - Throws: What the store throws.
  package init(
    store: any ServerStore, options: Options, random: @escaping () -> UInt64
  ) throws(ServerStoreError) {
    self.store = store
    views = ViewIndex(store)
    self.options = options
    limits = options.limits
    rights = options.rights
    self.random = random
    let incarnation = random()
    state = try store.tick { transaction throws(ServerStoreError) in
      var state = ServerState()
      if let bytes = try transaction.record(ServerState.key, in: .state) {
        state = try ServerState(bytes)
      }
      state.incarnations.append(Cursor(incarnation: incarnation, version: state.version + 1))
      try transaction.set(state.encoded, for: ServerState.key, in: .state)
      return state
    }
    changes = ChangeLog(start: state.version)
  }

  /// The newest version of the store.
  package var version: UInt64 { state.version }

  /// The starts of the store: a random id, and the first version of each.
  package var incarnations: [Cursor] { state.incarnations }

  /// What an entry of an outbox was answered, under whatever number it came; nil when it never came.
  package func answer(to name: EntryName, digest: UInt64) throws(ServerStoreError) -> Answer? {
    try store.tick { transaction throws(ServerStoreError) in
      try transaction.record(AnswerRecord.key(name, digest: digest), in: .names)
        .map { bytes throws(ServerStoreError) in try AnswerRecord(bytes).answer }
    }
  }

  /// Takes other rules over: the next `advance` brings all connections up to date.
  ///
  /// A device that is away gets what changed for it when it connects.
  package func setRights(_ rights: Rights) {
    self.rights = rights
    hasNewRights = true
  }

  /// Takes other limits over, for what comes from now on.
  package func setLimits(_ limits: UserLimits) { self.limits = limits }

  /// Whether `advance` has something to do for connections that are ready.
  package var hasWork: Bool {
    hasWaitingMessages || !excess.isEmpty
      || connections.values.contains { $0.hasNews(at: changes.newest) }
  }

  /// Whether something waits for the next `advance`: messages, as the last one reached its limit, other
  /// rules, or what it began for a connection that it has nothing to send to yet.
  package var hasWaitingMessages: Bool {
    waiting.count > heldCount || hasNewRights || hasUnfinishedRound
  }

  /// How many bytes the messages of a connection came in that wait for the next `advance`.
  ///
  /// Who reads from the connection stops when it is many: nothing else bounds what waits here.
  package func waitingByteCount(of id: ConnectionID) -> Int {
    connections[id]?.waitingByteCount ?? 0
  }

  // MARK: Connections

  /// A connection is up; the user has logged in.
  package func connect(user: String, now: UInt64) -> ConnectionID {
    lastConnection += 1
    let id = ConnectionID(rawValue: lastConnection)
    connectionCounts[user, default: 0] += 1
    if connectionCounts[user, default: 0] > limits.connectionCount { excess.append(id) }
    // More only once it is known whose file connects.
    let limit = min(options.messageByteLimit, Self.helloByteLimit)
    connections[id] = Connection(
      id: id, user: user, reader: MessageReader(messageByteLimit: limit))
    return id
  }

  /// A connection is gone.
  package func disconnect(_ id: ConnectionID) { forget(id) }

  /// Takes a frame in.
  ///
  /// Returns what is to be done at once; the rest comes with `advance`.
  package func receive(_ frame: [UInt8], from id: ConnectionID, now: UInt64) -> [Output] {
    guard let connection = connections[id] else { return [] }
    let message: SyncMessage
    let heldByteCount = connection.reader.openByteCount
    do throws(MessageError) {
      let complete = try connection.reader.receive(frame)
      let byteCount = unfinished.count(connection)
      guard let complete else {
        return byteCount > limits.unfinishedByteCount ? end(id, .tooMuchUnfinished(limits)) : []
      }
      message = complete
    } catch { return end(id, ErrorMessage(error)) }
    switch message {
    case .ping(let number): return send(.pong(number), to: id)
    case .pong: return []
    case .error(let error): return end(id, nil, reason: error.text)
    case .bye: return end(id, nil, reason: "the device said goodbye")
    case .hello, .schema, .sets, .push, .confirm, .mark, .verify:
      guard (connection.phase == .new && connection.waitingCount == 0) == (message.kind == .hello)
      else { return end(id, .unexpected(message.kind)) }
      let byteCount = frame.count + (message.kind.hasParts ? heldByteCount : 0)
      connection.waitingCount += 1
      connection.waitingByteCount += byteCount
      waiting.append(WaitingMessage(connection: id, message: message, byteCount: byteCount))
      return []
    case .welcome, .batch, .digests: return end(id, .unexpected(message.kind))
    }
  }

  /// Judges what was received and sends what there is for connections that are ready for more.
  ///
  /// `now`: milliseconds since 1970. `ready`: whether the connection can take some hundred kilobytes.
  ///
  /// - Throws: What the store throws; nothing more can be done with the server then, nor with its
  ///   connections.
  package func advance(now: UInt64, ready: (ConnectionID) -> Bool) throws(ServerStoreError)
    -> [Output]
  {
    if let failure { throw failure }
    let newest = changes.newest
    let open = connections.values.filter { $0.hasNews(at: newest) && ready($0.id) }
    let ended = endExcess()
    hasUnfinishedRound = false
    guard !waiting.isEmpty || !open.isEmpty || hasNewRights else { return ended }
    do throws(ServerStoreError) {
      let outputs = try store.tick { transaction throws(ServerStoreError) in
        let tick = Tick(server: self, store: transaction, now: now)
        try tick.takeRights()
        try tick.takeMessages()
        try tick.stream(ready)
        return try tick.finish()
      }
      return ended + outputs
    } catch {
      failure = error
      throw error
    }
  }

  /// Ends the connections that are too many, before anything of theirs is taken.
  private func endExcess() -> [Output] {
    defer { excess = [] }
    return excess.flatMap { id -> [Output] in
      guard connections[id] != nil else { return [] }
      let text = "the user has more than \(limits.connectionCount) connections"
      // An application hears what is reported; that a connection will be tried again, it does not.
      return send(.error(.overLimit(.report, text)), to: id)
        + end(id, .overLimit(.retry, text, retryAfterMilliseconds: 60_000))
    }
  }

  // MARK: Outputs

  func send(_ message: SyncMessage, to id: ConnectionID) -> [Output] {
    MessageFrames.encode(message).map { .send(id, $0) }
  }

  /// Ends a connection, with an error if the device is to hear one.
  func end(_ id: ConnectionID, _ error: ErrorMessage?, reason: String = "") -> [Output] {
    forget(id)
    guard let error else { return [.close(id, reason: reason)] }
    return send(.error(error), to: id) + [.close(id, reason: error.text)]
  }

  func forget(_ id: ConnectionID) {
    guard let connection = connections.removeValue(forKey: id) else { return }
    connection.phase = .closed
    let count = connectionCounts[connection.user, default: 1] - 1
    connectionCounts[connection.user] = count > 0 ? count : nil
    unfinished.forget(connection)
    if clients[connection.clientID] == id { clients[connection.clientID] = nil }
    views.remove(connection)
  }
}

extension ErrorMessage {
  /// What a device hears of a frame that it should not have sent.
  init(_ error: MessageError) {
    let code: Code =
      switch error {
      case .unknownVersion: .unknownVersion
      case .messageTooLarge, .frameTooLarge: .tooLarge
      default: .malformedMessage
      }
    self.init(.stop, code, text: "\(error)")
  }

  static func unexpected(_ kind: SyncMessage.Kind) -> ErrorMessage {
    ErrorMessage(.retry, .unexpectedMessage, text: "a \(kind) message has no place here")
  }
}
