internal import AtollObjects

/// The wait of an asynchronous opening of a synced file.
///
/// What initial subscriptions ask for is waited for until it has come once: when the file has no
/// data yet, and when the process has changed them by running them again. Else a file opens without
/// a network.
struct AsyncOpening: Sendable {
  let database: Database
  let session: SyncSession
  /// The version of the set that is waited for; nil when that is none.
  let version: Int64?
  /// Whether what the server has now is waited for.
  let isDownloading: Bool
  /// Whether a connection that fails ends the wait.
  let isEndedByFailures: Bool

  /// - Throws: As `SyncSubscriptionSet.update` and `SyncSession.wait`.
  func wait() async throws {
    guard isEndedByFailures else { return try await waitForData() }
    try await withThrowingTaskGroup { group in
      group.addTask { try await waitForData() }
      group.addTask { try await session.waitForConnectionFailure() }
      defer { group.cancelAll() }
      // What ends first decides.
      _ = try await group.next()
    }
  }

  private func waitForData() async throws {
    if let version {
      try await SubscriptionWaiter(database, session).wait(forVersion: version)
    }
    if isDownloading { try await session.wait(for: .download) }
  }
}
