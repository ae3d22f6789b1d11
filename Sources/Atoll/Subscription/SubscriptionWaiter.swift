internal import AtollObjects
internal import AtollSync
internal import Foundation

/// Waits for a version of the subscription set, in any process that has the file open.
struct SubscriptionWaiter: Sendable {
  private let database: Database
  private let session: SyncSession

  /// - Throws: `SyncError` with the code `clientUserError` when the user of the realm was removed.
  init(_ context: _RealmContext) throws {
    self.init(context.file.database, try context.requireSyncSession())
  }

  init(_ database: Database, _ session: SyncSession) {
    self.database = database
    self.session = session
  }

  /// Waits until a version is complete or superseded; `timeout` is in seconds.
  ///
  /// - Throws: `Realm.Error` with the code `subscriptionFailed`; an `NSError` with `ETIMEDOUT`;
  ///   `SyncError` when the session is suspended; `CancellationError`.
  func wait(forVersion version: Int64, timeout: Double? = nil) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await waitForCommits(version) }
      group.addTask { try await session.waitForSuspension() }
      if let timeout {
        group.addTask {
          try await _Concurrency.Task.sleep(for: .seconds(timeout))
          throw Self.timedOut(timeout)
        }
      }
      // What ends first decides.
      _ = try await group.next()
      group.cancelAll()
    }
  }

  private func waitForCommits(_ version: Int64) async throws {
    var commits = database.commits.makeAsyncIterator()
    while true {
      switch try SubscriptionSets(database.snapshot()).state(ofVersion: version) {
      case .complete, .superseded: return
      case .error(let text): throw Realm.Error(.subscriptionFailed, text)
      case .pending, .bootstrapping: break
      }
      guard try await commits.next() != nil else { throw CancellationError() }
    }
  }

  private static func timedOut(_ seconds: Double) -> any Error {
    NSError(
      domain: NSPOSIXErrorDomain, code: Int(ETIMEDOUT),
      userInfo: [
        NSLocalizedDescriptionKey:
          "the subscription was not complete after \(seconds) seconds; it stays in the set, and "
          + "synchronisation goes on"
      ])
  }
}
