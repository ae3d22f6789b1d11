/// What transactions of this process did between two versions.
struct KnownChanges: Sendable {
  private let changes: [CommittedChanges]
  /// Whether that is all that is different: else others wrote, too, or the classes changed.
  let areAll: Bool

  /// Nothing is known.
  init() { self.init([], areAll: false) }

  /// `changes`: in the order of the versions.
  init(_ changes: [CommittedChanges], areAll: Bool) {
    self.changes = changes
    self.areAll = areAll
  }

  var eventCount: Int { changes.reduce(0) { $0 + $1.eventCount } }

  /// The events of a class, one transaction after the other; nil when there are none.
  ///
  /// - Complexity: O(n) in the events.
  func log(_ table: UInt32) -> ChangeLog? {
    let logs = changes.compactMap { $0.logs[table] }
    guard var log = logs.first else { return nil }
    for later in logs.dropFirst() { log.append(later) }
    return log
  }
}
