internal import AtollObjects
internal import AtollSync
internal import Synchronization

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
