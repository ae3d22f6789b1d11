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
