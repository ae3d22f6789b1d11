internal import AtollObjects
internal import AtollSync
public import Foundation

/// One subscription of a set.
public struct SyncSubscription {
  let subscription: Subscription
  let context: _RealmContext

  /// The name; nil for one that is known by its query.
  public var name: String? { subscription.name }

  /// When the subscription was made.
  public var createdAt: Date { Date(subscription.createdAt) }

  /// When it was last added or changed, also with the query that it had.
  public var updatedAt: Date { Date(subscription.updatedAt) }

  /// The class of the objects.
  public var objectType: String { subscription.className }

  /// The query in canonical form.
  public var queryString: String { subscription.query }

  /// Stays the same for as long as the subscription exists.
  public var id: ObjectId { ObjectId(subscription.id) }

  /// How far the server is with this subscription, whatever becomes of others that were added with
  /// it.
  ///
  /// Of the query that it has now. `complete` from when its data is here, also while a newer set is
  /// pending; `error` with the server's reason when it cannot answer the query, or refused the set
  /// that brought it for another one; `superseded` when it was removed.
  public var state: SyncSubscriptionState {
    context.checkConfinement()
    let sets = context.reading("the subscriptions cannot be read", or: nil) {
      try SubscriptionSets(context.newestSnapshot)
    }
    guard let sets else { return .pending }
    let members = context.subscriptionUpdate?.editor.subscriptions ?? sets.latest.subscriptions
    guard let member = members.first(where: { $0.id == subscription.id }) else {
      return .superseded
    }
    return member.state(in: context.subscriptionUpdate == nil ? sets.latest.state : .pending)
  }

  /// How much of the data that the query asks for has come, from 0 to 1.
  ///
  /// 1 from when the state is `complete`. Before, the share of the objects that come with it: with
  /// an atomic bootstrap they wait in the file until all are there. An estimate: what others change
  /// meanwhile is counted when it comes.
  public var progressEstimate: Double {
    guard state == .pending else { return state == .complete ? 1 : 0 }
    return context.reading("the subscriptions cannot be read", or: 0) {
      try SubscriptionSets.bootstrapProgress(context.newestSnapshot) ?? 0
    }
  }

  /// The time of the server up to which the file holds everything that the query asks for; nil
  /// until it is complete.
  public var coveredThrough: Date? {
    state == .complete ? SyncSubscriptionSet(context).coveredThrough : nil
  }

  /// Takes the subscription out of the set, and waits until what no other subscription asks for has
  /// left the file.
  ///
  /// Changes of those objects that the server has not got are sent first, and nothing of them is
  /// lost. The set is changed at once, with a connection or without one, whatever the wait comes
  /// to.
  ///
  /// - Throws: As `SyncSubscriptionSet.update(_:)`.
  public func unsubscribe(_isolation: isolated (any Actor)? = #isolation) async throws {
    let set = SyncSubscriptionSet(context)
    try await set.update { set.remove(self) }
  }

  /// Replaces the query; nil for all objects of the class.
  ///
  /// Inside an update of the set. What is wrong makes the update fail.
  public func updateQuery<T: Object>(
    toType type: T.Type, where query: ((Query<T>) -> Query<Bool>)? = nil
  ) {
    let question = query.map { SubscriptionQuestion($0) } ?? .everything
    context.subscriptionUpdate("updateQuery").change(
      with: { try question.text(adding: type, in: context) }
    ) { editor, text in
      try editor.updateQuery(of: subscription.id, type.className(), query: text)
    }
  }

  /// Replaces the query by one in RQL.
  ///
  /// Inside an update of the set. What is wrong makes the update fail.
  public func updateQuery(to text: String, _ arguments: Any...) {
    updateQuery(to: SubscriptionQuestion(text, arguments))
  }

  /// Replaces the query by a predicate.
  ///
  /// Inside an update of the set. What is wrong makes the update fail.
  public func updateQuery(to predicate: NSPredicate) {
    updateQuery(to: SubscriptionQuestion(predicate))
  }

  private func updateQuery(to question: SubscriptionQuestion) {
    context.subscriptionUpdate("updateQuery").change(
      with: {
        try question.text(
          on: context.objectType(named: subscription.className), in: context)
      }
    ) { editor, text in
      try editor.updateQuery(of: subscription.id, subscription.className, query: text)
    }
  }
}

extension SyncSubscription: Equatable {
  /// Whether both are the same subscription, perhaps in different versions of the set.
  public static func == (left: SyncSubscription, right: SyncSubscription) -> Bool {
    left.subscription.id == right.subscription.id
  }
}

extension Subscription {
  /// How far the server is with a member of a set that has come so far.
  func state(in set: SubscriptionState) -> SyncSubscriptionState {
    if let problem { return .error(Realm.Error(.subscriptionFailed, problem)) }
    return wasComplete ? .complete : SyncSubscriptionState(set)
  }
}
