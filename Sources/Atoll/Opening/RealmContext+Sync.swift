internal import AtollObjects
internal import AtollSync
internal import Synchronization

extension _RealmContext {
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
