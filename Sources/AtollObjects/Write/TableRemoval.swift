internal import AtollStorage

/// What deletions take out of the rows of one class.
struct TableRemoval {
  /// A link of an object that stays to one that was deleted.
  struct Link: Comparable {
    var source: UInt64
    var column: UInt32
    /// The class of the target, and its key.
    var table: UInt32
    var target: UInt64

    var link: ObjectLink { ObjectLink(table: table, key: target) }

    static func < (a: Link, b: Link) -> Bool {
      if a.source != b.source { return a.source < b.source }
      if a.column != b.column { return a.column < b.column }
      return a.link < b.link
    }

    func isInSameProperty(_ other: Link) -> Bool {
      source == other.source && column == other.column
    }
  }

  /// The deleted objects, in ascending order.
  var keys: [UInt64] = []
  /// In ascending order.
  var links: [Link] = []
  /// The columns whose links wait for their targets from now on.
  var waitingColumns: Set<UInt32> = []
  /// The deleted objects by class: their backlinks are gone already.
  var deletedTargets: [UInt32: DeletedKeys] = [:]

  /// How many of `keys` from `start` on lie below `bound`.
  func keyCount(from start: Int, below bound: TreeKey?) -> Int {
    guard let bound else { return keys.count - start }
    var end = start
    while end < keys.count, TreeKey(keys[end]) < bound { end += 1 }
    return end - start
  }

  /// How many of `links` from `start` on have sources below `bound`.
  func linkCount(from start: Int, below bound: TreeKey?) -> Int {
    guard let bound else { return links.count - start }
    var end = start
    while end < links.count, TreeKey(links[end].source) < bound { end += 1 }
    return end - start
  }
}
