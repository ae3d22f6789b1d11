@testable import AtollObjects
import AtollStorage
import Testing

/// A store in memory that holds one index; its root stands where the catalogue's would.
final class IndexStore {
  static let treeID: UInt32 = 9

  let file: MemoryFile
  let coordinator: LocalCoordinator
  let mode: IndexMode
  /// When the index has a delta; by default as an application's would.
  let policy: IndexDeltaPolicy
  private(set) var store: PageStore
  private(set) var root = IndexRoots.empty

  init(mode: IndexMode = .plain, policy: IndexDeltaPolicy = .standard) throws {
    file = try MemoryFile(path: "index")
    coordinator = LocalCoordinator(path: "index")
    self.mode = mode
    self.policy = policy
    store = try Self.open(file, coordinator)
  }

  private static func open(_ file: MemoryFile, _ coordinator: LocalCoordinator) throws -> PageStore
  {
    try PageStore(
      file: file, coordinator: coordinator, cacheByteCount: 1 << 20,
      makeFileID: { [UInt8](repeating: 3, count: 16) })
  }

  /// Opens the file again, so that nothing that was in memory helps.
  func reopen() throws {
    store = try Self.open(file, coordinator)
  }

  /// Changes the index in one transaction.
  func write(
    _ body: (_ index: MutableIndex, _ transaction: WriteTransaction) throws -> Void
  ) throws {
    let transaction = try store.beginWrite()
    let index = MutableIndex(
      root: root, treeID: Self.treeID, transaction: transaction, mode: mode, policy: policy)
    try body(index, transaction)
    let newRoot = try index.flush()
    try transaction.commit(catalogue: newRoot.main)
    root = newRoot
  }

  func read<Result>(_ body: (Index) throws -> Result) throws -> Result {
    let snapshot = try store.snapshot()
    return try body(Index(root: root, treeID: Self.treeID, reader: snapshot.reader))
  }

  /// The entries that a walk over the whole index sees; expects no findings, and that every block
  /// of the file is accounted for.
  func checkedEntries() throws -> [IndexEntry] {
    let snapshot = try store.snapshot()
    let tree = Index(root: root, treeID: Self.treeID, reader: snapshot.reader)
    var audit = Audit()
    var entries: [IndexEntry] = []
    tree.check(&audit, isCounted: mode == .counted) { value, key in
      entries.append(IndexEntry(value: value, key: key))
    }
    snapshot.checkSpace(&audit)
    #expect(audit.findings.isEmpty)
    #expect(tree.entryCount == entries.count)
    return entries
  }
}

/// A pair of a value and a key.
struct IndexEntry: Hashable {
  var value: [UInt8]
  var key: UInt64
}

func stringKey(_ string: String) -> [UInt8] {
  var bytes: [UInt8] = [0x30]
  for byte in string.utf8 {
    bytes.append(byte)
    if byte == 0 { bytes.append(0xFF) }
  }
  return bytes + [0, 0]
}

func integerKey(_ integer: Int64) -> [UInt8] {
  let bits = UInt64(bitPattern: integer) ^ 1 << 63
  return [0x20] + (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
}
