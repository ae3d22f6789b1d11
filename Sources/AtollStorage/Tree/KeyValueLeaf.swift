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
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isKey(middle, below: key) { low = middle + 1 } else { high = middle }
    }
    return low
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

/// The same leaf in its mutable form.
final class KeyValueLeaf: TreeLeaf {
  var keys: [[UInt8]] = []
  var values: [[UInt8]] = []
  private(set) var estimatedByteCount = 8

  init() {}

  init(_ page: Page) throws(StorageError) {
    let view = try KeyValuePage(page)
    for index in 0..<view.count {
      keys.append(view.key(index))
      values.append(view.value(index))
      estimatedByteCount += byteCount(ofEntry: index)
    }
  }

  var entryCount: Int { keys.count }
  var lowestKey: TreeKey { TreeKey(keys[0]) }
  var highestKey: TreeKey { TreeKey(keys[keys.count - 1]) }

  func firstIndex(notBelow key: [UInt8]) -> Int {
    var low = 0
    var high = keys.count
    while low < high {
      let middle = (low + high) / 2
      if keys[middle].lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func value(for key: [UInt8]) -> [UInt8]? {
    let index = firstIndex(notBelow: key)
    return index < keys.count && keys[index] == key ? values[index] : nil
  }

  /// Whether an entry of so many bytes more takes a page of the usual length beyond its last block.
  func isFull(withBytes byteCount: Int) -> Bool {
    estimatedByteCount + 8 + byteCount > KeyValueTree.leafByteLimit - PageHeader.byteCount
  }

  /// Whether there are keys, and `key` lies above all of them.
  func endsBelow(_ key: [UInt8]) -> Bool {
    keys.last.map { $0.lexicographicallyPrecedes(key) } ?? false
  }

  /// Sets or, with nil, removes the value.
  ///
  /// - Returns: how many entries there are more: 1, 0 or -1.
  func set(_ value: [UInt8]?, for key: [UInt8]) -> Int {
    let index = endsBelow(key) ? keys.count : firstIndex(notBelow: key)
    let isPresent = index < keys.count && keys[index] == key
    switch (value, isPresent) {
    case (let value?, true):
      estimatedByteCount += value.count - values[index].count
      values[index] = value
      return 0
    case (let value?, false):
      estimatedByteCount += 8 + key.count + value.count
      keys.insert(key, at: index)
      values.insert(value, at: index)
      return 1
    case (nil, true):
      estimatedByteCount -= 8 + key.count + values[index].count
      keys.remove(at: index)
      values.remove(at: index)
      return -1
    case (nil, false): return 0
    }
  }

  /// Splits where the bytes are halved, so that a huge entry gets a leaf of its own.
  func splitOff() throws(StorageError) -> any TreeLeaf {
    let half = estimatedByteCount / 2
    var middle = 1
    var lowerByteCount = byteCount(ofEntry: 0)
    while middle < keys.count - 1, lowerByteCount + byteCount(ofEntry: middle) <= half {
      lowerByteCount += byteCount(ofEntry: middle)
      middle += 1
    }
    let upper = KeyValueLeaf()
    upper.keys = Array(keys[middle...])
    upper.values = Array(values[middle...])
    upper.estimatedByteCount = estimatedByteCount - lowerByteCount
    keys.removeSubrange(middle...)
    values.removeSubrange(middle...)
    estimatedByteCount = 8 + lowerByteCount
    return upper
  }

  private func byteCount(ofEntry index: Int) -> Int {
    8 + keys[index].count + values[index].count
  }

  func absorb(_ next: any TreeLeaf) throws(StorageError) {
    guard let next = next as? KeyValueLeaf else {
      preconditionFailure("a tree has leaves of one form")
    }
    keys += next.keys
    values += next.values
    estimatedByteCount += next.estimatedByteCount - 8
  }

  func encode() throws(StorageError) -> (payload: [UInt8], summary: [UInt8]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(estimatedByteCount)
    bytes.appendLittleEndian(UInt32(keys.count))
    bytes.appendLittleEndian(UInt32(0))
    var end = 0
    var valueEnds: [Int] = []
    for (key, value) in zip(keys, values) {
      bytes.appendLittleEndian(UInt32(end + key.count))
      end += key.count + value.count
      valueEnds.append(end)
    }
    for end in valueEnds { bytes.appendLittleEndian(UInt32(end)) }
    for (key, value) in zip(keys, values) {
      bytes += key
      bytes += value
    }
    return (bytes, [])
  }

  func recycled() -> any TreeLeaf { KeyValueLeaf() }
}
