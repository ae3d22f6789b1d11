internal import AtollObjects
internal import AtollSync
public import Foundation

/// What changes a set, inside of an update; outside it ends the process.
extension SyncSubscriptionSet {
  /// Adds subscriptions.
  ///
  /// One without a name that is there already is not added again; its time of change moves. A name
  /// that is taken makes the update fail.
  public func append<T: Object>(_ subscriptions: QuerySubscription<T>...) {
    for subscription in subscriptions { append(subscription, updateExisting: false) }
  }

  /// Adds a subscription.
  ///
  /// `updateExisting`: whether a subscription that has the name gets the new query, which makes the
  /// update fail otherwise.
  public func append<T: Object>(_ subscription: QuerySubscription<T>, updateExisting: Bool) {
    context.subscriptionUpdate("append").change(
      with: { try subscription.question.text(adding: T.self, in: context) }
    ) { editor, text in
      try editor.add(
        name: subscription.name, T.className(), query: text, isUpdating: updateExisting)
    }
  }

  /// Adds a subscription, or replaces the query of the one that has its name.
  public func addOrUpdate<T: Object>(_ subscription: QuerySubscription<T>) {
    append(subscription, updateExisting: true)
  }

  /// Adds a subscription to the query of some results.
  ///
  /// `update`: whether a subscription that has the name gets this query, which makes the update
  /// fail otherwise.
  ///
  /// - Returns: The subscription; nil when the update fails.
  @discardableResult
  public func add<T: Object>(
    _ results: Results<T>, name: String? = nil, update: Bool = false
  ) -> SyncSubscription? {
    let text = context.subscriptionUpdate("add").change(
      with: { try SubscriptionQuestion(results).text(adding: T.self, in: context) }
    ) { editor, text in
      try editor.add(name: name, T.className(), query: text, isUpdating: update)
      return text
    }
    return text.flatMap { member(named: name, T.className(), query: $0) }
      .map { SyncSubscription(subscription: $0, context: context) }
  }

  /// Replaces the query of the subscription with a name; nil for all objects of the class.
  ///
  /// A name that no subscription has makes the update fail.
  public func updateSubscription<T: Object>(
    named name: String, toType type: T.Type, where query: ((Query<T>) -> Query<Bool>)? = nil
  ) {
    let update = context.subscriptionUpdate("updateSubscription")
    let question = query.map { SubscriptionQuestion($0) } ?? .everything
    update.change(with: { try question.text(adding: type, in: context) }) { editor, text in
      guard let found = editor.subscriptions.first(where: { $0.isNamed(name) }) else {
        throw SubscriptionError.noSuchSubscription
      }
      try editor.updateQuery(of: found.id, type.className(), query: text)
    }
  }

  // MARK: Removing

  /// Removes subscriptions; one that is not in the set is passed over.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func remove(_ subscriptions: SyncSubscription...) -> Int {
    let ids = subscriptions.map(\.subscription.id)
    return change("remove") { editor in ids.count { editor.remove($0) } }
  }

  /// Removes the subscription with a name.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func remove(named name: String) -> Bool {
    context.subscriptionUpdate("remove").change { $0.remove(named: name) } ?? false
  }

  /// Removes the subscriptions to a query, named ones too.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func remove<T: Object>(
    ofType type: T.Type, _ query: (Query<T>) -> Query<Bool>
  ) -> Int {
    remove(type, SubscriptionQuestion(query))
  }

  /// Removes the subscriptions to a query in RQL, named ones too.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func remove<T: Object>(
    ofType type: T.Type, where text: String, _ arguments: Any...
  ) -> Int {
    remove(type, SubscriptionQuestion(text, arguments))
  }

  /// Removes the subscriptions to a predicate, named ones too.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func remove<T: Object>(ofType type: T.Type, where predicate: NSPredicate) -> Int {
    remove(type, SubscriptionQuestion(predicate))
  }

  /// Removes the subscriptions to a query, named ones too.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func remove<T: Object>(_ build: () -> QuerySubscription<T>) -> Int {
    let subscription = build()
    if let name = subscription.name { return remove(named: name) ? 1 : 0 }
    return remove(T.self, subscription.question)
  }

  /// Removes the subscriptions to the query of some results, named ones too.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func remove<T: Object>(_ results: Results<T>) -> Int {
    remove(T.self, SubscriptionQuestion(results))
  }

  /// Removes all subscriptions, or those without a name.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func removeAll(unnamedOnly: Bool = false) -> Int {
    change("removeAll") { unnamedOnly ? $0.removeAllUnnamed() : $0.removeAll() }
  }

  /// Removes the subscriptions without a name.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func removeUnnamed() -> Int { removeAll(unnamedOnly: true) }

  /// Removes the subscriptions to a class, named ones too.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func removeAll<T: Object>(ofType type: T.Type) -> Int {
    removeAll(className: type.className())
  }

  /// Removes the subscriptions to a class, named ones too.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func removeAll(className: String) -> Int {
    change("removeAll") { $0.removeAll(ofClass: className) }
  }

  /// Removes the subscriptions to a class, with `unnamedOnly` those without a name.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func removeAll<T: Object>(ofType type: T.Type, unnamedOnly: Bool) -> Int {
    let className = type.className()
    guard unnamedOnly else { return removeAll(className: className) }
    return change("removeAll") { $0.removeAllUnnamed(ofClass: className) }
  }

  /// Removes the subscriptions that pass a test; not those that others add before the update is
  /// committed.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func remove(where isRemoved: (SyncSubscription) -> Bool) -> Int {
    // Before the change: the test may look at the set.
    let removed = context.subscriptionUpdate("remove").editor.subscriptions.filter {
      isRemoved(SyncSubscription(subscription: $0, context: context))
    }
    return change("remove") { editor in removed.count { editor.remove($0.id) } }
  }

  private func remove(_ type: ObjectBase.Type, _ question: SubscriptionQuestion) -> Int {
    let removed = context.subscriptionUpdate("remove").change(
      with: { try question.text(on: type, in: context) }
    ) { editor, text in editor.removeAll(type.className(), query: text) }
    return removed ?? 0
  }

  private func change(
    _ call: String, _ body: @escaping (inout SubscriptionEditor) throws -> Int
  ) -> Int {
    context.subscriptionUpdate(call).change(body) ?? 0
  }
}
