internal import AtollObjects

/// A set of objects of one table, by their keys.
///
/// A bitmap over the keys from the least to the greatest where these lie densely, else a sorted
/// list. Either takes about the memory of the table's keys at most.
@safe
final class KeySet {
  private let least: UInt64
  /// Bits of the bitmap; 0 when there is none.
  private let bitCount: UInt64
  private let words: UnsafeMutablePointer<UInt64>
  private var sorted: [UInt64] = []
  private var isSorted = true

  /// An empty set of keys within `bounds`, of a table of `count` objects.
  init(bounds: (least: UInt64, greatest: UInt64)?, count: Int) {
    least = bounds?.least ?? 0
    var bits: UInt64 = 0
    if let bounds {
      let span = bounds.greatest &- bounds.least
      // 64 bits a key, as the list would take; a query may have thousands of sets.
      if span < UInt64(max(count, 1 << 12)) &* 64 { bits = span + 1 }
    }
    bitCount = bits
    let wordCount = Int((bits + 63) / 64)
    unsafe words = .allocate(capacity: max(1, wordCount))
    unsafe words.initialize(repeating: 0, count: max(1, wordCount))
  }

  deinit { unsafe words.deallocate() }

  var isBitmap: Bool { bitCount > 0 }

  var byteCount: Int { Int((bitCount + 63) / 64) * 8 + sorted.count * 8 }

  /// Visits the keys of a bitmap, ascending.
  func forEach(_ body: (UInt64) -> Void) {
    for index in 0..<Int((bitCount + 63) / 64) {
      // SAFETY: the bitmap has a word for every 64 bits.
      var word = unsafe words[index]
      while word != 0 {
        body(least &+ UInt64(index << 6 | word.trailingZeroBitCount))
        word &= word &- 1
      }
    }
  }

  @inline(__always)
  func contains(_ key: UInt64) -> Bool {
    if bitCount > 0 {
      let bit = key &- least
      guard bit < bitCount else { return false }
      // SAFETY: the bit is in the bitmap (above).
      return unsafe words[Int(bit >> 6)] >> (bit & 63) & 1 != 0
    }
    return find(key)
  }

  private func find(_ key: UInt64) -> Bool {
    if !isSorted {
      sorted.sort()
      isSorted = true
    }
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low] == key
  }

  @inline(__always)
  func insert(_ key: UInt64) {
    if bitCount > 0 {
      let bit = key &- least
      guard bit < bitCount else { return }
      // SAFETY: the bit is in the bitmap (above).
      unsafe words[Int(bit >> 6)] |= 1 << (bit & 63)
    } else {
      if let last = sorted.last, last >= key {
        if last == key { return }
        isSorted = false
      }
      sorted.append(key)
    }
  }

  /// Adds the chosen rows of a leaf.
  func insert(_ rows: Selection, of leaf: Leaf) throws {
    let keys = try leaf.keys()
    guard bitCount > 0, keys.width == 0, keys.stride == 1, leaf.rowCount > 0,
      keys.key(0) &- least < bitCount, keys.key(leaf.rowCount - 1) &- least < bitCount
    else {
      rows.forEach { insert(keys.key($0)) }
      return
    }
    // Consecutive keys: whole words, shifted into place.
    let first = keys.key(0) &- least
    let shift = first & 63
    var target = Int(first >> 6)
    for index in 0..<rows.wordCount {
      // SAFETY: the bits of the first and the last row are in the bitmap (above); the second word
      // is touched only for bits of rows.
      let word = unsafe rows.words[index]
      if word != 0 {
        unsafe words[target] |= word << shift
        if shift > 0, word >> (64 - shift) != 0 { unsafe words[target + 1] |= word >> (64 - shift) }
      }
      target += 1
    }
  }

  /// Sets the bits of `rows` whose entry in `links` is in the set; entries are keys.
  func select(_ links: IntVector, _ rows: Selection) {
    let count = links.count
    rows.resize(count)
    if bitCount == 0 {
      for index in 0..<rows.wordCount { unsafe rows.words[index] = 0 }
      for row in 0..<count where contains(UInt64(bitPattern: links[row])) { rows[row] = true }
      return
    }
    let least = least
    let bitCount = bitCount
    let words = unsafe words
    unsafe withUnsafeTemporaryAllocation(of: Int64.self, capacity: 64) { buffer in
      guard let block = buffer.baseAddress else { return }
      var start = 0
      while start < count {
        let length = min(64, count - start)
        unsafe links.copy(start..<(start + length), into: block)
        var word: UInt64 = 0
        for i in 0..<length {
          let bit = unsafe UInt64(bitPattern: block[i]) &- least
          // Out of the bitmap reads its first bit, and drops it.
          let isInside: UInt64 = bit < bitCount ? 1 : 0
          let place = bit < bitCount ? bit : 0
          word |= unsafe (words[Int(place &>> 6)] &>> (place & 63) & isInside) &<< UInt64(i)
        }
        unsafe rows.words[start >> 6] = word
        start += 64
      }
    }
  }
}

extension IntVector {
  /// The key of a row, from a vector of encoded keys.
  @inline(__always)
  func key(_ row: Int) -> UInt64 { UInt64(bitPattern: self[row]) ^ 1 << 63 }
}
