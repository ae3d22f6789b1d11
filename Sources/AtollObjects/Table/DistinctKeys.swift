internal import AtollStorage

/// Keys in ascending order, each once.
enum DistinctKeys {
  /// Whether `key` is among `keys`, which ascend.
  static func contains(_ keys: [UInt64], _ key: UInt64) -> Bool {
    let low = binarySearch(0..<keys.count) { keys[$0] < key }
    return low < keys.count && keys[low] == key
  }

  /// The distinct keys in ascending order.
  ///
  /// Cost: a pass when the keys lie close together, as those of one class mostly do; else a sort.
  static func ascending(_ keys: [UInt64]) -> [UInt64] {
    guard var least = keys.first else { return [] }
    var greatest = least
    for key in keys {
      least = min(least, key)
      greatest = max(greatest, key)
    }
    // At most as many words as keys.
    guard (greatest - least) / 64 < UInt64(keys.count) else { return sorted(keys) }
    var words = [UInt64](repeating: 0, count: Int((greatest - least) / 64) + 1)
    for key in keys { words[Int((key - least) / 64)] |= 1 << ((key - least) % 64) }
    var distinct: [UInt64] = []
    distinct.reserveCapacity(keys.count)
    for index in words.indices {
      var word = words[index]
      while word != 0 {
        distinct.append(least + UInt64(index * 64 + word.trailingZeroBitCount))
        word &= word - 1
      }
    }
    return distinct
  }

  private static func sorted(_ keys: [UInt64]) -> [UInt64] {
    var sorted = keys.sorted()
    var previous: UInt64?
    sorted.removeAll { key in
      defer { previous = key }
      return previous == key
    }
    return sorted
  }
}
