// Writing what changed.

extension MutableTree {
  /// Writes everything that changed and returns the new root.
  ///
  /// The tree may be used further; its nodes are read back when needed.
  ///
  /// - Throws: what making and reading pages throws; the transaction can then only be cancelled.
  package func flush() throws(StorageError) -> TreeRoot {
    do throws(StorageError) {
      cached = nil
      changedLeafCount = 0
      switch root {
      case .none: return .empty
      case .stored(let reference):
        return TreeRoot(
          reference: reference, entryCount: storedEntryCount, height: UInt8(height))
      case .leaf, .branch: break
      }
      try settleRoot()
      let entry: Entry
      switch root {
      case .none:
        storedEntryCount = 0
        height = 0
        return .empty
      case .leaf(let leaf): entry = try store(leaf, key: .lowest)
      case .branch(let node): entry = try store(node, key: .lowest)
      case .stored: preconditionFailure("a settled root with changes is in memory")
      }
      guard case .stored(let reference) = entry.child else {
        preconditionFailure("a stored node has a reference")
      }
      root = entry.child
      storedEntryCount = entry.count
      return TreeRoot(reference: reference, entryCount: entry.count, height: UInt8(height))
    } catch {
      transaction.fail(because: error)
      throw error
    }
  }

  private func settleRoot() throws(StorageError) {
    let top = branchNode(
      level: height + 1, [Entry(key: .lowest, child: root, count: 0, summary: [])])
    try settle(top, isRightEdge: true)
    var node = top
    while node.entries.count == 1 {
      switch node.entries[0].child {
      case .branch(let only):
        node = only
        continue
      case .leaf, .none:
        root = node.entries[0].child
        height = 0
        return
      case .stored where node.level == 1:
        root = try mutable(node.entries[0].child, level: 0)
        height = 0
        return
      case .stored:
        node.entries[0].child = try mutable(node.entries[0].child, level: node.level - 1)
      }
    }
    guard !node.entries.isEmpty else {
      root = .none
      height = 0
      return
    }
    if node.isTooLong {
      root = .branch(node)
      height = node.level
      try settleRoot()
      return
    }
    root = .branch(node)
    height = node.level
  }

  /// Drops empty children, splits long ones and merges short ones, from the leaves up.
  private func settle(_ node: MutableBranch, isRightEdge: Bool) throws(StorageError) {
    var index = 0
    while index < node.entries.count {
      if node.entries[index].child.isStored {
        index += 1
        continue
      }
      let isLast = index == node.entries.count - 1
      let pieces = try pieces(of: node.entries[index], isRightEdge: isRightEdge && isLast)
      if pieces.count == 1 {
        node.entries[index] = pieces[0]
      } else {
        node.entries.replaceSubrange(index...index, with: pieces)
      }
      index += pieces.count
    }
    index = 0
    while index < node.entries.count, node.entries.count > 1,
      !isRightEdge || index < node.entries.count - 1
    {
      guard !node.entries[index].child.isStored, isShort(node.entries[index].child) else {
        index += 1
        continue
      }
      let left = index > 0 ? index - 1 : index
      let pieceCount = try merge(&node.entries, left)
      // One piece may still be short. Several are as even as their entries allow.
      index = pieceCount == 1 ? left : left + pieceCount
    }
  }

  /// What takes the place of an entry whose child is in memory.
  private func pieces(of entry: Entry, isRightEdge: Bool) throws(StorageError) -> [Entry] {
    var pieces: [Entry] = []
    switch entry.child {
    case .none: break
    case .stored: pieces.append(entry)
    case .leaf(let leaf):
      if leaf.entryCount > 0 { try appendPieces(of: leaf, key: entry.key, to: &pieces) }
    case .branch(let child):
      try settle(child, isRightEdge: isRightEdge)
      guard !child.entries.isEmpty else { break }
      // The first child may have been dropped; what lay before it belongs to the next one now.
      child.entries[0].key = entry.key
      appendPieces(of: child, key: entry.key, to: &pieces)
    }
    return pieces
  }

  private func isShort(_ child: Child) -> Bool {
    switch child {
    case .leaf(let leaf): leaf.estimatedByteCount < leafByteLimit / 4
    case .branch(let node): node.isShort
    case .stored, .none: false
    }
  }

  /// Joins two neighbours, and splits them evenly when they are too long together.
  ///
  /// - Returns: how many entries stand in their place.
  private func merge(_ entries: inout [Entry], _ index: Int) throws(StorageError) -> Int {
    var pieces: [Entry] = []
    let key = entries[index].key
    let level: Int
    switch (entries[index].child, entries[index + 1].child) {
    case (.branch(let node), _), (_, .branch(let node)): level = node.level
    default: level = 0
    }
    let middle = entries[index + 1].key
    let left = try mutable(entries[index].child, level: level, upper: middle)
    let right = try mutable(entries[index + 1].child, level: level, lower: middle)
    switch (left, right) {
    case (.leaf(let a), .leaf(let b)):
      try a.absorb(b)
      try appendPieces(of: a, key: key, to: &pieces)
    case (.branch(let a), .branch(let b)):
      b.entries[0].key = entries[index + 1].key
      a.entries += b.entries
      appendPieces(of: a, key: key, to: &pieces)
    default: preconditionFailure("neighbours lie on the same level")
    }
    entries.replaceSubrange(index...index + 1, with: pieces)
    return pieces.count
  }

  private func appendPieces(of leaf: any TreeLeaf, key: TreeKey, to entries: inout [Entry])
    throws(StorageError)
  {
    guard leaf.estimatedByteCount > leafByteLimit, leaf.entryCount > 1 else {
      entries.append(Entry(key: key, child: .leaf(leaf), count: 0, summary: []))
      return
    }
    let upper = try leaf.splitOff()
    try appendPieces(of: leaf, key: key, to: &entries)
    try appendPieces(of: upper, key: upper.lowestKey, to: &entries)
  }

  private func appendPieces(of node: MutableBranch, key: TreeKey, to entries: inout [Entry]) {
    guard node.isTooLong else {
      entries.append(Entry(key: key, child: .branch(node), count: 0, summary: []))
      return
    }
    let upper = node.splitOff()
    appendPieces(of: node, key: key, to: &entries)
    appendPieces(of: upper, key: upper.entries[0].key, to: &entries)
  }

  func store(_ leaf: any TreeLeaf, key: TreeKey) throws(StorageError) -> Entry {
    let (payload, summary) = try leaf.encode()
    let reference = try transaction.makePage(
      kind: form.leafKind, treeID: form.treeID, payload: payload,
      compress: form.compressesLeaves)
    return Entry(
      key: key, child: .stored(reference), count: UInt64(leaf.entryCount), summary: summary)
  }

  func store(_ node: MutableBranch, key: TreeKey) throws(StorageError) -> Entry {
    var count: UInt64 = 0
    for index in node.entries.indices {
      switch node.entries[index].child {
      case .leaf(let leaf):
        node.entries[index] = try store(leaf, key: node.entries[index].key)
      case .branch(let child):
        node.entries[index] = try store(child, key: node.entries[index].key)
      case .stored, .none: break
      }
      count &+= node.entries[index].count
    }
    let payload = BranchPage.encode(node)
    let reference = try transaction.makePage(
      kind: .branch, treeID: form.treeID, payload: payload.view, compress: false)
    return Entry(key: key, child: .stored(reference), count: count, summary: [])
  }

  /// Gives up every page of the tree; `leafWillBeFreed` sees each leaf first.
  package func removeAll(leafWillBeFreed: (Location) throws(StorageError) -> Void)
    throws(StorageError)
  {
    cached = nil
    var pageCount: UInt64 = 0
    try free(root, level: height, &pageCount, leafWillBeFreed)
    root = .none
    height = 0
    storedEntryCount = 0
  }

  private func free(
    _ child: Child, level: Int, _ pageCount: inout UInt64,
    _ leafWillBeFreed: (Location) throws(StorageError) -> Void
  ) throws(StorageError) {
    switch child {
    case .none: break
    case .leaf(let leaf): try leafWillBeFreed(.mutable(leaf))
    case .branch(let node):
      for entry in node.entries {
        try free(entry.child, level: level - 1, &pageCount, leafWillBeFreed)
      }
    case .stored(let reference):
      pageCount += 1
      guard pageCount <= transaction.reader.blockCount else {
        throw .corrupted(block: reference.block, .structure(.sharedPage))
      }
      if level == 0 {
        let page = try view.leafPage(reference)
        try leafWillBeFreed(.stored(page))
        transaction.freePage(reference, birth: page.transaction)
      } else {
        let branch = try view.branch(reference, level: level)
        for index in 0..<branch.count {
          try free(.stored(branch.reference(index)), level: level - 1, &pageCount, leafWillBeFreed)
        }
        transaction.freePage(reference, birth: branch.page.transaction)
      }
    }
  }
}
