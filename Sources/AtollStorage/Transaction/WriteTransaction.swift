/// The one change in progress: pages made, pages given up, and the commit that publishes both.
///
/// Holds the writer lock from `PageStore.beginWrite` until `commit`, `cancel` or
/// `deinit`. Used by one thread at a time. Pages made here are read back through
/// `reader` like any others.
///
/// Invariant: no block that a pinned version, the newest durable version or the newest one can see
/// is written.
package final class WriteTransaction {
  package let store: PageStore
  /// The version this transaction will become.
  package let transaction: UInt64
  package let base: HeaderSlot
  package let reader: PageReader

  private let layout: SlotLayout
  var space: SpaceState
  /// Where the pages of a compaction are to lie: below this block if there is room; nil in others.
  var cut: BlockNumber?
  let held: HeldVersions
  let pages = TransactionPages()
  private var retired: [RetiredRun] = []
  /// Pages of this transaction that were given up after they were written to the file.
  ///
  /// Their bytes may still be read there, so they are free only when the commit begins.
  private var abandoned: [BlockRun] = []
  private var reclaimed: [BlockNumber] = []
  /// Where the blocks taken last end: the next page lies behind them if it can.
  private var allocationEnd: BlockNumber?
  private var takenBlockCount: UInt64 = 0
  private var isFinished: Bool { pages.isEnded }
  var fileByteCount: UInt64
  private let initialBlockCount: UInt64

  /// Pages wait in memory up to this many bytes before they are written ahead of the commit.
  private static let pendingByteLimit = 16 << 20
  /// The longest single write.
  private static let writeByteLimit = 1 << 20

  init(
    store: PageStore, base: HeaderSlot, space: SpaceState, layout: SlotLayout,
    held: HeldVersions, fileByteCount: UInt64
  ) {
    self.store = store
    self.base = base
    self.space = space
    self.layout = layout
    self.fileByteCount = fileByteCount
    self.held = held
    transaction = base.transaction + 1
    initialBlockCount = space.blockCount
    reader = PageReader(
      source: store.source, transaction: transaction, blockCount: space.blockCount,
      ownPages: pages)
    for entry in self.space.retired.reclaim(pins: held.transactions) {
      reclaimed.append(entry.run.start)
      self.space.free.insert(entry.run)
    }
  }

  deinit { cancel() }

  /// The newest version that is known to be on the disk.
  package var durableVersion: UInt64 { layout.durable }

  /// What the next page may take.
  package var freeRuns: [BlockRun] { space.free.runs }

  // MARK: Pages

  /// Makes a page.
  ///
  /// `payload`: at most `Page.byteCountLimit` bytes, as the page's kind lays them out.
  ///
  /// `compress`: whether to store the payload as LZ4 when that saves at least a block.
  ///
  /// When it throws, the transaction can only be cancelled.
  package func makePage(kind: PageKind, treeID: UInt32, payload: [UInt8], compress: Bool)
    throws(StorageError) -> PageReference
  {
    precondition(!isFinished, "a transaction is not used after its end")
    return try payload.withByteView { view throws(StorageError) in
      try makePage(kind: kind, treeID: treeID, payload: view, compress: compress)
    }
  }

  /// Makes a page of bytes that are lent for the length of the call.
  func makePage(kind: PageKind, treeID: UInt32, payload: ByteView, compress: Bool)
    throws(StorageError) -> PageReference
  {
    do throws(StorageError) {
      guard payload.count <= Page.byteCountLimit else {
        throw .valueTooLarge(byteCount: payload.count, limit: Page.byteCountLimit)
      }
      if compress, let compressed = compressed(payload) {
        return try makePage(
          kind: kind, codec: .lz4, treeID: treeID,
          stored: compressed.buffer.view[compressed.range], logicalByteCount: payload.count)
      }
      return try makePage(
        kind: kind, codec: .raw, treeID: treeID, stored: payload, logicalByteCount: payload.count)
    } catch { throw pages.failing(error) }
  }

  /// The payload as LZ4, when that saves a block.
  private func compressed(_ payload: ByteView) -> (buffer: PageBuffer, range: Range<Int>)? {
    let blocks = blockCount(payload.count)
    guard blocks > 1 else { return nil }
    let target = PageBuffer(
      byteCount: Int(blocks - 1) * Block.byteCount - addedByteCount, zeroed: false)
    // SAFETY: the caller lends the payload; the target lives longer than the call, as it is what is
    // returned. The compressor keeps to both byte counts.
    guard
      let byteCount = unsafe LZ4.compress(payload.unsafeBytes, into: target.unsafeBytes)
    else { return nil }
    return (target, 0..<byteCount)
  }

  private func makePage(
    kind: PageKind, codec: PageCodec, treeID: UInt32, stored: ByteView, logicalByteCount: Int
  ) throws(StorageError) -> PageReference {
    let run = try allocate(blockCount(stored.count))
    let header = PageHeader(
      kind: kind, codec: codec, byteCount: stored.count, logicalByteCount: logicalByteCount,
      treeID: treeID, block: run.start, transaction: transaction)
    let (buffer, reference) = header.page(holding: stored, in: run, cipher: store.cipher)
    try insert(buffer, as: reference)
    // The next transaction goes down through the branches that this one made.
    if kind == .branch, store.cipher != nil { reader.keepDecoded(stored, of: reference) }
    return reference
  }

  /// Adds a page that was made, and writes ahead what waits when that is too much.
  func insert(_ buffer: PageBuffer, as reference: PageReference) throws(StorageError) {
    pages.insert(buffer, as: reference)
    if pages.waitingByteCount > Self.pendingByteLimit { try writePending() }
  }

  func blockCount(_ payloadByteCount: Int) -> UInt64 {
    Block.count(of: addedByteCount + payloadByteCount)
  }

  /// What a page takes beside its payload.
  private var addedByteCount: Int {
    PageHeader.byteCount + (store.cipher == nil ? 0 : PageCipher.addedByteCount)
  }

  /// Gives up a page that the version being built no longer reaches.
  ///
  /// A page of an earlier version is retired with the commit; one of this
  /// transaction is free again at once, or from the commit on when it was
  /// written to the file already.
  ///
  /// `birth`: the transaction in the page's header.
  package func freePage(_ reference: PageReference, birth: UInt64) {
    precondition(!isFinished, "a transaction is not used after its end")
    precondition(birth <= transaction, "a page is as old as its transaction, or older")
    if birth < transaction {
      retired.append(RetiredRun(run: reference.run, birth: birth, death: transaction))
    } else if pages.remove(reference) {
      space.free.insert(reference.run)
    } else {
      abandoned.append(reference.run)
    }
  }

  /// Gives up a page whose header has not been read yet.
  package func freePage(_ reference: PageReference) throws(StorageError) {
    freePage(reference, birth: try reader.header(reference).transaction)
  }

  private func allocate(_ count: UInt64) throws(StorageError) -> BlockRun {
    if let run = takeFree(count) { return run }
    try grow(by: count)
    guard let run = takeFree(count) else {
      preconditionFailure("the file was grown by the blocks that are needed")
    }
    return run
  }

  private func takeFree(_ count: UInt64) -> BlockRun? {
    if let cut, let run = space.free.allocate(count, below: cut) { return run }
    guard
      let run = space.free.allocate(count, after: allocationEnd, takenCount: takenBlockCount)
    else { return nil }
    allocationEnd = run.end
    takenBlockCount += run.count
    return run
  }

  /// Lengthens the file by at least `count` blocks.
  ///
  /// In steps of 1/64 of the file between 64 KiB and 16 MiB: the length, which a
  /// sync has to write too, changes seldom, and little space lies unused.
  private func grow(by count: UInt64) throws(StorageError) {
    let step = min(max(space.blockCount / 64, 16), 4096)
    let (newCount, overflow) = space.blockCount.addingReportingOverflow(max(count, step))
    guard !overflow, newCount < 1 << 48 else {
      throw .valueTooLarge(byteCount: Int(count) * Block.byteCount, limit: 1 << 60)
    }
    let newByteCount = newCount * UInt64(Block.byteCount)
    if newByteCount > fileByteCount {
      try store.file.setByteCount(newByteCount)
      fileByteCount = newByteCount
    }
    let added = BlockRun(start: space.blockCount, count: newCount - space.blockCount)
    space.free.insert(added)
    space.idle.insert(added)
    space.blockCount = newCount
    reader.blockCount = newCount
  }

  /// Writes the waiting pages to the file, neighbours in one go.
  private func writePending() throws(StorageError) {
    let blocks = pages.waiting.keys.sorted()
    var index = 0
    while index < blocks.count {
      var group: [PageBuffer] = []
      var byteCount = 0
      var next = blocks[index]
      while index < blocks.count, blocks[index] == next,
        let buffer = pages[blocks[index]],
        group.isEmpty || byteCount + buffer.byteCount <= Self.writeByteLimit
      {
        group.append(buffer)
        byteCount += buffer.byteCount
        next += UInt64(buffer.byteCount / Block.byteCount)
        index += 1
      }
      let start = next - UInt64(byteCount / Block.byteCount)
      try write(group, byteCount: byteCount, at: start * UInt64(Block.byteCount))
    }
    pages.waitingWereWritten()
  }

  private func write(_ group: [PageBuffer], byteCount: Int, at byteOffset: UInt64)
    throws(StorageError)
  {
    if group.count == 1 {
      // SAFETY: `pages` keeps what waits until all of it is written.
      try unsafe store.file.write(group[0].view.unsafeBytes, at: byteOffset)
      return
    }
    let joined = PageBuffer(byteCount: byteCount, zeroed: false)
    defer { withExtendedLifetime(joined) {} }
    var end = 0
    for buffer in group {
      joined.copy(buffer.view, to: end)
      end += buffer.byteCount
    }
    // SAFETY: the buffer lives to the end (above).
    try unsafe store.file.write(joined.view.unsafeBytes, at: byteOffset)
  }

  // MARK: End

  /// Keeps this transaction from being committed, because a change of several steps stopped between
  /// two of them.
  package func fail(because error: StorageError) {
    _ = pages.failing(error)
  }

  /// Publishes the version with this catalogue; on the disk when it returns, if that is asked for.
  ///
  /// The numbers of the steps, and n and d, are those of Format.md, "Commit". When it throws,
  /// nothing was published; after a failed sync the store is closed as well.
  ///
  /// `shortening`: whether the version leaves out the free blocks at the end of the file. The file
  /// itself stays as long as it is (see `cutFile`).
  ///
  /// - Throws: the first error that reading or making a page met in this transaction, however it
  ///   was handled then: what was being changed may be half changed.
  package func commit(
    catalogue: TreeRoot, durability: Durability = .full, shortening: Bool = false
  ) throws(StorageError) {
    precondition(
      !shortening || durability == .full, "a shorter file is on the disk before it is cut")
    precondition(!isFinished, "a transaction ends once")
    do throws(StorageError) {
      if let failure = pages.failure { throw failure }
      // 1. The pages of version n + 1 are written to free blocks, what is left of them now. Those
      //    of the space log, which tell where all others lie, are made last.
      try settleRetired()
      try appendToSpaceLog(shortening: shortening)
      try writePending()
      // What the next sync has to reach: the length too, when the file grew since it was synced.
      var scope = space.blockCount != initialBlockCount ? .full : store.lengthScope
      // 2. The slot lists the pages that were born after version d. When they are too many there
      //    is a sync, and d is n.
      let slot = try makeSlot(catalogue: catalogue, durability: durability, scope: &scope)
      // 3. Slot n + 1 is written.
      let encoded = try store.writeSlot(slot)
      // 4. Full: a sync.
      if !slot.isRelaxed { try store.synchronize(scope) }
      // 5. The version is published to readers, and the next transaction builds on it.
      space.transaction = transaction
      for entry in retired {
        space.retired.insert(entry)
        space.idle.insert(entry.run)
      }
      for reference in pages.references.values { space.idle.remove(reference.run) }
      pages.isEnded = true
      store.finishWrite(
        published: slot, encoded: encoded, space: space,
        isLengthUnsynced: slot.isRelaxed && scope == .full)
    } catch {
      cancel()
      throw error
    }
  }

  /// Makes slot n + 1: version d, the pages that were born after it, and the block of the slot.
  ///
  /// A sync, where the pages are too many, reaches what `scope` says; the next one has to reach
  /// the data alone.
  private func makeSlot(
    catalogue: TreeRoot, durability: Durability, scope: inout SynchronizationScope
  ) throws(StorageError) -> HeaderSlot {
    // The block is its own while d < n.
    var slot = HeaderSlot(
      transaction: transaction, blockCount: space.blockCount, fileID: base.fileID,
      block: layout.next)
    slot.catalogue = catalogue
    slot.isRelaxed = durability != .full
    slot.spaceLog = space.logPages.first?.reference ?? .none
    slot.spaceTail = space.tail
    // Without order, d is n whatever is on the disk.
    slot.durable = durability == .none ? transaction - 1 : layout.durable
    slot.written = unsyncedPages(since: slot.durable)
    if slot.written.count > HeaderSlot.writtenLimit
      || transaction - slot.durable > store.relaxedLimit
    {
      if durability != .none {
        try store.synchronize(scope)
        scope = .data
      }
      slot.durable = transaction - 1
      slot.written = unsyncedPages(since: slot.durable)
      if slot.written.count > HeaderSlot.writtenLimit {
        // What is not listed cannot be verified, so it must not be overwritten while the slot can
        // come back: only a full commit lets the next one know that.
        slot.written = []
        slot.isSynced = true
        slot.isRelaxed = durability == .none
      }
    }
    if slot.durable == transaction - 1 { slot.blockNumber = layout.nextWhenDurable }
    return slot
  }

  /// The pages that this version reaches and that were born after the version `durable`.
  private func unsyncedPages(since durable: UInt64) -> [PageReference] {
    var unsynced = Array(pages.references.values)
    if durable < base.transaction {
      let givenUp = Set(retired.map(\.run.start))
      unsynced += base.written.filter { !givenUp.contains($0.block) }
    }
    return unsynced.sorted { $0.block < $1.block }
  }

  /// Forgets the change; the space it took is free again.
  package func cancel() {
    guard !isFinished else { return }
    pages.isEnded = true
    pages.waitingWereWritten()
    store.finishWrite()
  }

  /// Frees what was abandoned, and sees to it that no block is given up twice.
  ///
  /// - Throws: `.corrupted` when two pages that were given up overlap, or one was given up by an
  ///   earlier commit: two places in the file refer to one page.
  private func settleRetired() throws(StorageError) {
    for run in abandoned { space.free.insert(run) }
    abandoned = []
    retired = try Self.ascending(retired)
    for entry in retired where space.idle.intersects(entry.run) {
      throw .corrupted(block: entry.run.start, .structure(.freePageInUse))
    }
  }

  private static func ascending(_ runs: [RetiredRun]) throws(StorageError) -> [RetiredRun] {
    let runs = runs.sorted { $0.run.start < $1.run.start }
    for (entry, next) in zip(runs, runs.dropFirst()) where next.run.start < entry.run.end {
      throw .corrupted(block: next.run.start, .structure(.sharedPage))
    }
    return runs
  }

  /// Adds what this transaction did to the space log.
  ///
  /// The log's own pages are taken before the change is encoded, so that the
  /// change names them too.
  private func appendToSpaceLog(shortening: Bool) throws(StorageError) {
    if space.isBaseDue || shortening || isLogBehindCut {
      try writeSpaceBase(shortening: shortening)
      return
    }
    var group: [UInt8] = []
    change.append(to: &group)
    if space.tail.count + group.count <= HeaderSlot.tailLimit {
      space.tail += group
      return
    }
    // The page's own run adds one entry of at most 20 bytes, and growth for it a few more.
    let byteCount = SpaceLogPage.headerByteCount + space.tail.count + group.count + 64
    guard byteCount <= Page.byteCountLimit else {
      try writeSpaceBase(shortening: false)
      return
    }
    let run = try allocate(blockCount(byteCount))
    pages.reserve(run)
    var groups = space.tail
    change.append(to: &groups)
    try writeSpaceLogPage(
      SpaceLogPage(
        previous: space.logPages.first?.reference ?? .none, isBase: false, groups: groups),
      in: run)
    space.tail = []
  }

  private var change: SpaceChange {
    SpaceChange(
      transaction: transaction, blockCount: space.blockCount, reclaimed: reclaimed,
      taken: pages.references.values.map(\.run), retired: retired)
  }

  /// Writes the whole state, and retires the log before it.
  ///
  /// Only a base may tell of fewer blocks than what is before it.
  private func writeSpaceBase(shortening: Bool) throws(StorageError) {
    for page in space.logPages { freePage(page.reference, birth: page.birth) }
    space.logPages = []
    space.logByteCount = 0
    space.baseByteCount = 0
    space.tail = []
    // Taking a page never adds a run and growing adds one, so this bounds the entries.
    let entryCount = space.free.runCount + space.retired.all.count + retired.count + 1
    let pageCount = (entryCount + SpaceBase.entryLimit - 1) / SpaceBase.entryLimit
    let byteCount =
      SpaceLogPage.headerByteCount + 64
      + min(entryCount, SpaceBase.entryLimit) * SpaceBase.entryByteLimit
    let runs = try (0..<pageCount).map { _ throws(StorageError) in
      let run = try allocate(blockCount(byteCount))
      pages.reserve(run)
      return run
    }
    if shortening { leaveOutFreeEnd() }
    var free = space.free.runs[...]
    var waiting = try Self.ascending(space.retired.all + retired)[...]
    for (index, run) in runs.enumerated() {
      let freePart = free.prefix(SpaceBase.entryLimit)
      free = free.dropFirst(freePart.count)
      let retiredPart = waiting.prefix(SpaceBase.entryLimit - freePart.count)
      waiting = waiting.dropFirst(retiredPart.count)
      var groups: [UInt8] = []
      SpaceBase.append(
        blockCount: space.blockCount, free: Array(freePart), retired: Array(retiredPart),
        to: &groups)
      try writeSpaceLogPage(
        SpaceLogPage(
          previous: index == 0 ? .none : space.logPages[0].reference, isBase: true,
          groups: groups), in: run)
    }
    precondition(free.isEmpty && waiting.isEmpty, "a base names every run")
  }

  private func writeSpaceLogPage(_ log: SpaceLogPage, in run: BlockRun) throws(StorageError) {
    let payload = log.encoded()
    let header = PageHeader(
      kind: .spaceLog, codec: .raw, byteCount: payload.count, logicalByteCount: payload.count,
      treeID: 0, block: run.start, transaction: transaction)
    let (buffer, reference) = payload.withByteView {
      header.page(holding: $0, in: run, cipher: store.cipher)
    }
    pages.insert(buffer, as: reference)
    space.logPages.insert(
      SpaceState.LogPage(reference: reference, birth: transaction), at: 0)
    space.logByteCount += log.groups.count
    if log.isBase { space.baseByteCount += log.groups.count }
  }
}
