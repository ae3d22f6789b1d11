internal import Synchronization

/// What one transaction did, as events by class.
package final class CommittedChanges: Sendable {
  typealias Logs = [UInt32: ChangeLog]

  /// The version that the transaction has become.
  package let version: UInt64
  /// Nil where the events do not tell all: a new property may have given objects values.
  let logs: Logs?

  init(_ logs: Logs?, version: UInt64) {
    self.logs = logs
    self.version = version
  }

  var eventCount: Int { logs?.values.reduce(0) { $0 + $1.eventCount } ?? 0 }
}

/// What this process has committed last, and what was found out of the differences of versions.
///
/// Shared by all users of a database. Holds no snapshot, so it keeps no version of the file.
final class ChangeHistory: Sendable {
  /// The most events that are kept, of 16 bytes each.
  ///
  /// A larger transaction is known as long as somebody else keeps what it did; later, a look at the
  /// leaves that it wrote costs no more than its events.
  static let eventLimit = 1 << 16
  /// The most transactions that are kept.
  static let transactionLimit = 1 << 10
  /// The most pairs of versions whose differences are kept.
  static let differenceLimit = 4
  /// A difference of more objects is kept only while it is the one that was asked for last.
  static let keptObjectLimit = 1 << 17

  fileprivate struct Entry {
    let version: UInt64
    let reference: Reference
    /// The same while it is kept.
    var kept: CommittedChanges?
  }

  /// Leads to what a transaction did as long as anybody keeps it.
  fileprivate final class Reference {
    weak var changes: CommittedChanges?

    init(_ changes: CommittedChanges) { self.changes = changes }
  }

  fileprivate struct Content {
    var transactions: [Entry] = []
    /// How many events are kept.
    var eventCount = 0
    /// The difference that was asked for last comes last.
    var differences: [SharedDifference] = []
  }

  private let content = Mutex(Content())

  /// Keeps what a transaction did that is about to become a version.
  ///
  /// Before it is one: who sees the version finds its changes.
  func note(_ changes: CommittedChanges) {
    content.withLock { content in
      content.forget(from: changes.version)
      guard changes.logs != nil else { return }
      let isKept = changes.eventCount <= Self.eventLimit
      content.transactions.append(
        Entry(
          version: changes.version, reference: Reference(changes), kept: isKept ? changes : nil))
      if isKept { content.eventCount += changes.eventCount }
      content.forgetOldest()
    }
  }

  /// Forgets a transaction that has not become a version.
  func forget(_ changes: CommittedChanges) {
    content.withLock { $0.forget(from: changes.version) }
  }

  /// What is known of the difference of two versions.
  func difference(from old: UInt64, to new: UInt64) -> SharedDifference {
    content.withLock { content in
      let known = content.differences.firstIndex { $0.old == old && $0.new == new }
      let difference =
        known.map { content.differences.remove(at: $0) }
        ?? SharedDifference(from: old, to: new, content.logs(from: old, to: new))
      content.differences.removeAll { $0.objectCount > Self.keptObjectLimit }
      if content.differences.count >= Self.differenceLimit { content.differences.removeFirst() }
      content.differences.append(difference)
      return difference
    }
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

  /// The events between two versions, by class; nil where they are not all known.
  fileprivate func logs(from old: UInt64, to new: UInt64) -> CommittedChanges.Logs? {
    guard old <= new else { return nil }
    let between = transactions.filter { $0.version > old && $0.version <= new }
    guard UInt64(between.count) == new - old else { return nil }
    var logs: CommittedChanges.Logs = [:]
    for entry in between {
      guard let changes = entry.reference.changes?.logs else { return nil }
      logs.merge(changes) { earlier, later in
        var log = earlier
        log.append(later)
        return log
      }
    }
    return logs
  }
}

/// What was found out of the difference of two versions, by all who have asked.
final class SharedDifference: Sendable {
  let old: UInt64
  let new: UInt64
  /// What transactions of this process did between the two; nil where others wrote, too.
  private let logs: CommittedChanges.Logs?
  private let found = Mutex(Found())

  private struct Found {
    var tables: [UInt32: TableDifference] = [:]
    var reached: [VersionDifference.Reach: Set<ObjectKey>] = [:]
    var objectCount = 0
  }

  init(from old: UInt64, to new: UInt64, _ logs: CommittedChanges.Logs?) {
    self.old = old
    self.new = new
    self.logs = logs
  }

  /// How many objects are kept.
  var objectCount: Int { found.withLock { $0.objectCount } }

  /// The difference of a class, found on first use.
  ///
  /// `compare` is called at most once for a class, and not where the transactions tell. Who asks for
  /// the same meanwhile waits.
  func table(
    _ schema: TableSchema, _ compare: () throws(ObjectError) -> TableDifference
  ) throws(ObjectError) -> TableDifference {
    try found.withLock { found throws(ObjectError) in
      if let known = found.tables[schema.id] { return known }
      let difference =
        if let logs {
          logs[schema.id].map { TableDifference($0, schema) } ?? TableDifference()
        } else { try compare() }
      found.tables[schema.id] = difference
      found.objectCount += difference.count
      return difference
    }
  }

  /// The objects that are reached in a way, if they were looked for.
  func reached(_ reach: VersionDifference.Reach) -> Set<ObjectKey>? {
    found.withLock { $0.reached[reach] }
  }

  func keep(_ keys: Set<ObjectKey>, for reach: VersionDifference.Reach) {
    found.withLock { found in
      if found.reached.updateValue(keys, forKey: reach) == nil { found.objectCount += keys.count }
    }
  }
}
