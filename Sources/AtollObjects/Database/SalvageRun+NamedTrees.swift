internal import AtollStorage

/// One copy of what can be read of an internal tree.
struct NamedTreeSalvage {
  private let tree: Tree
  private let copy: NamedTree
  private let finder: LeafFinder
  private var pageCount: UInt64 = 0
  /// Entries that could not be read, with the first reason.
  private(set) var lostCount: UInt64 = 0
  private(set) var cause: StorageError?

  init(
    _ record: ClassRecord.TreeRecord, of source: Snapshot, into copy: NamedTree,
    _ finder: LeafFinder
  ) {
    tree =
      KeyValueTree(
        root: record.root, treeID: record.treeID, reader: source.storage.reader
      ).tree
    self.copy = copy
    self.finder = finder
  }

  /// - Throws: when the copy cannot be written.
  mutating func run() throws(ObjectError) {
    guard !tree.root.reference.isNone else { return }
    try visit(
      tree.root.reference, level: Int(tree.root.height), .lowest, nil, tree.root.entryCount)
  }

  /// Copies what lies below a page, whose keys are at least `lower` and below `upper`.
  private mutating func visit(
    _ reference: PageReference, level: Int, _ lower: TreeKey, _ upper: TreeKey?, _ count: UInt64
  ) throws(ObjectError) {
    // In a damaged file pages may be shared so often that the walk would not end.
    pageCount += 1
    guard pageCount <= tree.reader.pageLimit else {
      return lose(count, .corrupted(block: reference.block, .structure(.sharedPage)))
    }
    guard level > 0 else {
      let leaf: KeyValuePage
      do throws(StorageError) { leaf = try KeyValuePage(tree.leafPage(reference)) } catch {
        return lose(count, error)
      }
      return try copyEntries(of: leaf)
    }
    let branch: BranchPage
    do throws(StorageError) { branch = try tree.branch(reference, level: level) } catch {
      return try copyLeaves(between: lower, and: upper, count, error)
    }
    for index in 0..<branch.count {
      try visit(
        branch.reference(index), level: level - 1, index == 0 ? lower : branch.key(index),
        index + 1 < branch.count ? branch.key(index + 1) : upper, branch.entryCount(index))
    }
  }

  /// Copies the leaves below a branch that cannot be read.
  private mutating func copyLeaves(
    between lower: TreeKey, and upper: TreeKey?, _ count: UInt64, _ error: StorageError
  ) throws(ObjectError) {
    var rest = count
    for reference in finder.references(treeID: tree.form.treeID) {
      guard let page = try? tree.leafPage(reference), let leaf = try? KeyValuePage(page),
        leaf.count > 0, !(TreeKey(leaf.key(0)) < lower),
        upper.map({ TreeKey(leaf.key(leaf.count - 1)) < $0 }) ?? true
      else { continue }
      try copyEntries(of: leaf)
      rest -= min(rest, UInt64(leaf.count))
    }
    if rest > 0 { lose(rest, error) }
  }

  private func copyEntries(of leaf: KeyValuePage) throws(ObjectError) {
    for index in 0..<leaf.count { try copy.set(leaf.value(index), for: leaf.key(index)) }
  }

  private mutating func lose(_ count: UInt64, _ error: StorageError) {
    lostCount += count
    cause = cause ?? error
  }
}
