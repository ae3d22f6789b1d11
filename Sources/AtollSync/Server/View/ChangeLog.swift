internal import AtollObjects

/// The changes of the newest ticks, so that live clients do not need the store's index.
///
/// It is short: a client that is further behind catches up by versions.
struct ChangeLog {
  /// What one tick changed.
  struct Entry {
    /// The newest version that the tick made.
    let version: UInt64
    var objects: Set<ObjectNumber> = []
    /// For each view: the changed objects that were or are in it.
    var candidates: [ViewQuery: Set<ObjectNumber>] = [:]
    /// The views that were not compared with the changes, as the time of the tick was over.
    var unknown: Set<ViewQuery> = []

    /// What the entry costs.
    var objectCount: Int {
      candidates.values.reduce(objects.count + 1 + unknown.count) { $0 + $1.count + 1 }
    }
  }

  /// All changes of versions above this one are listed.
  private(set) var start: UInt64
  private(set) var entries: [Entry] = []
  private var objectCount = 0
  private let objectLimit: Int

  init(start: UInt64, objectLimit: Int = 50_000) {
    self.start = start
    self.objectLimit = objectLimit
  }

  /// The newest version that changed anything.
  var newest: UInt64 { entries.last?.version ?? start }

  /// Adds a tick; drops the oldest ones when there are too many changes.
  mutating func append(_ entry: Entry) {
    entries.append(entry)
    objectCount += entry.objectCount
    var dropped = 0
    while objectCount > objectLimit, dropped < entries.count {
      objectCount -= entries[dropped].objectCount
      start = entries[dropped].version
      dropped += 1
    }
    entries.removeFirst(dropped)
  }

  /// The changed objects that may concern a client with these subscriptions; nil when it is not
  /// known which.
  func candidates(_ subscriptions: [ViewQuery], after version: UInt64) -> Set<ObjectNumber>? {
    var candidates: Set<ObjectNumber> = []
    var index = entries.count
    while index > 0, entries[index - 1].version > version {
      index -= 1
      let entry = entries[index]
      for query in subscriptions {
        if let found = entry.candidates[query] { candidates.formUnion(found) }
        if !entry.unknown.isEmpty, entry.unknown.contains(query) { return nil }
      }
    }
    return candidates
  }
}
