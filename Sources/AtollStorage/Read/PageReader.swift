/// Reads the pages of one version of the file.
///
/// Shared by everything that a snapshot or a transaction opens. A raw page is
/// lent straight out of the mapping; a compressed or encrypted one comes from the
/// cache of decoded pages. A snapshot's version stays pinned for as long as its reader, or
/// a page that the reader lent, lives.
///
/// Invariant: a page is handed out only after its header agreed with the
/// reference in its parent, its checksum was computed over all its bytes and its
/// entries were found to lie inside it; the last two once in this process.
package final class PageReader: @unchecked Sendable {
  // Sendable: a snapshot's reader never changes; a transaction's is used by its one thread.
  let source: PageSource
  /// The version that is read, or will be when the transaction commits.
  let transaction: UInt64
  /// Pages lie below this block in the version that is read.
  var blockCount: UInt64
  /// Pages that the transaction made; nil in a snapshot.
  private let ownPages: TransactionPages?
  /// Where the version is pinned; nil in a transaction, which holds the writer lock.
  private let lane: (any VersionHolder)?
  let version: PinnedVersion?

  init(
    source: PageSource, transaction: UInt64, blockCount: UInt64,
    ownPages: TransactionPages? = nil, pinned version: PinnedVersion? = nil,
    in lane: (any VersionHolder)? = nil
  ) {
    self.source = source
    self.transaction = transaction
    self.blockCount = blockCount
    self.ownPages = ownPages
    self.version = version
    self.lane = lane
  }

  deinit {
    if let lane, let version { lane.leave(version) }
  }

  /// The most pages that a walk over the version can meet.
  package var pageLimit: UInt64 { blockCount }
  package var file: any DataFile { source.file }
  package var cache: DecodedCache { source.cache }
  private var verified: VerifiedPages { source.verified }
  private var cipher: PageCipher? { source.cipher }

  /// Refuses to read from a transaction that has ended.
  ///
  /// It holds neither the writer lock nor a pin any more, so its pages may be those of another
  /// version by now, or lie behind the end of the file.
  ///
  /// - Throws: `.transactionEnded`.
  @inline(__always)
  package func checkUse() throws(StorageError) {
    if let ownPages, ownPages.isEnded { throw .transactionEnded(path: file.path) }
  }

  /// The page in memory of its own if it is one that a transaction reads: it stays as it is, also
  /// when the transaction has ended.
  package func kept(_ page: Page) -> Page {
    guard ownPages != nil, page.owner === self else { return page }
    let buffer = PageBuffer(byteCount: page.bytes.count, zeroed: false)
    buffer.copy(page.bytes, to: 0)
    return Page(
      bytes: buffer.view, reference: page.reference, kind: page.kind, treeID: page.treeID,
      transaction: page.transaction, owner: buffer)
  }

  /// The page at `reference`, verified and decoded.
  ///
  /// - Throws: `.corrupted` naming the block when the page is not what its
  ///   parent says, or holds another kind.
  ///   In a transaction the error also keeps the transaction from being committed.
  package func page(_ reference: PageReference, kind: PageKind) throws(StorageError) -> Page {
    do throws(StorageError) {
      return try verifiedPage(reference, kind: kind)
    } catch {
      throw failing(error)
    }
  }

  private func failing(_ error: StorageError) -> StorageError {
    ownPages?.failing(error) ?? error
  }

  private func verifiedPage(_ reference: PageReference, kind: PageKind) throws(StorageError)
    -> Page
  {
    try checkUse()
    if let buffer = ownPages?[reference.block] {
      return try decode(buffer.view, at: reference, kind: kind, owner: buffer)
    }
    let bytes = try mappedBytes(reference)
    if verified.contains(reference) {
      return try decode(bytes, at: reference, kind: kind, owner: self)
    }
    try Self.verify(bytes, at: reference)
    let page = try decode(bytes, at: reference, kind: kind, owner: self)
    switch kind {
    case .branch: try BranchPage.validate(page)
    case .keyValueLeaf: try KeyValuePage.validate(page)
    case .rowGroup, .indexLeaf, .blob, .spaceLog: break
    }
    verified.insert(reference)
    return page
  }

  /// The header of the page at `reference`, verified with the page it heads.
  ///
  /// - Throws: `.corrupted` as `page` does.
  package func header(_ reference: PageReference) throws(StorageError) -> PageHeader {
    do throws(StorageError) {
      return try verifiedHeader(reference)
    } catch {
      throw failing(error)
    }
  }

  private func verifiedHeader(_ reference: PageReference) throws(StorageError) -> PageHeader {
    try checkUse()
    if let buffer = ownPages?[reference.block] {
      return try PageHeader(decoding: buffer.view, at: reference)
    }
    let bytes = try mappedBytes(reference)
    if !verified.contains(reference) { try Self.verify(bytes, at: reference) }
    let header = try PageHeader(decoding: bytes, at: reference)
    try checkBirth(header, at: reference)
    return header
  }

  /// The page that seems to begin at `block`; nil when none does.
  ///
  /// A look at its header: nothing is verified, and the run may lie anywhere.
  func likelyPage(at block: BlockNumber) throws(StorageError)
    -> (kind: UInt8, treeID: UInt32, run: BlockRun, checksum: UInt64)?
  {
    let head = PageBuffer(byteCount: PageHeader.byteCount, zeroed: true)
    defer { withExtendedLifetime(head) {} }
    // SAFETY: the buffer lives longer than the call.
    _ = try unsafe file.read(into: head.unsafeBytes, at: block * UInt64(Block.byteCount))
    let bytes = head.view
    guard bytes.littleEndian(at: 24, as: UInt64.self) == block else { return nil }
    let storedByteCount = Int(bytes.littleEndian(at: 12, as: UInt32.self))
    let run = BlockRun(start: block, count: Block.count(of: PageHeader.byteCount + storedByteCount))
    return (bytes[8], bytes.littleEndian(at: 20), run, bytes.littleEndian(at: 0))
  }

  /// The header of a page and its payload as the codec left it, decrypted but not decompressed:
  /// what it takes to write the page again elsewhere.
  ///
  /// `owner`: keeps the payload alive.
  func storedPage(_ reference: PageReference) throws(StorageError)
    -> (header: PageHeader, payload: ByteView, owner: AnyObject)
  {
    let header = try header(reference)
    let buffer = ownPages?[reference.block]
    let bytes: ByteView
    if let buffer { bytes = buffer.view } else { bytes = try mappedBytes(reference) }
    guard header.isEncrypted == (cipher != nil) else {
      throw failing(.corrupted(block: reference.block, .structure(.notAuthentic)))
    }
    guard let cipher else { return (header, Self.payload(bytes, header), buffer ?? self) }
    guard let plain = Self.decrypted(bytes, header, cipher) else {
      throw failing(.corrupted(block: reference.block, .structure(.notAuthentic)))
    }
    return (header, plain.view, plain)
  }

  /// Computes the checksum of the page again, whether it was verified before or not.
  package func verify(_ reference: PageReference) throws(StorageError) {
    let bytes: ByteView
    if let buffer = ownPages?[reference.block] {
      bytes = buffer.view
    } else {
      bytes = try mappedBytes(reference)
    }
    try Self.verify(bytes, at: reference)
    let header = try PageHeader(decoding: bytes, at: reference)
    try checkBirth(header, at: reference)
    guard Self.isPaddingZero(bytes, header) else {
      throw .corrupted(block: reference.block, .reservedBytesInUse)
    }
  }

  /// The payload as it is stored: compressed and encrypted, if it is.
  private static func payload(_ bytes: ByteView, _ header: PageHeader) -> ByteView {
    bytes[PageHeader.byteCount..<PageHeader.byteCount + Int(header.storedByteCount)]
  }

  /// Whether nothing stands behind the payload.
  private static func isPaddingZero(_ bytes: ByteView, _ header: PageHeader) -> Bool {
    bytes[PageHeader.byteCount + Int(header.storedByteCount)..<bytes.count].isZero
  }

  /// The payload of an encrypted page, still compressed; nil when it is not what this file's key
  /// made.
  ///
  /// What the tag does not cover must be zero: an older page of the same place has a right tag too,
  /// and an author of the bytes behind it can give it the checksum of the page in its stead.
  private static func decrypted(
    _ bytes: ByteView, _ header: PageHeader, _ cipher: PageCipher
  ) -> PageBuffer? {
    guard isPaddingZero(bytes, header) else { return nil }
    return cipher.open(payload(bytes, header), after: bytes[PageHeader.clearRange])
  }

  private static func verify(_ bytes: ByteView, at reference: PageReference)
    throws(StorageError)
  {
    let computed = Checksum.xxh64(bytes[8..<bytes.count])
    guard computed == reference.checksum else {
      throw .corrupted(
        block: reference.block, .checksum(stored: reference.checksum, computed: computed))
    }
  }

  /// A page is as old as the version that refers to it, or older.
  ///
  /// What a page says of its birth decides how soon its blocks are used again.
  private func checkBirth(_ header: PageHeader, at reference: PageReference)
    throws(StorageError)
  {
    guard header.transaction >= transaction else { return }
    if header.transaction == transaction {
      guard let ownPages else { return }
      if ownPages.holds(reference) { return }
    }
    throw .corrupted(block: reference.block, .structure(.laterTransaction))
  }

  /// The bytes of the page in the mapping, bounds checked against the version's length.
  private func mappedBytes(_ reference: PageReference) throws(StorageError) -> ByteView {
    let run = reference.run
    guard run.canBePage(below: blockCount) else {
      throw .corrupted(
        block: run.start,
        .outOfBounds(
          offset: run.start &* UInt64(Block.byteCount), byteCount: UInt64(run.byteCount)))
    }
    let byteOffset = Int(run.start) * Block.byteCount
    let window = try unsafe file.window(byteOffset / FileWindow.stride)
    // SAFETY: the run lies inside the version's length, which the file had when the version was
    // opened. It is not made shorter than that while the version is read: it is not cut below the
    // length of a version that is pinned, nor without the writer lock (`WriteTransaction.cutFile`).
    // A reader of a snapshot holds a pin, one of a transaction the lock until its end, after which
    // `checkUse` refuses to read; any other is used on behalf of one that does. A window overlaps
    // its successor by more than the longest page.
    return unsafe ByteView(
      UnsafeRawBufferPointer(
        start: window + byteOffset % FileWindow.stride, count: run.byteCount))
  }

  private func decode(
    _ bytes: ByteView, at reference: PageReference, kind: PageKind, owner: AnyObject
  ) throws(StorageError) -> Page {
    let header = try PageHeader(decoding: bytes, at: reference)
    guard header.kind == kind else {
      throw .corrupted(
        block: reference.block, .wrongKind(found: header.kind.rawValue, expected: kind.rawValue))
    }
    try checkBirth(header, at: reference)
    guard header.isEncrypted == (cipher != nil) else {
      throw .corrupted(block: reference.block, .structure(.notAuthentic))
    }
    if header.codec == .raw, !header.isEncrypted {
      return Page(
        bytes: Self.payload(bytes, header), reference: reference, kind: kind, treeID: header.treeID,
        transaction: header.transaction, owner: owner)
    }
    let decoded = try decoded(bytes, header, reference)
    return Page(
      bytes: decoded.view, reference: reference, kind: kind, treeID: header.treeID,
      transaction: header.transaction, owner: decoded)
  }

  /// The payload as it was before it was compressed and encrypted, from the cache if it is there.
  private func decoded(
    _ bytes: ByteView, _ header: PageHeader, _ reference: PageReference
  ) throws(StorageError) -> PageBuffer {
    if let hit = decodedPage(reference) { return hit }
    var buffer: PageBuffer?
    if let cipher {
      buffer = Self.decrypted(bytes, header, cipher)
      if buffer == nil {
        throw .corrupted(block: reference.block, .structure(.notAuthentic))
      }
    }
    if header.codec == .lz4 {
      let compressed = buffer
      let decompressed = PageBuffer(byteCount: Int(header.logicalByteCount), zeroed: false)
      let source = compressed?.view ?? Self.payload(bytes, header)
      let isWhole = unsafe LZ4.decompress(source.unsafeBytes, into: decompressed.unsafeBytes)
      withExtendedLifetime(compressed) {}
      guard isWhole else { throw .corrupted(block: reference.block, .decompressionFailed) }
      buffer = decompressed
    }
    guard let buffer else { preconditionFailure("a page is compressed or encrypted here") }
    keepDecoded(buffer, of: reference)
    return buffer
  }

  /// The decoded payload of a page, if the cache has it; nothing is read or verified.
  ///
  /// What the cache has was verified when it was decoded.
  package func decodedPage(_ reference: PageReference) -> PageBuffer? {
    cache.value(page: reference.identity, item: Self.wholePage) as? PageBuffer
  }

  /// Puts the payload of a page that was just made into the cache, so that it need not be decoded.
  func keepDecoded(_ payload: ByteView, of reference: PageReference) {
    let buffer = PageBuffer(byteCount: payload.count, zeroed: false)
    buffer.copy(payload, to: 0)
    keepDecoded(buffer, of: reference)
  }

  private func keepDecoded(_ buffer: PageBuffer, of reference: PageReference) {
    cache.insert(
      buffer, byteCount: buffer.byteCount, page: reference.identity, item: Self.wholePage)
  }

  /// The cache's item for a page that is decoded as a whole; parts have smaller numbers.
  private static let wholePage = UInt32.max
}
