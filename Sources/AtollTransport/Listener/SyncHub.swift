#if Sync
internal import CoreMetrics
internal import DequeModule
internal import Synchronization

/// Brings frames from all connections to the server's core, and its answers back.
///
/// The core runs on one queue. Frames that arrive during a turn are processed together in the next
/// one: under load many pushes share a commit, and without load none waits. A turn takes frames for
/// some milliseconds; the others wait, and with them their connections.
package final class SyncHub: Sendable {
  /// How long the core may rest while there are connections, in milliseconds.
  static let restMilliseconds: UInt64 = 250

  fileprivate enum Arrival: Sendable {
    case opened(any FrameConnection)
    /// With the time when it came.
    case frame([UInt8], UInt64)
    /// So many bytes of a frame that is not complete.
    case unfinished(Int)
    case closed(CloseReason)
  }

  private struct Inbox {
    /// What has come together stands together: a read may bring thousands of frames.
    var arrivals: [(peer: SyncPeer, arrivals: [Arrival])] = []
    var isTurnAsked = false
    var isStopped = false
  }

  package let instruments: TransportInstruments
  private let inbox = Mutex(Inbox())
  private let work: SerialWork<HubCore>
  private let ticker: Mutex<Task<Void, Never>?>
  private let watch: TurnWatch
  /// Nanoseconds of a clock that nobody sets.
  private let uptime: @Sendable () -> UInt64

  /// How the core is; asked from any thread, also while the core works.
  package var health: CoreHealth { watch.health(turnNanoseconds: turnNanoseconds) }
  /// How long the core has been at what it does now, in nanoseconds; 0 when it rests.
  package var turnNanoseconds: UInt64 { work.nanosecondsAtWork }

  /// `handleFailure` is called with an error that ended the core; on the hub's queue.
  package init(
    _ server: sending any FrameServer, now: @escaping @Sendable () -> UInt64,
    uptime: @escaping @Sendable () -> UInt64 = TurnWatch.systemUptime,
    instruments: TransportInstruments = TransportInstruments(),
    handleFailure: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.instruments = instruments
    self.uptime = uptime
    ticker = Mutex(nil)
    let watch = TurnWatch()
    self.watch = watch
    let core = HubCore(server, now: now, instruments: instruments) { error in
      watch.fail()
      handleFailure(error)
    }
    work = SerialWork("atoll.hub", core, uptime: uptime)
  }

  /// A receiver for a connection of `user`.
  package func receiver(
    user: String, host: String, session: String, expiresAtMilliseconds: UInt64?,
    log: @escaping PeerLog
  ) -> any FrameReceiver {
    SyncPeer(
      user: user, host: host, session: session, expiresAtMilliseconds: expiresAtMilliseconds,
      hub: self, log: log)
  }

  /// Lets the instruments know how long the core has been at its current turn: it cannot itself.
  package func noteTurn() { instruments.noteTurn(nanoseconds: turnNanoseconds) }

  /// Ends the connections of sessions that were withdrawn.
  package func end(sessions: Set<String>) { work.enqueue { $0.end(sessions) } }

  /// Does `body` between two turns of the core, of which the next follows.
  package func perform(_ body: @escaping @Sendable (any FrameServer) -> Void) {
    work.enqueue { core in body(core.server) }
    becameWritable()
  }

  /// As `perform`, for threads that may sleep; waits for what `body` returns.
  package func performAndWait<Result: Sendable>(
    _ body: @Sendable (any FrameServer) -> Result
  ) -> Result {
    let result = work.wait { core in body(core.server) }
    becameWritable()
    return result
  }

  /// Finishes the turn, notifies all connections that the server stops, and stops the core.
  package func stop() async {
    refuseArrivals()
    await work.run { $0.stop() }
  }

  /// As `stop`, for threads that may sleep.
  package func stopAndWait() {
    refuseArrivals()
    work.wait { $0.stop() }
  }

  private func refuseArrivals() {
    inbox.withLock { $0.isStopped = true }
    ticker.withLock { $0?.cancel() }
  }

  fileprivate func received(_ frames: [[UInt8]], from peer: SyncPeer) {
    let now = uptime()
    post(frames.map { Arrival.frame($0, now) }, of: peer)
  }

  fileprivate func post(_ arrivals: [Arrival], of peer: SyncPeer) {
    let (isStopped, isFirst) = inbox.withLock { inbox in
      if inbox.isStopped { return (true, false) }
      inbox.arrivals.append((peer, arrivals))
      defer { inbox.isTurnAsked = true }
      return (false, !inbox.isTurnAsked)
    }
    if isFirst { askForTurn() }
    if isStopped, case .opened(let connection)? = arrivals.first { connection.close(.goingAway) }
  }

  fileprivate func becameWritable() {
    let isFirst = inbox.withLock { inbox in
      if inbox.isStopped { return false }
      defer { inbox.isTurnAsked = true }
      return !inbox.isTurnAsked
    }
    if isFirst { askForTurn() }
  }

  private func askForTurn() {
    startTicker()
    work.enqueue { [weak self] core in self?.turn(core) }
  }

  private func turn(_ core: HubCore) {
    let start = uptime()
    defer {
      let end = uptime()
      instruments.turns.increment()
      instruments.turnDuration.recordNanoseconds(end > start ? end - start : 0)
    }
    let reads = inbox.withLock { inbox in
      defer {
        inbox.arrivals = []
        inbox.isTurnAsked = false
      }
      return inbox.arrivals
    }
    for (peer, arrivals) in reads {
      for arrival in arrivals { core.add(arrival, of: peer, uptime: start) }
    }
    core.takeArrivals(uptime)
    let hasMore = core.advance()
    // Not before: what the core has not worked off fills no memory beyond the windows.
    core.giveWindowsBack()
    if hasMore { becameWritable() }
  }

  /// Advances the core now and then as long as the hub lives: it may have timers.
  private func startTicker() {
    ticker.withLock { ticker in
      guard ticker == nil else { return }
      ticker = Task { [weak self] in
        while !Task.isCancelled {
          try? await Task.sleep(for: .milliseconds(Self.restMilliseconds))
          guard let self else { return }
          self.noteTurn()
          self.work.enqueue { core in
            core.expire()
          }
          self.becameWritable()
        }
      }
    }
  }
}

/// The log entry of a sync connection: a text and how it ended, nil at its begin.
package typealias PeerLog = @Sendable (CloseReason?) -> Void

/// One sync connection, as the hub knows it.
private final class SyncPeer: FrameReceiver {
  let user: String
  let host: String
  let session: String
  let expiresAtMilliseconds: UInt64?
  let log: PeerLog
  private let hub: SyncHub

  init(
    user: String, host: String, session: String, expiresAtMilliseconds: UInt64?, hub: SyncHub,
    log: @escaping PeerLog
  ) {
    self.user = user
    self.host = host
    self.session = session
    self.expiresAtMilliseconds = expiresAtMilliseconds
    self.hub = hub
    self.log = log
  }

  func opened(_ connection: any FrameConnection) { hub.post([.opened(connection)], of: self) }

  func received(_ frames: [[UInt8]], on connection: any FrameConnection) {
    hub.received(frames, from: self)
  }

  func holds(_ byteCount: Int, on connection: any FrameConnection) {
    hub.post([.unfinished(byteCount)], of: self)
  }

  func becameWritable(_ connection: any FrameConnection) { hub.becameWritable() }

  func closed(_ connection: any FrameConnection, _ reason: CloseReason) {
    hub.post([.closed(reason)], of: self)
  }
}

/// The server's core with its connections; on the hub's queue alone.
private final class HubCore {
  private struct Entry {
    let peer: SyncPeer
    let connection: any FrameConnection
    let id: PeerID
  }

  let server: any FrameServer
  private let now: () -> UInt64
  private let instruments: TransportInstruments
  private var arrivals = ArrivalQueues<SyncPeer, SyncHub.Arrival>()
  /// How long a turn takes arrivals before the core advances, in nanoseconds.
  private static let arrivalNanoseconds: UInt64 = 8_000_000
  /// Connections that have ended and may have frames that were not taken, with the uptime of the end.
  private var ended: Deque<(peer: SyncPeer, reason: CloseReason, uptime: UInt64)> = []
  /// How long what came before the end of a connection is taken, in nanoseconds: a device that was cut
  /// off need not send it again.
  private static let endNanoseconds: UInt64 = 1_000_000_000
  /// Few arrivals are waited for longer, as it may be the server that is slow.
  private static let longEndNanoseconds: UInt64 = 10_000_000_000
  private static let fewArrivals = 16
  private var entries: [PeerID: Entry] = [:]
  private var ids: [ObjectIdentifier: PeerID] = [:]
  /// The received frames that are still counted in the windows of the connections.
  private var unconsumed: [PeerID: (frameCount: Int, byteCount: Int)] = [:]
  /// Connections that could take no more after what was sent to them last.
  private var blocked: Set<PeerID> = []
  /// Sessions that were withdrawn, and when.
  private var withdrawn: [String: UInt64] = [:]
  /// How long a connection that was admitted may take to get here.
  private static let arrivalMilliseconds: UInt64 = 60_000
  private let handleFailure: (any Error) -> Void
  private var isStopped = false

  init(
    _ server: any FrameServer, now: @escaping () -> UInt64, instruments: TransportInstruments,
    handleFailure: @escaping (any Error) -> Void
  ) {
    self.server = server
    self.handleFailure = handleFailure
    self.now = now
    self.instruments = instruments
  }

  func add(_ arrival: SyncHub.Arrival, of peer: SyncPeer, uptime: UInt64) {
    if isStopped {
      if case .opened(let connection) = arrival { connection.close(.internalError) }
      return
    }
    arrivals.append(arrival, of: peer)
    if case .closed(let reason) = arrival {
      ended.append((peer, reason, uptime))
    }
  }

  /// Takes what has arrived until the time for it is over, and at least one.
  func takeArrivals(_ uptime: () -> UInt64) {
    dropEnded(uptime())
    arrivals.take(for: Self.arrivalNanoseconds, uptime) { take($1, of: $0) }
  }

  /// Forgets connections that ended some time ago and had sent more than their share, with what is
  /// left of it and what is under way for them.
  private func dropEnded(_ uptime: UInt64) {
    for _ in 0..<ended.count {
      guard let first = ended.first, first.uptime + Self.endNanoseconds <= uptime else { return }
      ended.removeFirst()
      let count = arrivals.count(of: first.peer)
      if count == 0 { continue }
      if count <= Self.fewArrivals, uptime < first.uptime + Self.longEndNanoseconds {
        // It is looked at again after those that have ended meanwhile.
        ended.append(first)
        continue
      }
      arrivals.drop(of: first.peer)
      forget(first.peer, first.reason)
    }
  }

  private func take(_ arrival: SyncHub.Arrival, of peer: SyncPeer) {
    switch arrival {
    case .opened(let connection) where withdrawn[peer.session] != nil:
      // It was admitted just before.
      connection.close(.tokenExpired)
    case .opened(let connection):
      let id = server.connect(user: peer.user, host: peer.host, now: now())
      entries[id] = Entry(peer: peer, connection: connection, id: id)
      ids[ObjectIdentifier(peer)] = id
      instruments.sessions.increment()
      instruments.openSessions.increment()
      peer.log(nil)
    case .frame(let frame, let arrivedAt):
      guard let id = ids[ObjectIdentifier(peer)] else { return }
      instruments.receivedFrames.increment()
      instruments.receivedBytes.increment(by: frame.count)
      unconsumed[id, default: (0, 0)].frameCount += 1
      unconsumed[id, default: (0, 0)].byteCount += frame.count
      deliver(server.receive(frame, from: id, now: now(), arrivedAt: arrivedAt))
    case .unfinished(let byteCount):
      guard let id = ids[ObjectIdentifier(peer)] else { return }
      deliver(server.hold(byteCount, of: id))
    case .closed(let reason):
      forget(peer, reason)
    }
  }

  /// - Returns: whether there is more to do at once.
  func advance() -> Bool {
    if isStopped { return false }
    do {
      blocked = blocked.filter { id in entries[id].map { !$0.connection.isWritable } ?? false }
      let outputs = try server.advance(now: now(), blocked: blocked)
      deliver(outputs)
      endExcess()
      return !outputs.isEmpty || server.hasInput || !arrivals.isEmpty
    } catch {
      fail(error)
      return false
    }
  }

  /// Ends connections that do not take what is sent to them, until less waits than may: those first
  /// for which most waits.
  private func endExcess() {
    func byteCount(_ entry: Entry) -> Int { entry.connection.bufferedByteCount }
    var sum = blocked.reduce(0) { $0 + (entries[$1].map(byteCount) ?? 0) }
    guard sum > server.sendByteLimit else { return }
    let slow = blocked.compactMap { id in entries[id].map { (entry: $0, byteCount: byteCount($0)) }
    }
    for (entry, byteCount) in slow.sorted(by: {
      ($0.byteCount, $0.entry.id.rawValue) > ($1.byteCount, $1.entry.id.rawValue)
    }) where sum > server.sendByteLimit {
      entry.connection.drop(.tooSlow)
      forget(entry.peer, .tooSlow)
      sum -= byteCount
    }
  }

  /// Lets the connections read on whose frames the core has worked off.
  func giveWindowsBack() {
    for (id, received) in unconsumed {
      // The last frames of a large message may be fewer than what waits: its first ones were given
      // back.
      let waiting = min(server.waitingByteCount(of: id), received.byteCount)
      entries[id]?.connection.consumed(
        frameCount: received.frameCount, byteCount: received.byteCount - waiting)
      unconsumed[id] = waiting > 0 ? (0, waiting) : nil
    }
  }

  private func fail(_ error: any Error) {
    handleFailure(error)
    close(.internalError) { _ in true }
    stopCore(.internalError)
  }

  /// Ends the connections whose access token has expired; their clients reconnect with a new one.
  func expire() {
    let now = now()
    close(.tokenExpired) { ($0.expiresAtMilliseconds ?? .max) <= now }
    withdrawn = withdrawn.filter { now < $0.value + Self.arrivalMilliseconds }
  }

  /// Ends the connections of sessions, also those that were admitted and are not here yet.
  func end(_ sessions: Set<String>) {
    let now = now()
    for session in sessions { withdrawn[session] = now }
    close(.tokenExpired) { sessions.contains($0.session) }
  }

  func close(_ reason: CloseReason, where isMeant: (SyncPeer) -> Bool) {
    for entry in entries.values where isMeant(entry.peer) {
      entry.connection.close(reason)
      forget(entry.peer, reason)
    }
  }

  func stop() {
    guard !isStopped else { return }
    close(.goingAway) { _ in true }
    stopCore(.goingAway)
  }

  /// Stops the core; what was not taken is dropped, as what would have come a little later.
  private func stopCore(_ reason: CloseReason) {
    isStopped = true
    arrivals.take(for: .max, { 0 }) { _, arrival in
      if case .opened(let connection) = arrival { connection.close(reason) }
    }
    server.stop()
  }

  private func forget(_ peer: SyncPeer, _ reason: CloseReason) {
    guard let id = ids.removeValue(forKey: ObjectIdentifier(peer)) else { return }
    entries[id] = nil
    unconsumed[id] = nil
    server.disconnect(id)
    instruments.openSessions.decrement()
    instruments.closedSessions.increment(reason)
    peer.log(reason)
  }

  /// Sends what belongs to one connection together, in order.
  private func deliver(_ outputs: [FrameOutput]) {
    var frames: [PeerID: [[UInt8]]] = [:]
    var order: [PeerID] = []
    func flush(_ id: PeerID) {
      guard let waiting = frames.removeValue(forKey: id) else { return }
      guard let connection = entries[id]?.connection else { return }
      connection.send(waiting)
      if !connection.isWritable { blocked.insert(id) }
    }
    var (frameCount, byteCount) = (0, 0)
    for output in outputs {
      switch output {
      case .send(let id, let frame):
        if frames[id] == nil { order.append(id) }
        frames[id, default: []].append(frame)
        frameCount += 1
        byteCount += frame.count
      case .close(let id, let reason):
        flush(id)
        guard let entry = entries[id] else { continue }
        entry.connection.close(reason)
        forget(entry.peer, reason)
      }
    }
    for id in order { flush(id) }
    if frameCount > 0 {
      instruments.sentFrames.increment(by: frameCount)
      instruments.sentBytes.increment(by: byteCount)
    }
  }
}
#endif
