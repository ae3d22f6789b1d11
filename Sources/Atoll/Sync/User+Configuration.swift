internal import Foundation

extension User {
  /// Describes a file that holds what its subscriptions ask for.
  public func flexibleSyncConfiguration(
    clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false
  ) -> Realm.Configuration {
    configuration(
      SyncConfiguration(
        user: self, clientResetMode: clientResetMode,
        cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors,
        initialSubscriptions: nil))
  }

  /// Describes a file that holds what its subscriptions ask for, with those it begins with.
  ///
  /// `initialSubscriptions` runs inside an update of the new file's set; with `rerunOnOpen` also
  /// whenever a process first opens the file: give subscriptions names then, or they pile up. An
  /// asynchronous opening waits until the data of what it asked for anew has come, offline too;
  /// `cancelAsyncOpenOnNonFatalErrors` lets it throw when there is no connection.
  public func flexibleSyncConfiguration(
    clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false,
    initialSubscriptions: @escaping @Sendable (SyncSubscriptionSet) -> Void,
    rerunOnOpen: Bool = false
  ) -> Realm.Configuration {
    configuration(
      SyncConfiguration(
        user: self, clientResetMode: clientResetMode,
        cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors,
        initialSubscriptions: InitialSubscriptionsConfiguration(
          callback: initialSubscriptions, rerunOnOpen: rerunOnOpen)))
  }

  /// As the form with a block of one argument; the block also gets the realm, to make queries with.
  public func flexibleSyncConfiguration(
    clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false,
    initialSubscriptions: @escaping @Sendable (SyncSubscriptionSet, Realm) -> Void,
    rerunOnOpen: Bool = false
  ) -> Realm.Configuration {
    flexibleSyncConfiguration(
      clientResetMode: clientResetMode,
      cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors,
      initialSubscriptions: { set in initialSubscriptions(set, Realm(set.context)) },
      rerunOnOpen: rerunOnOpen)
  }

  private func configuration(_ sync: SyncConfiguration) -> Realm.Configuration {
    var configuration = Realm.Configuration()
    configuration.fileURL = app.directory(of: self).appending(path: "flexible.atoll")
    configuration.syncConfiguration = sync
    return configuration
  }
}
