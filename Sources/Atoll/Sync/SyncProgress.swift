internal import AtollCapture
internal import AtollObjects
internal import AtollSync
internal import Synchronization

extension SyncSession {
  /// What a progress notification tells.
  public struct Progress: Equatable, Sendable {
    /// How much has been transferred, from 0 to 1.
    ///
    /// Uploads count transactions. Downloads count the objects of a bootstrap; of what a device
    /// that was away has missed, it is known only when all of it has come.
    public let progressEstimate: Double

    /// Whether everything has been transferred.
    public var isTransferComplete: Bool { progressEstimate >= 1 }

    init(_ progressEstimate: Double) { self.progressEstimate = progressEstimate }
  }

  /// What a progress notification is about.
  public enum ProgressMode: Sendable {
    /// Whatever is to be transferred, now and later.
    case reportIndefinitely
    /// What is to be transferred now; the notification ends when it has been.
    case forCurrentlyOutstandingWork
  }

  /// Keeps a progress notification going, until it is invalidated or its last reference goes.
  public final class ProgressNotificationToken: Sendable {
    private let task: _Concurrency.Task<Void, Never>

    init(_ task: _Concurrency.Task<Void, Never>) { self.task = task }

    deinit { task.cancel() }

    /// Ends the notification.
    public func invalidate() { task.cancel() }
  }

  /// Tells how far the synchronisation is, at once and whenever that changes.
  ///
  /// - Parameters:
  ///   - direction: What is followed.
  ///   - mode: Whether later work is followed too.
  ///   - block: Called on a thread of the library's own, with estimates that never pass 1 and,
  ///     unless new work comes meanwhile, never decrease.
  /// - Returns: The token that keeps the notification going; nil when the session has ended.
  @preconcurrency public func addProgressNotification(
    for direction: ProgressDirection, mode: ProgressMode,
    block: @escaping @Sendable (Progress) -> Void
  ) -> ProgressNotificationToken? {
    guard state != .invalid else { return nil }
    let database = file.database
    let telling = ProgressTelling(block)
    return ProgressNotificationToken(
      _Concurrency.Task { [weak self] in
        do {
          switch (direction, mode) {
          case (.upload, _):
            try await telling.uploads(of: database, mode)
          case (.download, .reportIndefinitely):
            try await telling.downloads(of: database)
          case (.download, .forCurrentlyOutstandingWork):
            telling.tell(0)
            try await self?.wait(for: .download)
            telling.tell(1)
          }
        } catch {
          // The session was suspended or has ended, or the token has: nothing more is told.
        }
      })
  }
}

/// Tells each estimate once.
private final class ProgressTelling: Sendable {
  private let last = Mutex(-1.0)
  private let block: @Sendable (SyncSession.Progress) -> Void

  init(_ block: @escaping @Sendable (SyncSession.Progress) -> Void) { self.block = block }

  func tell(_ estimate: Double) {
    let isNew = last.withLock { last in
      defer { last = estimate }
      return last != estimate
    }
    if isNew, !_Concurrency.Task.isCancelled { block(SyncSession.Progress(estimate)) }
  }

  /// Follows the numbers of the outbox: what was answered of what was recorded.
  func uploads(of database: Database, _ mode: SyncSession.ProgressMode) async throws {
    var commits = database.commits.makeAsyncIterator()
    var estimate = UploadEstimate(mode)
    repeat {
      let snapshot = try database.snapshot()
      guard let state = try snapshot.syncState() else { return tell(1) }
      let value = estimate.next(
        recorded: state.nextNumber - 1, answered: try snapshot.answeredNumber(state))
      tell(value)
      if value == 1, mode == .forCurrentlyOutstandingWork { return }
    } while try await commits.next() != nil
  }

  /// Follows the subscription sets: one that is not complete waits for data.
  func downloads(of database: Database) async throws {
    var commits = database.commits.makeAsyncIterator()
    repeat {
      let snapshot = try database.snapshot()
      if try SubscriptionSets(snapshot).pending.isEmpty {
        tell(1)
      } else {
        // The end is told with the last batch, which makes the set complete.
        tell(min(try SubscriptionSets.bootstrapProgress(snapshot) ?? 0, 0.99))
      }
    } while try await commits.next() != nil
  }
}

/// How much of an outbox was answered since something began to wait in it.
///
/// What is recorded before all is answered makes the rest longer, and does not begin again: the
/// estimate gets smaller and not 0.
struct UploadEstimate {
  private let mode: SyncSession.ProgressMode
  /// What was answered when the work began; nil before the first call.
  private var begin: UInt64?
  /// The last entry that is followed.
  private var end: UInt64 = 0

  init(_ mode: SyncSession.ProgressMode) { self.mode = mode }

  /// Takes the numbers of the last entries that were recorded and answered.
  ///
  /// - Returns: From 0 to 1.
  mutating func next(recorded: UInt64, answered: UInt64) -> Double {
    if begin == nil || mode == .reportIndefinitely { end = recorded }
    let first = begin ?? answered
    guard answered < end else {
      // What is recorded later is counted from here.
      begin = answered
      return 1
    }
    begin = first
    return Double(answered - first) / Double(end - first)
  }
}
