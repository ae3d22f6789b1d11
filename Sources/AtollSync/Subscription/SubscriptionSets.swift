internal import AtollCapture
package import AtollObjects

/// The versions of the subscription set in a snapshot or a transaction.
///
/// For any process, with or without a connection.
package struct SubscriptionSets {
  /// The stored versions, ascending.
  package let stored: [SubscriptionSet]
  private let hasCursor: Bool

  package init(_ source: any TreeSource) throws(ObjectError) {
    stored = try SubscriptionStore.sets(source)
    hasCursor = try SyncRecords.hasCursor(source)
  }

  /// The set that a file begins with; complete once the device has received a batch of the server.
  private var initial: SubscriptionSet {
    SubscriptionSet(version: 0, state: hasCursor ? .complete : .pending, subscriptions: [])
  }

  /// The newest version.
  package var latest: SubscriptionSet { stored.last ?? initial }

  /// The newest complete version.
  package var active: SubscriptionSet { stored.last { $0.state == .complete } ?? initial }

  /// The versions that the server has not answered, ascending.
  package var pending: [SubscriptionSet] { stored.filter { !$0.state.isFinal } }

  /// Whether a version was ever complete.
  package var hasData: Bool { active.version > 0 }

  /// The state of a version, whatever became of it.
  ///
  /// The condition of a wait, tested again after every commit.
  package func state(ofVersion version: Int64) -> SubscriptionState {
    if let set = stored.first(where: { $0.version == version }) { return set.state }
    guard version == 0, !stored.contains(where: { $0.state == .complete }) else {
      return .superseded
    }
    return initial.state
  }

  /// The time of the server, in milliseconds since 1970, up to which the file has what the newest
  /// complete set asks for; nil when nothing has arrived.
  package static func coverage(_ snapshot: Snapshot) throws(ObjectError) -> UInt64? {
    try SyncRecords.coverage(snapshot)
  }

  /// How much of the objects of the catch-up that is under way has come, from 0 to 1; nil when
  /// there is none, or its end is not known.
  package static func bootstrapProgress(_ snapshot: Snapshot) throws(ObjectError) -> Double? {
    try snapshot.syncState()?.boot.flatMap { Bootstrap(decoding: $0)?.progress }
  }

  /// Whether the app's initial subscriptions were never committed.
  package var needsInitialSubscriptions: Bool { latest.version == 0 }
}

// MARK: - What the server's answers do to them

extension SubscriptionSets {
  /// The first batch of the set's catch-up is there.
  static func markBootstrapping(version: Int64, in transaction: Transaction) throws(ObjectError) {
    guard let set = try SubscriptionStore.set(version: version, transaction),
      set.state == .pending
    else { return }
    try SubscriptionStore.setState(.bootstrapping, version: version, in: transaction)
  }

  /// The last batch of the set's catch-up is being applied: lower versions go.
  static func markComplete(version: Int64, in transaction: Transaction) throws(ObjectError) {
    guard
      try SubscriptionStore.setState(.complete, version: version, in: transaction),
      let set = try SubscriptionStore.set(version: version, transaction)
    else { return }
    for lower in try SubscriptionStore.sets(transaction) where lower.version < version {
      try SubscriptionStore.delete(version: lower.version, in: transaction)
    }
    try SubscriptionStore.markComplete(set.subscriptions, in: transaction)
  }

  /// The server cannot answer the set; the one that was complete before stays active.
  ///
  /// `members`: what it cannot answer of the set's members, by their places there.
  static func markError(
    version: Int64, text: String, members: [RefusedMember], in transaction: Transaction
  ) throws(ObjectError) {
    guard let set = try SubscriptionStore.set(version: version, transaction) else { return }
    try SubscriptionStore.setState(.error, error: text, version: version, in: transaction)
    let asked = set.members
    var texts: [SetMember: String] = [:]
    for member in members where asked.indices.contains(Int(member.index)) {
      texts[asked[Int(member.index)]] = member.text
    }
    try SubscriptionStore.setProblems(texts, inVersion: version, in: transaction)
  }
}
