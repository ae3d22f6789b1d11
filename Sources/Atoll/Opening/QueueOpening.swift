internal import Foundation
internal import Synchronization

/// An opening that goes on in the background, and gives its realm to a queue.
///
/// It is over when the callback is about to be called, or when it is cancelled; what comes first
/// decides.
final class QueueOpening: Sendable {
  typealias Callback = @Sendable (Result<Realm, any Error>) -> Void

  /// Tells a block of estimates that grow, in their order.
  private final class ProgressTelling: Sendable {
    private let last = Mutex(-1.0)
    private let block: @Sendable (SyncSession.Progress) -> Void

    init(_ block: @escaping @Sendable (SyncSession.Progress) -> Void) { self.block = block }

    func tell(_ estimate: Double) {
      last.withLock { last in
        guard estimate > last else { return }
        last = estimate
        block(SyncSession.Progress(estimate))
      }
    }
  }

  private struct State {
    var isOver = false
    var task: _Concurrency.Task<Void, Never>?
    /// What is waited for; nil before that is known, and when it is nothing.
    var session: SyncSession?
    var tellings: [ProgressTelling] = []
    var tokens: [SyncSession.ProgressNotificationToken] = []
    /// Keeps what was opened until the queue has its own realm: one in memory is gone with its last
    /// instance.
    var place: OpeningPlace?
  }

  private let configuration: Realm.Configuration
  private let queue: DispatchQueue
  private let state = Mutex(State())

  init(_ configuration: Realm.Configuration, _ queue: DispatchQueue) {
    self.configuration = configuration
    self.queue = queue
  }

  func begin(_ callback: @escaping Callback) {
    let task = _Concurrency.Task { await self.open(callback) }
    state.withLock { if !$0.isOver { $0.task = task } }
  }

  func cancel() {
    end()?.task?.cancel()
  }

  private func open(_ callback: @escaping Callback) async {
    let place = OpeningPlace()
    let failure: (any Error)?
    do {
      try await place.open(configuration) { self.follow($0) }
      failure = nil
      tellOfTheEnd()
    } catch { failure = error }
    state.withLock { if !$0.isOver { $0.place = place } }
    queue.async { [self] in
      if let result = end(with: failure) { callback(result) }
    }
  }

  /// Ends the opening on its queue.
  ///
  /// What was opened elsewhere is let go of here, before the callback.
  ///
  /// - Returns: What the callback is told; nil when the opening was over.
  private func end(with failure: (any Error)?) -> Result<Realm, any Error>? {
    guard let before = end() else { return nil }
    return withExtendedLifetime(before) {
      Result {
        if let failure { throw failure }
        return try Realm(configuration: configuration, queue: queue)
      }
    }
  }

  /// - Returns: What there was before the end; nil when it was over.
  private func end() -> State? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      defer { state = State(isOver: true) }
      return state
    }
  }

  // MARK: Progress

  /// Tells a block how far the download has come.
  ///
  /// `block`: is called under a lock, and does no more than hand the estimate on.
  func tell(_ block: @escaping @Sendable (SyncSession.Progress) -> Void) {
    let telling = ProgressTelling(block)
    let session = state.withLock { state in
      if !state.isOver { state.tellings.append(telling) }
      return state.session
    }
    if let session { follow(session, telling) }
  }

  private func follow(_ session: SyncSession) {
    let tellings = state.withLock { state in
      if !state.isOver { state.session = session }
      return state.tellings
    }
    for telling in tellings { follow(session, telling) }
  }

  /// Tells of a download, but not of its end, which the opening knows better: that nothing is asked
  /// for now does not mean that all has come.
  private func follow(_ session: SyncSession, _ telling: ProgressTelling) {
    let token = session.addProgressNotification(for: .download, mode: .reportIndefinitely) {
      if !$0.isTransferComplete { telling.tell($0.progressEstimate) }
    }
    // A token that nothing keeps ends the notification.
    state.withLock { state in
      if !state.isOver, let token { state.tokens.append(token) }
    }
  }

  private func tellOfTheEnd() {
    let tellings = state.withLock { $0.session == nil ? [] : $0.tellings }
    for telling in tellings { telling.tell(1) }
  }
}

/// Where a file is opened in the background; keeps the realm until the queue has its own.
private actor OpeningPlace {
  private var realm: Realm?

  func open(
    _ configuration: Realm.Configuration, _ willWait: @Sendable (SyncSession) -> Void
  ) async throws {
    realm = try await Realm.opened(configuration, on: self, .always, willWait: willWait).value
  }
}
