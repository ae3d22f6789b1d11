internal import AtollObjects

/// Which rows of a leaf, or which elements of its collections, are chosen: one bit each.
///
/// Owns its memory, which grows to the largest count it was used for and is used again for the
/// next leaf. Invariant: bits from `count` on are zero in the first `wordCount` words.
@safe
final class Selection {
  private(set) var words: UnsafeMutablePointer<UInt64>
  private var capacity: Int
  private(set) var count = 0

  var wordCount: Int { (count + 63) >> 6 }

  init() {
    capacity = 64
    unsafe words = .allocate(capacity: 64)
    unsafe words.initialize(repeating: 0, count: 64)
  }

  deinit { unsafe words.deallocate() }

  /// Room for `count` bits, whose values are unspecified until they are set.
  @inline(__always)
  func resize(_ count: Int) {
    self.count = count
    if wordCount > capacity { grow() }
  }

  private func grow() {
    capacity = max(wordCount, capacity * 2)
    unsafe words.deallocate()
    unsafe words = .allocate(capacity: capacity)
    unsafe words.initialize(repeating: 0, count: capacity)
  }

  /// `count` bits, all equal.
  func fill(_ count: Int, _ value: Bool) {
    resize(count)
    unsafe words.update(repeating: value ? .max : 0, count: wordCount)
    if value { clearTail() }
  }

  /// Clears the bits of the last word from `count` on.
  @inline(__always)
  func clearTail() {
    if count & 63 != 0 { unsafe words[wordCount - 1] &= (1 << UInt64(count & 63)) - 1 }
  }

  func copy(_ other: Selection) {
    resize(other.count)
    unsafe words.update(from: other.words, count: wordCount)
  }

  /// Keeps what `other` has as well.
  func formIntersection(_ other: Selection) {
    for index in 0..<wordCount { unsafe words[index] &= other.words[index] }
  }

  func formUnion(_ other: Selection) {
    for index in 0..<wordCount { unsafe words[index] |= other.words[index] }
  }

  func subtract(_ other: Selection) {
    for index in 0..<wordCount { unsafe words[index] &= ~other.words[index] }
  }

  func invert() {
    for index in 0..<wordCount { unsafe words[index] = ~words[index] }
    clearTail()
  }

  var isEmpty: Bool {
    for index in 0..<wordCount where unsafe words[index] != 0 { return false }
    return true
  }

  var trueCount: Int {
    var sum = 0
    for index in 0..<wordCount { unsafe sum &+= words[index].nonzeroBitCount }
    return sum
  }

  subscript(_ index: Int) -> Bool {
    @inline(__always) get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a bit of the selection")
      return unsafe words[index >> 6] >> UInt64(index & 63) & 1 != 0
    }
    @inline(__always) set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a bit of the selection")
      let mask: UInt64 = 1 << UInt64(index & 63)
      if newValue { unsafe words[index >> 6] |= mask } else { unsafe words[index >> 6] &= ~mask }
    }
  }

  /// Calls `body` with each chosen index, ascending.
  @inline(__always)
  func forEach(_ body: (Int) throws -> Void) rethrows {
    for index in 0..<wordCount {
      var word = unsafe words[index]
      while word != 0 {
        try body(index << 6 | word.trailingZeroBitCount)
        word &= word &- 1
      }
    }
  }

  /// Keeps the chosen indices for which `body` holds.
  @inline(__always)
  func filter(_ body: (Int) throws -> Bool) rethrows {
    for index in 0..<wordCount {
      var word = unsafe words[index]
      var kept = word
      while word != 0 {
        let bit = word.trailingZeroBitCount
        if try !body(index << 6 | bit) { kept &= ~(1 << UInt64(bit)) }
        word &= word &- 1
      }
      unsafe words[index] = kept
    }
  }

  /// Sets the bits of null entries to `value`.
  func setNulls(_ validity: BitVector, _ value: Bool) {
    guard validity.count == count, count > 0, !validity.isAllTrue else { return }
    for index in 0..<wordCount {
      if value {
        unsafe words[index] |= ~validity.word(index)
      } else {
        unsafe words[index] &= validity.word(index)
      }
    }
    if value { clearTail() }
  }

  /// Whether a bit of `range` is set.
  @inline(__always)
  func containsAny(_ range: Range<Int>) -> Bool {
    var isFound = false
    forEachWord(of: range) { word in
      isFound = word != 0
      return !isFound
    }
    return isFound
  }

  /// How many bits of `range` are set.
  @inline(__always)
  func trueCount(in range: Range<Int>) -> Int {
    var sum = 0
    forEachWord(of: range) { word in
      sum &+= word.nonzeroBitCount
      return true
    }
    return sum
  }

  /// Calls `body` with the words that hold `range`, other bits cleared, until it returns false.
  @inline(__always)
  private func forEachWord(of range: Range<Int>, _ body: (UInt64) -> Bool) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "bits of the selection")
    guard !range.isEmpty else { return }
    let first = range.lowerBound >> 6
    let last = (range.upperBound - 1) >> 6
    var mask: UInt64 = .max << UInt64(range.lowerBound & 63)
    for index in first...last {
      if index == last { mask &= .max >> UInt64(63 - (range.upperBound - 1) & 63) }
      // SAFETY: in bounds (above).
      guard unsafe body(words[index] & mask) else { return }
      mask = .max
    }
  }
}
