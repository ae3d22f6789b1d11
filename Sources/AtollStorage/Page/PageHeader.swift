/// What a page holds, and so who decodes it.
package enum PageKind: UInt8, Sendable, CaseIterable {
  /// A branch of any tree (Format.md, "Branch").
  case branch = 1
  /// A leaf of sorted byte-string keys and values (Format.md, "Key-value leaf").
  case keyValueLeaf = 2
  /// A leaf of consecutive objects, stored column by column (Format.md, "Row group").
  case rowGroup = 3
  /// A leaf of index entries (Format.md, "Index leaf").
  case indexLeaf = 4
  /// A piece of a value too large for its leaf (Format.md, "Blob").
  case blob = 5
  /// A piece of the log of free space (Format.md, "Space log").
  case spaceLog = 6
}

/// How a page's payload is stored.
package enum PageCodec: UInt8, Sendable {
  case raw = 0
  case lz4 = 1
}

/// The first 48 bytes of every page.
///
/// Little-endian. Normative text: Format.md, "Page header".
///
///     offset  size  field
///          0     8  checksum          XXH64 of bytes 8..<blockCount * 4096
///          8     1  kind              see `PageKind`
///          9     1  codec             see `PageCodec`
///         10     1  cipher            0 none, 1 see `PageCipher`
///         11     1  reserved          zero
///         12     4  storedByteCount   payload bytes as they lie in the file
///         16     4  logicalByteCount  payload bytes after decoding
///         20     4  treeID            the tree the page belongs to
///         24     8  block             the page's own position: catches misdirected writes
///         32     8  transaction       the transaction that wrote the page
///         40     8  reserved          zero
///
/// Invariant: the bytes after the payload, up to the end of the last block, are
/// zero; the checksum covers them too.
package struct PageHeader: Equatable, Sendable {
  package static let byteCount = 48

  package var checksum: UInt64
  package var kind: PageKind
  package var codec: PageCodec
  /// Whether the payload is what `PageCipher` makes of it; that comes last, after the codec.
  package var isEncrypted: Bool
  package var storedByteCount: UInt32
  package var logicalByteCount: UInt32
  package var treeID: UInt32
  package var block: BlockNumber
  package var transaction: UInt64

  /// Decodes the header of the page that lies at `reference`.
  ///
  /// `page`: the page's bytes, all `reference.blockCount` blocks.
  ///
  /// Throws `.corrupted` when the bytes cannot be the header of that page.
  /// The checksum is compared with the reference, not computed.
  package init(decoding page: ByteView, at reference: PageReference)
    throws(StorageError)
  {
    precondition(page.count >= Self.byteCount, "a page is never shorter than its header")
    checksum = page.littleEndian(at: 0)
    block = page.littleEndian(at: 24)
    guard checksum == reference.checksum else {
      throw .corrupted(
        block: reference.block, .checksum(stored: checksum, computed: reference.checksum))
    }
    guard block == reference.block else {
      throw .corrupted(block: reference.block, .misplaced(found: block))
    }
    let reserved =
      UInt64(page[11]) | UInt64(page[10] & ~1)
      | page.littleEndian(at: 40, as: UInt64.self)
    guard reserved == 0 else { throw .corrupted(block: block, .reservedBytesInUse) }
    guard let kind = PageKind(rawValue: page[8]) else {
      throw .corrupted(block: block, .structure(.unknownPageKind))
    }
    guard let codec = PageCodec(rawValue: page[9]) else {
      throw .corrupted(block: block, .structure(.unknownPageCodec))
    }
    self.kind = kind
    self.codec = codec
    isEncrypted = page[10] != 0
    storedByteCount = page.littleEndian(at: 12)
    logicalByteCount = page.littleEndian(at: 16)
    treeID = page.littleEndian(at: 20)
    transaction = page.littleEndian(at: 32)
    guard Int(storedByteCount) <= page.count - Self.byteCount else {
      throw .corrupted(
        block: block, .outOfBounds(offset: 0, byteCount: UInt64(storedByteCount)))
    }
    let addedByteCount = isEncrypted ? UInt32(PageCipher.addedByteCount) : 0
    guard storedByteCount >= addedByteCount,
      codec != .raw || logicalByteCount == storedByteCount - addedByteCount
    else {
      throw .corrupted(block: block, .structure(.byteCounts))
    }
    guard logicalByteCount <= Page.byteCountLimit else {
      throw .corrupted(
        block: block, .outOfBounds(offset: 0, byteCount: UInt64(logicalByteCount)))
    }
  }

  /// The header of a page that is about to be made.
  ///
  /// `byteCount`: of the payload after the codec and before it is encrypted.
  package init(
    kind: PageKind, codec: PageCodec, byteCount: Int, logicalByteCount: Int, treeID: UInt32,
    block: BlockNumber, transaction: UInt64
  ) {
    checksum = 0
    self.kind = kind
    self.codec = codec
    isEncrypted = false
    storedByteCount = UInt32(byteCount)
    self.logicalByteCount = UInt32(logicalByteCount)
    self.treeID = treeID
    self.block = block
    self.transaction = transaction
  }

  /// Makes the page of this header, all its blocks.
  ///
  /// `payload`: after the codec; `cipher` encrypts it. The rest of `run` is zero.
  package func page(holding payload: ByteView, in run: BlockRun, cipher: PageCipher?)
    -> (buffer: PageBuffer, reference: PageReference)
  {
    let page = PageBuffer(byteCount: run.byteCount, zeroed: false)
    var header = self
    var payloadEnd = Self.byteCount + payload.count
    if let cipher {
      header.isEncrypted = true
      header.storedByteCount += UInt32(PageCipher.addedByteCount)
      payloadEnd += PageCipher.addedByteCount
      header.store(in: page)
      cipher.seal(
        payload, after: page.view[Self.clearRange], into: page, at: Self.byteCount)
    } else {
      header.store(in: page)
      page.copy(payload, to: Self.byteCount)
    }
    page.zero(payloadEnd..<page.byteCount)
    let checksum = Checksum.xxh64(page.view[8..<page.byteCount])
    page.store(checksum, at: 0)
    return (page, PageReference(run: run, checksum: checksum))
  }

  /// What is authenticated with an encrypted payload: the header without its checksum.
  package static let clearRange = 8..<byteCount

  /// Writes the header but for the checksum.
  private func store(in page: PageBuffer) {
    page.store(kind.rawValue, at: 8)
    page.store(codec.rawValue, at: 9)
    page.store(UInt8(isEncrypted ? 1 : 0), at: 10)
    page.store(UInt8(0), at: 11)
    page.store(storedByteCount, at: 12)
    page.store(logicalByteCount, at: 16)
    page.store(treeID, at: 20)
    page.store(block, at: 24)
    page.store(transaction, at: 32)
    page.store(UInt64(0), at: 40)
  }
}
