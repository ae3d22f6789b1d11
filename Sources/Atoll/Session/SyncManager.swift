internal import Synchronization

/// What is common to all sessions of an app.
public final class SyncManager: Sendable {
  /// Called with each error of a session, on a queue of the library's own, on which the session also
  /// applies what arrives: no connection of the file begins while a handler runs.
  public typealias ErrorHandler = @Sendable (any Error, SyncSession?) -> Void

  private struct State {
    var errorHandler: ErrorHandler?
    /// What happened before there was a handler, oldest first, at most `keptCount`.
    var kept: [(any Error, SyncSession?)] = []
  }

  private static let keptCount = 100
  private let state = Mutex(State())

  /// Called for refused writes, refused subscriptions, files that cannot be read or written, and
  /// sessions that cannot continue.
  ///
  /// What happened before the first handler was set is told to it. Not being able to reach the
  /// server is no error.
  public var errorHandler: ErrorHandler? {
    get { state.withLock { $0.errorHandler } }
    set {
      let kept = state.withLock { state in
        state.errorHandler = newValue
        defer { if newValue != nil { state.kept = [] } }
        return state.kept
      }
      guard let newValue else { return }
      for (error, session) in kept { newValue(error, session) }
    }
  }

  /// Whether what is reported is heard at once.
  var hasErrorHandler: Bool { state.withLock { $0.errorHandler != nil } }

  /// Tells the handler, or keeps the error for the first one.
  ///
  /// - Returns: False when there is no handler and no room either.
  @discardableResult
  func report(_ error: any Error, _ session: SyncSession?) -> Bool {
    let (handler, isTaken) = state.withLock { state in
      if let handler = state.errorHandler { return (ErrorHandler?.some(handler), true) }
      // What fails again and again, as a full disk does, must not crowd out the rest.
      if let last = state.kept.last, last.1 === session, "\(last.0)" == "\(error)" {
        return (nil, true)
      }
      guard state.kept.count < Self.keptCount else { return (nil, false) }
      state.kept.append((error, session))
      return (nil, true)
    }
    handler?(error, session)
    return isTaken
  }
}
