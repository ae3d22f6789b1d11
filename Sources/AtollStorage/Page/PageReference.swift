/// Where a page is and what it must contain: how a parent knows its child.
///
/// 16 bytes on disk, little-endian (Format.md, "Page reference"):
///
///     offset  size  field
///          0     8  location   block number (low 48 bits), block count (high 16 bits)
///          8     8  checksum   the checksum in the page's header
///
/// Invariant: the page at `block` carries the same checksum, or the file is
/// damaged. Two references are equal exactly when they name the same page of
/// the same version, which is what lets a difference of two trees skip what
/// they share.
package struct PageReference: Hashable, Sendable {
  package static let byteCount = 16
  package static let none = PageReference(location: 0, checksum: 0)

  package var location: UInt64
  package var checksum: UInt64

  package init(location: UInt64, checksum: UInt64) {
    self.location = location
    self.checksum = checksum
  }

  package init(run: BlockRun, checksum: UInt64) {
    precondition(run.start < 1 << 48, "a block number has 48 bits")
    precondition(run.count < 1 << 16, "a page has fewer than 65 536 blocks")
    self.location = run.start | run.count << 48
    self.checksum = checksum
  }

  package var isNone: Bool { location == 0 }
  package var block: BlockNumber { location & 0xFFFF_FFFF_FFFF }
  package var blockCount: UInt64 { location >> 48 }
  package var run: BlockRun { BlockRun(start: block, count: blockCount) }
  /// What the page is known by in the cache.
  package var identity: PageIdentity { PageIdentity(block: block, checksum: checksum) }
}

/// What page a decoded part came from: its first block, and the checksum that tells one page from a
/// later one in the same block.
package struct PageIdentity: Hashable, Sendable {
  package var block: UInt64
  package var checksum: UInt64

  package init(block: UInt64, checksum: UInt64) {
    self.block = block
    self.checksum = checksum
  }
}

/// A run of consecutive blocks.
package struct BlockRun: Hashable, Sendable {
  package var start: BlockNumber
  package var count: UInt64

  package init(start: BlockNumber, count: UInt64) {
    self.start = start
    self.count = count
  }

  package var end: BlockNumber { start + count }
  package var byteCount: Int { Int(count) * Block.byteCount }

  /// Whether a page may lie here in a version of `blockCount` blocks.
  func canBePage(below blockCount: UInt64) -> Bool {
    start >= Block.firstPage && count > 0 && start <= blockCount && count <= blockCount - start
      && byteCount <= Page.byteCountLimit + 2 * Block.byteCount
  }
}
