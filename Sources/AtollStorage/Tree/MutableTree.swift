/// A leaf in its mutable form: decoded once in a transaction, encoded once at its end.
package protocol TreeLeaf: AnyObject {
  /// Entries in the leaf.
  var entryCount: Int { get }
  /// The smallest key; asked only of a leaf with entries.
  var lowestKey: TreeKey { get }
  /// The largest key; asked only of a leaf with entries.
  var highestKey: TreeKey { get }
  /// Bytes the encoded leaf will take, roughly: what splits and merges go by.
  var estimatedByteCount: Int { get }
  /// Moves the upper part to a new leaf and returns it; asked only of a leaf with two entries or
  /// more.
  func splitOff() throws(StorageError) -> any TreeLeaf
  /// Takes over all entries of `next`, which lie above its own.
  func absorb(_ next: any TreeLeaf) throws(StorageError)
  /// The page's payload and the summary for the parent.
  func encode() throws(StorageError) -> (payload: [UInt8], summary: [UInt8])
  /// An empty leaf that takes over the memory of this one, which was stored and is not used again.
  func recycled() -> any TreeLeaf
}

/// A B+tree inside a write transaction.
///
/// The path to a changed leaf is decoded into nodes in memory; all else stays a
/// reference. `flush` splits and merges what changed, writes it and gives the
/// new root. The page that a node replaces is given up when the node is made.
///
/// Invariant: after `flush` every changed leaf and branch is between a quarter
/// and the whole of its target, but for the root, the right edge (which a load
/// that goes on will fill), the only child of a branch, and entries of very
/// different lengths.
package final class MutableTree {
  typealias Child = MutableBranch.Child
  typealias Entry = MutableBranch.Entry

  package let form: TreeForm
  let transaction: WriteTransaction
  /// Reads the pages of the tree; its root is none.
  let view: Tree
  let leafByteLimit: Int
  private let decodeLeaf: (Page) throws(StorageError) -> any TreeLeaf
  private let makeLeaf: () -> any TreeLeaf
  var root: Child
  var height: Int
  /// Entries that the root had when it was stored; the rest is counted by `flush`.
  var storedEntryCount: UInt64

  /// Leaves that were decoded or split off since the last flush.
  package internal(set) var changedLeafCount = 0
  /// The leaf asked for last: the next key is often in it too.
  ///
  /// Nothing is split, stored or replaced without another leaf, or none, being put here; nor does any
  /// other leaf get or lose entries, on whose numbers the cached ordinals rest. Other leaves may have
  /// values changed in place (`TableWriter.select`), and `beginRewrite` clears this first.
  var cached: CachedLeaf? { didSet { ordinalStarts = nil } }
  /// What the branches in memory have been counted for; nil when the tree has changed since.
  var ordinalStarts: OrdinalStarts?

  final class CachedLeaf {
    let leaf: any TreeLeaf
    /// Keys from here belong to the leaf, up to `upper`.
    let lower: TreeKey?
    /// …up to here.
    let upper: TreeKey?
    let parent: MutableBranch?

    init(leaf: any TreeLeaf, lower: TreeKey?, upper: TreeKey?, parent: MutableBranch?) {
      self.leaf = leaf
      self.lower = lower
      self.upper = upper
      self.parent = parent
    }

    func contains(_ key: TreeKey) -> Bool {
      if let lower, key < lower { return false }
      if let upper, !(key < upper) { return false }
      return true
    }
  }

  /// `leafByteLimit`: leaves estimated above this are split, below a quarter merged.
  package init(
    root: TreeRoot, form: TreeForm, leafByteLimit: Int, transaction: WriteTransaction,
    makeLeaf: @escaping () -> any TreeLeaf,
    decodeLeaf: @escaping (Page) throws(StorageError) -> any TreeLeaf
  ) {
    self.form = form
    view = Tree(
      root: TreeRoot(reference: .none, entryCount: 0, height: 0), form: form,
      reader: transaction.reader)
    self.leafByteLimit = leafByteLimit
    self.transaction = transaction
    self.makeLeaf = makeLeaf
    // A page that was made of other bytes than a tree writes can fail between two steps.
    self.decodeLeaf = { page throws(StorageError) in
      do throws(StorageError) {
        return try decodeLeaf(page)
      } catch {
        transaction.fail(because: error)
        throw error
      }
    }
    self.root = root.reference.isNone ? .none : .stored(root.reference)
    height = Int(root.height)
    storedEntryCount = root.entryCount
  }

  /// Whether there are no branches.
  package var isOneLeaf: Bool { height == 0 }

  /// Where an entry is, for reading without making it mutable.
  package enum Location {
    case nowhere
    case mutable(any TreeLeaf)
    case stored(Page)
  }

  /// The leaf that may hold `key`, as it is.
  package func locate(_ key: TreeKey) throws(StorageError) -> Location {
    if let cached, cached.contains(key) { return .mutable(cached.leaf) }
    return try locate {
      ($0.childIndex(for: key), nil)
    } inBranch: {
      ($0.childIndex(for: key), nil)
    }.location
  }

  /// The leaf that may hold `key`, as it is, and the key where the next leaf begins, if there is
  /// one.
  package func locateWithBound(_ key: TreeKey) throws(StorageError)
    -> (location: Location, upper: TreeKey?)
  {
    if let cached, cached.contains(key) { return (.mutable(cached.leaf), cached.upper) }
    var child = root
    var level = height
    var upper: TreeKey?
    while true {
      switch child {
      case .none: return (.nowhere, nil)
      case .leaf(let leaf): return (.mutable(leaf), upper)
      case .branch(let node):
        let index = node.childIndex(for: key)
        if index + 1 < node.entries.count { upper = node.entries[index + 1].key }
        child = node.entries[index].child
      case .stored(let reference):
        if level == 0 { return (.stored(try view.leafPage(reference)), upper) }
        let branch = try view.branch(reference, level: level)
        let index = branch.childIndex(for: key)
        if index + 1 < branch.count { upper = branch.key(index + 1) }
        child = .stored(branch.reference(index))
      }
      level -= 1
    }
  }

  /// The leaf at the end of a way, as it is, and the bound that was named last on it.
  func locate(
    inNode: (MutableBranch) -> (index: Int, bound: TreeKey?),
    inBranch: (BranchPage) -> (index: Int, bound: TreeKey?)
  ) throws(StorageError) -> (location: Location, bound: TreeKey?) {
    var child = root
    var level = height
    var bound: TreeKey?
    while true {
      let found: (index: Int, bound: TreeKey?)
      switch child {
      case .none: return (.nowhere, nil)
      case .leaf(let leaf): return (.mutable(leaf), bound)
      case .branch(let node):
        found = inNode(node)
        child = node.entries[found.index].child
      case .stored(let reference):
        if level == 0 { return (.stored(try view.leafPage(reference)), bound) }
        let branch = try view.branch(reference, level: level)
        found = inBranch(branch)
        child = .stored(branch.reference(found.index))
      }
      bound = found.bound ?? bound
      level -= 1
    }
  }

  /// The leaf that holds or shall hold `key`, ready to be changed.
  package func mutableLeaf(for key: TreeKey) throws(StorageError) -> any TreeLeaf {
    if let cached, cached.contains(key) {
      if cached.leaf.estimatedByteCount <= 2 * leafByteLimit || cached.leaf.entryCount < 2 {
        return cached.leaf
      }
      try splitCached()
    }
    cached = nil
    var lower: TreeKey?
    var upper: TreeKey?
    var parent: MutableBranch?
    root = try mutable(root, level: height)
    var child = root
    var level = height
    while case .branch(let node) = child {
      level -= 1
      let index = node.childIndex(for: key)
      if index > 0 { lower = node.entries[index].key }
      if index + 1 < node.entries.count { upper = node.entries[index + 1].key }
      child = try mutable(node.entries[index].child, level: level, lower: lower, upper: upper)
      node.entries[index].child = child
      parent = node
    }
    guard case .leaf(let leaf) = child else { preconditionFailure("a path ends in a leaf") }
    cached = CachedLeaf(leaf: leaf, lower: lower, upper: upper, parent: parent)
    return leaf
  }

  /// The rightmost leaf, ready for entries above all others.
  ///
  /// A leaf that has reached `isFull` is encoded and made a page at once, so that a
  /// bulk load holds one leaf of each tree in memory.
  package func leafForAppend(isFull: (any TreeLeaf) -> Bool, key: TreeKey) throws(StorageError)
    -> any TreeLeaf
  {
    guard let last = cached, last.upper == nil, last.contains(key) else {
      return try mutableLeaf(for: key)
    }
    guard isFull(last.leaf) else { return last.leaf }
    return try startLeaf(after: last, key: key)
  }

  private func startLeaf(after last: CachedLeaf, key: TreeKey) throws(StorageError)
    -> any TreeLeaf
  {
    let parent: MutableBranch
    if let node = last.parent {
      parent = node
    } else {
      parent = branchNode(
        level: 1, [Entry(key: last.leaf.lowestKey, child: root, count: 0, summary: [])])
      root = .branch(parent)
      height = 1
    }
    parent.entries[parent.entries.count - 1] = try store(
      last.leaf, key: parent.entries[parent.entries.count - 1].key)
    let fresh = last.leaf.recycled()
    parent.entries.append(Entry(key: key, child: .leaf(fresh), count: 0, summary: []))
    cached = CachedLeaf(leaf: fresh, lower: key, upper: nil, parent: parent)
    return fresh
  }

  /// Writes the leaf asked for last and forgets it, so that a pass over many leaves does not keep
  /// all of them in memory.
  ///
  /// A leaf that is short or long stays, for `flush` to merge or split.
  package func storeLast() throws(StorageError) {
    guard let last = cached, let parent = last.parent else { return }
    cached = nil
    let index = last.lower.map { parent.childIndex(for: $0) } ?? 0
    guard last.leaf.entryCount > 0 else {
      // One without rows takes little memory; `flush` drops it.
      parent.entries[index].child = .leaf(makeLeaf())
      return
    }
    let byteCount = last.leaf.estimatedByteCount
    guard byteCount >= leafByteLimit / 4, byteCount <= leafByteLimit else { return }
    parent.entries[index] = try store(last.leaf, key: parent.entries[index].key)
  }

  /// Splits the cached leaf in memory; the branch above is split by `flush`.
  private func splitCached() throws(StorageError) {
    guard let full = cached else { return }
    let upper = try full.leaf.splitOff()
    changedLeafCount += 1
    let entry = Entry(key: upper.lowestKey, child: .leaf(upper), count: 0, summary: [])
    if let parent = full.parent {
      let index = parent.childIndex(for: full.leaf.lowestKey)
      parent.entries.insert(entry, at: index + 1)
    } else {
      let lower = Entry(
        key: full.leaf.lowestKey, child: .leaf(full.leaf), count: 0, summary: [])
      root = .branch(branchNode(level: 1, [lower, entry]))
      height = 1
    }
    cached = nil
  }

  // MARK: Rewriting

  /// A leaf taken out of the tree, and what takes its place so far.
  package struct LeafRewrite {
    /// The leaf to be replaced.
    package let leaf: any TreeLeaf
    /// Keys that belong here lie below; nil when the leaf is the last.
    package let upper: TreeKey?
    fileprivate let parent: MutableBranch?
    fileprivate let index: Int
    fileprivate let key: TreeKey
    fileprivate var pieces: [Entry] = []
  }

  /// Takes out the leaf that holds or shall hold `key`, to put other leaves in its place.
  ///
  /// Lets a sorted batch of changes be merged leaf by leaf, with no more than the leaves at hand in
  /// memory. Nothing else may be asked of the tree before `endRewrite`.
  package func beginRewrite(for key: TreeKey) throws(StorageError) -> LeafRewrite {
    cached = nil
    let leaf = try mutableLeaf(for: key)
    guard let place = cached else { preconditionFailure("the leaf asked for last is known") }
    cached = nil
    let index = place.parent?.childIndex(for: key) ?? 0
    return LeafRewrite(
      leaf: leaf, upper: place.upper, parent: place.parent, index: index,
      key: place.parent?.entries[index].key ?? .lowest)
  }

  /// Puts `leaf` behind those added before; its `lowestKey` lies above all their keys.
  ///
  /// - Returns: Whether the leaf was stored, so that the caller may use its memory again. A short
  ///   leaf stays with the tree, for `flush` to merge.
  package func add(_ leaf: any TreeLeaf, to rewrite: inout LeafRewrite) throws(StorageError)
    -> Bool
  {
    precondition(leaf.entryCount > 0, "a leaf that is added has entries")
    let key = rewrite.pieces.isEmpty ? rewrite.key : leaf.lowestKey
    guard leaf.estimatedByteCount >= leafByteLimit / 4 else {
      rewrite.pieces.append(Entry(key: key, child: .leaf(leaf), count: 0, summary: []))
      return false
    }
    rewrite.pieces.append(try store(leaf, key: key))
    return true
  }

  /// Puts the leaves that were added, or an empty one, in the place of the one taken out.
  package func endRewrite(_ rewrite: LeafRewrite) {
    var pieces = rewrite.pieces
    if pieces.isEmpty {
      pieces = [Entry(key: rewrite.key, child: .leaf(makeLeaf()), count: 0, summary: [])]
    }
    if let parent = rewrite.parent {
      parent.entries.replaceSubrange(rewrite.index...rewrite.index, with: pieces)
    } else if pieces.count == 1 {
      root = pieces[0].child
      storedEntryCount = pieces[0].count
    } else {
      root = .branch(branchNode(level: 1, pieces))
      height = 1
    }
  }

  func branchNode(level: Int, _ entries: [Entry]) -> MutableBranch {
    MutableBranch(level: level, hasByteKeys: form.hasByteKeys, entries: entries)
  }

  /// Decodes a stored child and gives its page up.
  ///
  /// `lower` and `upper`: no key of the child may be below the one, nor at or above the other.
  func mutable(
    _ child: Child, level: Int, lower: TreeKey? = nil, upper: TreeKey? = nil
  ) throws(StorageError) -> Child {
    switch child {
    case .branch, .leaf: return child
    case .none: return .leaf(makeLeaf())
    case .stored(let reference):
      let result: Child
      let birth: UInt64
      if level == 0 {
        let page = try view.leafPage(reference)
        birth = page.transaction
        let leaf = try decodeLeaf(page)
        changedLeafCount += 1
        if leaf.entryCount > 0 {
          let isBelow = lower.map { leaf.lowestKey < $0 } ?? false
          let isAbove = upper.map { !(leaf.highestKey < $0) } ?? false
          guard !isBelow, !isAbove else {
            let error = StorageError.corrupted(
              block: reference.block, .structure(.keyOutsideSeparators))
            transaction.fail(because: error)
            throw error
          }
        }
        result = .leaf(leaf)
      } else {
        let branch = try view.branch(reference, level: level)
        birth = branch.page.transaction
        result = .branch(branch.node())
      }
      transaction.freePage(reference, birth: birth)
      return result
    }
  }
}
