/// From whose account, and how, a file is synchronised.
///
/// Made by `user.flexibleSyncConfiguration()`, `user.fullSyncConfiguration()` and
/// `user.configuration(partitionValue:)`.
public struct SyncConfiguration: Sendable {
  /// The user whose data the file holds.
  public let user: User
  /// What happens when the histories of the file and of the server no longer fit together.
  public var clientResetMode: ClientResetMode
  /// Whether an asynchronous opening that waits for data throws when this process's connection
  /// fails, instead of waiting until one succeeds.
  public var cancelAsyncOpenOnNonFatalErrors: Bool
  /// What subscribes when a new file is opened, or also later; nil when nothing does.
  public let initialSubscriptions: InitialSubscriptionsConfiguration?
  /// Which objects the file holds.
  let scope: SyncScope
  /// How the data of new subscriptions becomes visible; a download that is under way goes on as it
  /// began.
  public var bootstrapMode = BootstrapMode.atomic

  init(
    user: User, clientResetMode: ClientResetMode, cancelAsyncOpenOnNonFatalErrors: Bool,
    initialSubscriptions: InitialSubscriptionsConfiguration?, scope: SyncScope = .flexible
  ) {
    self.user = user
    self.clientResetMode = clientResetMode
    self.cancelAsyncOpenOnNonFatalErrors = cancelAsyncOpenOnNonFatalErrors
    self.initialSubscriptions = initialSubscriptions
    self.scope = scope
  }

  /// Whether subscriptions come with the classes, and the app sees to none.
  var impliesSubscriptions: Bool { scope != .flexible }

  /// The partition that the file holds; nil for a file of `flexibleSyncConfiguration()` or
  /// `fullSyncConfiguration()`.
  public var partitionValue: AnyBSON? {
    guard case .partition(let value) = scope else { return nil }
    return value
  }
}

extension SyncConfiguration: Equatable {
  /// Whether both are of one user and hold the same; what they do on a reset is code, which cannot
  /// be compared.
  public static func == (left: SyncConfiguration, right: SyncConfiguration) -> Bool {
    left.user == right.user && left.scope == right.scope
  }
}

/// How data that comes in many batches becomes visible: that of new subscriptions, or what a device
/// that was away has missed.
///
/// A subscription is `complete` with the last batch in both modes, and both go on where they were
/// after a connection or a process has ended.
public enum BootstrapMode: Sendable {
  /// All at once, in one commit: no query sees half of it. Batches wait in the file until then, and
  /// writes wait for that commit, about 12 µs for each object.
  case atomic
  /// Batch by batch: what is here can be shown at once, before links and lists are whole.
  case progressive
}

/// Subscriptions that a file is opened with.
public final class InitialSubscriptionsConfiguration: Sendable {
  /// Called inside an update of the set; appends to it.
  @preconcurrency public let callback: @Sendable (SyncSubscriptionSet) -> Void
  /// Whether it runs when the process first opens the file, and not only when the file is new.
  public let rerunOnOpen: Bool

  /// Describes the subscriptions that `callback` appends to the set.
  @preconcurrency
  public init(callback: @escaping @Sendable (SyncSubscriptionSet) -> Void, rerunOnOpen: Bool) {
    self.callback = callback
    self.rerunOnOpen = rerunOnOpen
  }
}

/// What happens to a file whose history and the server's no longer fit together: one of them was
/// restored from a backup, or a copy of the file has gone on.
///
/// The file downloads everything again, in place: what it holds can be read and written meanwhile,
/// and one commit brings what the server has; objects, results and observers stay. `beforeReset` is
/// called before that commit with the realm as it is, frozen; `afterReset` after it with the same
/// and with the live realm. Both run where the session does, on a thread of the library's own and
/// in the process that is connected; a process that ends between the two does not call the second
/// one.
public enum ClientResetMode: Sendable {
  /// Nothing happens by itself: synchronisation stops, and the handler, or else the app's
  /// `syncManager.errorHandler`, gets a `SyncError` of the code `clientResetError`.
  ///
  /// `SyncSession.immediatelyHandleError(_:)` with the token of the error's `clientResetInfo()`, or
  /// the next opening of the file after it was closed, keeps a copy of the file and lets it
  /// synchronise again, without what the server has not got.
  @preconcurrency case manual(errorHandler: (@Sendable (any Error, SyncSession?) -> Void)? = nil)
  /// What the server has not got when the reset begins is given up.
  @preconcurrency case discardUnsyncedChanges(
    beforeReset: (@Sendable (Realm) -> Void)? = nil,
    afterReset: (@Sendable (Realm, Realm) -> Void)? = nil)
  /// What the server has not got yet is sent again on top of the server's data.
  @preconcurrency case recoverUnsyncedChanges(
    beforeReset: (@Sendable (Realm) -> Void)? = nil,
    afterReset: (@Sendable (Realm, Realm) -> Void)? = nil)
  /// As `recoverUnsyncedChanges`, which does not fail here: what was recorded is sent again, and
  /// what the server does not take is in the inbox.
  @preconcurrency case recoverOrDiscardUnsyncedChanges(
    beforeReset: (@Sendable (Realm) -> Void)? = nil,
    afterReset: (@Sendable (Realm, Realm) -> Void)? = nil)
}
