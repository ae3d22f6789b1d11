internal import AtollObjects

/// How often each object of one table is referred to.
@safe
final class KeyCounts {
  /// A count for each key; none when they are in `sparse`.
  private let span: KeySpan
  private let counts: UnsafeMutablePointer<UInt32>
  private var sparse: [UInt64: UInt32] = [:]

  /// All zero, for the objects of a table.
  init(of table: TableAccess) throws {
    span = try KeySpan(table, keysPerObject: 4, minimumCount: 1 << 16)
    let capacity = max(1, Int(span.capacity))
    unsafe counts = .allocate(capacity: capacity)
    unsafe counts.initialize(repeating: 0, count: capacity)
  }

  deinit { unsafe counts.deallocate() }

  @inline(__always)
  func add(_ key: UInt64) {
    let number = span.number(of: key)
    if number < span.capacity {
      // SAFETY: in bounds (above).
      unsafe counts[Int(number)] &+= 1
    } else if !span.isDense {
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
    let number = span.number(of: key)
    // SAFETY: in bounds.
    if number < span.capacity { return unsafe Int(counts[Int(number)]) }
    return span.isDense ? 0 : Int(sparse[key] ?? 0)
  }

  /// Sets the bits of the rows of `leaf` whose count lies in `range`.
  func select(_ leaf: Leaf, in range: ClosedRange<Int64>, _ rows: Selection) throws {
    let count = leaf.rowCount
    rows.resize(count)
    let keys = try leaf.keys()
    let low = UInt32(clamping: range.lowerBound)
    let high = UInt32(clamping: range.upperBound)
    let isPossible = range.upperBound >= 0 && range.lowerBound <= Int64(UInt32.max)
    guard isPossible, span.holdsConsecutive(keys, count: count) else {
      rows.fill(count, false)
      guard isPossible else { return }
      for row in 0..<count where range.contains(Int64(self[keys.key(row)])) {
        rows[row] = true
      }
      return
    }
    // SAFETY: the counts of the first and the last row are in bounds (above).
    let start = unsafe counts + Int(span.number(of: keys.key(0)))
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
