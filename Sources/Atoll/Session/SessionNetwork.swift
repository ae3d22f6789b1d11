internal import AtollCapture
internal import AtollObjects
internal import AtollStorage
internal import AtollSync
internal import Synchronization

#if Sync
internal import AtollTransport
#endif

/// The part of a session that has to do with the network: whether this process connects, and how.
///
/// Of the processes that have the file open the one that gets the lock in the lock file connects;
/// the others try to get it each second. It gives the lock back when nothing of its connection uses
/// the file any more. What is waited for is read from the file after each commit, so that it does
/// not matter which process is connected.
final class SessionNetwork: Sendable {
  private struct State {
    /// Whether what has to come before the first connection is done.
    var isPrepared = false
    var isSuspended = false
    var isEnded = false
    /// How often the connection was ended, because the session was suspended or has ended.
    var interruptionCount = 0
    /// How often an attempt to connect has failed, and the last error.
    var failureCount = 0
    var lastFailure: (any Error)?
    var election: _Concurrency.Task<Void, Never>?
    #if Sync
    var link: SessionLink?
    #endif

    var connection: SyncSession.ConnectionState {
      #if Sync
      link.map { SyncSession.ConnectionState($0.driver.connectionState) } ?? .disconnected
      #else
      .disconnected
      #endif
    }

    mutating func note(failure: any Error) {
      lastFailure = failure
      failureCount += 1
    }
  }

  private let database: Database
  private let user: User
  private let state = Monitor(State())
  private let listeners = ConnectionListeners()
  /// Held while the connection begins or ends, with the lock of the network; taken before `state`.
  private let turn = Mutex(())

  init(database: Database, user: User) {
    self.database = database
    self.user = user
  }

  var isSuspended: Bool { state.withLock { $0.isSuspended } }
  var isEnded: Bool { state.withLock { $0.isEnded } }

  var connectionState: SyncSession.ConnectionState { state.withLock { $0.connection } }

  /// The state now, and each later one, until the session ends.
  func connectionStates() -> AsyncStream<SyncSession.ConnectionState> {
    listeners.add { connectionState }
  }

  /// Tells of the connection's state, which may have changed.
  func noteConnection() { listeners.tell { connectionState } }

  // MARK: Beginning and ending

  func begin(_ session: SyncSession) {
    let task = _Concurrency.Task { [weak self, weak session] in
      session?.prepare()
      self?.state.withLock { $0.isPrepared = true }
      while !_Concurrency.Task.isCancelled, let self {
        if let session { self.elect(session) } else { self.end() }
        if self.isEnded { break }
        try? await _Concurrency.Task.sleep(for: .seconds(1))
      }
    }
    state.withLock { $0.election = task }
  }

  /// Connects if no other session does, of this or another process.
  private func elect(_ session: SyncSession) {
    #if Sync
    let failure: (any Error)? = turn.withLock { _ in
      let isWanted = state.withLock { state in
        state.isPrepared && !state.isSuspended && !state.isEnded && state.link == nil
      }
      guard isWanted, user.isLoggedIn, (try? database.store.tryLockNetwork()) == true else {
        return nil
      }
      do {
        let link = try SessionLink(session, database: database, user: user)
        state.withLock { $0.link = link }
        link.driver.resume()
        return nil
      } catch {
        database.store.unlockNetwork()
        // The same error would come each second.
        state.withLock { state in
          state.isSuspended = true
          state.interruptionCount += 1
          state.note(failure: error)
        }
        return error
      }
    }
    // With no lock held: the application may do with the session what it likes.
    if let failure { session.report(failure) }
    #endif
  }

  func suspend() {
    interrupt { $0.isSuspended = true }
  }

  /// Connects at once if no other process does, and else as soon as that one ends.
  func resume(_ session: SyncSession) {
    let isConnecting = state.withLock { state in
      state.isSuspended = false
      #if Sync
      // It may be waiting after a failure.
      state.link?.driver.resume()
      return state.link != nil
      #else
      return false
      #endif
    }
    if !isConnecting { elect(session) }
  }

  /// Ends the connection; the next election makes another one if the user is logged in.
  func disconnect() {
    interrupt { _ in }
  }

  func end() {
    interrupt { $0.isEnded = true }
    state.withLock { $0.election }?.cancel()
    listeners.finish()
  }

  private func interrupt(_ body: (inout State) -> Void) {
    turn.withLock { _ in
      #if Sync
      let link = state.withLock { state in
        body(&state)
        state.interruptionCount += 1
        defer { state.link = nil }
        return state.link
      }
      link?.end { self.release() }
      #else
      state.withLock { state in
        body(&state)
        state.interruptionCount += 1
      }
      #endif
    }
    noteConnection()
  }

  #if Sync
  /// Lets another session connect, or this one again, now that the ended connection has left the
  /// file alone.
  ///
  /// Not before: the next HELLO must name what the batches that have arrived made of the file.
  private func release() {
    turn.withLock { _ in database.store.unlockNetwork() }
    // A session that was resumed meanwhile may have connected: then this asks for a sign of life.
    SessionRegistry.shared.session(path: database.path)?.reconnect()
  }
  #endif

  /// Tries to connect at once.
  func reconnect(_ session: SyncSession) {
    #if Sync
    let isConnecting = state.withLock { state in
      state.link?.driver.reconnect()
      return state.link != nil
    }
    if !isConnecting { elect(session) }
    #endif
  }

  /// An attempt to connect has failed, or the file cannot be used.
  func noteFailure(_ error: any Error) {
    state.withLock { $0.note(failure: error) }
  }

  // MARK: Waiting

  /// Waits until an attempt to connect fails, and throws then; begins one if there is no
  /// connection.
  func waitForFailure(_ session: SyncSession) async throws {
    let count = state.withLock { $0.failureCount }
    if connectionState == .disconnected { reconnect(session) }
    await state.wait { $0.failureCount != count }
    try _Concurrency.Task.checkCancellation()
    let error = state.withLock { $0.lastFailure }
    #if Sync
    if let failure = error as? ClientFailure, failure.isOfFile { throw SyncError(failure) }
    if let failure = error as? TransportError, failure.isOfTLS { throw SyncError(failure) }
    #endif
    throw SyncError(
      .connectionFailed, error.map { "\($0)" } ?? "there is no connection to the server")
  }

  /// Waits until the session is suspended or ends, and throws then.
  func waitForInterruption() async throws {
    let count = state.withLock { state in
      state.isSuspended || state.isEnded ? nil : state.interruptionCount
    }
    // A log-out after this question is counted.
    if let count, user.isLoggedIn { await state.wait { $0.interruptionCount != count } }
    try _Concurrency.Task.checkCancellation()
    guard user.isLoggedIn else {
      throw SyncError(
        .clientUserError, "the user of the session is not logged in; log in and wait again")
    }
    throw SyncError(
      .clientSessionError, "the session was suspended or has ended; resume it and wait again")
  }

  /// Waits until the server has answered all that is in the outbox now.
  func waitForUpload() async throws {
    let goal = Mutex(try UploadGoal(database.snapshot()))
    try await wait { snapshot in try goal.withLock { try $0.isReached(snapshot) } }
  }

  /// Waits until all that the server has now is in the file, whichever process is connected.
  func waitForDownload() async throws {
    let number = try DownloadWaits.ask(database)
    try await wait { snapshot in try DownloadWaits(snapshot).reached >= number }
  }

  /// Waits until something holds of the file, asking after each commit; what holds already needs no
  /// connection.
  func wait(until isReached: @escaping @Sendable (Snapshot) throws -> Bool) async throws {
    if try isReached(database.snapshot()) { return }
    try await withThrowingTaskGroup { [database] group in
      group.addTask {
        var commits = database.commits.makeAsyncIterator()
        while try !isReached(database.snapshot()) {
          guard try await commits.next() != nil else { throw CancellationError() }
        }
      }
      group.addTask { try await self.waitForInterruption() }
      defer { group.cancelAll() }
      _ = try await group.next()
    }
  }
}

/// What the server has to answer before an upload is complete: all that was in the outbox.
///
/// A file that takes a new identity meanwhile (R3) renumbers its outbox: what is in it then has to
/// be answered, which is never less.
private struct UploadGoal {
  private var clientID: UInt64?
  private var newest: UInt64 = 0

  init(_ snapshot: Snapshot) throws {
    guard let state = try snapshot.syncState() else { return }
    take(state)
  }

  private mutating func take(_ state: SyncState) {
    clientID = state.clientID
    newest = state.nextNumber - 1
  }

  mutating func isReached(_ snapshot: Snapshot) throws -> Bool {
    guard clientID != nil, let state = try snapshot.syncState() else { return true }
    if state.clientID != clientID { take(state) }
    return try snapshot.answeredNumber(state) >= newest
  }
}

extension Snapshot {
  /// The newest number of the outbox that nothing waits for an answer up to.
  ///
  /// What a reset gave up is gone without an answer.
  func answeredNumber(_ state: SyncState) throws(ObjectError) -> UInt64 {
    let waiting = try firstOutboxEntry(from: state.answered + 1)
    return (waiting?.number ?? state.nextNumber) - 1
  }
}
