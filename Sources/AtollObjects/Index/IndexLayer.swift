internal import AtollStorage

/// One of the trees of an index, for reading: pairs of a value and an object's key, by value, then
/// key.
///
/// A value is one whole key as `OrderedKey` writes it: none is the beginning of another, so
/// value ‖ key, with the key as eight big-endian bytes, orders in the tree as the pairs do.
struct IndexLayer {
  let tree: Tree

  init(root: TreeRoot, treeID: UInt32, reader: PageReader) {
    tree = Tree(root: root, form: Index.form(treeID), reader: reader)
  }

  /// The entries of all values.
  var entryCount: Int { Int(clamping: tree.root.entryCount) }

  // MARK: Counting

  /// The number of entries in `range`, from the counts in the branches.
  ///
  /// Cost: one descent for a single value, unless its entries reach the end of a leaf; else two.
  func count(_ range: IndexRange) throws(StorageError) -> Int {
    if range.isSingleValue, let found = try entries(ofValue: range.lower) {
      return found.entries.count
    }
    let lower = try rank(range.lower)
    let upper = try range.upper.map { bound throws(StorageError) in try rank(bound) } ?? entryCount
    return max(0, upper - lower)
  }

  /// The number of entries whose values lie below `bound`.
  func rank(_ bound: [UInt8]) throws(StorageError) -> Int {
    guard let (page, before) = try leaf(for: TreeKey(bound), counting: true) else { return 0 }
    // SAFETY: the bytes do not leave the closure; `search` reads them up to their count, and of the
    // page what was checked to lie in it. `page` keeps its memory.
    let index = try unsafe bound.withRawBytes { bytes throws(StorageError) in
      try unsafe page.search(bytes).index
    }
    return Int(clamping: before) + (try page.entryCount(beforeValue: index))
  }

  /// The leaf that may hold `key`, and how many entries lie in the leaves before it.
  private func leaf(for key: TreeKey, counting: Bool) throws(StorageError)
    -> (page: IndexPage, before: UInt64)?
  {
    guard !tree.root.reference.isNone else { return nil }
    var reference = tree.root.reference
    var before: UInt64 = 0
    for level in stride(from: Int(tree.root.height), to: 0, by: -1) {
      let branch = try tree.branch(reference, level: level)
      let child = branch.childIndex(for: key)
      if counting {
        for index in 0..<child { before &+= branch.entryCount(index) }
      }
      reference = branch.reference(child)
    }
    return (try IndexPage(tree.leafPage(reference)), before)
  }

  /// The entries of `value` when one leaf answers for it: none, or some that end before the leaf
  /// does.
  ///
  /// Else nil: the next leaf may hold more.
  private func entries(ofValue value: [UInt8]) throws(StorageError)
    -> (page: IndexPage, entries: Range<Int>)?
  {
    guard let (page, _) = try leaf(for: TreeKey(value), counting: false) else { return nil }
    // SAFETY: as in `rank`.
    let (index, isEqual) = try unsafe value.withRawBytes { bytes throws(StorageError) in
      try unsafe page.search(bytes)
    }
    guard index < page.valueCount - (isEqual ? 1 : 0) else { return nil }
    return (page, isEqual ? try page.entries(ofValues: index..<index + 1) : 0..<0)
  }

  // MARK: Keys

  /// The smallest key among the entries of `value`.
  func firstKey(equalTo value: [UInt8]) throws(StorageError) -> UInt64? {
    if let (page, entries) = try entries(ofValue: value) {
      return entries.isEmpty ? nil : page.key(entries.lowerBound)
    }
    var walk = try IndexWalk(self, .equal(to: value))
    while let step = try walk.next() {
      if let entry = step.entries.first { return step.page.key(entry) }
    }
    return nil
  }

  /// The keys in `range`, by value, then key.
  func keys(_ range: IndexRange) throws(StorageError) -> [UInt64] {
    var keys: [UInt64] = []
    if range.isSingleValue, let (page, entries) = try entries(ofValue: range.lower) {
      page.appendKeys(entries, to: &keys)
      return keys
    }
    var walk = try IndexWalk(self, range)
    while let step = try walk.next() { step.page.appendKeys(step.entries, to: &keys) }
    return keys
  }

  /// Calls `body` with the keys in `range`, leaf by leaf, by value, then key.
  ///
  /// `body`: returns whether to go on.
  func forEachLeaf(
    _ range: IndexRange, _ body: (_ keys: Span<UInt64>) throws -> Bool
  ) throws {
    var keys: [UInt64] = []
    var walk = try IndexWalk(self, range)
    while let step = try walk.next() {
      keys.removeAll(keepingCapacity: true)
      step.page.appendKeys(step.entries, to: &keys)
      if !keys.isEmpty, try !body(keys.span) { return }
    }
  }
}

extension IndexLayer {
  /// Visits the entries from `lower` on that lie below `upper`, both in the order of value ‖ key.
  func forEachEntry(
    from lower: [UInt8] = [], below upper: TreeKey? = nil,
    _ body: (_ value: UnsafeRawBufferPointer, _ key: UInt64) throws(StorageError) -> Void
  ) throws(StorageError) {
    let lower = TreeKey(lower)
    var cursor = tree.cursor(from: lower)
    while let entry = try cursor.next() {
      let page = try IndexPage(tree.leafPage(entry.reference))
      guard page.entryCount == Int(clamping: entry.count) else { throw page.malformedCounts }
      var values = IndexPage.ValueCursor(page)
      var index = 0
      for valueIndex in 0..<page.valueCount {
        guard try values.next() else { throw page.malformedValues }
        let end = index + (try page.keyCount(ofValue: valueIndex))
        guard end <= page.entryCount else { throw page.malformedCounts }
        while index < end {
          let key = page.key(index)
          // SAFETY: the cursor owns the bytes of the value, and only `next` changes them: not
          // before they were copied here, and `body` returned.
          let place = unsafe TreeKey(IndexLeafContents.entryBytes(value: values.bytes, key: key))
          if let upper, !(place < upper) { return }
          if !(place < lower) { try unsafe body(values.bytes, key) }
          index += 1
        }
      }
    }
  }
}

/// The leaves that hold entries of a range, from left to right.
struct IndexWalk {
  struct Step {
    let page: IndexPage
    /// The values of the leaf that lie in the range.
    let values: Range<Int>
    /// Their entries.
    let entries: Range<Int>
  }

  private let range: IndexRange
  private var cursor: TreeCursor
  private var isAtEnd = false

  init(_ index: IndexLayer, _ range: IndexRange) throws(StorageError) {
    self.range = range
    cursor = index.tree.cursor(from: TreeKey(range.lower))
  }

  /// The next leaf; nil behind the last.
  ///
  /// - Throws: `.corrupted`, also when a leaf does not hold as many entries as its parent says.
  mutating func next() throws(StorageError) -> Step? {
    guard !isAtEnd, let entry = try cursor.next() else { return nil }
    let page = try IndexPage(cursor.tree.leafPage(entry.reference))
    guard page.entryCount == Int(clamping: entry.count) else {
      throw .corrupted(block: entry.reference.block, .structure(.wrongEntryCount))
    }
    let values = try page.values(in: range)
    isAtEnd = values.upperBound < page.valueCount
    return Step(page: page, values: values, entries: try page.entries(ofValues: values))
  }
}
