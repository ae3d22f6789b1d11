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

  /// The longest time that is counted, in seconds: longer ones, and what is no number, mean for
  /// ever.
  private static let timeoutLimit = 1e9

  /// Waits until a version is complete or superseded; `timeout` is in seconds.
  ///
  /// A version that is so already needs no connection.
  ///
  /// - Throws: `Realm.Error` with the code `subscriptionFailed`; an `NSError` with `ETIMEDOUT`;
  ///   `SyncError` when the session is suspended; `CancellationError`.
  func wait(forVersion version: Int64, timeout: Double? = nil) async throws {
    if try isDone(version) { return }
    try await withThrowingTaskGroup { group in
      group.addTask { try await waitForCommits(version) }
      group.addTask { try await session.waitForSuspension() }
      if let timeout, timeout < Self.timeoutLimit {
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

  /// The time of the server up to which the file has what its newest complete set asks for.
  static func coverage(_ snapshot: Snapshot) throws -> Date? {
    try SubscriptionSets.coverage(snapshot).map {
      Date(timeIntervalSince1970: Double($0) / 1_000)
    }
  }

  /// Waits until the file has all that the server had at a time of its clock; nil: that it has now.
  ///
  /// - Throws: As `SyncSession.wait(for:)`; `CancellationError`.
  func waitForCoverage(through date: Date?) async throws {
    guard let date else { return try await session.wait(for: .download) }
    while true {
      if try isCovered(through: date) { return }
      // The server says how far it is, also when nothing has changed.
      try await session.wait(for: .download)
      if try isCovered(through: date) { return }
      let left = date.timeIntervalSince(try Self.coverage(database.snapshot()) ?? .distantPast)
      try await _Concurrency.Task.sleep(for: .seconds(min(max(left, 0.001), 60)))
    }
  }

  private func isCovered(through date: Date) throws -> Bool {
    try Self.coverage(database.snapshot()).map { $0 >= date } ?? false
  }

  /// Lets the connected process compare the file with the server, and waits until what differed is
  /// right.
  ///
  /// - Returns: In how many subscriptions the two differed.
  func verify() async throws -> Int {
    let number = try Verification.ask(database)
    try await session.wait { snapshot in
      try Verification.find(snapshot).map { $0.done >= number } ?? false
    }
    let count = try Verification.find(database.snapshot())?.differenceCount ?? 0
    if count > 0 { try await session.wait(for: .download) }
    return Int(count)
  }

  private func waitForCommits(_ version: Int64) async throws {
    var commits = database.commits.makeAsyncIterator()
    while try !isDone(version) {
      guard try await commits.next() != nil else { throw CancellationError() }
    }
  }

  private func isDone(_ version: Int64) throws -> Bool {
    switch try SubscriptionSets(database.snapshot()).state(ofVersion: version) {
    case .complete, .superseded: true
    case .error(let text): throw Realm.Error(.subscriptionFailed, text)
    case .pending, .bootstrapping: false
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
