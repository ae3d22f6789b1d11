package import AtollStorage

/// Values too large for a leaf, in pages of their own.
///
/// A reference is that of the value's first page; each page holds the reference
/// of the next and up to half a MiB of the value (Format.md, "Blob"). In a
/// snapshot it only reads.
package final class BlobStore: ExternalStore, @unchecked Sendable {
  // Sendable: both properties are immutable; a store with a transaction stays on its thread.
  static let treeID: UInt32 = 3
  static let pieceByteCount = Page.byteCountLimit / 2
  /// The longest value.
  package static let byteCountLimit = 256 << 20

  let reader: PageReader
  let transaction: WriteTransaction?

  init(reader: PageReader, transaction: WriteTransaction? = nil) {
    self.reader = reader
    self.transaction = transaction
  }

  package func read(_ reference: ExternalReference) throws -> [UInt8] {
    try read(reference, from: 0, limit: .max)
  }

  package func read(
    _ reference: ExternalReference, from offset: Int, limit: Int
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var offset = offset
    try visitPages(reference) { page in
      let piece = page.bytes[PageReference.byteCount..<page.bytes.count]
      if offset < piece.count {
        let end = min(piece.count - offset, limit - bytes.count) + offset
        bytes += piece[offset..<end].copy()
      }
      offset = max(0, offset - piece.count)
      return bytes.count < limit
    }
    return bytes
  }

  package func write(_ bytes: [UInt8]) throws -> ExternalReference {
    guard let transaction else { preconditionFailure("a snapshot writes no values") }
    guard bytes.count <= Self.byteCountLimit else {
      throw StorageError.valueTooLarge(byteCount: bytes.count, limit: Self.byteCountLimit)
    }
    var next = PageReference.none
    var end = bytes.count
    repeat {
      let start = max(0, (end - 1) / Self.pieceByteCount * Self.pieceByteCount)
      var payload: [UInt8] = []
      payload.reserveCapacity(PageReference.byteCount + end - start)
      payload.appendLittleEndian(next.location)
      payload.appendLittleEndian(next.checksum)
      payload += bytes[start..<end]
      next = try transaction.makePage(
        kind: .blob, treeID: Self.treeID, payload: payload, compress: true)
      end = start
    } while end > 0
    return ExternalReference(first: next.location, second: next.checksum)
  }

  package func free(_ reference: ExternalReference) throws {
    guard let transaction else { preconditionFailure("a snapshot frees no values") }
    try forEachPage(reference) { page in
      transaction.freePage(page.reference, birth: page.transaction)
    }
  }

  /// Visits the pages of a value in order.
  package func forEachPage(_ reference: ExternalReference, _ body: (Page) throws -> Void) throws {
    try visitPages(reference) { page in
      try body(page)
      return true
    }
  }

  /// Visits the pages of a value in order until `body` returns false.
  private func visitPages(
    _ reference: ExternalReference, _ body: (Page) throws -> Bool
  ) throws {
    var next = PageReference(location: reference.first, checksum: reference.second)
    var pageLimit = Self.byteCountLimit / Self.pieceByteCount + 1
    while !next.isNone {
      let page = try reader.page(next, kind: .blob)
      guard page.bytes.count >= PageReference.byteCount, pageLimit > 0 else {
        throw StorageError.corrupted(block: next.block, .structure(.malformedEntries))
      }
      pageLimit -= 1
      next = PageReference(
        location: page.bytes.littleEndian(at: 0), checksum: page.bytes.littleEndian(at: 8))
      guard try body(page) else { return }
    }
  }
}
