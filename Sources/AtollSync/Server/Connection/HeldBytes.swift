internal import AtollCapture
internal import AtollObjects

/// Counts the memory that connections take: of messages that are not complete, or that no tick has
/// taken, and of the queries that they have.
///
/// A message may be large, and its rest may never arrive: without common bounds, one user with many
/// connections, one host with many users, or many hosts would fill the memory of the server.
struct HeldBytes {
  /// Over all connections.
  private(set) var total = 0
  private var users: [String: Int] = [:]
  private var hosts: [String: Int] = [:]
  /// The memory of queries, over all connections.
  ///
  /// Apart from that of messages: who holds too much of these is cut off and sends them again, and a
  /// query would come back at once.
  private(set) var queryTotal = 0
  private var queryHosts: [String: Int] = [:]

  /// The host whose connections hold most; nil where hosts are not known.
  var largestHost: String? { hosts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key }

  func count(ofUser user: String) -> Int { users[user] ?? 0 }

  func queryMemory(ofHost host: String) -> Int { host.isEmpty ? 0 : queryHosts[host] ?? 0 }

  func count(ofHost host: String) -> Int { host.isEmpty ? 0 : hosts[host] ?? 0 }

  /// A query that was read takes so many times as much as its text.
  private static let queryWeight = 12
  /// What the queries of most devices take does not count.
  private static let smallQueryByteCount = 64 << 10

  /// Counts the bytes that a connection holds now.
  mutating func count(_ connection: Connection) {
    let queries = Self.memory(ofQueries: connection.viewByteCount + connection.preparedByteCount)
    change(
      connection, to: connection.unfinishedByteCount + connection.waitingMemoryByteCount, queries)
  }

  /// Stops counting a connection.
  mutating func forget(_ connection: Connection) { change(connection, to: 0, 0) }

  private mutating func change(_ connection: Connection, to messages: Int, _ queries: Int) {
    let (ofMessages, ofQueries) = (
      messages - connection.heldByteCount, queries - connection.queryMemoryByteCount
    )
    if ofMessages != 0 {
      connection.heldByteCount = messages
      total += ofMessages
      Self.add(ofMessages, to: &users[connection.user])
      if !connection.host.isEmpty { Self.add(ofMessages, to: &hosts[connection.host]) }
    }
    if ofQueries != 0 {
      connection.queryMemoryByteCount = queries
      queryTotal += ofQueries
      if !connection.host.isEmpty { Self.add(ofQueries, to: &queryHosts[connection.host]) }
    }
  }

  /// The memory that queries take whose texts have so many bytes.
  static func memory(ofQueries byteCount: Int) -> Int {
    max(0, byteCount - smallQueryByteCount) * queryWeight
  }

  private static func add(_ difference: Int, to count: inout Int?) {
    let sum = (count ?? 0) + difference
    count = sum > 0 ? sum : nil
  }
}

extension SyncMessage {
  /// What the message takes beside the bytes that it came in: a small operation much more than its
  /// few bytes.
  var extraMemoryByteCount: Int {
    switch self {
    case .push(let entry): entry.transaction.operations.count * MemoryLayout<Operation>.stride
    case .sets(let entry): entry.members.count * MemoryLayout<SetMember>.stride
    case .hello(let hello): (hello.sets?.members.count ?? 0) * MemoryLayout<SetMember>.stride
    default: 0
    }
  }
}

extension ServerContext {
  /// Whether there is memory for the queries that a connection is to have instead of its own.
  ///
  /// All queries together may take half of what messages may; those of most devices do not count.
  func hasMemory(for views: [ViewQuery], of connection: Connection) -> Bool {
    let needed = HeldBytes.memory(ofQueries: views.reduce(0) { $0 + $1.byteCount })
    guard needed > connection.queryMemoryByteCount else { return true }
    let more = needed - connection.queryMemoryByteCount
    return held.queryTotal + more <= bounds.heldByteLimit / 2
      && held.queryMemory(ofHost: connection.host) + more <= bounds.heldByteLimitOfHost / 2
  }

  /// Ends connections until what is held lies below the bounds again.
  ///
  /// Of the user: those with the most bytes of a message that is not complete. Of a host, of all the
  /// one that holds most: those that hold most, complete or not. What they have is sent again.
  func endExcess(of connection: Connection) -> [ServerOutput] {
    var outputs: [ServerOutput] = []
    while let bound = exceededBound(of: connection) {
      let host = bound == .total ? held.largestHost : connection.host
      let held = connections.values.filter { other in
        switch bound {
        case .user:
          other.user.hasSameBytes(as: connection.user) && other.unfinishedByteCount > 0
        case .host, .total: other.heldByteCount > 0 && (host.map { other.host == $0 } ?? true)
        }
      }
      func size(_ other: Connection) -> Int {
        bound == .user ? other.unfinishedByteCount : other.heldByteCount
      }
      guard let most = held.max(by: { (size($0), $0.id) < (size($1), $1.id) }) else { break }
      outputs += end(most.id, .tooMuchHeld(bound, self))
    }
    return outputs
  }

  private func exceededBound(of connection: Connection) -> HeldBound? {
    if held.count(ofUser: connection.user) > limits.unfinishedByteCount { return .user }
    if held.count(ofHost: connection.host) > bounds.heldByteLimitOfHost { return .host }
    return held.total > bounds.heldByteLimit ? .total : nil
  }
}

/// Whose messages may together take only so much memory.
enum HeldBound {
  case user
  case host
  case total
}

extension ErrorMessage {
  /// Too much of messages that are not complete is held.
  fileprivate static func tooMuchHeld(_ bound: HeldBound, _ server: ServerContext) -> ErrorMessage {
    let (who, limit) =
      switch bound {
      case .user: ("the user's devices are", server.limits.unfinishedByteCount)
      case .host: ("the devices of one host are", server.bounds.heldByteLimitOfHost)
      case .total: ("all devices are", server.bounds.heldByteLimit)
      }
    return .overLimit(
      .retry,
      "\(who) sending more than \(limit) bytes at once in messages that are not complete or wait; "
        + "this one is sent again later", retryAfterMilliseconds: 10_000)
  }
}
