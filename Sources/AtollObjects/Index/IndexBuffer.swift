import AtollStorage

/// One buffered change of an index: an entry to be inserted or removed.
struct IndexChange {
  /// In a buffer of integers, the value: its highest bit flipped, so that it orders as it should.
  ///
  /// Else what the sort compares: eight bytes of the value, or the key.
  var window: UInt64
  var key: UInt64
  /// Where the value lies in the buffer's arena; in a buffer of integers, the number of the change.
  ///
  /// Later changes have larger ones.
  var start: UInt32
  /// The value's byte count, and the highest bit when the change removes.
  private var byteCountAndRemoval: UInt32

  init(window: UInt64, key: UInt64, start: Int, byteCount: Int, isRemoval: Bool) {
    self.window = window
    self.key = key
    self.start = UInt32(truncatingIfNeeded: start)
    byteCountAndRemoval = UInt32(truncatingIfNeeded: byteCount) | (isRemoval ? 1 << 31 : 0)
  }

  var byteCount: Int { Int(byteCountAndRemoval & 0x7FFF_FFFF) }
  var isRemoval: Bool { byteCountAndRemoval >> 31 != 0 }
}

/// The changes of an index that its tree does not have yet.
///
/// As long as all values are integers they lie in the changes; the first other value moves them to
/// the arena.
///
/// Cost: about 20 ns a change; 24 bytes, and those of a value that is not an integer.
struct IndexBuffer: ~Copyable {
  private var arena = GrowableBytes()
  private var hasIntegersOnly = true
  private var changeBytes = GrowableBytes()
  private(set) var count = 0
  /// Finds the changes of a value; nil until it is first asked for.
  private var lookup: Lookup?
  private var isLookedUp = false

  /// Beyond either, the buffer should be applied: it takes about 200 MB then, sorting as much
  /// again.
  static let countLimit = 1 << 22
  static let arenaByteLimit = 1 << 28

  var isFull: Bool { count >= Self.countLimit || arena.count >= Self.arenaByteLimit }

  /// Whether the values nearly need places of more than 32 bits.
  ///
  /// What a transaction changes is applied long before that (`isFull`); a damaged file may claim
  /// any number of entries.
  var isOverlong: Bool {
    max(arena.count, count * IndexInteger.byteCount) > Int(UInt32.max) - (1 << 30)
  }

  mutating func removeAll() {
    arena.removeAll()
    hasIntegersOnly = true
    changeBytes.removeAll()
    count = 0
    lookup = nil
  }

  /// Gives the memory back as well.
  mutating func releaseMemory() {
    arena = GrowableBytes()
    hasIntegersOnly = true
    changeBytes = GrowableBytes()
    count = 0
    lookup = nil
  }

  /// The changes in the order in which they were made; valid until the next.
  var changes: UnsafeMutableBufferPointer<IndexChange> {
    // SAFETY: the bytes are changes and nothing else; the buffer owns the memory.
    unsafe UnsafeMutableBufferPointer(
      mutating: changeBytes.bytes.bindMemory(to: IndexChange.self))
  }

  /// The value of a change; valid until the next is added, or `scratch` changes.
  @inline(__always)
  func value(_ change: IndexChange, _ scratch: inout GrowableBytes) -> UnsafeRawBufferPointer {
    if hasIntegersOnly {
      scratch.removeAll()
      IndexInteger.append(change.window.orderedSigned, to: &scratch)
      return unsafe scratch.bytes
    }
    let start = Int(change.start)
    return unsafe arena.bytes(start..<start + change.byteCount)
  }

  /// Visits the changes in the order in which they lie.
  func forEach(
    _ body: (_ value: UnsafeRawBufferPointer, IndexChange) throws(StorageError) -> Void
  ) throws(StorageError) {
    var scratch = GrowableBytes()
    for index in 0..<count {
      let change = unsafe changes[index]
      try unsafe body(value(change, &scratch), change)
    }
  }

  // MARK: Adding

  mutating func add(_ value: UnsafeRawBufferPointer, key: UInt64, isRemoval: Bool)
    throws(StorageError)
  {
    if hasIntegersOnly, let integer = unsafe IndexInteger.decode(value) {
      add(integer, key: key, isRemoval: isRemoval)
      return
    }
    try check(value.count)
    moveIntegers()
    let start = arena.count
    unsafe arena.append(value)
    add(start, key, isRemoval)
  }

  mutating func add(_ integer: Int64, key: UInt64, isRemoval: Bool) {
    if hasIntegersOnly {
      add(
        IndexChange(
          window: integer.orderedUnsigned, key: key, start: count,
          byteCount: IndexInteger.byteCount, isRemoval: isRemoval))
      return
    }
    let start = arena.count
    IndexInteger.append(integer, to: &arena)
    add(start, key, isRemoval)
  }

  /// Makes room for other values: the integers go to the arena.
  @inline(__always)
  private mutating func moveIntegers() {
    if hasIntegersOnly { moveIntegersToArena() }
  }

  private mutating func moveIntegersToArena() {
    let changes = unsafe changes
    for index in 0..<count {
      unsafe changes[index].start = UInt32(truncatingIfNeeded: arena.count)
      unsafe IndexInteger.append(changes[index].window.orderedSigned, to: &arena)
    }
    hasIntegersOnly = false
  }

  /// Adds a string as `OrderedKey` writes it: tag, bytes with an FF behind every 00, 00 00.
  ///
  /// Of one that is too long, the beginning, as `Index.bytes` has it.
  mutating func add(string utf8: UnsafeRawBufferPointer, key: UInt64, isRemoval: Bool) {
    moveIntegers()
    let start = arena.count
    if unsafe utf8.count + 3 > Index.valueByteLimit || Self.containsZero(utf8) {
      var bytes = [OrderedKey.Tag.string.rawValue]
      for index in 0..<utf8.count {
        let byte = unsafe utf8[index]
        bytes.append(byte)
        if byte == 0 { bytes.append(0xFF) }
      }
      bytes += [0, 0]
      bytes.removeLast(max(0, bytes.count - Index.valueByteLimit))
      unsafe bytes.withRawBytes { unsafe arena.append($0) }
    } else {
      // SAFETY: room for all bytes is reserved.
      let target = unsafe arena.reserve(utf8.count + 3)
      unsafe target.storeBytes(of: OrderedKey.Tag.string.rawValue, as: UInt8.self)
      if let source = utf8.baseAddress {
        unsafe (target + 1).copyMemory(from: source, byteCount: utf8.count)
      }
      unsafe (target + 1 + utf8.count).storeBytes(of: 0, as: UInt16.self)
      arena.grow(by: utf8.count + 3)
    }
    add(start, key, isRemoval)
  }

  private func check(_ byteCount: Int) throws(StorageError) {
    guard byteCount <= Index.valueByteLimit else {
      throw .valueTooLarge(byteCount: byteCount, limit: Index.valueByteLimit)
    }
  }

  private static func containsZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    var offset = 0
    // SAFETY: every load ends at or before the byte count.
    while offset &+ 8 <= bytes.count {
      let word = unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      // A borrow out of a byte whose high bit was clear: the byte was zero.
      if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
      offset &+= 8
    }
    while offset < bytes.count {
      if unsafe start.load(fromByteOffset: offset, as: UInt8.self) == 0 { return true }
      offset &+= 1
    }
    return false
  }

  @inline(__always)
  private mutating func add(_ start: Int, _ key: UInt64, _ isRemoval: Bool) {
    add(
      IndexChange(
        window: 0, key: key, start: start, byteCount: arena.count - start, isRemoval: isRemoval))
  }

  @inline(__always)
  private mutating func add(_ change: IndexChange) {
    changeBytes.append(change)
    count &+= 1
    if isLookedUp { link() }
  }

  // MARK: Sorting

  /// Sorts the changes by value, then key, then the order in which they were made.
  ///
  /// Nothing is added before `removeAll`. Returns for each change whether its value differs from
  /// the one before.
  mutating func sort() -> [Bool] {
    lookup = nil
    if hasIntegersOnly { return unsafe IndexChangeSort(changes, arena: nil).startsValue }
    // The sort loads eight bytes at a time.
    arena.appendZeros(8)
    guard let start = unsafe arena.bytes.baseAddress else {
      preconditionFailure("there are values")
    }
    return unsafe IndexChangeSort(changes, arena: start).startsValue
  }

  /// The first change from `start` on that is not below `bound`, when they are sorted; `count` if
  /// there is none or nothing bounds.
  ///
  /// Cost: the logarithm of the distance.
  func firstIndex(from start: Int, notBelow bound: TreeKey?) -> Int {
    guard let bound = bound?.bytes else { return count }
    var scratch = GrowableBytes()
    return unsafe bound.withRawBytes { bound in
      var low = start
      var stride = 1
      while low + stride < count, unsafe isBelow(changes[low + stride], bound, &scratch) {
        low += stride
        stride *= 2
      }
      var high = min(low + stride, count)
      while low < high {
        let middle = (low + high) / 2
        if unsafe isBelow(changes[middle], bound, &scratch) {
          low = middle + 1
        } else {
          high = middle
        }
      }
      return low
    }
  }

  /// Whether value ‖ key of a change lies below `bound`.
  private func isBelow(
    _ change: IndexChange, _ bound: UnsafeRawBufferPointer, _ scratch: inout GrowableBytes
  ) -> Bool {
    let value = unsafe value(change, &scratch)
    // SAFETY: slices of at most both byte counts.
    if value.count >= bound.count { return unsafe compare(value, bound) < 0 }
    let order = unsafe compare(value, UnsafeRawBufferPointer(rebasing: bound[..<value.count]))
    if order != 0 { return order < 0 }
    return unsafe withUnsafeBytes(of: change.key.bigEndian) { key in
      unsafe compare(key, UnsafeRawBufferPointer(rebasing: bound[value.count...])) < 0
    }
  }

  // MARK: Looking up

  /// Chains of the changes whose values have one hash, newest first.
  private struct Lookup {
    /// The newest change of each chain, -1 where there is none; a power of two, at least twice as
    /// many as changes.
    var heads: [Int32]
    /// The change before in the chain, or -1.
    var previous: [Int32]
  }

  /// Whether there is any change of `value`.
  mutating func containsChange(of value: UnsafeRawBufferPointer) -> Bool {
    var isFound = false
    unsafe forEachChange(of: value) { _ in
      isFound = true
      return false
    }
    return isFound
  }

  /// The changes of `value` in the order of their keys, those of one key as they were made.
  mutating func changes(of value: UnsafeRawBufferPointer) -> [IndexChange] {
    var found: [IndexChange] = []
    unsafe forEachChange(of: value) { change in
      found.append(change)
      return true
    }
    found.sort { $0.key != $1.key ? $0.key < $1.key : $0.start < $1.start }
    return found
  }

  /// Visits the changes of `value`, newest first, until `body` returns false.
  private mutating func forEachChange(
    of value: UnsafeRawBufferPointer, _ body: (IndexChange) -> Bool
  ) {
    isLookedUp = true
    guard count > 0 else { return }
    if lookup == nil { link() }
    guard let lookup else { return }
    let changes = unsafe changes
    var scratch = GrowableBytes()
    var index = Int(lookup.heads[unsafe Self.slot(value, lookup.heads.count)])
    while index >= 0 {
      let change = unsafe changes[index]
      if unsafe compare(self.value(change, &scratch), value) == 0, !body(change) { return }
      index = Int(lookup.previous[index])
    }
  }

  private static func slot(_ value: UnsafeRawBufferPointer, _ slotCount: Int) -> Int {
    unsafe Int(truncatingIfNeeded: hash(value) &>> 20) & (slotCount - 1)
  }

  /// Adds the changes that the chains do not have yet.
  private mutating func link() {
    var lookup = self.lookup.take() ?? Lookup(heads: [], previous: [])
    if lookup.heads.count < 2 * count {
      var slotCount = max(1024, lookup.heads.count)
      while slotCount < 4 * count { slotCount *= 2 }
      lookup.heads = [Int32](repeating: -1, count: slotCount)
      lookup.previous.removeAll(keepingCapacity: true)
    }
    let changes = unsafe changes
    var scratch = GrowableBytes()
    while lookup.previous.count < count {
      let index = lookup.previous.count
      let slot = unsafe Self.slot(value(changes[index], &scratch), lookup.heads.count)
      lookup.previous.append(lookup.heads[slot])
      lookup.heads[slot] = Int32(truncatingIfNeeded: index)
    }
    self.lookup = lookup
  }
}
