internal import AtollStorage
internal import TestSupport

/// Where a store is made on a simulated file, and how its trees are found.
///
/// The catalogue (tree 1) leads from the number of a tree, two big-endian bytes, to its root.
enum TreeStore {
  /// Opens a store, which makes one in an empty file.
  ///
  /// `processes`: those that have the file open; nil when there is no other.
  ///
  /// `key`: that of the file when it is encrypted.
  static func open(
    _ file: ProcessFile, among processes: SharedCoordinator? = nil, key: EncryptionKey?
  ) throws(StorageError) -> PageStore {
    // Nothing may depend on the clock.
    let coordinator: any Coordinator =
      processes?.attach() ?? LocalCoordinator(path: file.path, now: { 0 })
    return try PageStore(
      file: file, coordinator: coordinator, cacheByteCount: cacheByteCount, key: key,
      makeFileID: { [UInt8](1...16) })
  }

  /// So small that pages are decoded more than once.
  private static let cacheByteCount = 1 << 18

  static let catalogueID: UInt32 = 1

  static func treeID(_ tree: Int) -> UInt32 { 16 + UInt32(tree) }

  static func catalogueKey(_ tree: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: tree >> 8), UInt8(truncatingIfNeeded: tree)]
  }

  static func bytes(of root: TreeRoot) -> [UInt8] {
    var bytes: [UInt8] = []
    root.append(to: &bytes)
    return bytes
  }

  static func root(_ bytes: [UInt8]) throws -> TreeRoot {
    var reader = ByteReader(bytes)
    guard let root = TreeRoot(&reader), reader.isAtEnd else {
      throw WrongContents("the catalogue holds something that is not a root")
    }
    return root
  }

  /// The roots of all trees that hold anything, in order.
  static func roots(
    _ catalogue: TreeRoot, _ reader: PageReader
  ) throws -> [(tree: Int, root: TreeRoot)] {
    var roots: [(tree: Int, root: TreeRoot)] = []
    let tree = KeyValueTree(root: catalogue, treeID: catalogueID, reader: reader)
    try tree.forEach { key, value in
      guard key.count == 2 else { throw WrongContents("the catalogue has a key of its own") }
      roots.append((Int(key[0]) << 8 | Int(key[1]), try root(value)))
    }
    return roots
  }
}

/// A version holds other contents than the model says.
struct WrongContents: Error {
  let description: String

  init(_ description: String) { self.description = description }
}

extension StorageSnapshot {
  /// Compares every byte of the version with the model.
  ///
  /// - Throws: `WrongContents` with the first difference, and what reading throws.
  func compare(with contents: TreeContents) throws {
    var next = 0
    for (tree, root) in try TreeStore.roots(slot.catalogue, reader) {
      while next < tree { try Self.compareEmpty(next, contents); next += 1 }
      guard tree < contents.trees.count else { throw WrongContents("there is a tree \(tree)") }
      try compare(root, tree: tree, with: contents.trees[tree])
      next = tree + 1
    }
    while next < contents.trees.count { try Self.compareEmpty(next, contents); next += 1 }
  }

  private static func compareEmpty(_ tree: Int, _ contents: TreeContents) throws {
    guard tree < contents.trees.count else { return }
    if let number = contents.trees[tree].firstIndex(where: { $0 != nil }) {
      throw WrongContents("tree \(tree) is gone, and with it key \(number)")
    }
  }

  private func compare(_ root: TreeRoot, tree: Int, with values: [[UInt8]?]) throws {
    var number = 0
    var entryCount: UInt64 = 0
    try KeyValueTree(root: root, treeID: TreeStore.treeID(tree), reader: reader).forEach {
      key, value in
      while number < values.count, values[number] == nil { number += 1 }
      guard number < values.count, let expected = values[number] else {
        throw WrongContents("tree \(tree) has a key too many, of \(key.count) bytes")
      }
      guard key == TreeContents.key(number, inTree: tree) else {
        throw WrongContents("tree \(tree) has another key where key \(number) belongs")
      }
      guard areEqual(value, expected) else {
        throw WrongContents(
          "key \(number) of tree \(tree) has another value, of \(value.count) bytes "
            + "where \(expected.count) were written")
      }
      number += 1
      entryCount += 1
    }
    if let lost = values[number...].firstIndex(where: { $0 != nil }) {
      throw WrongContents("key \(lost) of tree \(tree) is gone")
    }
    guard entryCount == root.entryCount else {
      throw WrongContents("the root of tree \(tree) counts \(root.entryCount) of \(entryCount)")
    }
  }

  /// The report of a check of the whole version.
  func findings() throws -> [CheckFinding] {
    var audit = Audit()
    KeyValueTree(root: slot.catalogue, treeID: TreeStore.catalogueID, reader: reader)
      .check(&audit) { _, _ in }
    for (tree, root) in try TreeStore.roots(slot.catalogue, reader) {
      KeyValueTree(root: root, treeID: TreeStore.treeID(tree), reader: reader)
        .check(&audit) { _, _ in }
    }
    checkSpace(&audit)
    return audit.findings
  }
}
