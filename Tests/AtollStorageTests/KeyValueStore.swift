import AtollStorage
import TestSupport

/// A store whose catalogue is one key-value tree: the smallest thing that has everything.
struct KeyValueStore {
  typealias Contents = [[UInt8]: [UInt8]]

  static let treeID: UInt32 = 7
  let store: PageStore

  /// A store in memory.
  init() throws {
    try self.init(MemoryFile(path: "memory", capacity: 1 << 30))
  }

  init(_ store: PageStore) { self.store = store }

  init(
    _ file: any DataFile, _ coordinator: (any Coordinator)? = nil, key: EncryptionKey? = nil
  ) throws(StorageError) {
    store = try PageStore(
      file: file, coordinator: coordinator ?? LocalCoordinator(path: file.path),
      cacheByteCount: 1 << 20, key: key, makeFileID: { Array(1...16) })
  }

  /// Commits what `body` does; cancels when it throws.
  func write(_ body: (MutableKeyValueTree) throws -> Void) throws {
    let transaction = try store.beginWrite()
    defer { transaction.cancel() }
    let tree = Self.tree(transaction)
    try body(tree)
    try transaction.commit(catalogue: tree.flush())
  }

  static func tree(_ transaction: WriteTransaction) -> MutableKeyValueTree {
    MutableKeyValueTree(
      root: transaction.base.catalogue, treeID: treeID, transaction: transaction)
  }

  func contents() throws -> Contents { try Self.contents(of: store.snapshot()) }

  static func tree(_ snapshot: StorageSnapshot) -> KeyValueTree {
    KeyValueTree(root: snapshot.slot.catalogue, treeID: treeID, reader: snapshot.reader)
  }

  static func contents(of snapshot: StorageSnapshot) throws -> Contents {
    var contents: Contents = [:]
    try tree(snapshot).forEach { key, value in contents[key] = value }
    return contents
  }

  /// What a check of the whole newest version reports.
  func findings() throws -> [CheckFinding] { Self.findings(in: try store.snapshot()) }

  static func findings(in snapshot: StorageSnapshot) -> [CheckFinding] {
    var audit = Audit()
    tree(snapshot).check(&audit) { _, _ in }
    snapshot.checkSpace(&audit)
    return audit.findings
  }
}

/// A key whose order is that of the number.
func key(_ number: Int) -> [UInt8] {
  (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
}
