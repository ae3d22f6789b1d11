internal import AtollStorage

/// One of the trees of an index inside a write transaction; see `IndexRoots`.
final class MutableIndexLayer {
  let tree: MutableTree
  private let treeID: UInt32
  private let leafByteLimit: Int
  private let transaction: WriteTransaction
  /// Entries, but for those that merges in a main tree have changed since the last flush.
  private(set) var entryCount: UInt64

  init(root: TreeRoot, treeID: UInt32, transaction: WriteTransaction, leafByteLimit: Int) {
    self.treeID = treeID
    self.leafByteLimit = leafByteLimit
    self.transaction = transaction
    entryCount = root.entryCount
    tree = MutableTree(
      root: root, form: Index.form(treeID), leafByteLimit: leafByteLimit,
      transaction: transaction, makeLeaf: { MutableIndexLeaf(byteLimit: leafByteLimit) },
      decodeLeaf: { page throws(StorageError) in
        try MutableIndexLeaf(page, byteLimit: leafByteLimit)
      })
  }

  func removeAll() throws(StorageError) {
    try tree.removeAll { _ throws(StorageError) in }
    entryCount = 0
  }

  func flush() throws(StorageError) -> TreeRoot {
    let root = try tree.flush()
    entryCount = root.entryCount
    return root
  }

  /// The tree as it is, for reading: what was changed is flushed.
  func layer() throws(StorageError) -> IndexLayer {
    IndexLayer(root: try flush(), treeID: treeID, reader: transaction.reader)
  }

  /// Merges the buffer, which is sorted, into the tree.
  func merge(
    _ buffer: borrowing IndexBuffer, _ startsValue: [Bool], _ mode: IndexMode
  ) throws(StorageError) {
    var spare = IndexLeafContents()
    var scratch = GrowableBytes()
    var next = 0
    while next < buffer.count {
      // SAFETY: `next` is below the count of changes. The buffer is borrowed, so they stay as they
      // are; the value, which may lie in `scratch`, is copied at once.
      let first = unsafe buffer.changes[next]
      let key = unsafe TreeKey(
        IndexLeafContents.entryBytes(value: buffer.value(first, &scratch), key: first.key))
      var rewrite = try tree.beginRewrite(for: key)
      guard let old = rewrite.leaf as? MutableIndexLeaf else {
        preconditionFailure("a tree has leaves of one form")
      }
      let end = buffer.firstIndex(from: next, notBelow: rewrite.upper)
      precondition(end > next, "a change lies in the leaf that was found for it")
      var merge = IndexMerge(
        mode: mode, leafByteLimit: leafByteLimit, isLast: rewrite.upper == nil, spare: spare)
      try merge.run(old.contents, buffer, next..<end, startsValue) { leaf throws(StorageError) in
        try tree.add(leaf, to: &rewrite)
      }
      tree.endRewrite(rewrite)
      spare = merge.spare()
      next = end
    }
  }

  // MARK: Reading

  /// The keys of `value`, in ascending order.
  func keys(of value: [UInt8]) throws(StorageError) -> [UInt64] {
    var keys: [UInt64] = []
    // SAFETY: a part is valid during the call; its keys are copied.
    unsafe try forEachPart(of: value) { part in
      unsafe keys.append(contentsOf: part.lazy.map { $0.orderedUnsigned })
      return true
    }
    return keys
  }

  /// The smallest key of `value`.
  func firstKey(of value: [UInt8]) throws(StorageError) -> UInt64? {
    var first: UInt64?
    // SAFETY: as in `keys`.
    unsafe try forEachPart(of: value) { part in
      first = unsafe part.first.map { $0.orderedUnsigned }
      return first == nil
    }
    return first
  }

  /// Whether all values are less than `value`.
  func ends(before value: [UInt8]) throws(StorageError) -> Bool {
    let (location, upper) = try tree.locateWithBound(TreeKey(value))
    guard upper == nil else { return false }
    switch location {
    case .nowhere: return true
    case .mutable(let leaf):
      guard let leaf = leaf as? MutableIndexLeaf else {
        preconditionFailure("a tree has leaves of one form")
      }
      // SAFETY: the bytes do not leave the closure.
      return unsafe value.withRawBytes { bytes in
        let (index, isEqual) = unsafe leaf.contents.search(bytes)
        return !isEqual && index == leaf.contents.valueCount
      }
    case .stored(let page):
      let page = try IndexPage(page)
      // SAFETY: as in `forEachPart`.
      let (index, isEqual) = try unsafe value.withRawBytes { bytes throws(StorageError) in
        try unsafe page.search(bytes)
      }
      return !isEqual && index == page.valueCount
    }
  }

  /// Visits the keys of `value` in each leaf, until `body` returns false.
  private func forEachPart(
    of value: [UInt8], _ body: (UnsafeBufferPointer<Int64>) -> Bool
  ) throws(StorageError) {
    var next: TreeKey? = TreeKey(value)
    while let key = next {
      let (location, upper) = try tree.locateWithBound(key)
      // Entries of the value may follow in the next leaf only if it begins inside of them.
      next = upper.flatMap { $0.bytes.starts(with: value) ? $0 : nil }
      let isGoingOn: Bool
      switch location {
      case .nowhere: return
      case .mutable(let leaf):
        guard let leaf = leaf as? MutableIndexLeaf else {
          preconditionFailure("a tree has leaves of one form")
        }
        // SAFETY: the bytes do not leave the closure. The keys are those of a value that the leaf
        // has; `leaf` keeps them, and `body`, from `keys` or `firstKey`, changes no tree.
        isGoingOn = unsafe value.withRawBytes { bytes in
          let (index, isEqual) = unsafe leaf.contents.search(bytes)
          return unsafe !isEqual || body(leaf.contents.keys(ofValue: index))
        }
      case .stored(let page):
        let page = try IndexPage(page)
        // SAFETY: as above; `search` reads of the page what was checked to lie in it.
        let (index, isEqual) = try unsafe value.withRawBytes { bytes throws(StorageError) in
          try unsafe page.search(bytes)
        }
        guard isEqual else { continue }
        let entries = try page.entries(ofValues: index..<index + 1)
        let keys = entries.map { page.keys[$0] }
        // SAFETY: the array lends its keys for the length of the call.
        isGoingOn = unsafe keys.withUnsafeBufferPointer { unsafe body($0) }
      }
      if !isGoingOn { return }
    }
  }

  /// Looks pairs up one after the other; they ascend, so that neighbours need one descent.
  struct Probe: ~Copyable {
    private let layer: MutableIndexLayer
    private var isPlaced = false
    private var upper: TreeKey?
    private var page: IndexPage?
    private var leaf: MutableIndexLeaf?

    init(_ layer: MutableIndexLayer) { self.layer = layer }

    /// How often the tree has the pair.
    mutating func count(_ value: UnsafeRawBufferPointer, _ key: UInt64) throws(StorageError)
      -> Int
    {
      // SAFETY: the caller's value is valid during the call. `page` and `leaf` keep what is
      // searched; only keys at `entries` are read, which the leaf has for the value that was found.
      let treeKey = unsafe TreeKey(IndexLeafContents.entryBytes(value: value, key: key))
      if !isPlaced || upper.map({ !(treeKey < $0) }) ?? false { try place(treeKey) }
      let orderedKey = key.orderedSigned
      if let leaf {
        let (index, isEqual) = unsafe leaf.contents.search(value)
        guard isEqual else { return 0 }
        let entries = leaf.contents.entries(ofValue: index)
        return Self.count(orderedKey, in: entries) { unsafe leaf.contents.keys[$0] }
      }
      guard let page else { return 0 }
      let (index, isEqual) = try unsafe page.search(value)
      guard isEqual else { return 0 }
      let entries = try page.entries(ofValues: index..<index + 1)
      return Self.count(orderedKey, in: entries) { page.keys[$0] }
    }

    /// Adds the keys of a value to `keys`, in ascending order.
    mutating func appendKeys(_ value: UnsafeRawBufferPointer, to keys: inout [UInt64])
      throws(StorageError)
    {
      // SAFETY: as in `count`; the keys of a leaf are copied before anything else is asked of it.
      let lowest = unsafe TreeKey([UInt8](value))
      if !isPlaced || upper.map({ !(lowest < $0) }) ?? false { try place(lowest) }
      while true {
        if let leaf {
          let (index, isEqual) = unsafe leaf.contents.search(value)
          if isEqual {
            unsafe keys.append(
              contentsOf: leaf.contents.keys(ofValue: index).lazy.map {
                $0.orderedUnsigned
              })
          }
        } else if let page {
          let (index, isEqual) = try unsafe page.search(value)
          if isEqual {
            page.appendKeys(try page.entries(ofValues: index..<index + 1), to: &keys)
          }
        }
        // Entries of the value may follow in the next leaf only if it begins inside of them.
        guard let next = upper, unsafe Self.begins(next, with: value) else { return }
        try place(next)
      }
    }

    private static func begins(_ key: TreeKey, with value: UnsafeRawBufferPointer) -> Bool {
      guard key.byteCount >= value.count else { return false }
      // SAFETY: the caller's value is valid during the call.
      return unsafe key.bytes.starts(with: value)
    }

    private mutating func place(_ key: TreeKey) throws(StorageError) {
      let (location, upper) = try layer.tree.locateWithBound(key)
      (page, leaf) = (nil, nil)
      switch location {
      case .nowhere: break
      case .mutable(let found): leaf = found as? MutableIndexLeaf
      case .stored(let found): page = try IndexPage(found)
      }
      self.upper = upper
      isPlaced = true
    }

    private static func count(
      _ key: Int64, in entries: Range<Int>, _ keyOf: (Int) -> Int64
    ) -> Int {
      let low = binarySearch(entries) { keyOf($0) < key }
      var end = low
      while end < entries.upperBound, keyOf(end) == key { end += 1 }
      return end - low
    }
  }
}
