/// A tree from byte strings to byte strings, for reading.
///
/// For what is small or seldom read: the catalogue, pending links. An entry may
/// be up to half a page (`byteCountLimit`), its key 64 KiB and the few
/// numbers around a primary key of that length, so that the few keys that a branch
/// has at least fit into a page.
package struct KeyValueTree {
  package static let byteCountLimit = Page.byteCountLimit / 2
  package static let keyByteCountLimit = 64 << 10 + 64
  static let leafByteLimit = 16 << 10

  package let tree: Tree

  package init(root: TreeRoot, treeID: UInt32, reader: PageReader) {
    tree = Tree(root: root, form: Self.form(treeID), reader: reader)
  }

  package static func form(_ treeID: UInt32) -> TreeForm {
    TreeForm(treeID: treeID, leafKind: .keyValueLeaf, hasByteKeys: true, compressesLeaves: true)
  }

  package func value(for key: [UInt8]) throws(StorageError) -> [UInt8]? {
    guard let page = try tree.leafPage(for: TreeKey(key)) else { return nil }
    let leaf = try KeyValuePage(page)
    let index = leaf.firstIndex(notBelow: key)
    return index < leaf.count && leaf.key(index) == key ? leaf.value(index) : nil
  }

  /// Visits the entries whose keys begin with `prefix`, in order.
  package func forEach<Failure: Error>(
    prefix: [UInt8] = [], _ body: (_ key: [UInt8], _ value: [UInt8]) throws(Failure) -> Void
  ) throws {
    var cursor = tree.cursor(from: TreeKey(prefix))
    while let entry = try cursor.next() {
      let leaf = try KeyValuePage(tree.leafPage(entry.reference))
      for index in leaf.firstIndex(notBelow: prefix)..<leaf.count {
        let key = leaf.key(index)
        guard key.starts(with: prefix) else { return }
        try body(key, leaf.value(index))
      }
    }
  }
}

/// The same tree inside a write transaction.
///
/// Entries may be set in any order. Behind the last key they fill page after page, and of all
/// others no more than `changedLeafLimit` leaves are held in memory: a million may be set in one
/// transaction.
package final class MutableKeyValueTree {
  /// Leaves in their mutable form before they are written ahead of the commit: 32 MiB of entries,
  /// about.
  private static let changedLeafLimit = 2048

  private let tree: MutableTree
  /// The leaf that was changed last.
  private var last: MutableKeyValueLeaf?
  /// Entries of the tree as it is now.
  package private(set) var entryCount: UInt64

  package init(root: TreeRoot, treeID: UInt32, transaction: WriteTransaction) {
    entryCount = root.entryCount
    tree = MutableTree(
      root: root, form: KeyValueTree.form(treeID), leafByteLimit: KeyValueTree.leafByteLimit,
      transaction: transaction, makeLeaf: { MutableKeyValueLeaf() },
      decodeLeaf: { page throws(StorageError) in try MutableKeyValueLeaf(page) })
  }

  package func value(for key: [UInt8]) throws(StorageError) -> [UInt8]? {
    switch try tree.locate(TreeKey(key)) {
    case .nowhere: return nil
    case .mutable(let leaf): return (leaf as? MutableKeyValueLeaf)?.value(for: key)
    case .stored(let page):
      let leaf = try KeyValuePage(page)
      let index = leaf.firstIndex(notBelow: key)
      return index < leaf.count && leaf.key(index) == key ? leaf.value(index) : nil
    }
  }

  /// Sets or, with nil, removes the value.
  ///
  /// - Throws: `.valueTooLarge` above `KeyValueTree.byteCountLimit` or `keyByteCountLimit`.
  package func set(_ value: [UInt8]?, for key: [UInt8]) throws(StorageError) {
    let byteCount = key.count + (value?.count ?? 0)
    guard byteCount <= KeyValueTree.byteCountLimit else {
      throw .valueTooLarge(byteCount: byteCount, limit: KeyValueTree.byteCountLimit)
    }
    guard key.count <= KeyValueTree.keyByteCountLimit else {
      throw .valueTooLarge(byteCount: key.count, limit: KeyValueTree.keyByteCountLimit)
    }
    if tree.changedLeafCount > Self.changedLeafLimit { _ = try flush() }
    let treeKey = TreeKey(key)
    let isAppended =
      last.map { $0.isFull(withBytes: byteCount) && $0.endsBelow(key) && value != nil } ?? false
    let found =
      isAppended
      ? try tree.leafForAppend(isFull: { _ in true }, key: treeKey)
      : try tree.mutableLeaf(for: treeKey)
    guard let leaf = found as? MutableKeyValueLeaf else {
      preconditionFailure("a tree has leaves of one form")
    }
    last = leaf
    let difference = leaf.set(value, for: key)
    entryCount = entryCount &+ UInt64(bitPattern: Int64(difference))
  }

  // MARK: Ordinals

  /// How many entries have keys below `key`.
  ///
  /// - Complexity: A descent.
  package func rank(of key: [UInt8]) throws(StorageError) -> UInt64 {
    let treeKey = TreeKey(key)
    guard let (leaf, _) = try leaf(for: treeKey) else { return 0 }
    return try tree.entryCount(beforeLeafOf: treeKey) + UInt64(leaf.firstIndex(notBelow: key))
  }

  /// The entry that `ordinal` others lie before; nil when there are no more than these.
  ///
  /// - Complexity: Two descents.
  package func entry(atOrdinal ordinal: UInt64) throws(StorageError)
    -> (key: [UInt8], value: [UInt8])?
  {
    guard ordinal < entryCount else { return nil }
    let (key, first) = try tree.leafKey(ofOrdinal: ordinal)
    guard let (leaf, _) = try leaf(for: key), ordinal >= first,
      ordinal - first < UInt64(leaf.count)
    else { return nil }
    let index = Int(ordinal - first)
    return (leaf.key(index), leaf.value(index))
  }

  package func flush() throws(StorageError) -> TreeRoot {
    last = nil
    return try tree.flush()
  }

  package func removeAll() throws(StorageError) {
    last = nil
    entryCount = 0
    try tree.removeAll { _ throws(StorageError) in }
  }
}

extension MutableKeyValueTree: KeyValueLeaves {
  package func leaf(for key: TreeKey) throws(StorageError) -> (
    leaf: KeyValueEntries, bound: TreeKey?
  )? {
    let (location, upper) = try tree.locateWithBound(key)
    return try entries(at: location).map { ($0, upper) }
  }

  package func leaf(below key: TreeKey) throws(StorageError) -> (
    leaf: KeyValueEntries, bound: TreeKey?
  )? {
    let (location, bound) = try tree.locate(below: key)
    return try entries(at: location).map { ($0, bound) }
  }

  private func entries(at location: MutableTree.Location) throws(StorageError) -> KeyValueEntries? {
    switch location {
    case .nowhere: nil
    case .stored(let page): .page(try KeyValuePage(page))
    case .mutable(let leaf):
      (leaf as? MutableKeyValueLeaf).map { .arrays(keys: $0.keys, values: $0.values) }
    }
  }
}
