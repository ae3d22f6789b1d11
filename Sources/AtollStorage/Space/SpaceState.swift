/// What a writer knows of the file's space: what is free, what waits, and the log that says so.
///
/// Belongs to one version. A transaction works on the state of the version it
/// began from; when it is abandoned the state is read from the file again.
struct SpaceState {
  /// The version that this state describes.
  var transaction: UInt64
  /// The file's length in blocks.
  var blockCount: UInt64
  var free: FreeSpace
  var retired: RetiredRuns
  /// The blocks that no page of this version lies in: those that are free or wait.
  ///
  /// A page that is given up lies in none of them. In a damaged file two places may refer to one
  /// page; it is given up twice, and the second time is told by this.
  var idle: BlockSet
  /// The log's pages, newest first, and the bytes they hold.
  var logPages: [LogPage] = []
  /// Bytes of the log since its base, the tail left out.
  var logByteCount = 0
  /// Bytes of the base.
  var baseByteCount = 0
  /// Groups that lie in the header slot because they do not fill a page yet.
  var tail: [UInt8] = []

  struct LogPage {
    var reference: PageReference
    var birth: UInt64
  }

  /// The state of an empty file.
  init() {
    transaction = 0
    blockCount = Block.firstPage
    free = FreeSpace()
    retired = RetiredRuns()
    idle = BlockSet(limit: Block.firstPage)
  }

  /// Reads the state of the version that `slot` describes.
  ///
  /// Cost: the pages of the log since its base, and one bit for each block of the file.
  init(slot: HeaderSlot, reader: PageReader) throws(StorageError) {
    transaction = slot.transaction
    blockCount = slot.blockCount
    tail = slot.spaceTail
    var contents: [[UInt8]] = []
    var next = slot.spaceLog
    // Pages that follow each other share no block, so together they are no longer than the file.
    var logBlockCount: UInt64 = 0
    while !next.isNone {
      logBlockCount += next.run.count
      guard logBlockCount <= slot.blockCount else {
        throw .corrupted(block: next.block, .structure(.spaceLog))
      }
      let page = try reader.page(next, kind: .spaceLog)
      let log = try SpaceLogPage(decoding: page)
      logPages.append(LogPage(reference: next, birth: page.transaction))
      contents.append(log.groups)
      logByteCount += log.groups.count
      if log.isBase { baseByteCount += log.groups.count }
      next = log.previous
    }
    var replay = SpaceReplay(blockLimit: slot.blockCount)
    let newest = slot.spaceLog.isNone ? 0 : slot.spaceLog.block
    do {
      for groups in contents.reversed() { try replay.replay(groups[...]) }
      try replay.replay(tail[...])
      guard replay.blockCount == slot.blockCount else { throw SpaceReplay.Inconsistent() }
      (free, retired, idle) = try replay.finish()
      for page in logPages where idle.intersects(page.reference.run) {
        throw SpaceReplay.Inconsistent()
      }
    } catch {
      throw .corrupted(block: newest, .structure(.spaceLog))
    }
  }

  /// Whether the log has grown so long that a new base is cheaper to read.
  ///
  /// The base is written again when the changes since outweigh it twice, so each
  /// byte of a change pays for at most half a byte of base.
  var isBaseDue: Bool {
    logByteCount - baseByteCount > max(64 << 10, 2 * baseByteCount)
  }
}

/// A page of the space log.
///
///     offset  size  field
///          0    16  previous   the page before, or none
///         16     4  flags      bit 0: part of a base
///         20     4  byteCount  of the groups
///         24     …  groups     see `SpaceChange` and `SpaceBase`
struct SpaceLogPage {
  static let headerByteCount = 24

  var previous: PageReference
  var isBase: Bool
  var groups: [UInt8]

  init(previous: PageReference, isBase: Bool, groups: [UInt8]) {
    self.previous = previous
    self.isBase = isBase
    self.groups = groups
  }

  init(decoding page: Page) throws(StorageError) {
    let block = page.reference.block
    guard page.bytes.count >= Self.headerByteCount else {
      throw .corrupted(block: block, .structure(.spaceLog))
    }
    previous = PageReference(
      location: page.bytes.littleEndian(at: 0), checksum: page.bytes.littleEndian(at: 8))
    let flags = page.bytes.littleEndian(at: 16, as: UInt32.self)
    let byteCount = page.bytes.littleEndian(at: 20, as: UInt32.self)
    guard flags <= 1, Int(byteCount) == page.bytes.count - Self.headerByteCount else {
      throw .corrupted(block: block, .structure(.spaceLog))
    }
    isBase = flags == 1
    groups = page.bytes[Self.headerByteCount..<page.bytes.count].copy()
  }

  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headerByteCount + groups.count)
    bytes.appendLittleEndian(previous.location)
    bytes.appendLittleEndian(previous.checksum)
    bytes.appendLittleEndian(UInt32(isBase ? 1 : 0))
    bytes.appendLittleEndian(UInt32(groups.count))
    bytes += groups
    return bytes
  }
}
