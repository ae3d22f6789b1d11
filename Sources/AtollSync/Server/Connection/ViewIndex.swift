internal import AtollObjects
internal import AtollQuery
internal import DequeModule

/// A view that connections have.
///
/// Subscriptions of one class and text are one view, however many clients have them: a change is
/// matched once for each view, with the object before and after it.
final class LiveView {
  let query: ViewQuery
  /// Its number in the index; given again when the view is gone.
  let number: UInt32
  fileprivate(set) var connections: Set<ConnectionID> = []
  /// How many sets that are being prepared have it.
  fileprivate var holdCount = 0
  /// How long the last test of changes took, if it took long.
  fileprivate var cost: UInt64 = 0

  fileprivate var isUsed: Bool { holdCount > 0 || !connections.isEmpty }

  fileprivate init(_ query: ViewQuery, number: UInt32) {
    self.query = query
    self.number = number
  }
}

/// What the changes of some objects of a class mean to one view.
struct ViewChange {
  let view: LiveView
  /// The objects that are in it.
  var inside: Set<UInt64> = []
  /// The objects that are not in it, and were.
  var left: Set<UInt64> = []
}

/// From changes to views, and from views to connections.
final class ViewIndex {
  private let store: any ServerStore
  private let random: () -> UInt64
  private var views: [ViewQuery: LiveView] = [:]
  /// By their numbers; nil: the number is free.
  private var numbered: [LiveView?] = []
  private var free: [UInt32] = []
  private var classes: [ExactText: ClassViews] = [:]
  /// Views that may have no user any more: a thousand with their terms take long to drop.
  private var unused = Deque<ViewQuery>()
  /// How many connections of each user have each view.
  private var userCounts: [String: [ViewQuery: Int]] = [:]

  /// The views of one class.
  private struct ClassViews {
    var index: InterestIndex
    var numbers: Set<UInt32> = []
    /// The class as it was when they were filed.
    var table: TableSchema?
  }

  /// `random`: a source of unguessable numbers.
  init(_ store: any ServerStore, random: @escaping () -> UInt64) {
    self.store = store
    self.random = random
  }

  /// Whether views are to be dropped.
  var hasUnused: Bool { !unused.isEmpty }

  // MARK: Connections

  /// Counts the views of a connection, from when it is confirmed.
  func add(
    _ connection: Connection, in store: any ServerTransaction
  ) throws(ServerStoreError) {
    guard !connection.isSubscribed else { return }
    connection.isSubscribed = true
    connection.viewByteCount = connection.views.reduce(0) { $0 + $1.byteCount }
    for query in connection.views {
      userCounts[connection.user, default: [:]][query, default: 0] += 1
      try view(of: query, in: store).connections.insert(connection.id)
    }
  }

  private func view(
    of query: ViewQuery, in store: any ServerTransaction
  ) throws(ServerStoreError) -> LiveView {
    if let known = views[query] { return known }
    return try make(query, in: store)
  }

  private func make(
    _ query: ViewQuery, in store: any ServerTransaction
  ) throws(ServerStoreError) -> LiveView {
    // First: it may fail.
    let interest = try store.interest(of: query)
    let number = free.popLast() ?? UInt32(numbered.count)
    let view = LiveView(query, number: number)
    if number == numbered.count { numbered.append(view) } else { numbered[Int(number)] = view }
    views[query] = view
    self.store.prepare(query)
    let className = ExactText(query.className)
    try refile(query.className, in: store)
    // Taken out, so that it is changed in its place.
    var own =
      classes.removeValue(forKey: className) ?? ClassViews(index: InterestIndex(seed: random()))
    defer { classes[className] = own }
    if own.numbers.isEmpty { own.table = store.schema.table(query.className) }
    own.numbers.insert(number)
    own.index.insert(number, interest)
    return view
  }

  func remove(_ connection: Connection) {
    guard connection.isSubscribed else { return }
    connection.isSubscribed = false
    connection.viewByteCount = 0
    removeFromUser(connection)
    for query in connection.views {
      guard let view = views[query] else { continue }
      view.connections.remove(connection.id)
      if !view.isUsed { unused.append(query) }
    }
  }

  // MARK: Views ahead

  /// Makes a view that a connection is about to have; until `release` it stays.
  func hold(_ query: ViewQuery, in store: any ServerTransaction) throws(ServerStoreError) {
    try view(of: query, in: store).holdCount += 1
  }

  func release(_ queries: [ViewQuery]) {
    for query in queries {
      guard let view = views[query] else { continue }
      view.holdCount -= 1
      if !view.isUsed { unused.append(query) }
    }
  }

  /// Drops views that nobody has, until the budget is spent; at least one of them.
  func dropUnused(within budget: QueryBudget) {
    var isFirst = true
    while isFirst || !budget.isSpent, let query = unused.popFirst() {
      // Since then somebody may have asked for it.
      guard let view = views[query], !view.isUsed else { continue }
      isFirst = false
      drop(view)
    }
  }

  private func drop(_ view: LiveView) {
    let query = view.query
    views[query] = nil
    numbered[Int(view.number)] = nil
    free.append(view.number)
    store.drop(query)
    let className = ExactText(query.className)
    guard var own = classes.removeValue(forKey: className) else { return }
    own.numbers.remove(view.number)
    own.index.remove(view.number)
    if !own.numbers.isEmpty { classes[className] = own }
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

  /// Files the views of a class again when the class has changed.
  private func refile(
    _ className: String, in store: any ServerTransaction
  ) throws(ServerStoreError) {
    let name = ExactText(className)
    let table = store.schema.table(className)
    guard var own = classes[name], own.table != table else { return }
    own.index = InterestIndex(seed: random())
    own.table = table
    for number in own.numbers.sorted() {
      guard let view = numbered[Int(number)] else { continue }
      own.index.insert(number, try store.interest(of: view.query))
    }
    classes[name] = own
  }

  // MARK: Changes

  /// Finds the views that changed objects of a class, ascending, are or were in; and those that were
  /// not compared with the changes, as the time for it was over.
  ///
  /// - Complexity: O(objects · (properties · log views + views that they are filed under)).
  func changes(
    of className: String, _ keys: [UInt64], in store: any ServerTransaction,
    within budget: QueryBudget
  ) throws(ServerStoreError) -> (changes: [ViewChange], unknown: [LiveView]) {
    try refile(className, in: store)
    guard let index = classes[ExactText(className)]?.index else { return ([], []) }
    guard let now = try candidates(index, className, keys, in: .now, store, within: budget),
      let before = try candidates(index, className, keys, in: .before, store, within: budget)
    else {
      let numbers = classes[ExactText(className)]?.numbers ?? []
      return ([], numbers.sorted().compactMap { numbered[Int($0)] })
    }
    var changes: [ViewChange] = []
    var unknown: [LiveView] = []
    var count = 0
    for view in inOrderOfCost(Set(now.keys).union(before.keys)) where !view.connections.isEmpty {
      let (new, old) = (now[view.number] ?? [], before[view.number] ?? [])
      var change = ViewChange(view: view)
      count += 1
      if count % Self.lookCount == 0, budget.isSpent {
        unknown.append(view)
        continue
      }
      if index.isExact(view.number) {
        change.inside = Set(new)
        change.left = Set(old).subtracting(change.inside)
      } else {
        guard
          let matches = try matches(of: view, now: new, before: old, in: store, within: budget)
        else {
          unknown.append(view)
          continue
        }
        (change.inside, change.left) = matches
      }
      if !change.inside.isEmpty || !change.left.isEmpty { changes.append(change) }
    }
    return (changes, unknown)
  }

  /// For each view the objects that may be in it; nil when the time is over, or they are too many.
  private func candidates(
    _ index: InterestIndex, _ className: String, _ keys: [UInt64], in image: StoreImage,
    _ store: any ServerTransaction, within budget: QueryBudget
  ) throws(ServerStoreError) -> [UInt32: [UInt64]]? {
    var candidates: [UInt32: [UInt64]] = [:]
    var present: [UInt64] = []
    var pairCount = 0
    var rest = keys[...]
    // In parts, between which the clock is looked at.
    while !rest.isEmpty {
      try store.visit(
        Array(rest.prefix(Self.lookCount)), of: className, in: image
      ) { (key, values) throws(ServerStoreError) in
        present.append(key)
        try index.visit(values) { number in
          guard candidates[number]?.last != key else { return }
          candidates[number, default: []].append(key)
          pairCount += 1
        }
      }
      rest = rest.dropFirst(Self.lookCount)
      guard pairCount <= Self.pairLimit, rest.isEmpty || !budget.isSpent else { return nil }
    }
    guard !present.isEmpty else { return [:] }
    for number in index.everywhere.keys { candidates[number] = present }
    return candidates
  }

  /// After how many objects, or views, the clock is looked at.
  private static let lookCount = 32
  /// More pairs of views and objects are not gathered in one tick.
  private static let pairLimit = 500_000

  /// Those of some objects that are in a view, and those that only were; nil when the time for it is
  /// over.
  private func matches(
    of view: LiveView, now: [UInt64], before: [UInt64], in store: any ServerTransaction,
    within budget: QueryBudget
  ) throws(ServerStoreError) -> (inside: Set<UInt64>, left: Set<UInt64>)? {
    guard !budget.isSpent else { return nil }
    let start = budget.now
    defer {
      let cost = budget.elapsed(since: start)
      view.cost = cost > Self.smallCost ? cost : 0
    }
    do throws(ServerStoreError) {
      let found = try store.keys(
        matching: view.query, among: now, from: 0, in: .now, within: budget)
      guard found.next == nil else { return nil }
      let inside = Set(found.keys)
      let others = before.filter { !inside.contains($0) }
      let left = try store.keys(
        matching: view.query, among: others, from: 0, in: .before, within: budget)
      guard left.next == nil else { return nil }
      return (inside, Set(left.keys))
    } catch .tooExpensive { return nil }
  }

  /// Views that take less, in nanoseconds, are tested in any order.
  private static let smallCost: UInt64 = 1_000_000

  /// Those that took long come last.
  private func inOrderOfCost(_ numbers: Set<UInt32>) -> [LiveView] {
    numbers.compactMap { numbered[Int($0)] }
      .sorted { ($0.cost, $0.number) < ($1.cost, $1.number) }
  }

  // MARK: Questions

  /// The objects among `numbers` that are in one of some views; nil when the budget was spent before
  /// all were tested.
  func inView(
    _ views: [ViewQuery], among numbers: [ObjectNumber], in store: any ServerTransaction,
    within budget: QueryBudget
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
        let found = try store.keys(
          matching: query, among: sorted, from: 0, in: .now, within: budget)
        guard found.next == nil else { return nil }
        for key in found.keys {
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
}
