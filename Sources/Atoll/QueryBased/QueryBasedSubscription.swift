internal import AtollObjects
internal import AtollSync

/// A subscription to the query of some results, in the form that came before sets of subscriptions.
///
/// It is a member of `realm.subscriptions` like any other.
public final class QueryBasedSubscription {
  /// How far a subscription has come.
  public enum State: Sendable {
    /// Not in the file yet.
    case creating
    /// In the file; the server has not answered, or its data is on the way.
    case pending
    /// The server holds it, and what matched when it reached the server has arrived.
    case complete
    /// It was removed.
    case invalidated
    /// It could not be added, or the server refuses it.
    case error(any Error)
  }

  /// The name; nil for one that is known by its query.
  public let name: String?
  let context: _RealmContext
  /// What the file knows it by, or why it is not there.
  private let member: Result<ObjectID, any Error>

  init<T: Object>(_ results: Results<T>, name: String?) {
    self.name = name
    context = results.list.context
    member = Result { try Self.add(results, name) }
    results.list.subscriptionName = .some(name)
  }

  /// Adds the query to the newest set, unless it is there.
  private static func add<T: Object>(_ results: Results<T>, _ name: String?) throws -> ObjectID {
    let context = results.list.context
    let subscriptions = SyncSubscriptionSet(context)
    let className = T.className()
    let text = try SubscriptionQuestion(results).text(adding: T.self, in: context)
    func known() -> Subscription? {
      subscriptions.member(named: name, className, query: text)
    }
    if let known = known() { return known.id }
    _ = try subscriptions.commit {
      context.subscriptionUpdate("subscribe").change { editor in
        try editor.add(name: name, className, query: text, isUpdating: false)
      }
    }
    guard let known = known() else { throw SubscriptionError.noSuchSubscription }
    return known.id
  }

  /// The state that the file tells of, whichever process is connected.
  public var state: State {
    context.checkConfinement()
    let id: ObjectID
    switch member {
    case .success(let known): id = known
    case .failure(let error): return .error(error)
    }
    let sets = context.reading("the subscriptions cannot be read", or: nil) {
      try SubscriptionSets(context.newestSnapshot)
    }
    guard let sets else { return .pending }
    guard let known = sets.latest.subscriptions.first(where: { $0.id == id }) else {
      return .invalidated
    }
    return switch known.state(in: sets.latest.state) {
    case .complete: .complete
    case .error(let error): .error(error)
    case .pending: .pending
    case .superseded: .invalidated
    }
  }

  /// Calls `block` with the present state, and then with each later one, where the realm belongs.
  ///
  ///     let token = subscription.observe(\.state) { state in … }
  ///
  /// Needs a realm of the main actor, another actor, or a queue.
  ///
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<Value>(
    _ keyPath: KeyPath<QueryBasedSubscription, Value>, _ block: @escaping (Value) -> Void
  ) -> NotificationToken {
    context.checkConfinement()
    guard context.confinement.hasScheduler else {
      Misuse.trap(
        "a subscription was observed on a thread that nothing can be delivered to; observe it on "
          + "the main actor, in an actor's realm, or with a queue")
    }
    return context.notifier.add(
      SubscriptionObserver(self) { block($0[keyPath: keyPath]) })
  }

  /// Removes the subscription.
  ///
  /// Returns at once; the objects leave the file when the server has answered, unless another
  /// subscription asks for them.
  public func unsubscribe() {
    guard case .success(let id) = member else { return }
    SyncSubscriptionSet(context).update {
      context.subscriptionUpdate("unsubscribe").change { $0.remove(id) }
    }
  }
}

extension QueryBasedSubscription.State: Equatable {
  /// Whether both are the same case.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.creating, .creating), (.pending, .pending), (.complete, .complete),
      (.invalidated, .invalidated), (.error, .error):
      true
    default: false
    }
  }
}

/// Tells a block whenever the state of a subscription has changed: that takes a commit.
private final class SubscriptionObserver: RealmObserver {
  let observation = Observation()
  private let subscription: QueryBasedSubscription
  private let block: (QueryBasedSubscription) -> Void
  private var told: QueryBasedSubscription.State?

  init(
    _ subscription: QueryBasedSubscription, _ block: @escaping (QueryBasedSubscription) -> Void
  ) {
    self.subscription = subscription
    self.block = block
  }

  func deliver(_ round: DeliveryRound) {
    let state = subscription.state
    guard state != told else { return }
    told = state
    block(subscription)
  }

  func rebase(_ context: _RealmContext) {}
}

extension Results where Element: Object {
  /// Adds the query of these results to the subscriptions and returns at once.
  ///
  /// In an asynchronous function, `try await results.subscribe()` is the form that waits.
  public func subscribe() -> QueryBasedSubscription {
    QueryBasedSubscription(self, name: nil)
  }

  /// Adds the query of these results to the subscriptions, under a name, and returns at once.
  ///
  /// A name that another query has makes the state an error.
  public func subscribe(named name: String) -> QueryBasedSubscription {
    QueryBasedSubscription(self, name: name)
  }
}

extension Realm {
  /// Removes the subscription with a name, and waits until its objects have left the file.
  ///
  /// Offline it waits on; the removal is committed whatever the wait comes to.
  ///
  /// - Throws: As `subscriptions.update`.
  public func unsubscribe(
    named name: String, _isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let subscriptions = subscriptions
    try await subscriptions.update { _ = subscriptions.remove(named: name) }
  }
}
