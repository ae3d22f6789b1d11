/// A branch in its mutable form, in memory while the path below it changes.
final class BranchNode {
  /// What lies below an entry, or below the root.
  enum Child {
    case none
    case stored(PageReference)
    case branch(BranchNode)
    case leaf(any TreeLeaf)

    var isStored: Bool {
      if case .stored = self { true } else { false }
    }
  }

  /// What a branch says of one child.
  struct Entry {
    /// No key below the child is smaller.
    var key: TreeKey
    var child: Child
    /// Entries in all leaves below the child, when it is stored.
    var count: UInt64
    /// What the kind of tree keeps for its leaves, such as zone maps; empty above level 1.
    var summary: [UInt8]
  }

  /// Bytes at which a branch is split.
  static let byteLimit = Page.byteCount(inBlocks: 4)

  let level: Int
  let hasByteKeys: Bool
  var entries: [Entry]

  init(level: Int, hasByteKeys: Bool, entries: [Entry]) {
    self.level = level
    self.hasByteKeys = hasByteKeys
    self.entries = entries
  }

  /// Bytes of the encoded branch.
  var byteCount: Int {
    var byteCount = BranchPage.headerByteCount
    for index in entries.indices {
      byteCount += BranchPage.entryByteCount(
        entries[index].key, summaryByteCount: entries[index].summary.count,
        hasByteKeys: hasByteKeys)
    }
    return byteCount
  }

  /// Each half of a branch has two children or more.
  var isTooLong: Bool { entries.count > 3 && byteCount > Self.byteLimit }

  var isShort: Bool { byteCount < Self.byteLimit / 4 }

  /// The child whose range holds `key`: the last whose own key is not above it, else the first.
  func childIndex(for key: TreeKey) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if key < entries[middle].key { high = middle } else { low = middle + 1 }
    }
    return max(0, low - 1)
  }

  /// Moves the upper half to a new branch and returns it.
  func splitOff() -> BranchNode {
    let middle = entries.count / 2
    let upper = BranchNode(
      level: level, hasByteKeys: hasByteKeys, entries: Array(entries[middle...]))
    entries.removeSubrange(middle...)
    return upper
  }
}
