internal import AtollObjects

/// How often each object of one table is referred to.
@safe
final class KeyCounts {
  private let least: UInt64
  private let capacity: UInt64
  private let counts: UnsafeMutablePointer<UInt32>
  private var sparse: [UInt64: UInt32] = [:]

  /// All zero, for keys within `bounds`, of a table of `count` objects.
  init(bounds: (least: UInt64, greatest: UInt64)?, count: Int) {
    least = bounds?.least ?? 0
    var capacity: UInt64 = 0
    if let bounds {
      let span = bounds.greatest &- bounds.least
      if span < UInt64(max(count, 1 << 16)) &* 4 { capacity = span + 1 }
    }
    self.capacity = capacity
    unsafe counts = .allocate(capacity: max(1, Int(capacity)))
    unsafe counts.initialize(repeating: 0, count: max(1, Int(capacity)))
  }

  deinit { unsafe counts.deallocate() }

  @inline(__always)
  func add(_ key: UInt64) {
    let index = key &- least
    if index < capacity {
      // SAFETY: in bounds (above).
      unsafe counts[Int(index)] &+= 1
    } else if capacity == 0 {
      sparse[key, default: 0] &+= 1
    }
  }

  /// Adds every key of `links`, none of which is null.
  func add(_ links: IntVector) {
    unsafe withUnsafeTemporaryAllocation(of: Int64.self, capacity: 256) { buffer in
      guard let block = buffer.baseAddress else { return }
      var start = 0
      while start < links.count {
        let length = min(256, links.count - start)
        unsafe links.copy(start..<(start + length), into: block)
        for i in 0..<length { unsafe add(UInt64(bitPattern: block[i])) }
        start += length
      }
    }
  }

  @inline(__always)
  subscript(_ key: UInt64) -> Int {
    let index = key &- least
    // SAFETY: in bounds.
    if index < capacity { return unsafe Int(counts[Int(index)]) }
    return capacity == 0 ? Int(sparse[key] ?? 0) : 0
  }

  /// Sets the bits of the rows of `leaf` whose count lies in `range`.
  func select(_ leaf: Leaf, in range: ClosedRange<Int64>, _ rows: Selection) throws {
    let count = leaf.rowCount
    rows.resize(count)
    let keys = try leaf.keys()
    let low = UInt32(clamping: range.lowerBound)
    let high = UInt32(clamping: range.upperBound)
    let isPossible = range.upperBound >= 0 && range.lowerBound <= Int64(UInt32.max)
    guard isPossible, keys.width == 0, keys.stride == 1, count > 0,
      keys.key(0) &- least < capacity, keys.key(count - 1) &- least < capacity
    else {
      rows.fill(count, false)
      guard isPossible else { return }
      for row in 0..<count where range.contains(Int64(self[keys.key(row)])) {
        rows[row] = true
      }
      return
    }
    // SAFETY: the counts of the first and the last row are in bounds (above).
    let start = unsafe counts + Int(keys.key(0) &- least)
    var row = 0
    while row < count {
      var word: UInt64 = 0
      for i in 0..<min(64, count - row) {
        let value = unsafe start[row + i]
        word |= (value &- low <= high &- low ? 1 : 0) << UInt64(i)
      }
      unsafe rows.words[row >> 6] = word
      row += 64
    }
  }
}
