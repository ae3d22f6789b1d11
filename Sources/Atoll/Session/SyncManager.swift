internal import Dispatch
internal import Synchronization

/// What is common to all sessions of an app.
public final class SyncManager: Sendable {
  /// Called with each error of a session, one after the other in their order, on a queue of the
  /// library's own; sessions go on while a handler runs.
  @preconcurrency public typealias ErrorHandler = @Sendable (any Error, SyncSession?) -> Void

  /// What is told to a handler, and then done on its queue.
  private struct Report: Sendable {
    let error: any Error
    let session: SyncSession?
    var finish: [@Sendable () -> Void]
  }

  private struct State {
    var errorHandler: ErrorHandler?
    /// What happened before there was a handler, oldest first, at most `keptCount`.
    var kept: [Report] = []
  }

  private static let keptCount = 100
  private let state = Mutex(State())
  /// Where handlers run: one that blocks must not hold up the session that tells it something.
  private let queue = DispatchQueue(label: "atoll.errors")

  /// Called for refused writes, refused subscriptions, files that cannot be read or written, and
  /// sessions that cannot continue.
  ///
  /// What happened before the first handler was set is told to it. Not being able to reach the
  /// server is no error.
  @preconcurrency public var errorHandler: ErrorHandler? {
    get { state.withLock { $0.errorHandler } }
    set {
      state.withLock { state in
        state.errorHandler = newValue
        guard let newValue else { return }
        for report in state.kept { tell(report, newValue) }
        state.kept = []
      }
    }
  }

  /// Tells the handler, or keeps the error for the first one; returns at once.
  ///
  /// `finish` is called on the handlers' queue after a handler has returned.
  ///
  /// - Returns: False when there is no handler and no room either.
  @discardableResult
  func report(
    _ error: any Error, _ session: SyncSession?,
    then finish: (@Sendable () -> Void)? = nil
  ) -> Bool {
    let report = Report(error: error, session: session, finish: finish.map { [$0] } ?? [])
    return state.withLock { state in
      // With the lock held, so that the order of the calls is that of the reports.
      if let handler = state.errorHandler {
        tell(report, handler)
        return true
      }
      // What fails again and again, as a full disk does, must not crowd out the rest.
      if let last = state.kept.last, last.session === session, "\(last.error)" == "\(error)" {
        state.kept[state.kept.count - 1].finish += report.finish
        return true
      }
      guard state.kept.count < Self.keptCount else { return false }
      state.kept.append(report)
      return true
    }
  }

  private func tell(_ report: Report, _ handler: @escaping ErrorHandler) {
    tell {
      handler(report.error, report.session)
      for finish in report.finish { finish() }
    }
  }

  /// Calls the application on the handlers' queue, after what was reported before.
  func tell(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  /// Waits until the handler has returned from all that was reported before.
  func waitForHandler() async {
    await withCheckedContinuation { continuation in tell { continuation.resume() } }
  }
}
