internal import Foundation

extension User {
  /// Describes a file that holds what its subscriptions ask for.
  public func flexibleSyncConfiguration(
    clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false
  ) -> Realm.Configuration {
    configuration(.flexible, clientResetMode, cancelAsyncOpenOnNonFatalErrors)
  }

  /// Describes a file that holds what its subscriptions ask for, with those it begins with.
  ///
  /// `initialSubscriptions` runs inside an update of the new file's set; with `rerunOnOpen` also
  /// whenever a process first opens the file: give subscriptions names then, or they pile up. An
  /// asynchronous opening waits until the data of what it asked for again has come, offline too;
  /// `cancelAsyncOpenOnNonFatalErrors` lets it throw when there is no connection.
  @preconcurrency public func flexibleSyncConfiguration(
    clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false,
    initialSubscriptions: @escaping @Sendable (SyncSubscriptionSet) -> Void,
    rerunOnOpen: Bool = false
  ) -> Realm.Configuration {
    configuration(
      .flexible, clientResetMode, cancelAsyncOpenOnNonFatalErrors,
      InitialSubscriptionsConfiguration(
        callback: initialSubscriptions, rerunOnOpen: rerunOnOpen))
  }

  /// As the form with a block of one argument; the block also gets the realm, to make queries with.
  @preconcurrency public func flexibleSyncConfiguration(
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

  // MARK: Full synchronisation

  /// Describes a file that holds all objects of its classes that the user may read.
  ///
  /// There is nothing to subscribe to: each class that the file has is kept whole. Opening it
  /// asynchronously waits until all of it has come once. `path` names the file in the user's
  /// folder, for a program with several of them.
  public func fullSyncConfiguration(
    path: String? = nil, clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false
  ) -> Realm.Configuration {
    var configuration = configuration(
      .everything, clientResetMode, cancelAsyncOpenOnNonFatalErrors)
    if let path {
      let name = "full-\(ProgramDirectory.fileName(path)).atoll"
      configuration.fileURL = app.directory(of: self).appending(path: name)
    }
    return configuration
  }

  /// Describes a file that holds one partition.
  ///
  /// Of classes with a property `_partition` the file holds the objects in which it has the value,
  /// of other classes all. What is created gets the value where the property was left alone.
  /// Opening the file asynchronously waits until all of it has come once.
  public func configuration<T: BSON>(
    partitionValue: T, clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false
  ) -> Realm.Configuration {
    configuration(
      .partition(partitionValue.anyBSON), clientResetMode, cancelAsyncOpenOnNonFatalErrors)
  }

  private func configuration(
    _ scope: SyncScope, _ clientResetMode: ClientResetMode, _ cancelsAsyncOpen: Bool,
    _ initialSubscriptions: InitialSubscriptionsConfiguration? = nil
  ) -> Realm.Configuration {
    var configuration = Realm.Configuration()
    configuration.fileURL = app.directory(of: self).appending(path: scope.fileName)
    configuration.syncConfiguration = SyncConfiguration(
      user: self, clientResetMode: clientResetMode,
      cancelAsyncOpenOnNonFatalErrors: cancelsAsyncOpen,
      initialSubscriptions: initialSubscriptions, scope: scope)
    return configuration
  }
}
