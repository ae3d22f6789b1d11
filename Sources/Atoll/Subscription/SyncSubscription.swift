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

  /// How far the server is with this subscription, whatever becomes of others that were added with it.
  ///
  /// Of the query that it has now. `complete` from when its data is here, also while a newer set is
  /// pending; `error` when the server cannot answer the set that brought it; `superseded` when it was
  /// removed.
  public var state: SyncSubscriptionState {
    context.checkConfinement()
    let sets = Misuse.unwrapped("the subscriptions cannot be read") {
      try SubscriptionSets(context.newestSnapshot)
    }
    let members = context.subscriptionUpdate?.editor.subscriptions ?? sets.latest.subscriptions
    guard let member = members.first(where: { $0.id == subscription.id }) else {
      return .superseded
    }
    if member.wasComplete { return .complete }
    return context.subscriptionUpdate == nil ? SyncSubscriptionState(sets.latest.state) : .pending
  }

  /// Replaces the query; nil for all objects of the class.
  ///
  /// Inside an update of the set. What is wrong makes the update fail.
  public func updateQuery<T: Object>(
    toType type: T.Type, where query: ((Query<T>) -> Query<Bool>)? = nil
  ) {
    let question = query.map { SubscriptionQuestion($0) } ?? .everything
    context.subscriptionUpdate("updateQuery").change { editor in
      let text = try question.text(on: type, in: context)
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
    context.subscriptionUpdate("updateQuery").change { editor in
      let text = try question.text(
        on: context.objectType(named: subscription.className), in: context)
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
