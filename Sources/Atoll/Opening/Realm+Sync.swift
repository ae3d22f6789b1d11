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

  /// The synchronisation of the file; nil for a realm that is not synced, or whose user was
  /// removed.
  public var syncSession: SyncSession? { context.syncSession }
}

extension _RealmContext {
  /// The synchronisation of the file; nil for a realm that is not synced, or whose user was
  /// removed.
  var syncSession: SyncSession? {
    guard let sync = configuration.syncConfiguration,
      !file.isAbandoned.load(ordering: .acquiring)
    else { return nil }
    return SessionRegistry.shared.session(configuration, user: sync.user, file: file)
  }

  /// The synchronisation of a synced realm, for those who wait for it.
  ///
  /// - Throws: `SyncError` with the code `clientUserError` when the user was removed.
  func requireSyncSession() throws -> SyncSession {
    if let syncSession { return syncSession }
    throw SyncError(
      .clientUserError,
      "the user of this realm was removed, and its file is synchronised no longer; close the "
        + "realm, and open a file for another user")
  }
}

extension _RealmContext {
  /// Prepares a synced realm: the initial subscriptions, the check of writes, the session.
  func beginSync() throws {
    guard let sync = configuration.syncConfiguration else { return }
    let implied = impliedSubscriptions
    commitCheck = { transaction in
      try implied?.place(transaction)
      try SubscribedClasses.check(transaction)
    }
    if let implied {
      let lack = try implied.lack(in: snapshot)
      // Once: what a server goes on refusing is not asked for by the realm of every thread.
      let isRetrying =
        lack.isRefused && !file.hasRetriedSet.exchange(true, ordering: .relaxed)
      if isRetrying || lack.hasMissing {
        try file.database.write { try implied.complete(in: $0) }
      }
    }
    if let initial = sync.initialSubscriptions { try runInitialSubscriptions(initial) }
    _ = syncSession
  }

  /// Returns what an asynchronous opening waits for; nil when that is nothing.
  func asyncOpening(isDownloading: Bool) throws -> AsyncOpening? {
    guard let sync = configuration.syncConfiguration else { return nil }
    let sets = try SubscriptionSets(file.database.snapshot())
    let isAwaited =
      (sync.initialSubscriptions != nil || sync.scope != .flexible)
      && (!sets.hasData && !sets.latest.state.isFinal
        || file.initialSubscriptions.withLock { $0.areAwaited(in: sets) })
    guard isDownloading || isAwaited else { return nil }
    return AsyncOpening(
      database: file.database, session: try requireSyncSession(),
      version: isAwaited ? sets.latest.version : nil, isDownloading: isDownloading,
      isEndedByFailures: sync.cancelAsyncOpenOnNonFatalErrors)
  }
}
