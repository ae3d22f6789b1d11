/// A branch page as it lies in the file.
///
/// Little-endian. Normative text: Format.md, "Branch". With n children:
///
///     offset   size  field
///          0      4  entryCount  n
///          4      1  level       1 above the leaves, 2 above those, …
///          5      1  keyForm     0: keys are numbers, 1: keys are byte strings
///          6      2  reserved    zero
///          8      4  keyByteCount      bytes of all keys (form 1), else zero
///         12      4  summaryByteCount  bytes of all summaries
///         16    16n  references  see `PageReference`
///     16+16n     8n  counts      entries below each child
///     16+24n     8n  prefixes    the first eight key bytes, as a number
///     16+32n     4n  summaryEnds where each summary ends
///     16+36n     4n  keyEnds     where each key ends (form 1 only)
///          …      …  keys        (form 1 only)
///          …      …  summaries
///
/// Invariant: keys ascend strictly; the child of an entry holds no key below
/// the entry's own and none at or above the next entry's.
package struct BranchPage {
  static let headerByteCount = 16
  package let page: Page
  package let count: Int
  package let level: Int
  let hasByteKeys: Bool
  private let keysOffset: Int
  private let summariesOffset: Int

  /// - Precondition: the page was validated, or made by this process.
  package init(_ page: Page) throws(StorageError) {
    let bytes = page.bytes
    let block = page.reference.block
    guard bytes.count >= Self.headerByteCount else {
      throw .corrupted(block: block, .structure(.malformedEntries))
    }
    count = Int(bytes.littleEndian(at: 0, as: UInt32.self))
    level = Int(bytes[4])
    let form = bytes[5]
    let keyByteCount = Int(bytes.littleEndian(at: 8, as: UInt32.self))
    let summaryByteCount = Int(bytes.littleEndian(at: 12, as: UInt32.self))
    guard count > 0 else { throw .corrupted(block: block, .structure(.emptyPage)) }
    let isOwnForm = form <= 1 && (form == 1 || keyByteCount == 0)
    guard isOwnForm, bytes.littleEndian(at: 6, as: UInt16.self) == 0 else {
      throw .corrupted(block: block, .reservedBytesInUse)
    }
    hasByteKeys = form == 1
    keysOffset = Self.headerByteCount + count * (hasByteKeys ? 40 : 36)
    summariesOffset = keysOffset + keyByteCount
    guard summariesOffset + summaryByteCount == bytes.count else {
      throw .corrupted(block: block, .structure(.malformedEntries))
    }
    self.page = page
  }

  /// Checks what the initialiser takes for granted, once for each page in a process.
  ///
  /// That is where each key and summary ends, the order of the keys, and that the counts add up to
  /// a number of entries that a tree can have.
  static func validate(_ page: Page) throws(StorageError) {
    let branch = try BranchPage(page)
    let block = page.reference.block
    var previousKeyEnd = 0
    var previousSummaryEnd = 0
    for index in 0..<branch.count {
      let summaryEnd = branch.end(32, index)
      let keyEnd = branch.hasByteKeys ? branch.end(36, index) : 0
      guard summaryEnd >= previousSummaryEnd, keyEnd >= previousKeyEnd else {
        throw .corrupted(block: block, .structure(.malformedEntries))
      }
      (previousKeyEnd, previousSummaryEnd) = (keyEnd, summaryEnd)
    }
    guard branch.keysOffset + previousKeyEnd == branch.summariesOffset,
      branch.summariesOffset + previousSummaryEnd == page.bytes.count
    else {
      throw .corrupted(block: block, .structure(.malformedEntries))
    }
    var entryCount: UInt64 = 0
    for index in 0..<branch.count {
      guard branch.entryCount(index) <= TreeRoot.entryCountLimit - entryCount else {
        throw .corrupted(block: block, .structure(.wrongEntryCount))
      }
      entryCount += branch.entryCount(index)
      let key = branch.key(index)
      guard key.prefix == branch.prefix(index) else {
        throw .corrupted(block: block, .structure(.malformedEntries))
      }
      guard index == 0 || branch.key(index - 1) < key else {
        throw .corrupted(block: block, .structure(.keysOutOfOrder))
      }
    }
  }

  package func reference(_ index: Int) -> PageReference {
    PageReference(
      location: page.bytes.littleEndian(at: 16 + 16 * index),
      checksum: page.bytes.littleEndian(at: 24 + 16 * index))
  }

  package func entryCount(_ index: Int) -> UInt64 {
    page.bytes.littleEndian(at: 16 + 16 * count + 8 * index)
  }

  package func key(_ index: Int) -> TreeKey {
    guard hasByteKeys else { return TreeKey(prefix(index)) }
    let start = index == 0 ? 0 : end(36, index - 1)
    return TreeKey(page.bytes[keysOffset + start..<keysOffset + end(36, index)].copy())
  }

  /// The summary's bytes; valid as long as the page.
  package func summary(_ index: Int) -> ByteView {
    let start = index == 0 ? 0 : end(32, index - 1)
    return page.bytes[summariesOffset + start..<summariesOffset + end(32, index)]
  }

  /// The child whose range holds `key`: the last whose own key is not above it, else the first.
  package func childIndex(for key: TreeKey) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let prefix = prefix(middle)
      let isAbove: Bool
      if prefix != key.prefix {
        isAbove = key.prefix < prefix
      } else if hasByteKeys {
        isAbove = isTail(of: key, below: middle)
      } else {
        isAbove = key.byteCount < 8
      }
      if isAbove { high = middle } else { low = middle + 1 }
    }
    return max(0, low - 1)
  }

  /// Whether `key`, which has the same prefix as the key at `index`, is smaller.
  private func isTail(of key: TreeKey, below index: Int) -> Bool {
    let start = index == 0 ? 0 : end(36, index - 1)
    let bytes = page.bytes[keysOffset + start..<keysOffset + end(36, index)]
    return key.isTailBelow(bytes)
  }

  private func prefix(_ index: Int) -> UInt64 {
    page.bytes.littleEndian(at: 16 + 24 * count + 8 * index)
  }

  private func end(_ table: Int, _ index: Int) -> Int {
    Int(page.bytes.littleEndian(at: 16 + table * count + 4 * index, as: UInt32.self))
  }

  /// Bytes that one child takes in its branch.
  static func entryByteCount(_ key: TreeKey, summaryByteCount: Int, hasByteKeys: Bool) -> Int {
    (hasByteKeys ? 40 + key.byteCount : 36) + summaryByteCount
  }
}
