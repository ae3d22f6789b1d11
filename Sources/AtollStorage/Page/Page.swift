/// A decoded page: its payload as it was before compression.
///
/// The bytes lie in the file's mapping, in the cache of decoded pages, or in
/// the pages that a transaction has not written yet. They are valid as long as
/// `owner`: the buffer, or the reader whose pin keeps the blocks from being
/// overwritten and the file mapped. A page of a transaction is valid until the
/// transaction ends.
package struct Page {
  /// No page holds more, before or after compression: a page never outgrows the
  /// overlap of two file windows.
  package static let byteCountLimit = 1 << 20

  /// The payload that fits into some blocks with the page's header, encrypted or not: trees have
  /// the same shape in both kinds of files.
  package static func byteCount(inBlocks blockCount: Int) -> Int {
    blockCount * Block.byteCount - PageHeader.byteCount - PageCipher.addedByteCount
  }

  /// The payload.
  package let bytes: ByteView
  package let reference: PageReference
  package let kind: PageKind
  package let treeID: UInt32
  package let transaction: UInt64
  package let owner: AnyObject?
}

/// Memory of its own for one page or one decoded payload.
///
/// Written by the thread that made it, and read-only from the moment it is
/// shared: that is what makes it `Sendable`.
@safe package final class PageBuffer: @unchecked Sendable {
  private let address: UnsafeMutableRawPointer
  package let byteCount: Int

  package init(byteCount: Int, zeroed: Bool) {
    self.byteCount = byteCount
    unsafe address = .allocate(byteCount: max(byteCount, 1), alignment: 64)
    if zeroed { zero(0..<byteCount) }
  }

  deinit { unsafe address.deallocate() }

  /// The contents; valid as long as the buffer.
  package var view: ByteView {
    unsafe ByteView(UnsafeRawBufferPointer(start: address, count: byteCount))
  }

  /// The memory to be filled; the caller keeps the buffer alive.
  @unsafe package var unsafeBytes: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(start: address, count: byteCount)
  }

  func zero(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "outside the buffer")
    // SAFETY: in bounds (above).
    unsafe (address + range.lowerBound).initializeMemory(
      as: UInt8.self, repeating: 0, count: range.count)
  }

  /// Copies `source` to `byteOffset`.
  package func copy(_ source: ByteView, to byteOffset: Int) {
    precondition(byteOffset >= 0 && source.count <= byteCount - byteOffset, "outside the buffer")
    guard let start = unsafe source.unsafeBytes.baseAddress else { return }
    // SAFETY: in bounds (above).
    unsafe (address + byteOffset).copyMemory(from: start, byteCount: source.count)
  }

  package func store<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at byteOffset: Int) {
    precondition(
      byteOffset >= 0 && byteOffset <= byteCount - MemoryLayout<T>.size, "outside the buffer")
    // SAFETY: in bounds (above).
    unsafe address.storeBytes(of: value.littleEndian, toByteOffset: byteOffset, as: T.self)
  }
}
