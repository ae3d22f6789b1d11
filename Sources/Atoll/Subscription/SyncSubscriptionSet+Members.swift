internal import AtollObjects
internal import AtollSync
public import Foundation

extension SyncSubscriptionSet: Sequence {
  /// The number of subscriptions.
  public var count: Int { members.count }

  /// Whether there are no subscriptions.
  public var isEmpty: Bool { members.isEmpty }

  /// The subscription at a place in the order of insertion.
  ///
  /// Ends the process for a place that there is not.
  public subscript(position: Int) -> SyncSubscription? {
    let members = members
    guard members.indices.contains(position) else {
      context.refuse("index \(position) is out of range of \(members.count) subscriptions")
      return nil
    }
    return SyncSubscription(subscription: members[position], context: context)
  }

  /// The oldest subscription; nil when there is none.
  public var first: SyncSubscription? {
    members.first.map { SyncSubscription(subscription: $0, context: context) }
  }

  /// The newest subscription; nil when there is none.
  public var last: SyncSubscription? {
    members.last.map { SyncSubscription(subscription: $0, context: context) }
  }

  public func makeIterator() -> SyncSubscriptionSetIterator {
    SyncSubscriptionSetIterator(members, context)
  }

  // MARK: Finding

  /// The subscription with a name; nil when there is none.
  public func first(named name: String) -> SyncSubscription? {
    find { $0.isNamed(name) }
  }

  /// The subscription with a name; nil when there is none.
  public func find(name: String) -> SyncSubscription? { first(named: name) }

  /// The first subscription to a query, with a name or without; nil when there is none.
  public func first<T: Object>(
    ofType type: T.Type, where query: (Query<T>) -> Query<Bool>
  ) -> SyncSubscription? {
    first(type, SubscriptionQuestion(query))
  }

  /// The first subscription to a query in RQL, with a name or without.
  ///
  /// - Returns: Nil when there is none, and so for a text that is no query of the class.
  public func first<T: Object>(
    ofType type: T.Type, where text: String, _ arguments: Any...
  ) -> SyncSubscription? {
    first(type, SubscriptionQuestion(text, arguments))
  }

  /// The first subscription to a predicate, with a name or without.
  ///
  /// - Returns: Nil when there is none, and so for a text that is no query of the class.
  public func first<T: Object>(
    ofType type: T.Type, where predicate: NSPredicate
  ) -> SyncSubscription? {
    first(type, SubscriptionQuestion(predicate))
  }

  /// The first subscription to a query in RQL on the class with a name.
  ///
  /// - Returns: Nil when there is none, and so for a text that is no query of the class.
  public func first(ofType className: String, rql text: String) -> SyncSubscription? {
    guard let type = context.descriptor(named: className)?.type else { return nil }
    return first(type, SubscriptionQuestion(text, []))
  }

  /// The first subscription to the query of some results; nil when there is none.
  public func find<T: Object>(_ results: Results<T>) -> SyncSubscription? {
    first(T.self, SubscriptionQuestion(results))
  }

  private func first(
    _ type: ObjectBase.Type, _ question: SubscriptionQuestion
  ) -> SyncSubscription? {
    let text: String
    do { text = try question.text(on: type, in: context) } catch {
      if Realm.Error.isFailure(error) { context.tell(of: error, "the query cannot be read") }
      return nil
    }
    let name = type.className()
    return find { $0.asks(name, text) }
  }

  /// The member with exactly this name, or without one, and this query.
  func member(named name: String?, _ className: String, query: String) -> Subscription? {
    members.first { $0.isNamed(name) && $0.asks(className, query) }
  }

  private func find(_ isMatch: (Subscription) -> Bool) -> SyncSubscription? {
    members.first(where: isMatch).map { SyncSubscription(subscription: $0, context: context) }
  }
}

/// Goes over the subscriptions that a set had when the loop began.
public struct SyncSubscriptionSetIterator: IteratorProtocol {
  private var rest: ArraySlice<Subscription>
  private let context: _RealmContext

  init(_ members: [Subscription], _ context: _RealmContext) {
    rest = members[...]
    self.context = context
  }

  public mutating func next() -> SyncSubscription? {
    rest.popFirst().map { SyncSubscription(subscription: $0, context: context) }
  }
}
