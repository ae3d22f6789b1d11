/// The changed objects that a live connection is to be told of with its next batch.
///
/// A connection that has none is up to date, whatever the version of its last batch: changes that
/// concern others do not visit it.
struct PendingChanges {
  private struct Change {
    var isInView: Bool
    /// The version of the tick that changed the object last.
    var version: UInt64
  }

  private var objects: [ObjectNumber: Change] = [:]
  /// Whether it is not known which objects changed: a catch-up finds out.
  private(set) var isUnknown = false
  /// Changes up to this version were sent, when there are any that were not.
  private(set) var start: UInt64 = 0

  var isEmpty: Bool { objects.isEmpty && !isUnknown }

  /// The objects, ascending.
  var numbers: [ObjectNumber] { objects.keys.sorted() }

  /// Whether the object is in one of the connection's views.
  func isInView(_ number: ObjectNumber) -> Bool { objects[number]?.isInView ?? false }

  /// Adds an object that one of the connection's views holds, or held.
  ///
  /// `version`: that of the tick, which comes to all views of the connection; `former`: the one
  /// before it. `limit`: how many objects are kept at most.
  mutating func insert(
    _ number: ObjectNumber, isInView: Bool, at version: UInt64, after former: UInt64, limit: Int
  ) {
    guard !isUnknown else { return }
    if objects.isEmpty { start = former }
    if var known = objects[number] {
      known.isInView = known.version == version && known.isInView || isInView
      known.version = version
      objects[number] = known
    } else if objects.count < limit {
      objects[number] = Change(isInView: isInView, version: version)
    } else {
      setUnknown(after: former)
    }
  }

  /// It was not found out which changes of a tick concern the connection, or they are too many.
  mutating func setUnknown(after former: UInt64) {
    if isEmpty { start = former }
    isUnknown = true
    objects = [:]
  }

  /// All were sent, or a catch-up will.
  mutating func removeAll() {
    objects = [:]
    isUnknown = false
  }
}
