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
        let starts = starts(of: node)
        let index = max(0, binarySearch(0..<starts.count) { starts[$0] <= ordinal &- before } - 1)
        before &+= starts[index]
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
        before &+= starts(of: node)[index]
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

  /// How many entries of a branch lie before each of its children.
  ///
  /// - Complexity: O(1) until the tree changes, so that a search by ordinals counts once.
  private func starts(of node: MutableBranch) -> [UInt64] {
    let leafCount = cached?.leaf.entryCount
    var known: OrdinalStarts
    if let ordinalStarts, ordinalStarts.changedLeafEntryCount == leafCount {
      known = ordinalStarts
    } else {
      known = OrdinalStarts(changedLeafEntryCount: leafCount)
    }
    let key = ObjectIdentifier(node)
    if let starts = known.starts[key] { return starts }
    var starts: [UInt64] = []
    starts.reserveCapacity(node.entries.count)
    var count: UInt64 = 0
    for index in node.entries.indices {
      starts.append(count)
      count &+= node.entryCount(index)
    }
    ordinalStarts = nil
    known.starts[key] = starts
    ordinalStarts = known
    return starts
  }
}

/// How many entries lie before the children of branches, as long as the tree is not changed.
struct OrdinalStarts {
  /// The entries of the one leaf that may have been changed, when they were counted.
  let changedLeafEntryCount: Int?
  var starts: [ObjectIdentifier: [UInt64]] = [:]
}

extension MutableBranch {
  /// The entries below a child; what a branch says of one in memory is as of its last flush.
  fileprivate func entryCount(_ index: Int) -> UInt64 {
    switch entries[index].child {
    case .none: 0
    case .stored: entries[index].count
    case .leaf(let leaf): UInt64(leaf.entryCount)
    case .branch(let node): node.entries.indices.reduce(0) { $0 &+ node.entryCount($1) }
    }
  }
}
