/// Moves pages of one transaction below its cut, tree by tree, until it has moved enough.
///
/// A page that moves is written again, and so are the branches above it. Branches are read, leaves
/// only when they move: a reference says where its page lies.
///
/// The trees of a version are visited in ascending order of their ids and layers; the next
/// transaction goes on where this one stopped.
package final class Relocation {
  /// Where a walk over the trees of a version stopped.
  package struct Position: Sendable {
    var treeID: UInt32
    var layer: Int
    /// The first child of a branch of level 1 that was not looked at.
    var key: TreeKey
  }

  package let transaction: WriteTransaction
  /// Whether pages that are reached from leaves may lie behind the cut.
  package let movesBlobs: Bool
  private let byteLimit: Int
  private let start: Position?
  /// Where the next transaction goes on; nil when this one has come to the end.
  package private(set) var stop: Position?
  package private(set) var movedByteCount = 0
  private var pageCount: UInt64 = 0

  /// `byteLimit`: how many bytes of new pages are enough.
  init(
    _ transaction: WriteTransaction, from start: Position?, byteLimit: Int, movesBlobs: Bool
  ) {
    precondition(transaction.cut != nil, "pages are moved below a cut")
    self.transaction = transaction
    self.start = start
    self.byteLimit = byteLimit
    self.movesBlobs = movesBlobs
  }

  /// Whether a page reaches behind the cut.
  package func isBehindCut(_ reference: PageReference) -> Bool {
    reference.run.end > transaction.cut ?? .max
  }

  /// Moves one page, whatever refers to it.
  ///
  /// - Returns: nil when there is no room for it below the cut.
  package func move(_ reference: PageReference) throws(StorageError) -> PageReference? {
    guard let moved = try transaction.move(reference) else { return nil }
    movedByteCount += moved.run.byteCount
    return moved
  }

  /// Whether all of these pages find room below the cut, even if they are stored in a block more.
  package func hasRoom(for references: ArraySlice<PageReference>) -> Bool {
    transaction.hasRoom(for: references.map { $0.blockCount + 1 })
  }

  /// Makes a page in the place of another one that has the same kind and tree.
  package func replace(
    _ page: Page, with payload: PageBuffer, compress: Bool = false
  ) throws(StorageError) -> PageReference {
    let made = try transaction.makePage(
      kind: page.kind, treeID: page.treeID, payload: payload.view, compress: compress)
    withExtendedLifetime(payload) {}
    transaction.freePage(page.reference, birth: page.transaction)
    movedByteCount += made.run.byteCount
    return made
  }

  /// Moves the pages of a tree that lie behind the cut, as far as this transaction goes.
  ///
  /// `layer`: tells trees with the same id apart.
  ///
  /// `moveLeaf`: for leaves that refer to pages outside of the tree; gets every leaf, and returns
  /// the one that takes its place, or itself.
  ///
  /// - Returns: the tree's new root.
  package func relocate(
    _ root: TreeRoot, _ form: TreeForm, layer: Int = 0,
    moveLeaf: ((PageReference) throws(StorageError) -> PageReference)? = nil
  ) throws(StorageError) -> TreeRoot {
    guard !root.reference.isNone else { return root }
    var from: TreeKey?
    if let start {
      let isBefore = (form.treeID, layer) < (start.treeID, start.layer)
      if isBefore { return root }
      if form.treeID == start.treeID, layer == start.layer { from = start.key }
    }
    guard !stops(before: .lowest, form, layer) else { return root }
    var moved = root
    moved.reference = try relocate(
      root.reference, level: Int(root.height), from: from,
      Walk(
        tree: Tree(root: root, form: form, reader: transaction.reader), layer: layer,
        moveLeaf: moveLeaf))
    return moved
  }

  /// Moves all pages of a tree that lie behind the cut, however much that is: of a small one, such
  /// as the catalogue, or of one whose root stands in a leaf that is written again once.
  package func relocateWhole(
    _ root: TreeRoot, _ form: TreeForm,
    moveLeaf: ((PageReference) throws(StorageError) -> PageReference)? = nil
  ) throws(StorageError) -> TreeRoot {
    guard !root.reference.isNone else { return root }
    var moved = root
    moved.reference = try relocate(
      root.reference, level: Int(root.height), from: nil,
      Walk(
        tree: Tree(root: root, form: form, reader: transaction.reader), layer: nil,
        moveLeaf: moveLeaf))
    return moved
  }

  /// One tree that is being walked.
  private struct Walk {
    let tree: Tree
    /// Nil for a tree that is walked to its end.
    let layer: Int?
    let moveLeaf: ((PageReference) throws(StorageError) -> PageReference)?
  }

  private func relocate(
    _ reference: PageReference, level: Int, from: TreeKey?, _ walk: Walk
  ) throws(StorageError) -> PageReference {
    pageCount += 1
    // More pages than the file has room for: branches share them.
    guard pageCount <= transaction.reader.pageLimit else {
      throw .corrupted(block: reference.block, .structure(.sharedPage))
    }
    guard level > 0 else {
      if let moveLeaf = walk.moveLeaf { return try moveLeaf(reference) }
      return try moveIfBehindCut(reference)
    }
    let branch = try walk.tree.branch(reference, level: level)
    let first = from.map { branch.childIndex(for: $0) } ?? 0
    var node: MutableBranch?
    for index in first..<branch.count {
      let child = branch.reference(index)
      if level == 1, walk.moveLeaf == nil, !isBehindCut(child) { continue }
      if let layer = walk.layer, stops(before: branch.key(index), walk.tree.form, layer) { break }
      let moved = try relocate(
        child, level: level - 1, from: index == first ? from : nil, walk)
      guard moved != child else { continue }
      let changed = node ?? branch.node()
      changed.entries[index].child = .stored(moved)
      node = changed
    }
    guard let node else { return try moveIfBehindCut(reference) }
    return try replace(branch.page, with: BranchPage.encode(node))
  }

  /// The page's new place, or the one it has when that will do or there is no other.
  package func moveIfBehindCut(_ reference: PageReference) throws(StorageError) -> PageReference {
    guard isBehindCut(reference) else { return reference }
    return try move(reference) ?? reference
  }

  /// Whether enough was moved; notes where to go on the first time.
  private func stops(before key: TreeKey, _ form: TreeForm, _ layer: Int) -> Bool {
    guard movedByteCount >= byteLimit else { return false }
    stop = stop ?? Position(treeID: form.treeID, layer: layer, key: key)
    return true
  }
}
