internal import AtollStorage
internal import Synchronization

/// What one transaction did, as events by class.
package final class CommittedChanges: Sendable {
  typealias Logs = [UInt32: ChangeLog]

  /// The version that the transaction has become.
  package let version: UInt64
  /// The catalogue of that version, which tells it from one with the same number of others.
  let catalogue: TreeRoot
  let logs: Logs
  /// Whether the events tell all: else a new property may have given objects values.
  let areAll: Bool

  init(_ logs: Logs, areAll: Bool, version: UInt64, catalogue: TreeRoot) {
    self.logs = logs
    self.areAll = areAll
    self.version = version
    self.catalogue = catalogue
  }

  var eventCount: Int { logs.values.reduce(0) { $0 + $1.eventCount } }
}

/// What this process has committed last, and what was found out of the differences of versions.
///
/// Shared by all users of a database. Holds no snapshot, so it keeps no version of the file. Its
/// lock is held for a look at the list only: a commit waits for nobody who compares versions.
final class ChangeHistory: Sendable {
  /// The most events that are kept, of 16 bytes each.
  ///
  /// A larger transaction is known as long as somebody else keeps what it did; later, a look at the
  /// leaves that it wrote costs no more than its events.
  static let eventLimit = 1 << 16
  /// The most transactions that are kept.
  static let transactionLimit = 1 << 10
  /// The most pairs of versions whose differences are kept when nobody uses them.
  static let differenceLimit = 4
  /// How many objects and events they hold together at most; a larger difference is kept only by
  /// its users.
  static let differenceSizeLimit = 1 << 16

  fileprivate struct Entry {
    let version: UInt64
    let reference: Reference<CommittedChanges>
    /// The same while it is kept.
    var kept: CommittedChanges?
    /// Whether the commit has not returned: nobody knows yet whether it made this version.
    var isPending = true
  }

  /// Leads to something as long as anybody else keeps it.
  fileprivate final class Reference<Target: AnyObject> {
    weak var target: Target?

    init(_ target: Target) { self.target = target }
  }

  fileprivate struct Content {
    var transactions: [Entry] = []
    /// How many events are kept.
    var eventCount = 0
    /// All that are in use or kept.
    var differences: [Reference<SharedDifference>] = []
    /// The difference that was used last comes last.
    var kept: [SharedDifference] = []
  }

  private let content = Mutex(Content())

  // MARK: Transactions

  /// Keeps what a transaction did that is about to become a version.
  ///
  /// Before it is one: who sees the version finds its changes.
  ///
  /// `base`: the catalogue of the version before. That is the last transaction's where it is here,
  /// although its commit may not have returned yet.
  func note(_ changes: CommittedChanges, onto base: TreeRoot) {
    content.withLock { content in
      content.forget(from: changes.version)
      if let last = content.transactions.last, last.version + 1 == changes.version,
        last.reference.target?.catalogue == base
      {
        content.transactions[content.transactions.count - 1].isPending = false
      }
      let isKept = changes.eventCount <= Self.eventLimit
      content.transactions.append(
        Entry(
          version: changes.version, reference: Reference(changes), kept: isKept ? changes : nil))
      if isKept { content.eventCount += changes.eventCount }
      content.forgetOldest()
    }
  }

  /// Notes that a transaction has become its version.
  func confirm(_ changes: CommittedChanges) {
    content.withLock { content in
      // Others may have written on top of it meanwhile.
      let index = content.transactions.lastIndex { $0.reference.target === changes }
      if let index { content.transactions[index].isPending = false }
    }
  }

  // MARK: Differences

  /// What is known of the difference of two versions.
  func difference(from old: Snapshot, to new: Snapshot) -> SharedDifference {
    content.withLock { content in
      content.differences.removeAll { $0.target == nil }
      for reference in content.differences {
        if let known = reference.target, known.leads(from: old, to: new) { return known }
      }
      let difference = SharedDifference(
        from: old, to: new, content.changes(from: old, to: new))
      content.differences.append(Reference(difference))
      return difference
    }
  }

  /// Keeps what was found out for the next who asks, unless it is large; a user of it is done.
  func keep(_ difference: SharedDifference) {
    // What is dropped goes after the lock.
    let dropped = content.withLock { content -> [SharedDifference] in
      content.kept.removeAll { $0 === difference }
      guard difference.size <= Self.differenceSizeLimit else { return [] }
      content.kept.append(difference)
      var size = content.kept.reduce(0) { $0 + $1.size }
      var dropped: [SharedDifference] = []
      while content.kept.count > Self.differenceLimit || size > Self.differenceSizeLimit {
        let first = content.kept.removeFirst()
        size -= first.size
        dropped.append(first)
      }
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }
}

extension ChangeHistory.Content {
  /// Forgets the transactions from a version on.
  fileprivate mutating func forget(from version: UInt64) {
    while let last = transactions.last, last.version >= version {
      transactions.removeLast()
      eventCount -= last.kept?.eventCount ?? 0
    }
  }

  /// Keeps no more than the limits allow.
  fileprivate mutating func forgetOldest() {
    var index = 0
    while eventCount > ChangeHistory.eventLimit {
      eventCount -= transactions[index].kept?.eventCount ?? 0
      transactions[index].kept = nil
      index += 1
    }
    // Half of them at once, so that a commit costs the same however many are kept.
    if transactions.count > ChangeHistory.transactionLimit {
      let excess = transactions.count / 2
      for entry in transactions[..<excess] { eventCount -= entry.kept?.eventCount ?? 0 }
      transactions.removeFirst(excess)
    }
  }

  /// What the known transactions between two versions did.
  fileprivate func changes(from old: Snapshot, to new: Snapshot) -> KnownChanges {
    guard old.version <= new.version else { return KnownChanges() }
    let changes = transactions.compactMap { entry -> CommittedChanges? in
      guard entry.version > old.version, entry.version <= new.version,
        let changes = entry.reference.target
      else { return nil }
      // A commit that fails has not made the version; another process may have.
      guard entry.isPending else { return changes }
      return changes.version == new.version && changes.catalogue == new.catalogueRoot
        ? changes : nil
    }
    return KnownChanges(
      changes,
      areAll: UInt64(changes.count) == new.version - old.version && changes.allSatisfy(\.areAll))
  }
}
