/// From whose account, and how, a file is synchronised.
///
/// Made by `user.flexibleSyncConfiguration()`.
public struct SyncConfiguration: Sendable {
  public let user: User
  public var clientResetMode: ClientResetMode
  /// Whether an asynchronous opening that waits for data throws when this process's connection fails,
  /// instead of waiting until one succeeds.
  public var cancelAsyncOpenOnNonFatalErrors: Bool
  public let initialSubscriptions: InitialSubscriptionsConfiguration?

  init(
    user: User, clientResetMode: ClientResetMode, cancelAsyncOpenOnNonFatalErrors: Bool,
    initialSubscriptions: InitialSubscriptionsConfiguration?
  ) {
    self.user = user
    self.clientResetMode = clientResetMode
    self.cancelAsyncOpenOnNonFatalErrors = cancelAsyncOpenOnNonFatalErrors
    self.initialSubscriptions = initialSubscriptions
  }
}

extension SyncConfiguration: Equatable {
  /// Whether both are of one user; what they do on a reset is code, which cannot be compared.
  public static func == (left: SyncConfiguration, right: SyncConfiguration) -> Bool {
    left.user == right.user
  }
}

/// Subscriptions that a file is opened with.
public final class InitialSubscriptionsConfiguration: Sendable {
  /// Called inside an update of the set; appends to it.
  public let callback: @Sendable (SyncSubscriptionSet) -> Void
  /// Whether it runs when the process first opens the file, and not only when the file is new.
  public let rerunOnOpen: Bool

  public init(callback: @escaping @Sendable (SyncSubscriptionSet) -> Void, rerunOnOpen: Bool) {
    self.callback = callback
    self.rerunOnOpen = rerunOnOpen
  }
}

/// What happens to a device whose history and the server's no longer fit together.
public enum ClientResetMode: Sendable {
  /// Nothing happens by itself; the handler is told.
  case manual(errorHandler: (@Sendable (any Error, SyncSession?) -> Void)? = nil)
  /// What the server has not got yet is given up.
  case discardUnsyncedChanges(
    beforeReset: (@Sendable (Realm) -> Void)? = nil,
    afterReset: (@Sendable (Realm, Realm) -> Void)? = nil)
  /// What the server has not got yet is sent again on top of the server's data.
  case recoverUnsyncedChanges(
    beforeReset: (@Sendable (Realm) -> Void)? = nil,
    afterReset: (@Sendable (Realm, Realm) -> Void)? = nil)
  /// As `recoverUnsyncedChanges`, and where that fails as `discardUnsyncedChanges`.
  case recoverOrDiscardUnsyncedChanges(
    beforeReset: (@Sendable (Realm) -> Void)? = nil,
    afterReset: (@Sendable (Realm, Realm) -> Void)? = nil)
}
