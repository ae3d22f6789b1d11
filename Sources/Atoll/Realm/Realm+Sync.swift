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
    if let initial = sync.initialSubscriptions {
      let isNew = try SubscriptionSets(file.database.snapshot()).needsInitialSubscriptions
      let isFirstOpen = !file.hasInitialSubscriptions.exchange(true, ordering: .relaxed)
      if isNew || initial.rerunOnOpen && isFirstOpen {
        let subscriptions = SyncSubscriptionSet(self)
        _ = try subscriptions.commit { initial.callback(subscriptions) }
      }
      if isNew { file.isWithoutInitialData.store(true, ordering: .releasing) }
    }
    _ = syncSession
  }

  /// What an asynchronous opening waits for; nil when that is nothing.
  func asyncOpening(isDownloading: Bool) -> AsyncOpening? {
    guard configuration.syncConfiguration != nil,
      isDownloading || file.isWithoutInitialData.load(ordering: .acquiring)
    else { return nil }
    return AsyncOpening(file: file, session: syncSession, isDownloading: isDownloading)
  }
}

/// The wait of an asynchronous opening of a synced file.
///
/// The data of new initial subscriptions is waited for until it has come once; else a file opens
/// without a network.
struct AsyncOpening: Sendable {
  let file: SharedFile
  let session: SyncSession?
  /// Whether what the server has now is waited for.
  let isDownloading: Bool

  func wait() async throws {
    let newest = try SubscriptionSets(file.database.snapshot()).latest.version
    try await SubscriptionWaiter(file.database, session).wait(forVersion: newest)
    file.isWithoutInitialData.store(false, ordering: .releasing)
    if isDownloading { try await session?.wait(for: .download) }
  }
}
