internal import AtollObjects

/// Tells instances of an object that was deleted from those of one that was made with the same key
/// in the same write.
///
/// An integer primary key is the key in the file, so that both lie in the same place. A realm knows
/// it of its own writes; in another one instances of the first object show the second.
struct ObjectLives {
  /// How many objects were made again.
  private(set) var count: UInt32 = 0
  /// The count at which an object was made again last.
  private var beginnings: [ObjectLink: UInt32] = [:]
  /// What the open write has changed in `beginnings`, with what was there before.
  private var changes: [(object: ObjectLink, before: UInt32?)] = []
  /// Whether no object was made again.
  private(set) var isPlain = true

  /// An object was made again; the instances that there are of it are of no use.
  mutating func begin(_ object: ObjectLink) {
    count += 1
    changes.append((object, beginnings[object]))
    beginnings[object] = count
    isPlain = false
  }

  /// Whether an instance that was made at this count is one of the object that there is now.
  func isPresent(_ object: ObjectLink, _ count: UInt32) -> Bool {
    beginnings[object] ?? 0 <= count
  }

  /// The open write was committed.
  mutating func keep() { changes = [] }

  /// The open write was cancelled.
  mutating func undo() {
    for change in changes.reversed() { beginnings[change.object] = change.before }
    changes = []
    isPlain = beginnings.isEmpty
  }
}
