internal import AtollObjects
internal import AtollSync

/// The subscriptions of a synced file: what of the server's data it holds.
///
///     let subscriptions = realm.subscriptions
///     try await subscriptions.update {
///       subscriptions.append(QuerySubscription<Task>(name: "mine") { $0.assignee == "Ann" })
///     }
///
/// A set has versions; each update makes the next. A value shows the version that it was made with,
/// or that its last update made; inside an update every value of the realm shows what is being
/// changed. Any process may change the set, with a connection or without one.
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
      context.reading(
        "the subscriptions cannot be read",
        or: SubscriptionSet(version: 0, state: .pending, subscriptions: [])
      ) {
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
    return context.reading("the subscriptions cannot be read", or: .pending) {
      SyncSubscriptionState(
        try SubscriptionSets(context.newestSnapshot).state(ofVersion: version))
    }
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

  /// Shows the newest version from now on.
  func refresh() {
    shown.set = context.reading("the subscriptions cannot be read", or: shown.set) {
      try SubscriptionSets(context.newestSnapshot).latest
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
