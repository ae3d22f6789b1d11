import AtollStorage

/// Merges a leaf with sorted changes into the leaves that take its place.
///
/// Leaves are filled; of two that one overflowing leaf becomes, each gets a half.
struct IndexMerge: ~Copyable {
  typealias Add = (MutableIndexLeaf) throws(StorageError) -> Bool

  private let mode: IndexMode
  /// Whether the leaf is the last of the tree.
  private let isLast: Bool
  /// What leaves are filled to.
  ///
  /// At the end of the tree, where loads come, a sixteenth is left, so that the first insertions
  /// after a load do not split every leaf.
  private let byteLimit: Int
  /// Bytes that a leaf of the tree should not exceed.
  private let leafByteLimit: Int
  private var current: IndexLeafContents
  /// The full contents before `current`, kept back until those are full too.
  private var full: IndexLeafContents?
  private var fullSeparator: TreeKey?
  /// Memory of a leaf that was stored.
  private var spareContents: IndexLeafContents?
  /// The merged keys of a value.
  private var merged = GrowableBytes()

  /// `spare`: contents whose memory is used.
  init(
    mode: IndexMode, leafByteLimit: Int, isLast: Bool, spare: consuming IndexLeafContents
  ) {
    self.mode = mode
    self.isLast = isLast
    self.leafByteLimit = leafByteLimit
    byteLimit = isLast ? leafByteLimit / 16 * 15 : leafByteLimit
    current = spare
    current.removeAll()
  }

  /// Memory for the next merge.
  consuming func spare() -> IndexLeafContents { spareContents.take() ?? IndexLeafContents() }

  /// Merges changes `range` of the buffer, which are sorted and belong into the leaf.
  ///
  /// `startsValue`: for each change of the buffer, whether its value differs from the one before.
  ///
  /// `add`: takes the leaves from left to right; returns whether it is done with the leaf.
  mutating func run(
    _ old: borrowing IndexLeafContents, _ buffer: borrowing IndexBuffer, _ range: Range<Int>,
    _ startsValue: [Bool], add: Add
  ) throws(StorageError) {
    let changes = unsafe buffer.changes
    var scratch = GrowableBytes()
    var oldIndex = 0
    var next = range.lowerBound
    while next < range.upperBound {
      let value = unsafe buffer.value(changes[next], &scratch)
      var end = next + 1
      while end < range.upperBound, !startsValue[end] { end += 1 }
      let (index, isEqual) = unsafe old.gallop(value, from: oldIndex)
      try append(old, values: oldIndex..<index, add)
      oldIndex = isEqual ? index + 1 : index
      merged.removeAll()
      unsafe Self.mergeKeys(
        isEqual ? old.keys(ofValue: index) : UnsafeBufferPointer(start: nil, count: 0),
        UnsafeBufferPointer(rebasing: UnsafeBufferPointer(changes)[next..<end]), mode,
        into: &merged)
      // SAFETY: the bytes are integers and nothing else.
      try unsafe append(value, merged.bytes.bindMemory(to: Int64.self), add)
      next = end
    }
    try append(old, values: oldIndex..<old.valueCount, add)
    try finish(add)
  }

  /// Merges the keys of one value with its changes, both in the order of their keys.
  static func mergeKeys(
    _ old: UnsafeBufferPointer<Int64>, _ changes: UnsafeBufferPointer<IndexChange>,
    _ mode: IndexMode, into merged: inout GrowableBytes
  ) {
    var oldIndex = 0
    var next = 0
    // SAFETY: both indices are compared with the counts before each use.
    while next < changes.count {
      let key = unsafe changes[next].key
      let orderedKey = key.orderedSigned
      while oldIndex < old.count, unsafe old[oldIndex] < orderedKey {
        unsafe merged.append(old[oldIndex])
        oldIndex += 1
      }
      var times = 0
      while oldIndex < old.count, unsafe old[oldIndex] == orderedKey {
        times += 1
        oldIndex += 1
      }
      repeat {
        let isRemoval = unsafe changes[next].isRemoval
        times = mode == .counted ? times + (isRemoval ? -1 : 1) : isRemoval ? 0 : 1
        next += 1
      } while unsafe next < changes.count && changes[next].key == key
      while times > 0 {
        merged.append(orderedKey)
        times -= 1
      }
    }
    unsafe merged.append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: old[oldIndex...])))
  }

  /// The keys of one value with its changes, both in the order of their keys.
  static func merged(_ keys: [UInt64], _ changes: [IndexChange], _ mode: IndexMode) -> [UInt64] {
    unsafe changes.withUnsafeBufferPointer { unsafe merged(keys, $0, mode) }
  }

  static func merged(
    _ keys: [UInt64], _ changes: UnsafeBufferPointer<IndexChange>, _ mode: IndexMode
  ) -> [UInt64] {
    let stored = keys.map(\.orderedSigned)
    var merged = GrowableBytes()
    unsafe stored.withUnsafeBufferPointer { stored in
      unsafe mergeKeys(stored, changes, mode, into: &merged)
    }
    // SAFETY: the bytes are integers and nothing else.
    return unsafe merged.bytes.bindMemory(to: Int64.self).map {
      $0.orderedUnsigned
    }
  }

  // MARK: Output

  /// Adds values of the old leaf as they are.
  private mutating func append(
    _ old: borrowing IndexLeafContents, values range: Range<Int>, _ add: Add
  ) throws(StorageError) {
    var next = range.lowerBound
    while true {
      next += current.append(
        old, values: next..<range.upperBound, limit: byteLimit)
      guard next < range.upperBound else { return }
      try unsafe append(old.value(next), old.keys(ofValue: next), add)
      next += 1
    }
  }

  /// Adds a value's keys, cutting them where a leaf is full.
  ///
  /// Equal pairs are never cut apart, as no key could separate them.
  private mutating func append(
    _ value: UnsafeRawBufferPointer, _ keys: UnsafeBufferPointer<Int64>, _ add: Add
  ) throws(StorageError) {
    var rest = unsafe keys
    while !rest.isEmpty {
      if unsafe current.append(value, keys: rest, limit: byteLimit) { return }
      let count = unsafe fittingCount(value, rest)
      if count > 0 {
        let isAppended = unsafe current.append(
          value, keys: UnsafeBufferPointer(rebasing: rest[..<count]))
        precondition(isAppended, "nothing exceeds no limit")
        unsafe rest = UnsafeBufferPointer(rebasing: rest[count...])
      }
      if !rest.isEmpty { try cut(add) }
    }
  }

  /// How many of the keys fit into `current`; at least the first with its copies if that is empty.
  private mutating func fittingCount(
    _ value: UnsafeRawBufferPointer, _ keys: UnsafeBufferPointer<Int64>
  ) -> Int {
    var low = 0
    var high = keys.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      let first = unsafe UnsafeBufferPointer(rebasing: keys[..<middle])
      if unsafe current.fits(value, keys: first, limit: byteLimit) {
        low = middle
      } else {
        high = middle - 1
      }
    }
    while low > 0, unsafe keys[low - 1] == keys[low] { low -= 1 }
    if low == 0, current.entryCount == 0 {
      low = 1
      while low < keys.count, unsafe keys[low] == keys[0] { low += 1 }
    }
    return low
  }

  /// Begins the next leaf; an entry of it always follows.
  private mutating func cut(_ add: Add) throws(StorageError) {
    var separator: TreeKey?
    if let contents = full.take() {
      separator = IndexLeafContents.separator(contents, current)
      try pass(contents, fullSeparator, add)
    }
    fullSeparator = separator
    full = takeCurrent()
  }

  private mutating func takeCurrent() -> IndexLeafContents {
    var contents = spareContents.take() ?? IndexLeafContents()
    swap(&contents, &current)
    return contents
  }

  /// Passes the last one or two leaves on.
  private mutating func finish(_ add: Add) throws(StorageError) {
    guard var contents = full.take() else {
      if current.entryCount > 0 { try pass(takeCurrent(), nil, add) }
      return
    }
    // At the right end the last leaf may be short: a load that goes on fills it.
    if !isLast, current.byteCount < leafByteLimit / 2 {
      contents.absorb(current)
      current.removeAll()
      var upper = IndexLeafContents()
      contents.split(into: &current, &upper)
      let separator = IndexLeafContents.separator(current, upper)
      try pass(takeCurrent(), fullSeparator, add)
      try pass(upper, separator, add)
    } else {
      let separator = IndexLeafContents.separator(contents, current)
      try pass(contents, fullSeparator, add)
      try pass(takeCurrent(), separator, add)
    }
  }

  private mutating func pass(
    _ contents: consuming IndexLeafContents, _ separator: TreeKey?, _ add: Add
  ) throws(StorageError) {
    let leaf = MutableIndexLeaf(contents, separator: separator, byteLimit: leafByteLimit)
    guard try add(leaf) else { return }
    var spare = leaf.takeContents()
    spare.removeAll()
    spareContents = consume spare
  }
}
