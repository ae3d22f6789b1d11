internal import AtollObjects
internal import AtollSync
internal import Synchronization

extension Realm {
  /// The subscriptions of a synced realm, in their newest version.
  ///
  /// Ends the process for a realm that is not synced.
  public var subscriptions: SyncSubscriptionSet {
    guard context.configuration.syncConfiguration != nil else {
      Misuse.trap(
        "subscriptions were asked of a realm that is not synced; open it with "
          + "user.flexibleSyncConfiguration()")
    }
    context.checkConfinement()
    return SyncSubscriptionSet(context)
  }

  /// The synchronisation of the file; nil for a realm that is not synced, or whose user was removed.
  public var syncSession: SyncSession? { context.syncSession }
}

extension _RealmContext {
  /// The synchronisation of the file; nil for a realm that is not synced, or whose user was removed.
  var syncSession: SyncSession? {
    guard let sync = configuration.syncConfiguration,
      !file.isAbandoned.load(ordering: .acquiring)
    else { return nil }
    return SessionRegistry.shared.session(configuration, user: sync.user, file: file)
  }
}

extension _RealmContext {
  /// Prepares a synced realm: the initial subscriptions, the check of writes, the session.
  func beginSync() throws {
    guard let sync = configuration.syncConfiguration else { return }
    commitCheck = { try SubscribedClasses.check($0) }
    if let initial = sync.initialSubscriptions { try runInitialSubscriptions(initial) }
    _ = syncSession
  }

  private func runInitialSubscriptions(_ initial: InitialSubscriptionsConfiguration) throws {
    let before = try SubscriptionSets(file.database.snapshot())
    let isFirstOpen = !file.hasInitialSubscriptions.exchange(true, ordering: .relaxed)
    guard before.needsInitialSubscriptions || initial.rerunOnOpen && isFirstOpen else { return }
    let subscriptions = SyncSubscriptionSet(self)
    let version = try subscriptions.commit { initial.callback(subscriptions) }
    let after = try SubscriptionSets(file.database.snapshot()).latest
    // The same queries again bring nothing that is not here.
    if after.members != before.active.members || !before.hasData {
      file.initialSubscriptionsVersion.store(version, ordering: .releasing)
    }
  }

  /// Returns what an asynchronous opening waits for; nil when that is nothing.
  func asyncOpening(isDownloading: Bool) throws -> AsyncOpening? {
    guard let sync = configuration.syncConfiguration else { return nil }
    let sets = try SubscriptionSets(file.database.snapshot())
    let isAwaited =
      sync.initialSubscriptions != nil
      && (!sets.hasData && !sets.latest.state.isFinal || file.isAwaitingInitialSubscriptions(sets))
    guard isDownloading || isAwaited else { return nil }
    return AsyncOpening(
      database: file.database, session: syncSession,
      version: isAwaited ? sets.latest.version : nil, isDownloading: isDownloading,
      isEndedByFailures: sync.cancelAsyncOpenOnNonFatalErrors)
  }
}

extension SharedFile {
  /// Whether what this process's initial subscriptions ask for has not come; true also if the server
  /// cannot answer them, which is an error of each opening.
  fileprivate func isAwaitingInitialSubscriptions(_ sets: SubscriptionSets) -> Bool {
    let version = initialSubscriptionsVersion.load(ordering: .acquiring)
    guard version > 0 else { return false }
    return switch sets.state(ofVersion: version) {
    case .pending, .bootstrapping, .error: true
    case .complete, .superseded: false
    }
  }
}

/// The wait of an asynchronous opening of a synced file.
///
/// What initial subscriptions ask for is waited for until it has come once: when the file has no data
/// yet, and when the process has changed them by running them again. Else a file opens without a network.
struct AsyncOpening: Sendable {
  let database: Database
  let session: SyncSession?
  /// The version of the set that is waited for; nil when that is none.
  let version: Int64?
  /// Whether what the server has now is waited for.
  let isDownloading: Bool
  /// Whether a connection that fails ends the wait.
  let isEndedByFailures: Bool

  /// - Throws: As `SyncSubscriptionSet.update` and `SyncSession.wait`.
  func wait() async throws {
    guard isEndedByFailures, let session else { return try await waitForData() }
    try await withThrowingTaskGroup { group in
      group.addTask { try await waitForData() }
      group.addTask { try await session.waitForConnectionFailure() }
      defer { group.cancelAll() }
      // What ends first decides.
      _ = try await group.next()
    }
  }

  private func waitForData() async throws {
    if let version {
      try await SubscriptionWaiter(database, session).wait(forVersion: version)
    }
    if isDownloading { try await session?.wait(for: .download) }
  }
}
