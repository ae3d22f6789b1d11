internal import AtollCapture
package import AtollObjects

/// One query that the device asks the server for, under a name or under none.
///
/// Two are the same subscription if their ids are.
package struct Subscription: Hashable, Sendable, Identifiable {
  /// Made with the subscription; stays in later sets and when the query is replaced.
  package let id: ObjectID
  package let name: String?
  package internal(set) var className: String
  /// Canonical text of the query; equality of subscriptions is equality of its bytes.
  package internal(set) var query: String
  package let createdAt: Timestamp
  /// When the subscription was last added or changed, also with the query that it had.
  package internal(set) var updatedAt: Timestamp
  /// Whether a set that held it with this query was ever complete.
  package internal(set) var wasComplete: Bool
  /// The server's reason why it cannot answer this query; nil when it can, or has not received it.
  package internal(set) var problem: String?

  /// Whether the subscription has this name, by its bytes; nil: none.
  package func isNamed(_ name: String?) -> Bool {
    guard let name, let own = self.name else { return name == nil && self.name == nil }
    return own.hasSameBytes(as: name)
  }

  /// Whether it is to this query, by its bytes.
  package func asks(_ className: String, _ query: String) -> Bool {
    self.className.hasSameBytes(as: className) && self.query.hasSameBytes(as: query)
  }
}

/// One version of the subscription set.
package struct SubscriptionSet: Hashable, Sendable {
  /// Counts from 1 in the file; 0 is the empty set that every file begins with.
  package let version: Int64
  package let state: SubscriptionState
  /// In the order of insertion.
  package let subscriptions: [Subscription]

  package init(version: Int64, state: SubscriptionState, subscriptions: [Subscription]) {
    self.version = version
    self.state = state
    self.subscriptions = subscriptions
  }

  /// The subscription with this name.
  package func first(named name: String) -> Subscription? {
    subscriptions.first { $0.isNamed(name) }
  }

  /// The first subscription to this query, under a name or not.
  package func first(_ className: String, query: String) -> Subscription? {
    subscriptions.first { $0.asks(className, query) }
  }

  /// The subscription to this query without a name.
  package func unnamed(_ className: String, query: String) -> Subscription? {
    subscriptions.first { $0.name == nil && $0.asks(className, query) }
  }

  /// The classes of which objects may be created.
  package var classNames: Set<String> { Set(subscriptions.map(\.className)) }

  /// The set as sent to the server: each query once, in ascending order.
  package var members: [SetMember] {
    Set(subscriptions.map { SetMember(className: $0.className, query: $0.query) }).sorted()
  }
}

/// The largest set that a server accepts.
package enum SetLimits {
  package static let count = 10_000
  /// Of the names of classes and the queries together.
  package static let byteCount = 4 << 20

  package static func allow(_ members: [SetMember]) -> Bool {
    members.count <= count
      && members.reduce(0) { $0 + $1.byteCount } <= byteCount
  }
}

/// How far a version of the set has come.
package enum SubscriptionState: Hashable, Sendable {
  /// Committed; the server has not answered for it.
  case pending
  /// Batches of its catch-up have arrived.
  case bootstrapping
  /// The server holds it, and all that matched when it reached the server has arrived.
  case complete
  /// The server cannot answer it, in its words; the set that was complete before stays active.
  case error(String)
  /// A newer version is complete, and this one is deleted.
  case superseded

  /// Whether nothing more will happen to the set that a waiter waits for.
  package var isFinal: Bool {
    switch self {
    case .pending, .bootstrapping: false
    case .complete, .error, .superseded: true
    }
  }
}

/// Why a set cannot be changed as requested; nothing was changed.
package enum SubscriptionError: Error, Hashable, Sendable {
  /// Another subscription has the name.
  case nameTaken(String)
  /// The subscription is not in the set.
  case noSuchSubscription
  /// The new query is of another class.
  case otherClass(expected: String, found: String)
  /// The set has more subscriptions, or more bytes of queries, than a server takes.
  case tooLarge
}

extension SubscriptionError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .nameTaken(let name):
      "a subscription named '\(name)' exists; update it or choose another name"
    case .tooLarge:
      "a set has at most \(SetLimits.count) subscriptions and \(SetLimits.byteCount) bytes of "
        + "queries"
    case .noSuchSubscription: "the subscription is not in the newest set"
    case .otherClass(let expected, let found):
      "the query is of class '\(found)', the subscription of class '\(expected)'"
    }
  }
}
