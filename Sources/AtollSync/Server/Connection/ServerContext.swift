internal import AtollCapture

/// The state of a server in memory, which its ticks read and change: connections, waiting messages,
/// and cached facts of the store.
final class ServerContext {
  /// A message that no tick has taken.
  struct WaitingMessage {
    let connection: ConnectionID
    let message: SyncMessage
    /// How many bytes it came in.
    let byteCount: Int
  }

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
  var waiting: [WaitingMessage] = []
  /// The limits of one user now in force.
  var limits: UserLimits
  /// The remaining allowances of users who have sent something recently.
  var allowances: [String: SendingAllowance] = [:]
  /// When those that are full were last dropped.
  var allowancesSweptAt: UInt64 = 0
  /// How many messages wait only because their users exceeded the rate.
  var heldCount = 0
  /// The bytes held of incomplete messages.
  var unfinished = UnfinishedBytes()
  /// How many connections each user has.
  var connectionCounts: [String: Int] = [:]
  /// Whether the last `advance` has visited what it may for a connection, found nothing to send,
  /// and not visited all.
  var hasUnfinishedRound = false
  let views: ViewIndex
  var changes: ChangeLog
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
    views = ViewIndex(store)
    limits = options.limits
    rights = options.rights
    changes = ChangeLog(start: state.version)
  }

  /// Whether the user of a connection may have these views on it.
  func hasRoom(for views: [ViewQuery], of connection: Connection) -> Bool {
    self.views.count(with: views, of: connection) <= limits.viewCount
  }

  // MARK: Outputs

  func send(_ message: SyncMessage, to id: ConnectionID) -> [ServerOutput] {
    MessageFrames.encode(message).map { .send(id, $0) }
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
    let count = connectionCounts[connection.user, default: 1] - 1
    connectionCounts[connection.user] = count > 0 ? count : nil
    unfinished.forget(connection)
    if clients[connection.clientID] == id { clients[connection.clientID] = nil }
    views.remove(connection)
  }
}
