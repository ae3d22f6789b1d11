internal import AtollObjects
internal import AtollQuery

/// The position of a catch-up after a batch, as in messages; the store finds the object by it.
enum RunPosition {
  /// As a device gives it back: 8 bytes, big-endian.
  static func bytes(_ batchCount: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendNumber(batchCount)
    return bytes
  }

  static func key(_ client: UInt64, _ position: [UInt8]) -> [UInt8] {
    AnswerRecord.prefix(client) + position
  }
}

/// A catch-up that is being sent: the objects that may concern the client, in order.
///
/// It pins no snapshot. Later changes are sent with the last batch.
struct ActiveRun {
  /// The objects after this one are to be visited; nil: all.
  var position: ObjectNumber?
  /// How far the views were searched for the objects to visit.
  var search = ViewSearch()
  /// How far the objects that the client holds were looked for.
  var held = HeldSearch()
  /// The objects to visit, ascending; nil before it is known which.
  var objects: [ObjectNumber]?
  /// How many of them the device is told of; nil: all.
  ///
  /// The others came while it was under way, and not all of them are in view.
  var countedCount: Int?
  /// How often objects that changed meanwhile were appended to them.
  var lapCount = 0
  /// How many objects are tested against the views at once.
  var sliceLimit = Self.wholeSlice
  /// The objects that changed since the catch-up began, each with the version of its last change, up
  /// to `changesVersion`; 0: it was visited since.
  var changes: [ObjectNumber: UInt64] = [:]
  var changesVersion: UInt64 = 0
  /// The versions at which objects were visited that had changed since the catch-up began.
  ///
  /// What changed later says whether one is sent again, and of that only what the user may read.
  var visits: [ObjectNumber: UInt64] = [:]
  /// Objects that changed since the catch-up began, of which it is known whether they are in view,
  /// and at which version.
  var late: [ObjectNumber: (isInView: Bool, version: UInt64)] = [:]
  /// Objects that are not visited, but whose records are to be settled.
  var stale: [ObjectNumber] = []
  /// How many of them were visited.
  var visitedCount = 0
  /// How many voids of the client's moves there were when the run began.
  let voidCount: Int
  /// Of a catch-up from a cursor: what changed up to this version does not concern the client.
  let checkedVersion: UInt64

  /// Those of `changes` that come behind all that were visited.
  var changesBehind: [ObjectNumber] {
    changes.filter { change in
      change.value > 0 && position.map { $0 < change.key } ?? true
    }.map(\.key)
  }

  /// How many of those the last batch may have: the more, the longer it takes to get there, so that
  /// a catch-up ends however fast others write.
  func lateLimit(_ count: Int) -> Int { lapCount == 0 ? count : max(1, count) << min(lapCount, 32) }

  static let wholeSlice = 512

  /// The next slices are smaller when this one took too long, and then larger again.
  mutating func adaptSlice(isFinished: Bool) {
    sliceLimit = isFinished ? min(Self.wholeSlice, sliceLimit * 2) : max(1, sliceLimit / 8)
  }

  init(voidCount: Int, checkedVersion: UInt64) {
    self.voidCount = voidCount
    self.checkedVersion = checkedVersion
  }

  init(resumedAt position: ObjectNumber) {
    self.position = position
    voidCount = 0
    checkedVersion = 0
  }
}

/// A search of all objects of some views, a part in each tick.
struct ViewSearch {
  /// The views before this one are done.
  var viewCount = 0
  /// The objects of the view at hand from this key on are to be tested.
  var next: UInt64 = 0
  /// What was found; an object may be in several views.
  var numbers: [ObjectNumber] = []
  /// How many objects are gathered before duplicates are removed.
  private var repeatLimit = 1 << 20

  /// Goes on with the search.
  ///
  /// - Returns: Whether all views were searched; false: the budget is spent.
  mutating func advance(
    _ views: [ViewQuery], in store: any ServerTransaction, within budget: QueryBudget
  ) throws(ServerStoreError) -> Bool {
    while viewCount < views.count {
      let view = views[viewCount]
      if let table = store.schema.table(view.className) {
        let found = try store.keys(
          matching: view, among: nil, from: next, in: .now, within: budget)
        for key in found.keys {
          numbers.append(ObjectNumber(classNumber: table.id, key: key))
        }
        if let rest = found.next {
          next = rest
          return false
        }
        // Thousands of subscriptions may match the same objects.
        if numbers.count > repeatLimit {
          numbers = Array(Set(numbers))
          repeatLimit = max(repeatLimit, 2 * numbers.count)
        }
      }
      viewCount += 1
      next = 0
      if viewCount < views.count, budget.isSpent { return false }
    }
    return true
  }
}
