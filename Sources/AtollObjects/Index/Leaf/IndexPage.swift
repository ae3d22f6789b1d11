import AtollStorage

/// How the values of an index leaf are written.
enum IndexValueForm: UInt8 {
  /// All values are integers.
  case integers = 0
  /// Any values.
  case bytes = 1
  /// All values end in two zero bytes, as strings and data do; these are left out.
  case terminatedBytes = 2

  var terminatorByteCount: Int { self == .terminatedBytes ? 2 : 0 }
}

/// A leaf of index entries as it lies in a page.
///
/// Entries are pairs of a value (an `OrderedKey`) and an object's key; the leaf writes each value
/// once. Little-endian. Normative text: Format.md, "Index leaf".
///
///     offset  size  field
///          0     4  valueCount    n
///          4     4  entryCount    m
///          8     1  form          0 integers, 1 bytes, 2 terminated bytes
///          9     3  reserved      zero
///         12     4  countsOffset  a multiple of 16, as the next
///         16     4  keysOffset
///         20     4  valuesByteCount
///         24     8  reserved      zero
///         32        values: form 0 an integer vector of the n integers, else sorted bytes
///         countsOffset  counts: an integer vector of n values, the entries of each value
///         keysOffset    keys: an integer vector of m values, each an object key with its highest
///                       bit flipped, so that they order as signed integers
///
/// A value may have no entries: where integers lie close, the leaf writes all of a range, which
/// then is an arithmetic sequence without bytes. Between the parts lie zeros.
///
/// Invariant: values ascend strictly, the keys of a value ascend; the counts add up to m. That is
/// checked when the leaf is made mutable and by `check`; reads only check that they stay inside.
struct IndexPage {
  static let headerByteCount = 32
  /// Values and entries of a leaf, at most: equal ones need no bytes, so the page does not bound
  /// them.
  static let entryLimit = 1 << 20
  /// Bytes of the longest value.
  static let valueByteLimit = 1 << 16

  enum Values {
    case integers(IntVector)
    case bytes(SortedBytes)
  }

  let page: Page
  let form: IndexValueForm
  let valueCount: Int
  let entryCount: Int
  let values: Values
  let counts: IntVector
  let keys: IntVector

  /// - Throws: `.corrupted` when the parts do not fit into the page.
  init(_ page: Page) throws(StorageError) {
    let bytes = page.bytes
    let malformed = StorageError.corrupted(
      block: page.reference.block, .structure(.malformedEntries))
    guard bytes.count >= Self.headerByteCount else { throw malformed }
    valueCount = Int(bytes.littleEndian(at: 0, as: UInt32.self))
    entryCount = Int(bytes.littleEndian(at: 4, as: UInt32.self))
    let formAndReserved: UInt32 = bytes.littleEndian(at: 8)
    let countsOffset = Int(bytes.littleEndian(at: 12, as: UInt32.self))
    let keysOffset = Int(bytes.littleEndian(at: 16, as: UInt32.self))
    let valuesByteCount = Int(bytes.littleEndian(at: 20, as: UInt32.self))
    guard formAndReserved <= 0xFF, bytes.littleEndian(at: 24, as: UInt64.self) == 0 else {
      throw .corrupted(block: page.reference.block, .reservedBytesInUse)
    }
    guard let form = IndexValueForm(rawValue: UInt8(formAndReserved)),
      (countsOffset | keysOffset) % 16 == 0,
      Self.headerByteCount + valuesByteCount <= countsOffset,
      countsOffset <= keysOffset, keysOffset <= bytes.count
    else { throw malformed }
    self.page = page
    self.form = form
    let valueBytes = bytes[Self.headerByteCount..<Self.headerByteCount + valuesByteCount]
    counts = try Self.integers(
      bytes[countsOffset..<keysOffset], valueCount, .indexCounts, of: page)
    keys = try Self.integers(bytes[keysOffset..<bytes.count], entryCount, .keys, of: page)
    switch form {
    case .integers:
      values = .integers(try Self.integers(valueBytes, valueCount, .indexValues, of: page))
    case .bytes, .terminatedBytes:
      guard
        let sorted = unsafe SortedBytes(
          decoding: valueBytes.unsafeBytes, count: valueCount,
          terminatorByteCount: form.terminatorByteCount)
      else { throw Self.damage(.indexValues, .lengthsDoNotAddUp, of: page) }
      values = .bytes(sorted)
    }
    guard max(valueCount, entryCount) <= Self.entryLimit else { throw malformed }
  }

  private static func integers(
    _ bytes: ByteView, _ count: Int, _ part: StorageError.VectorPart, of page: Page
  ) throws(StorageError) -> IntVector {
    do throws(ColumnError) {
      let vector = try unsafe IntVector(decoding: bytes.unsafeBytes)
      guard vector.count == count else {
        throw .corrupted(.count(expected: count, found: vector.count))
      }
      return vector
    } catch { throw StorageError(reading: error.at(page.reference.block, part)) }
  }

  private static func damage(
    _ part: StorageError.VectorPart, _ problem: StorageError.VectorProblem, of page: Page
  ) -> StorageError {
    .corrupted(block: page.reference.block, .vector(part, problem))
  }

  var malformed: StorageError {
    .corrupted(block: page.reference.block, .structure(.malformedEntries))
  }

  /// The counts of entries do not fit the entries that the leaf has.
  var malformedCounts: StorageError { Self.damage(.indexCounts, .lengthsDoNotAddUp, of: page) }

  /// A value cannot be put together from the one before.
  var malformedValues: StorageError { Self.damage(.indexValues, .lengthsDoNotAddUp, of: page) }

  // MARK: Search

  /// The first value that is not below `bound`, `valueCount` if there is none, and whether it
  /// equals the bound.
  func search(_ bound: UnsafeRawBufferPointer) throws(StorageError) -> (index: Int, isEqual: Bool) {
    switch values {
    case .integers(let integers): return unsafe Self.search(integers, bound)
    case .bytes(let sorted):
      guard let found = unsafe sorted.search(bound) else { throw malformedValues }
      return found
    }
  }

  private static func search(
    _ integers: IntVector, _ bound: UnsafeRawBufferPointer
  ) -> (index: Int, isEqual: Bool) {
    let target: Int64
    switch unsafe IndexInteger.position(of: bound) {
    case .below: return (0, false)
    case .above: return (integers.count, false)
    case .at(let integer): target = integer
    }
    if integers.width == 0, integers.stride == 1 {
      // All integers of a range.
      let (index, overflow) = target.subtractingReportingOverflow(integers.base)
      if overflow || index < 0 { return (target < integers.base ? 0 : integers.count, false) }
      guard index < integers.count else { return (integers.count, false) }
      return (Int(index), bound.count == IndexInteger.byteCount)
    }
    let low = binarySearch(0..<integers.count) { integers[$0] < target }
    let isEqual =
      low < integers.count && integers[low] == target && bound.count == IndexInteger.byteCount
    return (low, isEqual)
  }

  /// The number of entries of value `index`.
  func keyCount(ofValue index: Int) throws(StorageError) -> Int {
    let count = counts[index]
    guard count >= 0, count <= Int64(entryCount) else { throw malformedCounts }
    return Int(count)
  }

  /// The number of entries before those of value `index`; `valueCount` is allowed.
  func entryCount(beforeValue index: Int) throws(StorageError) -> Int {
    let count = counts.prefixSum(index)
    guard count >= 0, count <= Int64(entryCount) else { throw malformedCounts }
    return Int(count)
  }

  /// The entries of the values in `range`.
  func entries(ofValues range: Range<Int>) throws(StorageError) -> Range<Int> {
    let start = try entryCount(beforeValue: range.lowerBound)
    let end =
      range.count == 1
      ? start + (try keyCount(ofValue: range.lowerBound))
      : try entryCount(beforeValue: range.upperBound)
    guard start <= end, end <= entryCount else { throw malformedCounts }
    return start..<end
  }

  /// The values that lie in `range`.
  func values(in range: IndexRange) throws(StorageError) -> Range<Int> {
    let lower = try unsafe range.lower.withRawBytes { bound throws(StorageError) in
      try unsafe search(bound).index
    }
    guard let bound = range.upper else { return lower..<valueCount }
    let upper = try unsafe bound.withRawBytes { bound throws(StorageError) in
      try unsafe search(bound).index
    }
    return lower..<max(lower, upper)
  }

  // MARK: Contents

  /// The key of entry `entry`.
  func key(_ entry: Int) -> UInt64 { keys[entry].orderedUnsigned }

  /// Adds the keys of `entries` to `target`.
  func appendKeys(_ entries: Range<Int>, to target: inout [UInt64]) {
    guard !entries.isEmpty else { return }
    precondition(entries.lowerBound >= 0 && entries.upperBound <= entryCount, "entries of the leaf")
    let count = target.count
    target.append(contentsOf: repeatElement(0, count: entries.count))
    unsafe target.withUnsafeMutableBufferPointer { target in
      guard let start = target.baseAddress else { return }
      // SAFETY: the array was lengthened by as many keys; both integers have one layout.
      unsafe UnsafeMutableRawPointer(start + count).withMemoryRebound(
        to: Int64.self, capacity: entries.count
      ) {
        unsafe keys.copy(entries, into: $0)
      }
      for index in count..<count + entries.count { unsafe target[index] ^= 1 << 63 }
    }
  }

  /// Replaces `bytes` by value `index`, terminator included.
  func readValue(_ index: Int, into bytes: inout GrowableBytes) throws(StorageError) {
    switch values {
    case .integers(let integers):
      bytes.removeAll()
      IndexInteger.append(integers[index], to: &bytes)
    case .bytes(let sorted):
      guard sorted.read(index, into: &bytes) else { throw malformedValues }
      bytes.appendZeros(sorted.terminatorByteCount)
      guard bytes.count <= Self.valueByteLimit else { throw malformedValues }
    }
  }
}

/// Integers as index values: what `OrderedKey` writes of them, read and written without a `Value`.
enum IndexInteger {
  static let tag = OrderedKey.Tag.int.rawValue
  static let byteCount = 9

  /// The integer whose key these bytes are, or nil.
  @inline(__always)
  static func decode(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    guard bytes.count == byteCount, let start = bytes.baseAddress,
      unsafe start.load(as: UInt8.self) == tag
    else { return nil }
    // SAFETY: nine bytes exist.
    let bits = unsafe start.loadUnaligned(fromByteOffset: 1, as: UInt64.self)
    return UInt64(bigEndian: bits).orderedSigned
  }

  /// What `OrderedKey` writes of an integer.
  static func bytes(_ integer: Int64) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { target, count in
      // SAFETY: there is room for nine bytes.
      unsafe target[0] = tag
      for index in 0..<8 {
        unsafe target[index + 1] = UInt8(
          truncatingIfNeeded: integer.orderedUnsigned >> UInt64(56 - 8 * index))
      }
      count = byteCount
    }
  }

  @inline(__always)
  static func append(_ integer: Int64, to bytes: inout GrowableBytes) {
    // SAFETY: nine bytes are reserved.
    let target = unsafe bytes.reserve(byteCount)
    unsafe target.storeBytes(of: tag, as: UInt8.self)
    let bits = integer.orderedUnsigned.bigEndian
    unsafe target.storeBytes(of: bits, toByteOffset: 1, as: UInt64.self)
    bytes.grow(by: byteCount)
  }

  /// Where a bound lies among the integers.
  enum Position {
    /// Below all of them.
    case below
    /// Above all of them.
    case above
    /// The integers that are not below the bound are those from here on.
    case at(Int64)
  }

  static func position(of bound: UnsafeRawBufferPointer) -> Position {
    // SAFETY: bytes are read only below the count.
    guard let first = unsafe bound.first, first >= tag else { return .below }
    guard first == tag else { return .above }
    var bits: UInt64 = 0
    for index in 1..<byteCount {
      bits = bits << 8 | (index < bound.count ? unsafe UInt64(bound[index]) : 0)
    }
    let integer = bits.orderedSigned
    guard bound.count > byteCount else { return .at(integer) }
    return integer == .max ? .above : .at(integer + 1)
  }
}

extension IntVector {
  /// The sum of the first `count` values, wrapping; a row is a byte in most leaves.
  func prefixSum(_ count: Int) -> Int64 {
    precondition(count >= 0 && count <= self.count, "rows of the vector")
    if width == 0 && stride == 0 { return base &* Int64(count) }
    guard width == 1 else { return sum(0..<count) }
    var sum: UInt32 = 0
    // SAFETY: there are `count` packed bytes; a page has too few of them for the sum to wrap.
    for row in 0..<count { sum &+= UInt32(unsafe packed.load(fromByteOffset: row, as: UInt8.self)) }
    return base &* Int64(count) &+ Int64(sum)
  }
}
