// Entries by their place among all, as a list counts them.

extension MutableTree {
  /// A key that leads to the leaf with the entry of this ordinal, or else to the last leaf, and the
  /// ordinal of that leaf's first entry.
  ///
  /// The key is the one that separates the leaf from those before it; `.lowest` for the first.
  package func leafKey(ofOrdinal ordinal: UInt64) throws(StorageError)
    -> (key: TreeKey, firstOrdinal: UInt64)
  {
    var child = root
    var level = height
    var key = TreeKey.lowest
    var before: UInt64 = 0
    while true {
      switch child {
      case .none, .leaf: return (key, before)
      case .branch(let node):
        var index = 0
        while index < node.entries.count - 1 {
          let count = Self.entryCount(node.entries[index])
          if ordinal < before &+ count { break }
          before &+= count
          index += 1
        }
        // The first child also takes the keys below its own.
        if index > 0 { key = node.entries[index].key }
        child = node.entries[index].child
      case .stored(let reference):
        guard level > 0 else { return (key, before) }
        let branch = try view.branch(reference, level: level)
        var index = 0
        while index < branch.count - 1, ordinal >= before &+ branch.entryCount(index) {
          before &+= branch.entryCount(index)
          index += 1
        }
        if index > 0 { key = branch.key(index) }
        child = .stored(branch.reference(index))
      }
      level -= 1
    }
  }

  /// How many entries lie in the leaves before the one that may hold `key`.
  package func entryCount(beforeLeafOf key: TreeKey) throws(StorageError) -> UInt64 {
    var child = root
    var level = height
    var before: UInt64 = 0
    while true {
      switch child {
      case .none, .leaf: return before
      case .branch(let node):
        let index = node.childIndex(for: key)
        for entry in node.entries[..<index] { before &+= Self.entryCount(entry) }
        child = node.entries[index].child
      case .stored(let reference):
        guard level > 0 else { return before }
        let branch = try view.branch(reference, level: level)
        let index = branch.childIndex(for: key)
        for index in 0..<index { before &+= branch.entryCount(index) }
        child = .stored(branch.reference(index))
      }
      level -= 1
    }
  }

  /// The entries below a child; what a branch says of one in memory is as of its last flush.
  private static func entryCount(_ entry: Entry) -> UInt64 {
    switch entry.child {
    case .none: 0
    case .stored: entry.count
    case .leaf(let leaf): UInt64(leaf.entryCount)
    case .branch(let node): node.entries.reduce(0) { $0 &+ entryCount($1) }
    }
  }
}
