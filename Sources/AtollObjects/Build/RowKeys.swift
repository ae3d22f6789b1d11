internal import AtollStorage

/// The keys of the rows of a row group that is being filled or changed, as `orderedSigned` gives
/// them.
///
/// In a file they are mostly evenly spaced: then the first and the step stand for all, so that a
/// leaf is opened without a look at each of them, and a row is found without a search.
///
/// Invariant: keys ascend strictly. When `stride` is above 0 they are first + i × stride for i below
/// `evenCount`, no sum or product of which overflows, and `each` is empty; else they are in `each`.
struct RowKeys {
  private var each = IntBuilder()
  private var first: Int64 = 0
  private var stride: Int64 = 0
  private var evenCount = 0

  init() {}

  /// The keys of an encoded row group.
  ///
  /// - Throws: `.corrupted` when they do not ascend.
  init(_ vector: IntVector) throws(ColumnError) {
    guard vector.width == 0, vector.count > 2 else {
      each.append(vector)
      for row in 1..<max(each.count, 1) where each[row] <= each[row - 1] {
        throw .corrupted(.unsortedKeys)
      }
      return
    }
    guard vector.stride > 0,
      Self.last(first: vector.base, stride: vector.stride, count: vector.count) != nil
    else { throw .corrupted(.unsortedKeys) }
    first = vector.base
    stride = vector.stride
    evenCount = vector.count
  }

  /// Evenly spaced keys, of which the last is no more than the greatest number; `stride` is above 0.
  init(first: Int64, stride: Int64, count: Int) {
    precondition(stride > 0, "keys are distinct")
    // Fewer are not evenly spaced for the encoding, nor are those that span half of all numbers.
    if count > 2, Self.last(first: first, stride: stride, count: count) != nil {
      self.first = first
      self.stride = stride
      evenCount = count
    } else {
      for row in 0..<count { each.append(first &+ Int64(row) &* stride) }
    }
  }

  /// The last of evenly spaced keys; nil when it, or its distance from the first, overflows.
  private static func last(first: Int64, stride: Int64, count: Int) -> Int64? {
    let (span, wraps) = stride.multipliedReportingOverflow(by: Int64(max(count, 1) - 1))
    let (last, overflow) = first.addingReportingOverflow(span)
    return wraps || overflow ? nil : last
  }

  // MARK: Reading

  private var isEven: Bool { stride > 0 }

  var count: Int { isEven ? evenCount : each.count }

  subscript(row: Int) -> Int64 {
    guard isEven else { return each[row] }
    precondition(UInt(bitPattern: row) < UInt(bitPattern: evenCount), "a row of the row group")
    return first + Int64(row) * stride
  }

  /// The first row whose key is not below `wanted`; `count` if there is none.
  ///
  /// - Complexity: O(1) for evenly spaced keys, O(log n) for others.
  func lowerBound(_ wanted: Int64) -> Int {
    guard isEven else {
      let count = each.count
      if count > 0, each[count - 1] < wanted { return count }
      return binarySearch(0..<count) { each[$0] < wanted }
    }
    guard wanted > first else { return 0 }
    // The distance between two signed numbers fits an unsigned one.
    let distance = UInt64(bitPattern: wanted &- first)
    let (row, rest) =
      stride == 1 ? (distance, 0) : distance.quotientAndRemainder(dividingBy: UInt64(stride))
    guard row < UInt64(evenCount) else { return evenCount }
    return Int(row) + (rest == 0 ? 0 : 1)
  }

  /// About what `encode` will write besides the header: nothing for evenly spaced keys.
  var estimatedByteCount: Int {
    guard !isEven, each.count > 0 else { return 0 }
    let isConsecutive = each[each.count - 1] &- each[0] == Int64(each.count - 1)
    return isConsecutive ? 0 : each.estimatedByteCount
  }

  func encode(into out: inout GrowableBytes) {
    if isEven {
      IntBuilder.encode(first: first, stride: stride, count: evenCount, into: &out)
    } else {
      each.encode(into: &out)
    }
  }

  // MARK: Changing

  /// Puts the keys one by one.
  private mutating func spell() {
    guard isEven else { return }
    for row in 0..<evenCount { each.append(first + Int64(row) * stride) }
    stride = 0
    evenCount = 0
  }

  /// Removes all; keeps the memory.
  mutating func removeAll() {
    each.removeAll()
    stride = 0
    evenCount = 0
  }

  /// Adds a key above all others.
  @inline(__always)
  mutating func append(_ key: Int64) {
    if isEven { spell() }
    each.append(key)
  }

  /// Adds keys that lie above all here.
  mutating func append(_ other: RowKeys, _ rows: Range<Int>) {
    for row in rows { append(other[row]) }
  }

  mutating func insert(_ key: Int64, at row: Int) {
    spell()
    each.insert(key, at: row)
  }

  mutating func remove(_ removal: RowRemoval) {
    spell()
    each.remove(removal)
  }

  mutating func truncate(to count: Int) {
    spell()
    each.truncate(to: count)
  }
}
