/// A leaf of sorted byte-string keys and values, as it lies in a decoded page.
///
/// Little-endian. Normative text: Format.md, "Key-value leaf". With n entries:
///
///     offset  size  field
///          0     4  entryCount  n
///          4     4  reserved    zero
///          8    4n  keyEnds     where each key ends, from the start of the bytes
///       8+4n    4n  valueEnds   where the value that follows the key ends
///       8+8n     …  bytes       key, value, key, value, …
///
/// Invariant: keys ascend strictly.
package struct KeyValuePage {
  package let page: Page
  package let count: Int
  private let bytesOffset: Int

  /// - Precondition: the page was validated, or made by this process.
  package init(_ page: Page) throws(StorageError) {
    let bytes = page.bytes
    let block = page.reference.block
    guard bytes.count >= 8 else { throw .corrupted(block: block, .structure(.malformedEntries)) }
    count = Int(bytes.littleEndian(at: 0, as: UInt32.self))
    bytesOffset = 8 + 8 * count
    self.page = page
    guard bytesOffset <= bytes.count else {
      throw .corrupted(block: block, .structure(.malformedEntries))
    }
    guard bytes.littleEndian(at: 4, as: UInt32.self) == 0 else {
      throw .corrupted(block: block, .reservedBytesInUse)
    }
  }

  /// Checks what the initialiser takes for granted, once for each page in a process.
  ///
  /// That is where each key and value ends, and the order of the keys.
  static func validate(_ page: Page) throws(StorageError) {
    let leaf = try KeyValuePage(page)
    let block = page.reference.block
    var previous = 0
    for index in 0..<leaf.count {
      guard leaf.keyEnd(index) >= previous, leaf.valueEnd(index) >= leaf.keyEnd(index) else {
        throw .corrupted(block: block, .structure(.malformedEntries))
      }
      previous = leaf.valueEnd(index)
    }
    guard leaf.bytesOffset + previous == page.bytes.count else {
      throw .corrupted(block: block, .structure(.malformedEntries))
    }
    for index in 1..<max(leaf.count, 1)
    where !leaf.key(index - 1).lexicographicallyPrecedes(leaf.key(index)) {
      throw .corrupted(block: block, .structure(.keysOutOfOrder))
    }
  }

  package func key(_ index: Int) -> [UInt8] {
    copy((index == 0 ? 0 : valueEnd(index - 1))..<keyEnd(index))
  }

  package func value(_ index: Int) -> [UInt8] { copy(keyEnd(index)..<valueEnd(index)) }

  /// The first entry whose key is not below `key`.
  package func firstIndex(notBelow key: [UInt8]) -> Int {
    binarySearch(0..<count) { isKey($0, below: key) }
  }

  /// Whether the key at `index` is smaller than `key`; copies nothing.
  private func isKey(_ index: Int, below key: [UInt8]) -> Bool {
    let start = index == 0 ? 0 : valueEnd(index - 1)
    let bytes = page.bytes[bytesOffset + start..<bytesOffset + keyEnd(index)]
    for position in 0..<min(bytes.count, key.count) where bytes[position] != key[position] {
      return bytes[position] < key[position]
    }
    return bytes.count < key.count
  }

  private func keyEnd(_ index: Int) -> Int {
    Int(page.bytes.littleEndian(at: 8 + 4 * index, as: UInt32.self))
  }

  private func valueEnd(_ index: Int) -> Int {
    Int(page.bytes.littleEndian(at: 8 + 4 * count + 4 * index, as: UInt32.self))
  }

  private func copy(_ range: Range<Int>) -> [UInt8] {
    page.bytes[bytesOffset + range.lowerBound..<bytesOffset + range.upperBound].copy()
  }
}
