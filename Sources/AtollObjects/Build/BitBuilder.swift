/// Bits being collected; see `BitVector` for what they become.
///
/// Invariant: `words` has ceil(`count` / 64) words, in which no bit from `count` on is set.
struct BitBuilder {
  private var words: [UInt64] = []
  private(set) var count = 0
  private(set) var trueCount = 0

  mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
    count = 0
    trueCount = 0
  }

  subscript(row: Int) -> Bool {
    precondition(row < count, "a row of the bits")
    return words[row >> 6] >> UInt64(row & 63) & 1 != 0
  }

  @inline(__always)
  mutating func append(_ bit: Bool) {
    if count & 63 == 0 { words.append(0) }
    if bit {
      words[count >> 6] |= 1 << UInt64(count & 63)
      trueCount += 1
    }
    count += 1
  }

  mutating func set(_ row: Int, _ bit: Bool) {
    guard self[row] != bit else { return }
    words[row >> 6] ^= 1 << UInt64(row & 63)
    trueCount += bit ? 1 : -1
  }

  mutating func insert(_ bit: Bool, at row: Int) {
    precondition(row >= 0 && row <= count, "a place in the bits")
    if count & 63 == 0 { words.append(0) }
    let first = row >> 6
    for word in stride(from: words.count - 1, to: first, by: -1) {
      words[word] = words[word] << 1 | words[word - 1] >> 63
    }
    if first < words.count {
      let below = (1 << UInt64(row & 63)) - 1 as UInt64
      words[first] = words[first] & below | (words[first] & ~below) << 1
    }
    count += 1
    if bit {
      words[first] |= 1 << UInt64(row & 63)
      trueCount += 1
    }
  }

  mutating func remove(_ removal: RowRemoval) {
    guard trueCount > 0, trueCount < count else {
      return truncate(to: count - removal.rows.count)
    }
    removal.forEachMove(of: count) { rows, target in
      var target = target
      for row in rows {
        let mask = 1 << UInt64(target & 63) as UInt64
        let bit = words[row >> 6] >> UInt64(row & 63) & 1
        words[target >> 6] = words[target >> 6] & ~mask | bit << UInt64(target & 63)
        target += 1
      }
    }
    truncate(to: count - removal.rows.count)
  }

  mutating func truncate(to newCount: Int) {
    words.removeLast(words.count - (newCount + 63) / 64)
    if newCount & 63 != 0 { words[newCount >> 6] &= (1 << UInt64(newCount & 63)) - 1 }
    count = newCount
    trueCount = words.reduce(0) { $0 + $1.nonzeroBitCount }
  }

  mutating func append(_ other: BitBuilder, _ rows: Range<Int>) {
    for row in rows { append(other[row]) }
  }

  mutating func append(_ vector: BitVector) {
    guard count & 63 == 0 else {
      for row in 0..<vector.count { append(vector[row]) }
      return
    }
    for index in 0..<(vector.count + 63) / 64 {
      let word = vector.word(index)
      words.append(word)
      trueCount += word.nonzeroBitCount
    }
    count += vector.count
  }

  mutating func append(repeating bit: Bool, count: Int) {
    append(BitVector(repeating: bit, count: count))
  }

  var estimatedByteCount: Int {
    trueCount == 0 || trueCount == count ? 16 : 16 + words.count * 8
  }

  func encode(into out: inout GrowableBytes) {
    let encoding: UInt8 = trueCount == 0 ? 0 : trueCount == count ? 1 : 2
    out.append(UInt32(encoding))
    out.append(UInt32(count))
    out.append(UInt32(trueCount))
    out.append(UInt32(0))
    if encoding == 2 {
      for word in words { out.append(word) }
      out.align()
    }
  }
}
