internal import AtollObjects
internal import AtollQuery

/// Matches changes with subscriptions.
///
/// Subscriptions of one class and text are one view, however many clients have them: a change is
/// matched once for each view, with the object before and after it.
final class ViewIndex {
  private let store: any ServerStore
  /// How many connections have each view.
  private var counts: [ExactText: [ViewQuery: Int]] = [:]
  /// How many connections of each user have each view.
  private var userCounts: [String: [ViewQuery: Int]] = [:]
  /// Cached results for the current version.
  private var known: [ViewQuery: Known] = [:]

  private struct Known {
    /// Objects that were tested, and those of them that match.
    var keys: Set<UInt64> = []
    var matches: Set<UInt64> = []
  }

  init(_ store: any ServerStore) { self.store = store }

  /// The views that connections have of a class.
  func views(of className: String) -> [ViewQuery] {
    counts[ExactText(className)].map { Array($0.keys) } ?? []
  }

  /// Counts the views of a connection, from when it is confirmed.
  func add(_ connection: Connection) {
    guard !connection.isSubscribed else { return }
    connection.isSubscribed = true
    for query in connection.views {
      let className = ExactText(query.className)
      let count = counts[className]?[query] ?? 0
      counts[className, default: [:]][query] = count + 1
      userCounts[connection.user, default: [:]][query, default: 0] += 1
      if count == 0 { store.prepare(query) }
    }
  }

  func remove(_ connection: Connection) {
    guard connection.isSubscribed else { return }
    connection.isSubscribed = false
    removeFromUser(connection)
    for query in connection.views {
      let className = ExactText(query.className)
      guard var queries = counts[className], let count = queries[query] else { continue }
      queries[query] = count > 1 ? count - 1 : nil
      counts[className] = queries.isEmpty ? nil : queries
      guard count == 1 else { continue }
      known[query] = nil
      costs[query] = nil
      store.drop(query)
    }
  }

  private func removeFromUser(_ connection: Connection) {
    guard var counts = userCounts.removeValue(forKey: connection.user) else { return }
    for query in connection.views {
      if let count = counts[query] { counts[query] = count > 1 ? count - 1 : nil }
    }
    if !counts.isEmpty { userCounts[connection.user] = counts }
  }

  /// How many views the connections of a user would have if one of them had `views`.
  func count(with views: [ViewQuery], of connection: Connection) -> Int {
    let counts = userCounts[connection.user] ?? [:]
    var count = counts.count
    if connection.isSubscribed { count -= connection.views.count { counts[$0] == 1 } }
    let own = connection.isSubscribed ? Set(connection.views) : []
    return count + views.count { (counts[$0] ?? 0) == (own.contains($0) ? 1 : 0) }
  }

  /// Clears the cache when objects have changed.
  func forget() { known.removeAll() }

  /// The objects among `keys` that match a view in the current version; nil when the budget was
  /// spent before all were tested.
  func matches(
    _ query: ViewQuery, among keys: [UInt64], in store: any ServerTransaction,
    within budget: QueryBudget
  ) throws(ServerStoreError) -> Set<UInt64>? {
    var answer = known[query] ?? Known()
    let new = keys.filter { !answer.keys.contains($0) }
    if !new.isEmpty {
      let found = try store.keys(
        matching: query, among: new.sorted(), from: 0, in: .now, within: budget)
      answer.keys.formUnion(found.next.map { next in new.filter { $0 < next } } ?? new)
      answer.matches.formUnion(found.keys)
      known[query] = answer
      if found.next != nil { return nil }
    }
    return answer.matches
  }

  /// The objects among `numbers` that are in one of some views; nil when the budget was spent before
  /// all were tested.
  ///
  /// `isKept`: whether to cache the answer for other clients.
  func inView(
    _ views: [ViewQuery], among numbers: [ObjectNumber], in store: any ServerTransaction,
    isKept: Bool, within budget: QueryBudget
  ) throws(ServerStoreError) -> Set<ObjectNumber>? {
    var keys: [UInt32: [UInt64]] = [:]
    for number in numbers { keys[number.classNumber, default: []].append(number.key) }
    var inView: Set<ObjectNumber> = []
    var isFirst = true
    for (classNumber, keys) in keys {
      guard let className = store.schema.table(id: classNumber)?.name else { continue }
      let sorted = keys.sorted()
      for query in views where query.className.hasSameBytes(as: className) {
        if !isFirst, budget.isSpent { return nil }
        isFirst = false
        let matches: Set<UInt64>?
        if isKept {
          matches = try self.matches(query, among: sorted, in: store, within: budget)
        } else {
          let found = try store.keys(
            matching: query, among: sorted, from: 0, in: .now, within: budget)
          matches = found.next == nil ? Set(found.keys) : nil
        }
        guard let matches else { return nil }
        for key in sorted where matches.contains(key) {
          inView.insert(ObjectNumber(classNumber: classNumber, key: key))
        }
      }
    }
    return inView
  }

  /// Whether one object is in one of some views.
  ///
  /// - Throws: `.tooExpensive` with the view at which the budget was spent.
  func contains(
    _ number: ObjectNumber, in views: [ViewQuery], _ store: any ServerTransaction,
    within budget: QueryBudget
  ) throws(ServerStoreError) -> Bool {
    guard let className = store.schema.table(id: number.classNumber)?.name else { return false }
    for query in views where query.className.hasSameBytes(as: className) {
      if budget.isSpent { throw .tooExpensive(query) }
      let found = try store.keys(
        matching: query, among: [number.key], from: 0, in: .now, within: budget)
      if !found.keys.isEmpty { return true }
    }
    return false
  }

  // MARK: Cost

  /// How long the last test of changes took, of views of which it took long.
  private var costs: [ViewQuery: UInt64] = [:]
  /// Views that take less are tested in any order.
  private static let smallCost: UInt64 = 1_000_000

  /// Notes how long the test of changes against a view took, in nanoseconds.
  func note(_ cost: UInt64, of query: ViewQuery) {
    if cost > Self.smallCost {
      costs[query] = cost
    } else if !costs.isEmpty {
      costs[query] = nil
    }
  }

  /// Views in the order in which changes are tested: those that took long come last.
  func inOrderOfCost(_ views: Set<ViewQuery>) -> [ViewQuery] {
    guard !costs.isEmpty else { return Array(views) }
    return views.sorted { (costs[$0] ?? 0, $0) < (costs[$1] ?? 0, $1) }
  }
}
