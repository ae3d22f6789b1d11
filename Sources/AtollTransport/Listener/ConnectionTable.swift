#if Sync
/// Which connections there are, and which of them make room for new ones.
///
/// A connection waits until it has sent a request: it costs its owner nothing. At a limit the
/// oldest of those that wait are closed, and only when none waits, the new one is refused.
struct ConnectionTable<ID: Hashable & Sendable>: Sendable {
  private enum State { case waiting, answering, session }

  private struct Entry {
    /// Counted up: the lowest is the oldest.
    let number: UInt64
    /// Nil while it counts for no host.
    var host: HostKey?
    let isLocal: Bool
    var state = State.waiting
  }

  /// How many connections there may be.
  let limit: Int
  /// How many of them only operators, on the same machine, get.
  let reserve: Int
  /// How many connections one host may have.
  var hostLimit: Int {
    didSet { if hostLimit != oldValue { beginnings = Self.beginnings(hostLimit) } }
  }
  /// The sessions that hosts may begin: a new one costs the core far more than an open one.
  private var beginnings: AttemptLimit<HostKey>
  private var entries: [ID: Entry] = [:]
  private var hostCounts: [HostKey: Int] = [:]
  private var nextNumber: UInt64 = 0

  init(limit: Int, reserve: Int, hostLimit: Int) {
    self.limit = limit
    self.reserve = reserve
    self.hostLimit = hostLimit
    beginnings = Self.beginnings(hostLimit)
  }

  /// A host may begin twice as many sessions as it may have at a time, and as many more in each
  /// minute: all its devices come back at once when a server has started, and again when its network
  /// does.
  private static func beginnings(_ hostLimit: Int) -> AttemptLimit<HostKey> {
    let count = UInt64(max(8, 2 * min(hostLimit, 30_000)))
    return AttemptLimit(capacity: count, intervalMilliseconds: 60_000 / count)
  }

  /// Adds a connection, unless it is refused; those of `closing` are removed for it.
  ///
  /// - Parameters:
  ///   - id: The new connection.
  ///   - host: The host that it counts for; nil when it is a proxy's.
  ///   - isLocal: Whether it may be an operator's, and so have one of the reserve.
  /// - Returns: Why it is refused, if it is, and the connections to close.
  mutating func add(
    _ id: ID, host: HostKey?, isLocal: Bool
  ) -> (refusal: ConnectionRefusal?, closing: [ID]) {
    var closing: [ID] = []
    if let host, !hasRoom(for: host) {
      closing = removeOldest(max(1, hostLimit / 32)) { $0.host == host }
      guard hasRoom(for: host) else { return (.host, closing) }
    }
    let limit = isLocal ? limit : limit - reserve
    if entries.count >= limit {
      closing += removeOldest(max(1, limit / 32)) { isLocal || !$0.isLocal }
      guard entries.count < limit else { return (.full, closing) }
    }
    entries[id] = Entry(number: nextNumber, host: host, isLocal: isLocal)
    nextNumber += 1
    if let host { hostCounts[host, default: 0] += 1 }
    return (nil, closing)
  }

  private func hasRoom(for host: HostKey) -> Bool { hostCounts[host, default: 0] < hostLimit }

  /// Whether a connection may become a session of a user at `host`: that of a proxy has to find
  /// room among those of the host, and any may have been removed meanwhile.
  private func hasRoom(forSession id: ID, of host: HostKey) -> Bool {
    entries[id].map { $0.host != nil || hasRoom(for: host) } ?? false
  }

  /// Removes a connection that has ended; one that was removed before is none.
  mutating func remove(_ id: ID) {
    guard let host = entries.removeValue(forKey: id)?.host else { return }
    let count = hostCounts[host, default: 0]
    hostCounts[host] = count > 1 ? count - 1 : nil
  }

  /// Takes note that a request is being answered, or that the next one is waited for.
  mutating func setAnswering(_ id: ID, _ isAnswering: Bool) {
    entries[id]?.state = isAnswering ? .answering : .waiting
  }

  /// Why a connection cannot become a session.
  enum SessionRefusal: Equatable {
    /// The host has as many connections as one host may have.
    case noRoom
    /// The host has begun as many sessions as one host may, and has to wait for this time.
    case tooFast(milliseconds: UInt64)
  }

  /// Takes note that a connection becomes a session of a user at `host`.
  ///
  /// That of a proxy counts for the host from now on. `now`: milliseconds of a monotonic clock.
  ///
  /// - Returns: Why it cannot; nil when it has become one.
  mutating func beginSession(_ id: ID, host: HostKey, now: UInt64) -> SessionRefusal? {
    guard hasRoom(forSession: id, of: host) else { return .noRoom }
    if let wait = beginnings.wait(host, now: now) { return .tooFast(milliseconds: wait) }
    beginnings.take(host, now: now)
    if entries[id]?.host == nil {
      hostCounts[host, default: 0] += 1
      entries[id]?.host = host
    }
    entries[id]?.state = .session
    return nil
  }

  /// Removes the older half of the connections that wait, or fewer, as descriptors are needed.
  ///
  /// The younger ones may be about to send their request.
  mutating func makeRoom() -> [ID] {
    let count = entries.values.count { $0.state == .waiting }
    return count < 2 ? [] : removeOldest(min(count / 2, max(16, limit / 32))) { _ in true }
  }

  /// Removes some at a time, so that a flood of connections does not look through all for each.
  private mutating func removeOldest(_ count: Int, where isMeant: (Entry) -> Bool) -> [ID] {
    var waiting: [(number: UInt64, id: ID)] = []
    for (id, entry) in entries where entry.state == .waiting && isMeant(entry) {
      waiting.append((entry.number, id))
    }
    let oldest = waiting.sorted { $0.number < $1.number }.prefix(count).map(\.id)
    for id in oldest { remove(id) }
    return oldest
  }
}
#endif
