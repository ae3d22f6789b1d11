internal import AtollCapture
package import AtollObjects

/// The next version of the subscription set while it is being made.
///
/// Begins with the members of the newest version. What is not saved leaves no trace, the version
/// number included.
package struct SubscriptionEditor {
  private let now: Timestamp
  private let makeID: () -> ObjectID
  package let version: Int64
  package private(set) var subscriptions: [Subscription]

  /// Begins with the newest version; `now` is when the changes are made, `makeID` gives a new id at
  /// each call.
  package init(
    _ source: any TreeSource, now: Timestamp, makeID: @escaping () -> ObjectID
  ) throws(ObjectError) {
    self.now = now
    self.makeID = makeID
    let latest = try SubscriptionSets(source).latest
    version = latest.version + 1
    subscriptions = latest.subscriptions
    // All of them are requested from the server again.
    for index in subscriptions.indices { subscriptions[index].problem = nil }
  }

  /// The set as it is now; uncommitted, so pending.
  package var set: SubscriptionSet {
    SubscriptionSet(version: version, state: .pending, subscriptions: subscriptions)
  }

  // MARK: Adding

  /// Adds an unnamed subscription; one to the same query only has its time moved.
  ///
  /// Returns whether it is new.
  @discardableResult
  package mutating func add(_ className: String, query: String) -> Bool {
    let index = subscriptions.firstIndex {
      $0.name == nil && $0.asks(className, query)
    }
    if let index {
      touch(index)
      return false
    }
    append(nil, className, query)
    return true
  }

  /// Adds a subscription under a name, which counts across classes; without one as the form above.
  ///
  /// `isUpdating`: a subscription that has the name gets the query, of whatever class, and keeps
  /// its id and the time of its creation. Returns whether the subscription is new.
  ///
  /// - Throws: `.nameTaken` when another has the name and `isUpdating` is false.
  @discardableResult
  package mutating func add(
    name: String?, _ className: String, query: String, isUpdating: Bool
  ) throws(SubscriptionError) -> Bool {
    guard let name else { return add(className, query: query) }
    guard let index = subscriptions.firstIndex(where: { $0.isNamed(name) }) else {
      append(name, className, query)
      return true
    }
    guard isUpdating else { throw .nameTaken(name) }
    replace(at: index, className, query)
    return false
  }

  private mutating func append(_ name: String?, _ className: String, _ query: String) {
    subscriptions.append(
      Subscription(
        id: makeID(), name: name, className: className, query: query, createdAt: now,
        updatedAt: now, wasComplete: false, problem: nil))
  }

  private mutating func replace(at index: Int, _ className: String, _ query: String) {
    let isSame = subscriptions[index].asks(className, query)
    subscriptions[index].className = className
    subscriptions[index].query = query
    touch(index)
    if !isSame { subscriptions[index].wasComplete = false }
  }

  /// Notes the time of a change, which is not before another one that came first.
  private mutating func touch(_ index: Int) {
    subscriptions[index].updatedAt = max(subscriptions[index].updatedAt, now)
  }

  /// Gives a subscription another query of its class; id, name and time of creation stay.
  ///
  /// An unnamed subscription that comes to equal another unnamed one takes its place.
  package mutating func updateQuery(
    of id: ObjectID, _ className: String, query: String
  ) throws(SubscriptionError) {
    guard let index = subscriptions.firstIndex(where: { $0.id == id }) else {
      throw .noSuchSubscription
    }
    guard subscriptions[index].className.hasSameBytes(as: className) else {
      throw .otherClass(expected: subscriptions[index].className, found: className)
    }
    replace(at: index, className, query)
    if subscriptions[index].name == nil {
      subscriptions.removeAll {
        $0.name == nil && $0.id != id && $0.asks(className, query)
      }
    }
  }

  // MARK: Removing

  /// Removes the subscription with this id; false when there is none.
  @discardableResult
  package mutating func remove(_ id: ObjectID) -> Bool { remove { $0.id == id } > 0 }

  @discardableResult
  package mutating func remove(named name: String) -> Bool { remove { $0.isNamed(name) } > 0 }

  /// Removes the subscriptions to this query, named ones too; returns how many.
  @discardableResult
  package mutating func removeAll(_ className: String, query: String) -> Int {
    remove { $0.asks(className, query) }
  }

  /// Removes the unnamed subscription to this query; false when there is none.
  @discardableResult
  package mutating func removeUnnamed(_ className: String, query: String) -> Bool {
    remove { $0.name == nil && $0.asks(className, query) } > 0
  }

  /// Removes the subscriptions to a class, named ones too; returns how many.
  @discardableResult
  package mutating func removeAll(ofClass className: String) -> Int {
    remove { $0.className.hasSameBytes(as: className) }
  }

  /// Removes the subscriptions to a class that have no name; returns how many.
  @discardableResult
  package mutating func removeAllUnnamed(ofClass className: String) -> Int {
    remove { $0.name == nil && $0.className.hasSameBytes(as: className) }
  }

  @discardableResult
  package mutating func removeAllUnnamed() -> Int { remove { $0.name == nil } }

  @discardableResult
  package mutating func removeAll() -> Int { remove { _ in true } }

  private mutating func remove(_ isRemoved: (Subscription) -> Bool) -> Int {
    let count = subscriptions.count
    subscriptions.removeAll(where: isRemoved)
    return count - subscriptions.count
  }

  // MARK: Committing

  /// - Throws: `.tooLarge` for a set that no server takes.
  package func checkSize() throws(SubscriptionError) {
    guard SetLimits.allow(set.members) else { throw .tooLarge }
  }

  /// Makes the set the newest version, with its place in the outbox (R1); in force with the commit
  /// of the transaction, whose newest version it follows.
  @discardableResult
  package func save(in transaction: Transaction) throws(ObjectError) -> SubscriptionSet {
    try SubscriptionStore.insert(set, into: transaction)
    try SyncRecords.appendSets(version: version, in: transaction)
    return set
  }
}
