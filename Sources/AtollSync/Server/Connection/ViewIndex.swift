internal import AtollObjects

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

  /// The objects among `keys` that match a view in the current version.
  func matches(_ query: ViewQuery, among keys: [UInt64], in store: any ServerTransaction)
    throws(ServerStoreError) -> Set<UInt64>
  {
    var answer = known[query] ?? Known()
    let new = keys.filter { !answer.keys.contains($0) }
    if !new.isEmpty {
      answer.keys.formUnion(new)
      answer.matches.formUnion(try store.keys(matching: query, among: new.sorted(), in: .now))
      known[query] = answer
    }
    return answer.matches
  }

  /// The objects among `numbers` that are in one of some views.
  ///
  /// `isKept`: whether to cache the answer for other clients.
  func inView(
    _ views: [ViewQuery], among numbers: [ObjectNumber], in store: any ServerTransaction,
    isKept: Bool
  ) throws(ServerStoreError) -> Set<ObjectNumber> {
    var keys: [UInt32: [UInt64]] = [:]
    for number in numbers { keys[number.classNumber, default: []].append(number.key) }
    var inView: Set<ObjectNumber> = []
    for (classNumber, keys) in keys {
      guard let className = store.schema.table(id: classNumber)?.name else { continue }
      for query in views where query.className.hasSameBytes(as: className) {
        if isKept {
          let matches = try matches(query, among: keys, in: store)
          for key in keys where matches.contains(key) {
            inView.insert(ObjectNumber(classNumber: classNumber, key: key))
          }
        } else {
          for key in try store.keys(matching: query, among: keys.sorted(), in: .now) {
            inView.insert(ObjectNumber(classNumber: classNumber, key: key))
          }
        }
      }
    }
    return inView
  }
}
