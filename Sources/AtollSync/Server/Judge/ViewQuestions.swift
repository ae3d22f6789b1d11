internal import AtollObjects

/// Which objects are in the views of the devices that made them.
///
/// Devices that have the same view share its test. Each has its own time, so that one with costly
/// subscriptions is refused and the others are not.
struct ViewQuestions {
  /// What each object adds to the time of its device, in nanoseconds.
  private static let objectNanoseconds: UInt64 = 20_000

  private let time: ViewTime
  private var keys: [ViewQuery: Set<UInt64>] = [:]
  private var clients: [ViewQuery: Set<UInt64>] = [:]
  private var objects: [UInt64: Set<UInt64>] = [:]

  init(_ time: ViewTime) { self.time = time }

  mutating func ask(_ view: ViewQuery, about key: UInt64, for client: UInt64) {
    keys[view, default: []].insert(key)
    clients[view, default: []].insert(client)
    objects[client, default: []].insert(key)
  }

  func answers(in store: any ServerTransaction) throws(ServerStoreError) -> ViewAnswers {
    var left = objects.mapValues { keys in
      time.limits.judgement + UInt64(keys.count) * Self.objectNanoseconds
    }
    var answers = ViewAnswers()
    for (view, keys) in keys.sorted(by: { $0.key < $1.key }) {
      let clients = clients[view] ?? []
      let longest = clients.reduce(0) { max($0, left[$1] ?? 0) }
      guard longest > 0 else {
        answers.unknown.insert(view)
        continue
      }
      let start = time.clock()
      do throws(ServerStoreError) {
        let found = try store.keys(
          matching: view, among: keys.sorted(), from: 0, in: .now, within: time.budget(longest))
        answers.matches[view] = Set(found.keys)
        if found.next != nil { answers.unknown.insert(view) }
      } catch .tooExpensive { answers.unknown.insert(view) }
      let part = time.elapsed(since: start) / UInt64(max(1, clients.count))
      for client in clients {
        left[client] = left[client].map { $0 > part ? $0 - part : 0 }
        answers.spent[client, default: 0] += part
      }
    }
    return answers
  }
}

struct ViewAnswers {
  fileprivate(set) var matches: [ViewQuery: Set<UInt64>] = [:]
  /// How long the views of each device took, in nanoseconds.
  fileprivate(set) var spent: [UInt64: UInt64] = [:]
  /// The views that were not tested for all objects, as they take too long.
  fileprivate(set) var unknown: Set<ViewQuery> = []

  /// Why an object may not be made under some views; nil when it is in one of them.
  func refusal(_ key: UInt64, of className: String, in views: [ViewQuery]) -> Refusal? {
    var isUnknown = false
    for view in views where view.className.hasSameBytes(as: className) {
      if matches[view]?.contains(key) ?? false { return nil }
      if unknown.contains(view) { isUnknown = true }
    }
    guard isUnknown else { return Refusal(.outsideView) }
    return Refusal(
      .tooLarge,
      text: "it takes too long to find out whether the object is in the subscriptions; "
        + "simpler queries, or fewer, are quicker to test")
  }
}
