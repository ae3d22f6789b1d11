internal import AtollObjects

/// A set of objects of one table, by their keys.
///
/// A bitmap over the keys from the least to the greatest where these lie densely, else a sorted
/// list. Either takes about the memory of the table's keys at most.
@safe
final class KeySet {
  /// A bit of the bitmap for each key; none when there is no bitmap.
  private let span: KeySpan
  private let wordCount: Int
  private let words: UnsafeMutablePointer<UInt64>
  private var sorted: [UInt64] = []
  private var isSorted = true

  /// An empty set of objects of a table.
  convenience init(of table: TableAccess) throws { self.init(try Self.span(of: table)) }

  /// An empty set, a bitmap if its span is dense.
  init(_ span: KeySpan) {
    self.span = span
    wordCount = Int((span.capacity + 63) / 64)
    unsafe words = .allocate(capacity: max(1, wordCount))
    unsafe words.initialize(repeating: 0, count: max(1, wordCount))
  }

  /// The keys that a set of a table may hold.
  ///
  /// 64 bits a key, as the list would take; a query may have thousands of sets.
  static func span(of table: TableAccess) throws -> KeySpan {
    try KeySpan(table, keysPerObject: 64, minimumCount: 1 << 12)
  }

  deinit { unsafe words.deallocate() }

  var byteCount: Int { wordCount * 8 + sorted.count * 8 }

  /// Visits the keys of a bitmap, ascending.
  func forEach(_ body: (UInt64) -> Void) {
    for index in 0..<wordCount {
      // SAFETY: the bitmap has a word for every 64 bits.
      var word = unsafe words[index]
      while word != 0 {
        body(span.least &+ UInt64(index << 6 | word.trailingZeroBitCount))
        word &= word &- 1
      }
    }
  }

  @inline(__always)
  func contains(_ key: UInt64) -> Bool {
    if span.isDense {
      let bit = span.number(of: key)
      guard bit < span.capacity else { return false }
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
    if span.isDense {
      let bit = span.number(of: key)
      guard bit < span.capacity else { return }
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
    guard span.holdsConsecutive(keys, count: leaf.rowCount) else {
      rows.forEach { insert(keys.key($0)) }
      return
    }
    // Consecutive keys: whole words, shifted into place.
    let first = span.number(of: keys.key(0))
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
    if !span.isDense {
      for index in 0..<rows.wordCount { unsafe rows.words[index] = 0 }
      for row in 0..<count where contains(UInt64(bitPattern: links[row])) { rows[row] = true }
      return
    }
    let span = span
    let words = unsafe words
    unsafe withUnsafeTemporaryAllocation(of: Int64.self, capacity: 64) { buffer in
      guard let block = buffer.baseAddress else { return }
      var start = 0
      while start < count {
        let length = min(64, count - start)
        unsafe links.copy(start..<(start + length), into: block)
        var word: UInt64 = 0
        for i in 0..<length {
          let bit = unsafe span.number(of: UInt64(bitPattern: block[i]))
          // Out of the bitmap reads its first bit, and drops it.
          let isInside: UInt64 = bit < span.capacity ? 1 : 0
          let place = bit < span.capacity ? bit : 0
          word |= unsafe (words[Int(place &>> 6)] &>> (place & 63) & isInside) &<< UInt64(i)
        }
        unsafe rows.words[start >> 6] = word
        start += 64
      }
    }
  }
}
