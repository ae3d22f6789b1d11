import AtollStorage

/// The entries of an index leaf in memory: values in full, keys as 64-bit integers.
///
/// Only grows at its end. A change to a leaf is a merge into new contents, so that the byte count
/// is always exact enough to fill pages.
///
/// Invariant: values ascend strictly, each has a key at least, and its keys ascend (they repeat
/// only in a counted index).
struct IndexLeafContents: ~Copyable {
  private struct Value {
    /// Where the value ends in the arena.
    var end: UInt32
    /// The bytes that it has in common with the one before; only known where `measure` asks for it.
    var shared: UInt32
    /// Its first entry.
    var start: UInt32
  }

  /// The values, one behind the other.
  private var arena = GrowableBytes()
  private var values: [Value] = []
  /// Eight bytes an entry: the object's key with its highest bit flipped.
  private var keyBytes = GrowableBytes()
  private(set) var measure = IndexLeafMeasure(form: .integers)

  /// The bytes of all values of a leaf, in full.
  ///
  /// A writer fills no leaf beyond four blocks, unless with a single value: of those that have half
  /// of that in common it takes 28 MiB. A damaged page may claim any number.
  static let arenaByteLimit = 1 << 26

  init() {}

  mutating func removeAll() {
    arena.removeAll()
    values.removeAll(keepingCapacity: true)
    keyBytes.removeAll()
    measure = IndexLeafMeasure(form: .integers)
  }

  // MARK: Reading

  var valueCount: Int { values.count }
  var entryCount: Int { measure.entryCount }
  /// The bytes of the encoded leaf.
  var byteCount: Int { measure.byteCount }

  /// The bytes of value `index`; valid until the next change.
  @inline(__always)
  func value(_ index: Int) -> UnsafeRawBufferPointer {
    let start = index == 0 ? 0 : Int(values[index - 1].end)
    return unsafe arena.bytes(start..<Int(values[index].end))
  }

  /// All keys as `orderedSigned` gives them; valid until the next change.
  @inline(__always)
  var keys: UnsafeBufferPointer<Int64> {
    // SAFETY: the bytes are integers and nothing else, aligned to 16.
    unsafe keyBytes.bytes.bindMemory(to: Int64.self)
  }

  /// The entries of value `index`.
  @inline(__always)
  func entries(ofValue index: Int) -> Range<Int> {
    Int(
      values[index].start)..<(index + 1 < values.count
      ? Int(values[index + 1].start) : entryCount)
  }

  /// The keys of value `index`; valid until the next change.
  @inline(__always)
  func keys(ofValue index: Int) -> UnsafeBufferPointer<Int64> {
    unsafe UnsafeBufferPointer(rebasing: keys[entries(ofValue: index)])
  }

  /// Value `index` in contents of integers only.
  @inline(__always)
  func integer(_ index: Int) -> Int64 {
    guard let integer = unsafe IndexInteger.decode(value(index)) else {
      preconditionFailure("the form says that all values are integers")
    }
    return integer
  }

  /// The bytes that value `index` has in common with the one before, in contents of bytes.
  @inline(__always)
  func sharedByteCount(_ index: Int) -> Int { Int(values[index].shared) }

  /// The first value that is not below `bound`, and whether it equals the bound.
  func search(_ bound: UnsafeRawBufferPointer) -> (index: Int, isEqual: Bool) {
    unsafe search(bound, in: 0..<valueCount)
  }

  /// The same from `start` on; cost: the logarithm of the distance.
  func gallop(
    _ bound: UnsafeRawBufferPointer, from start: Int
  ) -> (index: Int, isEqual: Bool) {
    var low = start
    var stride = 1
    while low + stride < valueCount, unsafe compare(value(low + stride), bound) < 0 {
      low += stride
      stride *= 2
    }
    return unsafe search(bound, in: low..<min(low + stride, valueCount))
  }

  private func search(
    _ bound: UnsafeRawBufferPointer, in range: Range<Int>
  ) -> (index: Int, isEqual: Bool) {
    let low = binarySearch(range) { unsafe compare(value($0), bound) < 0 }
    guard low < valueCount else { return (low, false) }
    return (low, unsafe compare(value(low), bound) == 0)
  }

  /// Where the tree puts an entry.
  func treeKey(value index: Int, entry: Int) -> TreeKey {
    unsafe TreeKey(
      Self.entryBytes(value: value(index), key: keys[entry].orderedUnsigned))
  }

  static func entryBytes(value: UnsafeRawBufferPointer, key: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(value.count + 8)
    unsafe bytes.append(contentsOf: value)
    bytes.appendBigEndian(key)
    return bytes
  }

  /// The shortest key above all entries of `lower` and not above those of `upper`.
  static func separator(
    _ lower: borrowing IndexLeafContents, _ upper: borrowing IndexLeafContents
  ) -> TreeKey {
    let left = unsafe entryBytes(
      value: lower.value(lower.valueCount - 1),
      key: lower.keys[lower.entryCount - 1].orderedUnsigned)
    let right = unsafe entryBytes(
      value: upper.value(0), key: upper.keys[0].orderedUnsigned)
    let common = unsafe left.withRawBytes { left in
      unsafe right.withRawBytes { right in
        unsafe commonByteCount(left, right)
      }
    }
    return TreeKey(Array(right.prefix(common + 1)))
  }

  // MARK: Appending

  /// Adds a value that is not below the last, with keys that ascend from its last key on.
  ///
  /// `limit`: nothing is added when the leaf would take more bytes; false then.
  mutating func append(
    _ value: UnsafeRawBufferPointer, keys added: UnsafeBufferPointer<Int64>, limit: Int = .max
  ) -> Bool {
    guard !added.isEmpty else { return true }
    let (next, common) = unsafe measured(with: value, added)
    guard limit == .max || next.byteCount <= limit else { return false }
    if next.valueCount > valueCount {
      let start = UInt32(truncatingIfNeeded: measure.entryCount)
      unsafe arena.append(value)
      values.append(
        Value(
          end: UInt32(truncatingIfNeeded: arena.count),
          shared: UInt32(truncatingIfNeeded: common), start: start))
    }
    unsafe keyBytes.append(UnsafeRawBufferPointer(added))
    measure = next
    return true
  }

  /// Whether `append` would add these entries.
  mutating func fits(
    _ value: UnsafeRawBufferPointer, keys added: UnsafeBufferPointer<Int64>, limit: Int
  ) -> Bool {
    unsafe added.isEmpty || measured(with: value, added).measure.byteCount <= limit
  }

  /// The measure with some entries more, and what the value has in common with the last.
  @inline(__always)
  private mutating func measured(
    with value: UnsafeRawBufferPointer, _ added: UnsafeBufferPointer<Int64>
  ) -> (measure: IndexLeafMeasure, shared: Int) {
    var common = 0
    var isNew = true
    if valueCount == 0 {
      measure = unsafe IndexLeafMeasure(form: Self.form(of: value))
    } else if measure.form == .integers, let integer = unsafe IndexInteger.decode(value) {
      isNew = integer != measure.lastInteger
    } else {
      unsafe adopt(formOf: value)
      let previous = unsafe self.value(valueCount - 1)
      common = unsafe commonByteCount(previous, value)
      isNew = common < value.count || common < previous.count
    }
    var next = measure
    if isNew { unsafe Self.add(value, shared: common, to: &next) }
    let total = added.count + (isNew ? 0 : entries(ofValue: valueCount - 1).count)
    // SAFETY: there is a key (`append`, `fits`).
    unsafe next.add(
      keyCount: added.count, first: added[0], last: added[added.count - 1], total: total)
    return (next, common)
  }

  /// Adds values of other contents, which lie above the last value here, with all their keys, as
  /// many as fit into `limit` bytes; returns how many.
  ///
  /// Cost: a few nanoseconds a value; their bytes and keys are copied in one go.
  mutating func append(
    _ other: borrowing IndexLeafContents, values range: Range<Int>, limit: Int = .max
  ) -> Int {
    guard !range.isEmpty else { return 0 }
    if valueCount == 0 {
      measure = IndexLeafMeasure(form: other.measure.form)
    } else if measure.form != other.measure.form {
      for index in range
      where unsafe !append(other.value(index), keys: other.keys(ofValue: index), limit: limit) {
        return index - range.lowerBound
      }
      return range.count
    }
    let common: Int
    if measure.form == .integers || valueCount == 0 {
      common = 0
    } else {
      common = unsafe commonByteCount(value(valueCount - 1), other.value(range.lowerBound))
    }
    var next = measure
    for index in range {
      other.add(index, shared: index == range.lowerBound ? common : nil, to: &next)
    }
    var count = range.count
    if limit != .max, next.byteCount > limit {
      next = measure
      count = 0
      while true {
        var longer = next
        other.add(range.lowerBound + count, shared: count == 0 ? common : nil, to: &longer)
        if longer.byteCount > limit { break }
        next = longer
        count += 1
      }
    }
    copy(other, values: range.prefix(count), common: common)
    measure = next
    return count
  }

  /// Adds value `index` to a measure of the same form.
  @inline(__always)
  private func add(_ index: Int, shared: Int?, to measure: inout IndexLeafMeasure) {
    if measure.form == .integers {
      measure.add(integer(index))
    } else {
      let start = index == 0 ? 0 : values[index - 1].end
      measure.add(
        byteCount: Int(values[index].end - start), shared: shared ?? Int(values[index].shared))
    }
    let entries = entries(ofValue: index)
    unsafe measure.add(
      keyCount: entries.count, first: keys[entries.lowerBound],
      last: keys[entries.upperBound - 1], total: entries.count)
  }

  private mutating func copy(
    _ other: borrowing IndexLeafContents, values range: Range<Int>, common: Int
  ) {
    guard let last = range.last else { return }
    let otherStart = range.lowerBound == 0 ? 0 : other.values[range.lowerBound - 1].end
    let entries =
      other.entries(ofValue: range.lowerBound).lowerBound..<other.entries(ofValue: last).upperBound
    let shift = UInt32(truncatingIfNeeded: arena.count) &- otherStart
    let entryShift = UInt32(truncatingIfNeeded: entryCount) &- UInt32(entries.lowerBound)
    let first = values.count
    for index in range {
      var value = other.values[index]
      value.end &+= shift
      value.start &+= entryShift
      values.append(value)
    }
    values[first].shared = UInt32(truncatingIfNeeded: common)
    unsafe arena.append(other.arena.bytes(Int(otherStart)..<Int(other.values[last].end)))
    unsafe keyBytes.append(
      UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: other.keys[entries])))
  }

  /// Adds all entries of `next`, whose first value may be the last one here.
  mutating func absorb(_ next: borrowing IndexLeafContents) {
    guard next.valueCount > 0 else { return }
    let isAppended = unsafe append(next.value(0), keys: next.keys(ofValue: 0))
    let count = append(next, values: 1..<next.valueCount)
    precondition(isAppended && count == next.valueCount - 1, "nothing exceeds no limit")
  }

  private static func form(of value: UnsafeRawBufferPointer) -> IndexValueForm {
    if unsafe IndexInteger.decode(value) != nil { return .integers }
    // SAFETY: the last two bytes exist.
    if value.count > 2, unsafe value[value.count - 1] == 0 && value[value.count - 2] == 0 {
      return .terminatedBytes
    }
    return .bytes
  }

  @inline(__always)
  private static func add(
    _ value: UnsafeRawBufferPointer, shared: Int, to measure: inout IndexLeafMeasure
  ) {
    if measure.form == .integers, let integer = unsafe IndexInteger.decode(value) {
      measure.add(integer)
    } else {
      measure.add(byteCount: value.count, shared: shared)
    }
  }

  /// Gives up a form that `value` does not have.
  @inline(__always)
  private mutating func adopt(formOf value: UnsafeRawBufferPointer) {
    if measure.form == .bytes { return }
    let form = unsafe Self.form(of: value)
    if form != measure.form { adoptBytes() }
  }

  private mutating func adoptBytes() {
    var next = IndexLeafMeasure(form: .bytes)
    for index in 0..<valueCount {
      let value = unsafe self.value(index)
      let common = index == 0 ? 0 : unsafe commonByteCount(self.value(index - 1), value)
      values[index].shared = UInt32(common)
      next.add(byteCount: value.count, shared: common)
      let keys = unsafe keys(ofValue: index)
      unsafe next.add(
        keyCount: keys.count, first: keys[0], last: keys[keys.count - 1], total: keys.count)
    }
    measure = next
  }

  // MARK: Splitting

  /// Whether there are two pairs that differ.
  var isSplittable: Bool {
    if valueCount > 1 { return true }
    guard let first = unsafe keys.first, let last = unsafe keys.last else { return false }
    return first != last
  }

  /// Fills `lower` and `upper`, which are empty, with a half of the entries each; equal pairs stay
  /// together.
  func split(into lower: inout IndexLeafContents, _ upper: inout IndexLeafContents) {
    precondition(isSplittable, "contents of one pair are not split")
    let boundary = middleEntry
    for index in 0..<valueCount {
      let entries = entries(ofValue: index)
      let middle = min(max(boundary, entries.lowerBound), entries.upperBound)
      let value = unsafe value(index)
      // SAFETY: both ranges lie in the entries of the value.
      let isLowerAppended = unsafe lower.append(
        value, keys: UnsafeBufferPointer(rebasing: keys[entries.lowerBound..<middle]))
      let isUpperAppended = unsafe upper.append(
        value, keys: UnsafeBufferPointer(rebasing: keys[middle..<entries.upperBound]))
      let isAppended = isLowerAppended && isUpperAppended
      precondition(isAppended, "nothing exceeds no limit")
    }
  }

  /// The entry in the middle, or the nearest that differs from the one before.
  private var middleEntry: Int {
    let middle = entryCount / 2
    for distance in 0..<entryCount {
      if middle + distance < entryCount, isBoundary(middle + distance) { return middle + distance }
      if middle - distance > 0, isBoundary(middle - distance) { return middle - distance }
    }
    preconditionFailure("contents of several pairs have a boundary")
  }

  private func isBoundary(_ entry: Int) -> Bool {
    guard entry > 0 else { return false }
    if unsafe keys[entry - 1] != keys[entry] { return true }
    let low = binarySearch(0..<values.count) { Int(values[$0].start) < entry }
    return low < values.count && Int(values[low].start) == entry
  }

  // MARK: Decoding

  /// Takes over the entries of a page; there are none here yet.
  ///
  /// - Throws: `.corrupted` when they break a rule of the leaf.
  mutating func load(_ page: IndexPage) throws(StorageError) {
    precondition(valueCount == 0, "a page is loaded into empty contents")
    let block = page.page.reference.block
    // SAFETY: room for all keys is reserved.
    let target = unsafe keyBytes.reserve(page.entryCount * 8)
    unsafe page.keys.copy(
      0..<page.entryCount,
      into: target.bindMemory(to: Int64.self, capacity: page.entryCount))
    keyBytes.grow(by: page.entryCount * 8)
    measure = IndexLeafMeasure(form: page.form)
    var cursor = IndexPage.ValueCursor(page)
    for index in 0..<page.valueCount {
      guard try cursor.next() else { throw page.malformedValues }
      let count = try page.keyCount(ofValue: index)
      if count == 0 { continue }
      guard count <= page.entryCount - entryCount else { throw page.malformedCounts }
      // SAFETY: only the count is used.
      guard unsafe cursor.bytes.count <= Self.arenaByteLimit - arena.count else {
        throw page.malformedValues
      }
      guard unsafe add(cursor.bytes, keyCount: count) else {
        throw .corrupted(block: block, .structure(.keysOutOfOrder))
      }
    }
    guard entryCount == page.entryCount else { throw page.malformedCounts }
    guard entryCount > 0 else { throw .corrupted(block: block, .structure(.emptyPage)) }
  }

  /// Adds a value to keys that are there already; false when either is not in order.
  private mutating func add(_ value: UnsafeRawBufferPointer, keyCount: Int) -> Bool {
    var common = 0
    if valueCount > 0 {
      let previous = unsafe self.value(valueCount - 1)
      common = unsafe commonByteCount(previous, value)
      // SAFETY: `common` is compared with both byte counts first.
      guard common < value.count,
        unsafe common == previous.count || previous[common] < value[common]
      else { return false }
    }
    let start = entryCount
    let keys = unsafe UnsafeBufferPointer(rebasing: keys[start..<start + keyCount])
    var isOrdered = true
    // SAFETY: both lie in the value's keys.
    for index in 1..<keyCount { isOrdered = unsafe isOrdered && keys[index - 1] <= keys[index] }
    guard isOrdered else { return false }
    unsafe Self.add(value, shared: common, to: &measure)
    unsafe measure.add(
      keyCount: keyCount, first: keys[0], last: keys[keyCount - 1], total: keyCount)
    unsafe arena.append(value)
    values.append(
      Value(
        end: UInt32(truncatingIfNeeded: arena.count),
        shared: UInt32(truncatingIfNeeded: common), start: UInt32(truncatingIfNeeded: start)))
    return true
  }
}
