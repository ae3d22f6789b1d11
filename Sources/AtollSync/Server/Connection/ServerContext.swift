internal import AtollCapture
internal import AtollQuery

/// The state of a server in memory, which its ticks read and change: connections, waiting messages,
/// and cached facts of the store.
final class ServerContext {
  let store: any ServerStore
  let options: ServerOptions
  let random: () -> UInt64
  /// Who may do what now.
  var rights: Rights
  /// Whether the rights of the connections are those of before `setRights`.
  var hasNewRights = false
  var state: ServerState
  var connections: [ConnectionID: Connection] = [:]
  /// The connection of each client that has one.
  var clients: [UInt64: ConnectionID] = [:]
  var waiting = WaitingMessages()
  /// The limits of one user now in force.
  var limits: UserLimits { didSet { storedBytes.limit = UInt64(clamping: limits.storedByteCount) } }
  /// What the objects of each user take.
  let storedBytes: StoredBytes
  /// The bounds of the server now in force.
  var bounds: ServerBounds
  /// The remaining allowances of users who have sent something recently.
  var allowances: [String: SendingAllowance] = [:]
  /// When those that are full were last dropped.
  var allowancesSweptAt: UInt64 = 0
  /// Connections whose messages wait only because their users exceeded the rate, the disk is nearly
  /// full, or they are long.
  var heldBack: Set<ConnectionID> = []
  /// Whether the disk was nearly full when that was last asked, and when.
  var disk: (isLow: Bool, askedAt: UInt64)?
  /// The bytes of messages that are held in memory.
  var held = HeldBytes()
  /// Who has taken how much of the server's time.
  var shares = WorkShares()
  /// The last connection that was served when the time of a tick was over; the next tick begins
  /// behind it.
  var lastServed: ConnectionID?
  /// How many connections each user has.
  var connectionCounts: [String: Int] = [:]
  /// Whether the last `advance` has visited what it may for a connection, found nothing to send,
  /// and not visited all.
  var hasUnfinishedRound = false
  let views: ViewIndex
  /// The newest PING of each connection that has one to be answered.
  var pings: [ConnectionID: UInt64] = [:]
  /// Until when long pushes wait of those who have taken much time; 0: they do not.
  private var longMessagesWaitUntil: UInt64 = 0
  /// Connections that rest, or did.
  var resting: Set<ConnectionID> = []
  /// Connections for which something may be to be done; all others have no news.
  var busy: Set<ConnectionID> = []
  /// Connections whose cursors stay behind.
  var cursors = CursorQueue()
  /// What the observer is told once it is durable.
  private var tally = ServerTally()
  /// Whether memberships wait to be swept; true until the store was checked.
  var hasGarbage = true

  /// `state`: that of the store, whose incarnation has begun.
  init(
    store: any ServerStore, options: ServerOptions, state: ServerState,
    random: @escaping () -> UInt64
  ) {
    self.store = store
    self.options = options
    self.state = state
    self.random = random
    views = ViewIndex(store, random: random)
    limits = options.limits
    storedBytes = StoredBytes(limit: UInt64(clamping: options.limits.storedByteCount))
    bounds = options.bounds
    rights = options.rights
  }

  /// How long the tests of views may take now.
  var time: ViewTime { ViewTime(limits: bounds.work, clock: options.processorTime) }

  /// Whether the user of a connection may have these views on it.
  func hasRoom(for views: [ViewQuery], of connection: Connection) -> Bool {
    self.views.count(with: views, of: connection) <= limits.viewCount
  }

  // MARK: News

  /// How many changed objects all live connections may have waiting together, about.
  private static let pendingLimit = 1_000_000

  /// How many changed objects may wait for one connection.
  var pendingLimit: Int {
    max(64, min(4_096, Self.pendingLimit / max(1, connections.count)))
  }

  /// The connections that have news and can be served now, but for some.
  func connectionsWithNews(except blocked: Set<ConnectionID>, now: UInt64) -> [Connection] {
    busy.compactMap { connections[$0] }.filter {
      $0.hasNews && isAwake($0) && !blocked.contains($0.id)
    }
  }

  /// A connection that took much more than its part of a tick is not served for some times as long.
  ///
  /// What is done at once, as compiling a query of 250 kB, has no other bound.
  func rest(_ connection: Connection, after nanoseconds: UInt64) {
    guard nanoseconds > bounds.work.connection * 4 else { return }
    let rest = nanoseconds * bounds.work.restFactor
    connection.restsUntil = options.uptime() + min(rest, Self.longestRest)
    resting.insert(connection.id)
  }

  /// Whether a connection does not rest; nobody does for long.
  func isAwake(_ connection: Connection) -> Bool {
    connection.restsUntil == 0 || connection.restsUntil <= options.uptime()
  }

  private static let longestRest: UInt64 = 2_000_000_000
  private static let longestDelay: UInt64 = 10_000_000_000

  /// Whether long messages of those who have taken much time wait: pushes, and sets of queries.
  var isDelayingLongMessages: Bool {
    longMessagesWaitUntil > 0 && longMessagesWaitUntil > options.uptime()
  }

  /// Delays long messages after one that took long, or a part of one, as no other connection was
  /// served meanwhile.
  ///
  /// The delay is `delayFactor` times the duration. It applies to all users who have taken much time,
  /// as an attacker may have many connections, users and hosts.
  func delayLongMessages(after nanoseconds: UInt64) {
    guard nanoseconds > bounds.work.connection * 8 else { return }
    // A later, shorter message does not end the delay early.
    longMessagesWaitUntil = max(
      longMessagesWaitUntil,
      options.uptime() + min(nanoseconds * bounds.work.delayFactor, Self.longestDelay))
  }

  /// How many messages wait only for an allowance, for the disk, or because they are long.
  var heldCount: Int { heldBack.reduce(0) { $0 + waiting.count(of: $1) } }

  // MARK: Time

  /// The place of a connection in the order of service.
  func rank(of connection: Connection, now: UInt64) -> Int {
    shares.rank(ofUser: connection.user, host: connection.host, now: now)
  }

  /// A budget of queries, in nanoseconds from now.
  func budget(_ nanoseconds: UInt64) -> QueryBudget { time.budget(nanoseconds) }

  /// Does something for a connection, whose user is charged for the time.
  func work<Result>(
    for connection: Connection, now: UInt64, _ body: () throws(ServerStoreError) -> Result
  ) throws(ServerStoreError) -> Result {
    let start = time.clock()
    defer {
      shares.addTime(
        time.elapsed(since: start), ofUser: connection.user, host: connection.host, now: now)
    }
    return try body()
  }

  /// The message whose queries were read ahead was taken, or its connection is gone.
  func endPreparation(of connection: Connection) {
    if let preparation = connection.preparation { views.release(preparation.views) }
    connection.preparation = nil
  }

  // MARK: What is told of it

  /// Notes the answer to an entry, for the observer.
  func note(_ answer: Answer, to kind: SyncMessage.Kind) {
    if options.observer != nil { tally.add(answer, to: kind) }
  }

  /// Tells the observer that a message was taken.
  func noteTaken(_ next: WaitingMessages.Message, of connection: Connection) {
    guard let observer = options.observer else { return }
    let now = options.uptime()
    observer.took(
      next.message.kind, afterNanoseconds: now > next.arrivedAt ? now - next.arrivedAt : 0)
    if case .push(let push) = next.message {
      connection.time(push, arrivedAt: next.arrivedAt)
    }
  }

  /// Notes the pushes of a connection that were answered.
  func noteAnswered(_ connection: Connection) {
    guard options.observer != nil else { return }
    for arrival in connection.takeAnsweredPushes() { tally.addAnswer(toPushFrom: arrival) }
  }

  /// Tells the observer what is durable now.
  func tellObserver() {
    guard let observer = options.observer else { return }
    tally.tell(observer, uptime: options.uptime)
    observer.holds(messageCount: waiting.count, byteCount: held.total)
  }

  /// Forgets what a tick has noted that failed.
  func forgetTally() { tally = ServerTally() }

  // MARK: Outputs

  func send(_ message: SyncMessage, to id: ConnectionID) -> [ServerOutput] {
    if case .error(let error) = message, options.observer != nil { tally.add(error.code) }
    return MessageFrames.encode(message).map { .send(id, $0) }
  }

  /// Ends a connection, with an error for the device if there is one.
  func end(_ id: ConnectionID, _ error: ErrorMessage?, reason: String = "") -> [ServerOutput] {
    forget(id)
    guard let error else { return [.close(id, reason: reason)] }
    return send(.error(error), to: id) + [.close(id, reason: error.text)]
  }

  /// Ends a connection that has too much of something, for it to be tried again in a minute.
  ///
  /// The device tells the application of the report; that a connection is tried again, it does not.
  func turnAway(_ id: ConnectionID, _ text: String) -> [ServerOutput] {
    send(.error(.overLimit(.report, text)), to: id)
      + end(id, .overLimit(.retry, text, retryAfterMilliseconds: 60_000))
  }

  func forget(_ id: ConnectionID) {
    guard let connection = connections.removeValue(forKey: id) else { return }
    connection.phase = .closed
    busy.remove(id)
    let count = connectionCounts[connection.user, default: 1] - 1
    connectionCounts[connection.user] = count > 0 ? count : nil
    held.forget(connection)
    waiting.removeAll(of: id)
    pings[id] = nil
    heldBack.remove(id)
    resting.remove(id)
    if clients[connection.clientID] == id { clients[connection.clientID] = nil }
    endPreparation(of: connection)
    views.remove(connection)
  }
}
