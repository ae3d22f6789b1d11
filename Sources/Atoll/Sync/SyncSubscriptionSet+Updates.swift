internal import AtollObjects
internal import AtollSync
public import Foundation

extension SyncSubscriptionSet {
  /// Changes the set, in one commit of the file, and returns.
  ///
  /// It is the newest version that is changed, whichever one this value shows. Others write while
  /// `block` runs; where they change the set too, the same changes are made again on what they have
  /// made. What is not possible there any more, as with a name that they have taken, makes this
  /// update fail.
  ///
  /// - Parameters:
  ///   - block: Changes the set, through this value or another one of the realm's subscriptions.
  ///   - onComplete: Called where the realm belongs when the server has accepted the set and its
  ///     data has arrived, with nil; or with the error, and then the set that was complete before
  ///     stays active. Without it, an error in `block` goes to the app's
  ///     `syncManager.errorHandler`.
  @preconcurrency public func update(
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
  /// - Throws: `Realm.Error` with the code `subscriptionFailed` and the server's reason, the set
  ///   that was complete before stays active then; what was wrong in `block`, and nothing was
  ///   changed then; `CancellationError`.
  public func update(
    _isolation: isolated (any Actor)? = #isolation, _ block: () -> Void
  ) async throws {
    try await wait(for: try commit(block))
  }

  /// As `update(_:)`, with a block that may throw: nothing is changed then.
  public func update(
    _isolation: isolated (any Actor)? = #isolation,
    _ block: (SyncSubscriptionSet) throws -> Void
  ) async throws {
    try await wait(for: try commit { try block(self) })
  }

  /// Waits until the server has accepted the newest version and its data has arrived.
  ///
  /// `timeout`: the seconds after which it gives up; nil for never.
  ///
  /// - Throws: As `update(_:)`; an `NSError` of the domain `NSPOSIXErrorDomain` with the code
  ///   `ETIMEDOUT` after the time.
  public func waitForSynchronization(
    timeout: Double? = nil, _isolation: isolated (any Actor)? = #isolation
  ) async throws {
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
    return context.reading("the subscriptions cannot be read", or: nil) {
      try SubscriptionWaiter.coverage(context.newestSnapshot)
    }
  }

  /// Waits until the newest version is complete and the file holds everything that the server had
  /// for it.
  ///
  /// `date`: a time of the server's clock; nil for what the server has when it hears of the
  /// question. A time to come is waited for.
  ///
  /// - Throws: As `update(_:)`; `SyncError` when the session is suspended meanwhile.
  public func caughtUp(
    to date: Date? = nil, _isolation: isolated (any Actor)? = #isolation
  ) async throws {
    refresh()
    let waiter = try SubscriptionWaiter(context)
    try await waiter.wait(forVersion: version)
    try await waiter.waitForCoverage(through: date)
    refresh()
    context.refresh()
  }

  /// Compares count and digest of the objects of each subscription with those of the server, and
  /// puts right what differs.
  ///
  /// Nothing ever should: this is for those who want to know. It waits until all that was written
  /// is answered. A device does so by itself once a day. What differs is told to the app's
  /// `syncManager.errorHandler`, and the file downloads everything again, in place.
  ///
  /// - Returns: In how many subscriptions the two differed.
  /// - Throws: As `update(_:)`; `SyncError` when the session is suspended meanwhile.
  @discardableResult
  public func verify(_isolation: isolated (any Actor)? = #isolation) async throws -> Int {
    refresh()
    let waiter = try SubscriptionWaiter(context)
    try await waiter.wait(forVersion: version)
    let count = try await waiter.verify()
    refresh()
    context.refresh()
    return count
  }

  func wait(
    for version: Int64, timeout: Double? = nil,
    _isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await SubscriptionWaiter(context).wait(forVersion: version, timeout: timeout)
    refresh()
    context.refresh()
  }

  /// Commits an update of the newest version and shows what it has made.
  func commit(_ block: () throws -> Void) throws -> Int64 {
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
}
