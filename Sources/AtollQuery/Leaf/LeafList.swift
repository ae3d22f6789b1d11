internal import AtollObjects
internal import AtollStorage

/// The leaves of a table in one version, in their order, as the branches list them.
///
/// Kept in the cache of decoded pages under the table's root page, so that a scan needs no walk
/// over the branches. Addresses in it are of pages that live as long as that root does: it is used
/// only while a version with the root is being read.
final class LeafList: @unchecked Sendable {
  // Sendable: never changes; the owners are only held.

  struct Entry {
    let reference: PageReference
    let rowCount: Int
    /// The zone maps; empty when the leaf is the root.
    let summary: ByteView

    /// A leaf as its parent describes it.
    ///
    /// `rowCount` comes from the parent and is not compared with the leaf yet, but memory is taken
    /// by it: more rows than a leaf can have are refused.
    init(_ reference: PageReference, rowCount: UInt64, summary: ByteView) throws(StorageError) {
      guard rowCount <= UInt64(RowGroupPage.maximumRowCount) else {
        throw .corrupted(block: reference.block, .structure(.wrongEntryCount))
      }
      self.reference = reference
      self.rowCount = Int(rowCount)
      self.summary = summary
    }
  }

  let entries: [Entry]
  /// Decoded branches that summaries lie in.
  private let owners: [AnyObject]

  private init(_ table: Table) throws(StorageError) {
    var entries: [Entry] = []
    var owners: [AnyObject] = []
    let tree = table.tree
    var branchCount: UInt64 = 0
    var pending = tree.root.reference.isNone ? [] : [(tree.root.reference, Int(tree.root.height))]
    while let (reference, level) = pending.popLast() {
      guard level > 0 else {
        // A table of one leaf.
        entries.append(
          try Entry(reference, rowCount: tree.root.entryCount, summary: .empty))
        continue
      }
      branchCount += 1
      // More pages than the file has room for: branches share them.
      guard branchCount + UInt64(entries.count) <= tree.reader.pageLimit else {
        throw .corrupted(block: reference.block, .structure(.sharedPage))
      }
      let branch = try tree.branch(reference, level: level)
      if let owner = branch.page.owner, owner !== tree.reader, level == 1 { owners.append(owner) }
      if level > 1 {
        for index in (0..<branch.count).reversed() {
          pending.append((branch.reference(index), level - 1))
        }
        continue
      }
      for index in 0..<branch.count {
        entries.append(
          try Entry(
            branch.reference(index), rowCount: branch.entryCount(index),
            summary: branch.summary(index)))
      }
    }
    self.entries = entries
    self.owners = owners
  }

  /// The item of the list in the cache; vectors have others, see `ColumnVectors`.
  private static let item: UInt32 = 0xFFFF_FFF0

  /// The list of a table.
  ///
  /// - Returns: nil when it is not in the cache and `isBuilt` is false.
  static func of(_ table: Table, isBuilt: Bool) throws(StorageError) -> LeafList? {
    let root = table.tree.root.reference
    let page = root.identity
    let cache = table.tree.reader.cache
    if let found = cache.value(page: page, item: item) as? LeafList { return found }
    guard isBuilt else { return nil }
    let list = try LeafList(table)
    cache.insert(
      list, byteCount: list.entries.count * MemoryLayout<Entry>.stride + 64, page: page,
      item: item)
    return list
  }
}

/// A vector of a plain column in one leaf, and which of its rows are not null.
struct LeafVector<Values> {
  let values: Values
  /// Nil when no row is null.
  let validity: BitVector?
}

/// The vectors of one column in the leaves of a table, as far as a scan has come across them.
///
/// A vector is a few numbers and an address, found by way of the page's header, the leaf's
/// directory and the vector's own header: lines of memory far apart. Here they lie one after the
/// other. What a run finds out it leaves in the cache, under the table's root page. Vectors that
/// own memory are never kept.
///
/// Invariant: the addresses in an entry are good while its page is where it was. A page in the
/// file's mapping stays as long as the version is read. A decoded page is only where the cache has
/// it: its entry is good for a reader that holds the page's buffer and finds it at the same
/// address, since the same page decoded at the same address is the same bytes.
final class ColumnVectors<Values: Sendable> {
  /// What is shared between runs; never changes.
  private final class Shared: Sendable {
    let vectors: [State]
    let addresses: [UInt]

    init(_ vectors: [State], _ addresses: [UInt]) {
      self.vectors = vectors
      self.addresses = addresses
    }
  }

  enum State: Sendable {
    case unknown
    /// The leaf is older than the column.
    case absent
    case values(Values)
    case nullable(Values, BitVector)
  }

  private var states: [State]
  /// Where the decoded page of each leaf was, 0 for a page in the mapping; empty when all are
  /// there.
  private var addresses: [UInt]
  private var isChanged = false
  private let page: PageIdentity
  private let item: UInt32
  private let cache: DecodedCache

  /// `kind`: tells apart what is kept of one column, below 8.
  init(_ table: Table, _ list: LeafList, _ column: UInt32, kind: UInt32) {
    let root = table.tree.root.reference
    page = root.identity
    item = 0x8000_0000 | (column & 0x07FF_FFFF) << 3 | kind
    cache = table.tree.reader.cache
    if let shared = cache.value(page: page, item: item) as? Shared,
      shared.vectors.count == list.entries.count
    {
      states = shared.vectors
      addresses = shared.addresses
    } else {
      states = Array(repeating: .unknown, count: list.entries.count)
      addresses = []
    }
  }

  deinit {
    guard isChanged else { return }
    let byteCount =
      states.count * MemoryLayout<State>.stride + addresses.count * MemoryLayout<UInt>.stride + 64
    cache.insert(Shared(states, addresses), byteCount: byteCount, page: page, item: item)
  }

  @inline(__always)
  subscript(leaf: Int) -> State { states[leaf] }

  /// Where the decoded page of a leaf has to be for its entry to be good; nil when it is good
  /// anyway.
  @inline(__always)
  func address(_ leaf: Int) -> UInt? {
    guard !addresses.isEmpty, addresses[leaf] != 0 else { return nil }
    return addresses[leaf]
  }

  /// Keeps what is known of a leaf; `address` is that of its page if the page was decoded.
  func keep(_ state: State, _ leaf: Int, address: UInt?) {
    states[leaf] = state
    isChanged = true
    if addresses.isEmpty {
      guard address != nil else { return }
      addresses = Array(repeating: 0, count: states.count)
    }
    addresses[leaf] = address ?? 0
  }
}
