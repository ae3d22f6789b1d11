internal import AtollObjects

/// Counts the bytes of messages that are held in memory: of those that are not complete, and of
/// those that no tick has taken.
///
/// A message may be large, and its rest may never arrive: without common bounds, one user with many
/// connections, one host with many users, or many hosts would fill the memory of the server.
struct HeldBytes {
  /// Over all connections.
  private(set) var total = 0
  private var users: [String: Int] = [:]
  private var hosts: [String: Int] = [:]

  /// The host whose connections hold most; nil where hosts are not known.
  var largestHost: String? { hosts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key }

  func count(ofUser user: String) -> Int { users[user] ?? 0 }

  func count(ofHost host: String) -> Int { host.isEmpty ? 0 : hosts[host] ?? 0 }

  /// Counts the bytes that a connection holds now.
  mutating func count(_ connection: Connection) {
    change(connection, to: connection.reader.openByteCount + connection.waitingByteCount)
  }

  /// Stops counting a connection.
  mutating func forget(_ connection: Connection) { change(connection, to: 0) }

  private mutating func change(_ connection: Connection, to byteCount: Int) {
    let difference = byteCount - connection.heldByteCount
    guard difference != 0 else { return }
    connection.heldByteCount = byteCount
    total += difference
    Self.add(difference, to: &users[connection.user])
    if !connection.host.isEmpty { Self.add(difference, to: &hosts[connection.host]) }
  }

  private static func add(_ difference: Int, to count: inout Int?) {
    let sum = (count ?? 0) + difference
    count = sum > 0 ? sum : nil
  }
}

extension ServerContext {
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
          other.user.hasSameBytes(as: connection.user) && other.reader.openByteCount > 0
        case .host, .total: other.heldByteCount > 0 && (host.map { other.host == $0 } ?? true)
        }
      }
      func size(_ other: Connection) -> Int {
        bound == .user ? other.reader.openByteCount : other.heldByteCount
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
      "\(who) sending more than \(limit) bytes at once in messages that are not complete; this one "
        + "is sent again later", retryAfterMilliseconds: 10_000)
  }
}
