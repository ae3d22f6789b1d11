package import AtollStorage

/// How often a pair may occur in an index.
package enum IndexMode: Sendable {
  /// Once: of several changes of one pair the last decides.
  case plain
  /// As often as it was inserted more than removed.
  case counted
}

/// An index inside a write transaction.
///
/// Changes wait in a buffer, which is sorted and merged into the leaves by `flush`, or when it has
/// grown large. Each leaf that a batch concerns is decoded once and written once.
///
/// In a counted index each insertion adds one and each removal takes one, so that a pair occurs as
/// often as, say, a list holds one target. Removing what is not there does nothing.
package final class MutableIndexTree {
  private let mode: IndexMode
  private let tree: MutableTree
  private var buffer = IndexBuffer()
  package init(
    root: TreeRoot, treeID: UInt32, transaction: WriteTransaction, mode: IndexMode = .plain
  ) {
    self.mode = mode
    tree = MutableTree(
      root: root, form: IndexTree.form(treeID), leafByteLimit: IndexTree.leafByteLimit,
      transaction: transaction, makeLeaf: { IndexLeaf() },
      decodeLeaf: { page throws(StorageError) in try IndexLeaf(page) })
  }

  // MARK: Changing

  /// Adds the pair of `value`, one whole key as `OrderedKey` writes it, and `key`.
  ///
  /// - Throws: `.valueTooLarge` above `IndexTree.valueByteLimit`; else what `flush` throws.
  package func insert(_ value: [UInt8], key: UInt64) throws(StorageError) {
    try change(value, key, isRemoval: false)
  }

  /// Removes the pair.
  package func remove(_ value: [UInt8], key: UInt64) throws(StorageError) {
    try change(value, key, isRemoval: true)
  }

  private func change(_ value: [UInt8], _ key: UInt64, isRemoval: Bool) throws(StorageError) {
    try unsafe value.withRawBytes { bytes throws(StorageError) in
      try unsafe buffer.add(bytes, key: key, isRemoval: isRemoval)
    }
    if buffer.isFull { try apply() }
  }

  /// Adds a pair whose value is an integer.
  package func insertInt(_ integer: Int64, key: UInt64) throws(StorageError) {
    buffer.add(integer, key: key, isRemoval: false)
    if buffer.isFull { try apply() }
  }

  /// Removes a pair whose value is an integer.
  package func removeInt(_ integer: Int64, key: UInt64) throws(StorageError) {
    buffer.add(integer, key: key, isRemoval: true)
    if buffer.isFull { try apply() }
  }

  /// Adds a pair whose value is a string.
  package func insertString(_ utf8: UnsafeRawBufferPointer, key: UInt64) throws(StorageError) {
    try unsafe buffer.add(string: utf8, key: key, isRemoval: false)
    if buffer.isFull { try apply() }
  }

  /// Removes a pair whose value is a string.
  package func removeString(_ utf8: UnsafeRawBufferPointer, key: UInt64) throws(StorageError) {
    try unsafe buffer.add(string: utf8, key: key, isRemoval: true)
    if buffer.isFull { try apply() }
  }

  /// Forgets the buffer and gives up all pages.
  package func removeAll() throws(StorageError) {
    buffer.releaseMemory()
    try tree.removeAll { _ throws(StorageError) in }
  }

  /// Applies the buffer, writes everything that changed and returns the new root.
  ///
  /// The tree may be used further.
  package func flush() throws(StorageError) -> TreeRoot {
    try apply()
    buffer.releaseMemory()
    return try tree.flush()
  }

  // MARK: Reading

  /// The keys of `value`, those in the buffer included, in ascending order.
  package func keys(of value: [UInt8]) throws(StorageError) -> [UInt64] {
    var keys: [UInt64] = []
    unsafe try forEachStoredPart(of: value) { part in
      unsafe keys.append(contentsOf: part.lazy.map { UInt64(bitPattern: $0) ^ 1 << 63 })
      return true
    }
    let changes = unsafe value.withRawBytes { unsafe buffer.changes(of: $0) }
    guard !changes.isEmpty else { return keys }
    let stored = keys.map(IndexLeafContents.orderedKey)
    var merged = GrowableBytes()
    unsafe stored.withUnsafeBufferPointer { stored in
      unsafe changes.withUnsafeBufferPointer { changes in
        unsafe IndexMerge.mergeKeys(stored, changes, mode, into: &merged)
      }
    }
    // SAFETY: the bytes are integers and nothing else.
    return unsafe merged.bytes.bindMemory(to: Int64.self).map {
      UInt64(bitPattern: $0) ^ 1 << 63
    }
  }

  /// The smallest key of `value`, those in the buffer included.
  ///
  /// Cost: a descent, and a look into a table of the buffer that is kept from the first call on; of
  /// all keys of the value when changes of it wait in the buffer.
  package func firstKey(of value: [UInt8]) throws(StorageError) -> UInt64? {
    if unsafe value.withRawBytes({ unsafe buffer.containsChange(of: $0) }) {
      return try keys(of: value).first
    }
    var first: UInt64?
    unsafe try forEachStoredPart(of: value) { part in
      first = unsafe part.first.map { UInt64(bitPattern: $0) ^ 1 << 63 }
      return first == nil
    }
    return first
  }

  /// The smallest key of an integer, those in the buffer included.
  package func firstKey(ofInt integer: Int64) throws(StorageError) -> UInt64? {
    try firstKey(of: IndexInteger.bytes(integer))
  }

  /// Visits the keys of `value` in each leaf that the tree has, until `body` returns false.
  private func forEachStoredPart(
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
        guard let leaf = leaf as? IndexLeaf else {
          preconditionFailure("a tree has leaves of one form")
        }
        isGoingOn = unsafe value.withRawBytes { bytes in
          let (index, isEqual) = unsafe leaf.contents.search(bytes)
          return unsafe !isEqual || body(leaf.contents.keys(ofValue: index))
        }
      case .stored(let page):
        let page = try IndexPage(page)
        let (index, isEqual) = try unsafe value.withRawBytes { bytes throws(StorageError) in
          try unsafe page.search(bytes)
        }
        guard isEqual else { continue }
        let entries = try page.entries(ofValues: index..<index + 1)
        let keys = entries.map { page.keys[$0] }
        isGoingOn = unsafe keys.withUnsafeBufferPointer { unsafe body($0) }
      }
      if !isGoingOn { return }
    }
  }

  // MARK: Applying

  /// Merges the buffer into the tree.
  private func apply() throws(StorageError) {
    guard buffer.count > 0 else { return }
    let startsValue = buffer.sort()
    var spare = IndexLeafContents()
    var scratch = GrowableBytes()
    var next = 0
    while next < buffer.count {
      let first = unsafe buffer.changes[next]
      let key = unsafe TreeKey(
        IndexLeafContents.entryBytes(value: buffer.value(first, &scratch), key: first.key))
      var rewrite = try tree.beginRewrite(for: key)
      guard let old = rewrite.leaf as? IndexLeaf else {
        preconditionFailure("a tree has leaves of one form")
      }
      let end = buffer.firstIndex(from: next, notBelow: rewrite.upper)
      precondition(end > next, "a change lies in the leaf that was found for it")
      var merge = IndexMerge(mode: mode, isLast: rewrite.upper == nil, spare: spare)
      try merge.run(old.contents, buffer, next..<end, startsValue) { leaf throws(StorageError) in
        try tree.add(leaf, to: &rewrite)
      }
      tree.endRewrite(rewrite)
      spare = merge.spare()
      next = end
    }
    buffer.removeAll()
  }
}
