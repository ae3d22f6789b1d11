internal import AtollObjects
internal import AtollSync
public import Foundation

/// The subscriptions of a synced file: what of the server's data it holds.
///
///     let subscriptions = realm.subscriptions
///     try await subscriptions.update {
///       subscriptions.append(QuerySubscription<Task>(name: "mine") { $0.assignee == "Ann" })
///     }
///
/// A set has versions; each update makes the next. A value shows the version that it was made with, or
/// that its last update made; inside an update every value of the realm shows what is being changed.
/// Any process may change the set, with a connection or without one.
public struct SyncSubscriptionSet {
  let context: _RealmContext
  private let shown: Shown

  /// Which version is shown; shared by the copies of a value.
  private final class Shown {
    var set: SubscriptionSet

    init(_ set: SubscriptionSet) { self.set = set }
  }

  init(_ context: _RealmContext) {
    self.context = context
    shown = Shown(
      Misuse.unwrapped("the subscriptions cannot be read") {
        try SubscriptionSets(context.newestSnapshot).latest
      })
  }

  /// The members as they are now.
  var members: [Subscription] {
    context.checkConfinement()
    return context.subscriptionUpdate?.editor.subscriptions ?? shown.set.subscriptions
  }

  /// The version that is shown.
  var version: Int64 { shown.set.version }

  // MARK: State

  /// How far the server is with this version.
  public var state: SyncSubscriptionState {
    context.checkConfinement()
    if context.subscriptionUpdate != nil { return .pending }
    let sets = Misuse.unwrapped("the subscriptions cannot be read") {
      try SubscriptionSets(context.newestSnapshot)
    }
    return SyncSubscriptionState(sets.state(ofVersion: version))
  }

  /// The state of this version now, and each later one, in whichever process it changes.
  ///
  /// Ends when a newer set has replaced the version, or the file is closed.
  public var states: AsyncStream<SyncSubscriptionState> {
    context.checkConfinement()
    let (database, version) = (context.file.database, version)
    return AsyncStream { continuation in
      let task = _Concurrency.Task {
        var last: SyncSubscriptionState?
        do {
          var commits = database.commits.makeAsyncIterator()
          repeat {
            let sets = try SubscriptionSets(database.snapshot())
            let state = SyncSubscriptionState(sets.state(ofVersion: version))
            if state != last { continuation.yield(state) }
            last = state
            if state == .superseded { break }
          } while try await commits.next() != nil
        } catch {
          // The file was closed or taken away: nothing changes any more.
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  // MARK: Updating

  /// Changes the set, in one commit of the file, and returns.
  ///
  /// - Parameters:
  ///   - block: Changes the set, through this value or another one of the realm's subscriptions.
  ///   - onComplete: Called where the realm belongs when the server has accepted the set and its data
  ///     has arrived, with nil; or with the error, and then the set that was complete before stays
  ///     active. Without it, an error in `block` goes to the app's `syncManager.errorHandler`.
  public func update(
    _ block: () -> Void, onComplete: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    let confinement = context.confinement
    do {
      let version = try commit(block)
      guard let onComplete else { return }
      let waiter = try SubscriptionWaiter(context)
      _Concurrency.Task {
        var failure: (any Error)?
        do { try await waiter.wait(forVersion: version) } catch { failure = error }
        confinement.deliver { [failure] in onComplete(failure) }
      }
    } catch {
      guard let onComplete else {
        let sync = context.configuration.syncConfiguration
        sync?.user.app.syncManager.report(error, context.syncSession)
        return
      }
      confinement.deliver { onComplete(error) }
    }
  }

  /// Changes the set, in one commit of the file, and waits until the server has accepted it and its
  /// data has arrived.
  ///
  /// Offline it waits on; the set is committed whatever the wait comes to.
  ///
  /// - Throws: `Realm.Error` with the code `subscriptionFailed` and the server's reason, the set that
  ///   was complete before stays active then; what was wrong in `block`, and nothing was changed then;
  ///   `CancellationError`.
  public nonisolated(nonsending) func update(_ block: () -> Void) async throws {
    try await wait(for: try commit(block))
  }

  /// As `update(_:)`, with a block that may throw: nothing is changed then.
  public nonisolated(nonsending) func update(
    _ block: (SyncSubscriptionSet) throws -> Void
  ) async throws {
    try await wait(for: try commit { try block(self) })
  }

  /// Waits until the server has accepted the newest version and its data has arrived.
  ///
  /// - Parameter timeout: The seconds after which it gives up; nil for never.
  /// - Throws: As `update(_:)`; an `NSError` of the domain `NSPOSIXErrorDomain` with the code
  ///   `ETIMEDOUT` after the time.
  public nonisolated(nonsending) func waitForSynchronization(timeout: Double? = nil) async throws {
    refresh()
    try await wait(for: version, timeout: timeout)
  }

  /// The time of the server up to which the file holds everything that the newest complete set asks
  /// for; nil when no set was ever complete.
  ///
  /// Moves with what arrives; `caughtUp()` makes the server say how far it is. The date is of the
  /// server's clock.
  public var coveredThrough: Date? {
    context.checkConfinement()
    return Misuse.unwrapped("the subscriptions cannot be read") {
      try SubscriptionWaiter.coverage(context.newestSnapshot)
    }
  }

  /// Waits until the newest version is complete and the file holds everything that the server had for it.
  ///
  /// - Parameter date: A time of the server's clock; nil for what the server has when it hears of the
  ///   question. A time to come is waited for.
  /// - Throws: As `update(_:)`; `SyncError` when the session is suspended meanwhile.
  public nonisolated(nonsending) func caughtUp(to date: Date? = nil) async throws {
    refresh()
    let waiter = try SubscriptionWaiter(context)
    try await waiter.wait(forVersion: version)
    try await waiter.waitForCoverage(through: date)
    refresh()
    context.refresh()
  }

  /// Compares count and digest of the objects of each subscription with those of the server, and puts
  /// right what differs.
  ///
  /// Nothing ever should: this is for those who want to know. It waits until all that was written is
  /// answered. A device does so by itself once a day. What differs is told to the app's
  /// `syncManager.errorHandler`, and the file downloads everything again, in place.
  ///
  /// - Returns: In how many subscriptions the two differed.
  /// - Throws: As `update(_:)`; `SyncError` when the session is suspended meanwhile.
  @discardableResult
  public nonisolated(nonsending) func verify() async throws -> Int {
    refresh()
    let waiter = try SubscriptionWaiter(context)
    try await waiter.wait(forVersion: version)
    let count = try await waiter.verify()
    refresh()
    context.refresh()
    return count
  }

  nonisolated(nonsending) func wait(for version: Int64, timeout: Double? = nil) async throws {
    try await SubscriptionWaiter(context).wait(forVersion: version, timeout: timeout)
    refresh()
    context.refresh()
  }

  /// Commits an update and shows its version.
  func commit(_ block: () throws -> Void) throws -> Int64 {
    if case .superseded = state, !context.isNewestSet(version) {
      throw Realm.Error(
        .subscriptionFailed,
        "this subscription set is superseded by a newer one; take realm.subscriptions again")
    }
    do {
      let version = try context.updateSubscriptions(block)
      refresh()
      return version
    } catch let error as SubscriptionError {
      throw Realm.Error(.subscriptionFailed, error.description)
    } catch let error as ObjectError {
      throw Realm.Error(error, fileURL: context.configuration.fileURL)
    }
  }

  /// Shows the newest version from now on.
  private func refresh() {
    shown.set = Misuse.unwrapped("the subscriptions cannot be read") {
      try SubscriptionSets(context.newestSnapshot).latest
    }
  }
}

extension _RealmContext {
  /// Whether no newer version of the set was committed.
  func isNewestSet(_ version: Int64) -> Bool {
    Misuse.unwrapped("the subscriptions cannot be read") {
      try SubscriptionSets(newestSnapshot).latest.version == version
    }
  }
}

/// How far the server is with a subscription set.
public enum SyncSubscriptionState: Equatable, Sendable {
  /// The server holds the set, and what matched when it reached the server has arrived.
  case complete
  /// The server cannot answer the set; the one that was complete before stays active.
  case error(any Error)
  /// Committed here; the server has not answered yet, or its data is on the way.
  case pending
  /// A newer set has replaced it.
  case superseded

  init(_ state: SubscriptionState) {
    switch state {
    case .pending, .bootstrapping: self = .pending
    case .complete: self = .complete
    case .error(let text): self = .error(Realm.Error(.subscriptionFailed, text))
    case .superseded: self = .superseded
    }
  }

  public static func == (left: SyncSubscriptionState, right: SyncSubscriptionState) -> Bool {
    switch (left, right) {
    case (.complete, .complete), (.error, .error), (.pending, .pending), (.superseded, .superseded):
      true
    default: false
    }
  }
}
