/// The same leaf in its mutable form.
final class MutableKeyValueLeaf: TreeLeaf {
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
    binarySearch(0..<keys.count) { keys[$0].lexicographicallyPrecedes(key) }
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
    let upper = MutableKeyValueLeaf()
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
    guard let next = next as? MutableKeyValueLeaf else {
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

  func recycled() -> any TreeLeaf { MutableKeyValueLeaf() }
}
