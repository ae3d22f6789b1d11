internal import AtollStorage

/// The decoded pages of neighbouring leaves of a table, held together.
///
/// A page alone is found in the cache by a look-up, and held by counting a reference in its head:
/// lines of memory that a scan of vectors touches for nothing else, and that take as long as a few
/// hundred rows. A group is found and held once for all its leaves.
///
/// Invariant: a page that is not nil is the decoded page of its leaf in the version whose root the
/// group is kept under, and stays at its address as long as the group lives.
final class DecodedLeafGroup: Sendable {
  /// The leaves of a group, of which the last of a table may have fewer.
  static let leafCount = 32

  /// The first leaf of the group.
  private let firstLeaf: Int
  fileprivate let pages: [PageBuffer?]
  /// The address of each page, 0 where there is none.
  private let addresses: [UInt]

  fileprivate init(_ pages: [PageBuffer?], firstLeaf: Int) {
    self.firstLeaf = firstLeaf
    self.pages = pages
    addresses = pages.map { $0?.view.address ?? 0 }
  }

  /// Whether the group holds the page of this leaf, decoded at `address`, which is not 0.
  @inline(__always)
  func holds(_ leaf: Int, at address: UInt) -> Bool {
    let place = leaf &- firstLeaf
    return place >= 0 && place < addresses.count && addresses[place] == address
  }
}

/// The groups of a table's decoded leaves, as one run of a query finds and completes them.
///
/// They are kept in the cache under the table's root page, each as one entry that is charged with
/// all its pages, most of which the cache has a second time as pages. So groups are only made for
/// tables whose decoded leaves take up to a quarter of the cache; in larger ones each page is
/// looked up.
final class DecodedLeaves {
  private let leafCount: Int
  private let page: PageIdentity
  private let cache: DecodedCache
  /// The group that was looked up last, -1 before the first, and what the cache had of it.
  private var lastNumber = -1
  private var last: DecodedLeafGroup?
  /// The group that pages are noted for; empty while there are none.
  private var notedNumber = -1
  private var noted: [PageBuffer?] = []

  init(root: PageReference, leafCount: Int, cache: DecodedCache) {
    self.leafCount = leafCount
    page = root.identity
    self.cache = cache
  }

  deinit { keepNoted() }

  /// The group of a leaf; nil when it was not made, or was evicted.
  func group(of leaf: Int) -> DecodedLeafGroup? {
    let number = leaf / DecodedLeafGroup.leafCount
    if number != lastNumber {
      lastNumber = number
      last = cache.value(page: page, item: Self.item(number)) as? DecodedLeafGroup
    }
    return last
  }

  /// Takes note of a leaf's decoded page, unless its group has it.
  func note(_ buffer: PageBuffer, _ leaf: Int) {
    if let group = group(of: leaf), group.holds(leaf, at: buffer.view.address) { return }
    let number = leaf / DecodedLeafGroup.leafCount
    if number != notedNumber {
      keepNoted()
      notedNumber = number
      let first = number * DecodedLeafGroup.leafCount
      noted =
        group(of: leaf)?.pages
        ?? Array(repeating: nil, count: min(DecodedLeafGroup.leafCount, leafCount - first))
    }
    noted[leaf % DecodedLeafGroup.leafCount] = buffer
  }

  /// Leaves what was noted in the cache.
  private func keepNoted() {
    let pages = noted
    let number = notedNumber
    noted = []
    notedNumber = -1
    let byteCounts = pages.compactMap { $0?.byteCount }
    guard !byteCounts.isEmpty else { return }
    let byteCount = byteCounts.reduce(0, +)
    guard byteCount / byteCounts.count * leafCount <= cache.byteLimit / 4 else { return }
    let group = DecodedLeafGroup(pages, firstLeaf: number * DecodedLeafGroup.leafCount)
    cache.insert(group, byteCount: byteCount, page: page, item: Self.item(number))
    if number == lastNumber { last = group }
  }

  /// The items of a table's groups in the cache, below those of columns (`ColumnVectors`) and far
  /// above those of the vectors of a page.
  static func item(_ number: Int) -> UInt32 {
    0x4000_0000 | UInt32(truncatingIfNeeded: number) & 0x3FFF_FFFF
  }
}
