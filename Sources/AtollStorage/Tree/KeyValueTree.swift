/// A tree from byte strings to byte strings, for reading.
///
/// For what is small or seldom read: the catalogue, pending links. An entry may
/// be up to half a page (`byteCountLimit`), its key up to 64 KiB, so that the
/// few keys that a branch has at least fit into a page.
package struct KeyValueTree {
  package static let byteCountLimit = Page.byteCountLimit / 2
  package static let keyByteCountLimit = 64 << 10
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
package final class MutableKeyValueTree {
  private let tree: MutableTree

  package init(root: TreeRoot, treeID: UInt32, transaction: WriteTransaction) {
    tree = MutableTree(
      root: root, form: KeyValueTree.form(treeID), leafByteLimit: KeyValueTree.leafByteLimit,
      transaction: transaction, makeLeaf: { KeyValueLeaf() },
      decodeLeaf: { page throws(StorageError) in try KeyValueLeaf(page) })
  }

  package func value(for key: [UInt8]) throws(StorageError) -> [UInt8]? {
    switch try tree.locate(TreeKey(key)) {
    case .nowhere: return nil
    case .mutable(let leaf): return (leaf as? KeyValueLeaf)?[key]
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
    guard let leaf = try tree.mutableLeaf(for: TreeKey(key)) as? KeyValueLeaf else {
      preconditionFailure("a tree has leaves of one form")
    }
    leaf[key] = value
  }

  package func flush() throws(StorageError) -> TreeRoot { try tree.flush() }

  package func removeAll() throws(StorageError) {
    try tree.removeAll { _ throws(StorageError) in }
  }
}
