/// What distinguishes one tree from another: the form of its leaves and the id its pages carry.
package struct TreeForm: Sendable {
  package var treeID: UInt32
  package var leafKind: PageKind
  /// Whether keys are byte strings of any length; otherwise they are 64-bit numbers.
  package var hasByteKeys: Bool
  /// Whether a leaf is stored as one LZ4 block when that saves space.
  package var compressesLeaves: Bool

  package init(treeID: UInt32, leafKind: PageKind, hasByteKeys: Bool, compressesLeaves: Bool) {
    self.treeID = treeID
    self.leafKind = leafKind
    self.hasByteKeys = hasByteKeys
    self.compressesLeaves = compressesLeaves
  }
}

/// A B+tree of one version, for reading.
///
/// Branches are the same for all trees; what a leaf holds is the business of
/// the tree's form. Cost of a descent: one page a level, height + 1 in all.
package struct Tree {
  package let root: TreeRoot
  package let form: TreeForm
  package let reader: PageReader

  package init(root: TreeRoot, form: TreeForm, reader: PageReader) {
    self.root = root
    self.form = form
    self.reader = reader
  }

  /// A leaf as its parent describes it.
  package struct LeafEntry {
    package let reference: PageReference
    /// Entries in the leaf.
    package let count: UInt64
    /// Zone maps or the like; empty when the leaf is the root.
    package let summary: ByteView
  }

  /// The page of the only leaf that may hold `key`; nil when the tree is empty.
  package func leafPage(for key: TreeKey) throws(StorageError) -> Page? {
    guard !root.reference.isNone else { return nil }
    var reference = root.reference
    var level = Int(root.height)
    while level > 0 {
      let branch = try branch(reference, level: level)
      reference = branch.reference(branch.childIndex(for: key))
      level -= 1
    }
    return try leafPage(reference)
  }

  /// How many entries lie in leaves before the leaf for `key`.
  package func countBeforeLeaf(for key: TreeKey) throws(StorageError) -> UInt64 {
    var before: UInt64 = 0
    var reference = root.reference
    var level = Int(root.height)
    while level > 0 {
      let branch = try branch(reference, level: level)
      let child = branch.childIndex(for: key)
      for index in 0..<child { before &+= branch.entryCount(index) }
      reference = branch.reference(child)
      level -= 1
    }
    return before
  }

  /// The leaf that holds the entry with this ordinal, and the ordinal of its first entry.
  package func leafPage(atOrdinal ordinal: UInt64) throws(StorageError)
    -> (page: Page, firstOrdinal: UInt64)?
  {
    guard ordinal < root.entryCount else { return nil }
    var first: UInt64 = 0
    var reference = root.reference
    var level = Int(root.height)
    while level > 0 {
      let branch = try branch(reference, level: level)
      var index = 0
      while index < branch.count - 1, first &+ branch.entryCount(index) <= ordinal {
        first &+= branch.entryCount(index)
        index += 1
      }
      reference = branch.reference(index)
      level -= 1
    }
    return (try leafPage(reference), first)
  }

  package func leafPage(_ reference: PageReference) throws(StorageError) -> Page {
    let page = try reader.page(reference, kind: form.leafKind)
    guard page.treeID == form.treeID else {
      throw .corrupted(block: reference.block, .structure(.wrongTree))
    }
    return page
  }

  package func branch(_ reference: PageReference, level: Int) throws(StorageError) -> BranchPage {
    let page = try reader.page(reference, kind: .branch)
    guard page.treeID == form.treeID else {
      throw .corrupted(block: reference.block, .structure(.wrongTree))
    }
    let branch = try BranchPage(page)
    guard branch.level == level else {
      throw .corrupted(block: reference.block, .structure(.wrongDepth))
    }
    guard branch.hasByteKeys == form.hasByteKeys else {
      throw .corrupted(block: reference.block, .structure(.wrongTree))
    }
    return branch
  }

  /// A cursor that stands before the first leaf, or before the leaf for `key`.
  package func cursor(from key: TreeKey = .lowest) -> TreeCursor { TreeCursor(self, from: key) }
}

/// Visits the leaves of a tree from left to right.
///
/// Holds one branch page a level; reads a leaf only when asked for its page.
package struct TreeCursor {
  package let tree: Tree
  private var path: [(branch: BranchPage, index: Int)] = []
  private var start: TreeKey?
  private var isAtEnd = false
  private var leafCount: UInt64 = 0

  init(_ tree: Tree, from key: TreeKey) {
    self.tree = tree
    start = key
  }

  /// Moves to the next leaf; nil after the last.
  ///
  /// - Throws: `.corrupted`, also when more leaves come than the file has room for, because
  ///   branches share them.
  package mutating func next() throws(StorageError) -> Tree.LeafEntry? {
    guard !isAtEnd, !tree.root.reference.isNone else { return nil }
    // The branches on the path may lie in the mapping.
    try tree.reader.checkUse()
    leafCount += 1
    guard leafCount <= tree.reader.blockCount || path.isEmpty else {
      throw .corrupted(block: tree.root.reference.block, .structure(.sharedPage))
    }
    if let key = start {
      start = nil
      guard tree.root.height > 0 else {
        isAtEnd = true
        return Tree.LeafEntry(
          reference: tree.root.reference, count: tree.root.entryCount, summary: .empty)
      }
      try descend(tree.root.reference, level: Int(tree.root.height)) { $0.childIndex(for: key) }
      return current
    }
    while let last = path.last, last.index + 1 >= last.branch.count { path.removeLast() }
    guard let last = path.last else {
      isAtEnd = true
      return nil
    }
    path[path.count - 1].index += 1
    if last.branch.level > 1 {
      try descend(last.branch.reference(last.index + 1), level: last.branch.level - 1) { _ in 0 }
    }
    return current
  }

  private mutating func descend(
    _ reference: PageReference, level: Int, choose: (BranchPage) -> Int
  ) throws(StorageError) {
    var reference = reference
    for level in stride(from: level, to: 0, by: -1) {
      let branch = try tree.branch(reference, level: level)
      let index = choose(branch)
      path.append((branch, index))
      reference = branch.reference(index)
    }
  }

  private var current: Tree.LeafEntry? {
    guard let (branch, index) = path.last else { return nil }
    return Tree.LeafEntry(
      reference: branch.reference(index), count: branch.entryCount(index),
      summary: branch.summary(index))
  }
}
