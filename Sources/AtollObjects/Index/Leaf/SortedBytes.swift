/// Byte strings in ascending order as they lie in an index leaf, each written as its difference
/// from the one before.
///
/// Normative text: Format.md, "Sorted bytes". With n values and r = ⌈n / 16⌉:
///
///     offset  size  field
///          0     4  prefixByteCount  p
///          4     4  entryByteCount   e
///          8    4r  restarts         where values 0, 16, 32, … start in the entries
///       8+4r     p  prefix           the bytes that all values begin with
///     8+4r+p     e  entries
///
/// The entry of value 0, 16, 32, …: a varint, the byte count beyond the prefix, then those bytes.
/// Any other entry: a byte whose low four bits are d and whose high four bits are a, where 15 means
/// that a varint with the rest follows (first d's, then a's), then a bytes. The value is the one
/// before without its last d bytes, followed by the a bytes.
///
/// A leaf may leave out the two zero bytes in which all its values end (`terminatorByteCount`);
/// "value" above means what is left. Numbers are little-endian, varints LEB128.
///
/// Chosen over a bytes vector with LZ4 because a value is found without decoding the leaf, and is
/// smaller: 2.4 bytes for a name among 200 000 against 5.
///
/// The memory belongs to the page. Construction checks where the parts lie, every step where it
/// reads: damaged bytes give nil, never a read outside.
@safe
struct SortedBytes {
  static let restartInterval = 16
  static let headerByteCount = 8
  /// No varint of this structure is larger: no page is.
  static let lengthLimit = 1 << 20

  let count: Int
  let terminatorByteCount: Int
  let prefix: UnsafeRawBufferPointer
  private let restarts: UnsafeRawPointer
  private let entries: UnsafeRawPointer
  private let entryByteCount: Int

  /// Finds the parts in exactly `bytes`; nil when they do not fit.
  init?(decoding bytes: UnsafeRawBufferPointer, count: Int, terminatorByteCount: Int) {
    guard let start = bytes.baseAddress, bytes.count >= Self.headerByteCount else { return nil }
    // SAFETY: the header is in bounds (above), the rest is compared with the byte count below.
    let prefixByteCount = unsafe Int(start.loadUnaligned(as: UInt32.self))
    entryByteCount = unsafe Int(start.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    let restartByteCount = Self.restartCount(count) * 4
    let prefixOffset = Self.headerByteCount + restartByteCount
    guard prefixOffset + prefixByteCount + entryByteCount == bytes.count else { return nil }
    self.count = count
    self.terminatorByteCount = terminatorByteCount
    unsafe restarts = start + Self.headerByteCount
    unsafe prefix = UnsafeRawBufferPointer(start: start + prefixOffset, count: prefixByteCount)
    unsafe entries = start + prefixOffset + prefixByteCount
  }

  static func restartCount(_ count: Int) -> Int { (count + restartInterval - 1) / restartInterval }

  // MARK: Steps

  /// How a value differs from the one before: bytes dropped at its end, then bytes added.
  @safe
  struct Step {
    var droppedByteCount: Int
    var added: UnsafeRawBufferPointer
  }

  /// Reads the step at `position` and moves behind it.
  @inline(__always)
  private func step(_ position: inout Int) -> Step? {
    guard position < entryByteCount else { return nil }
    // SAFETY: in bounds (above).
    let byte = unsafe entries.load(fromByteOffset: position, as: UInt8.self)
    position &+= 1
    var dropped = Int(byte & 15)
    var added = Int(byte &>> 4)
    if dropped == 15 {
      guard let more = varint(&position) else { return nil }
      dropped &+= more
    }
    if added == 15 {
      guard let more = varint(&position) else { return nil }
      added &+= more
    }
    guard let bytes = unsafe run(added, &position) else { return nil }
    return unsafe Step(droppedByteCount: dropped, added: bytes)
  }

  /// The bytes of restart number `restart`, below the number of restarts; moves `position` behind.
  private func restart(_ restart: Int, _ position: inout Int) -> UnsafeRawBufferPointer? {
    // SAFETY: there are `restartCount` restarts.
    position = unsafe Int(restarts.loadUnaligned(fromByteOffset: restart &* 4, as: UInt32.self))
    guard let byteCount = varint(&position) else { return nil }
    return unsafe run(byteCount, &position)
  }

  @inline(__always)
  private func run(_ byteCount: Int, _ position: inout Int) -> UnsafeRawBufferPointer? {
    guard byteCount <= entryByteCount &- position else { return nil }
    // SAFETY: in bounds (above).
    let bytes = unsafe UnsafeRawBufferPointer(start: entries + position, count: byteCount)
    position &+= byteCount
    return unsafe bytes
  }

  private func varint(_ position: inout Int) -> Int? {
    var value = 0
    var shift = 0
    while position < entryByteCount, shift < 28 {
      // SAFETY: in bounds (above).
      let byte = unsafe entries.load(fromByteOffset: position, as: UInt8.self)
      position &+= 1
      value |= Int(byte & 0x7F) &<< shift
      if byte < 0x80 { return value <= Self.lengthLimit ? value : nil }
      shift &+= 7
    }
    return nil
  }

  // MARK: Search

  /// The first value that is not below `target`, and whether it equals it; nil when damaged.
  ///
  /// Cost: a binary search over the restarts and at most 15 steps, without putting a value
  /// together.
  func search(_ target: UnsafeRawBufferPointer) -> (index: Int, isEqual: Bool)? {
    let common = unsafe commonByteCount(prefix, target)
    if unsafe common < prefix.count {
      // SAFETY: both are at least this long.
      guard common < target.count, unsafe prefix[common] < target[common] else {
        return (0, false)
      }
      return (count, false)
    }
    // SAFETY: the target is at least as long as the prefix.
    let rest = unsafe UnsafeRawBufferPointer(rebasing: target[common...])

    var position = 0
    var low = 0
    var high = Self.restartCount(count)
    while low < high {
      let middle = (low &+ high) / 2
      guard let bytes = unsafe restart(middle, &position) else { return nil }
      let order = unsafe compareTerminated(bytes, rest)
      if order == 0 { return (middle &* Self.restartInterval, true) }
      if order < 0 { low = middle &+ 1 } else { high = middle }
    }
    guard low > 0, let bytes = unsafe restart(low &- 1, &position) else {
      return low > 0 ? nil : (0, false)
    }

    // What the last value, which lies below the target, has in common with it: a value that shares
    // more than this with the last one lies below too, one that shares less lies above.
    var matched = unsafe commonByteCount(bytes, rest)
    var byteCount = bytes.count
    let end = min(low &* Self.restartInterval, count)
    for index in ((low &- 1) &* Self.restartInterval &+ 1)..<end {
      guard let step = step(&position), step.droppedByteCount <= byteCount else { return nil }
      let shared = byteCount &- step.droppedByteCount
      byteCount = unsafe shared &+ step.added.count
      if shared > matched { continue }
      if shared < matched { return (index, false) }
      // SAFETY: at most all bytes of `rest` are matched.
      let unmatched = unsafe UnsafeRawBufferPointer(rebasing: rest[matched...])
      let order = unsafe compareTerminated(step.added, unmatched)
      if order >= 0 { return (index, order == 0) }
      matched &+= unsafe commonByteCount(step.added, unmatched)
    }
    return (end, false)
  }

  /// Compares `bytes` and the terminator behind them with `target`.
  private func compareTerminated(
    _ bytes: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer
  ) -> Int {
    if terminatorByteCount == 0 || bytes.count >= target.count {
      // Where the target ends first or both at once, a terminator only adds to the same answer.
      let order = unsafe compare(bytes, target)
      return order == 0 ? terminatorByteCount : order
    }
    // SAFETY: the target is longer than `bytes`.
    let order = unsafe compare(bytes, UnsafeRawBufferPointer(rebasing: target[..<bytes.count]))
    if order != 0 { return order }
    for offset in bytes.count..<min(target.count, bytes.count + terminatorByteCount) {
      if unsafe target[offset] > 0 { return -1 }
    }
    return bytes.count + terminatorByteCount - target.count
  }

  // MARK: Values

  /// Replaces `value` by value `index` without its terminator; false when damaged.
  func read(_ index: Int, into value: inout GrowableBytes) -> Bool {
    precondition(index >= 0 && index < count, "a value of the leaf")
    var cursor = EntryCursor(self, at: index & ~(Self.restartInterval - 1))
    while true {
      guard cursor.next(into: &value) else { return false }
      if cursor.index > index { return true }
    }
  }

  /// Reads values one after the other.
  @safe
  struct EntryCursor {
    private let values: SortedBytes
    private var position = 0
    /// The value that is read next.
    private(set) var index: Int

    /// A cursor that stands before value `index`, which has a restart.
    init(_ values: SortedBytes, at index: Int) {
      precondition(index % SortedBytes.restartInterval == 0, "a value with a restart")
      self.values = values
      self.index = index
    }

    /// Turns `value`, the value read last, into the next, without its terminator.
    ///
    /// Returns false when damaged; asked for only while values are left.
    mutating func next(into value: inout GrowableBytes) -> Bool {
      precondition(index < values.count, "values are left")
      if index % SortedBytes.restartInterval == 0 {
        guard
          let bytes = unsafe values.restart(index / SortedBytes.restartInterval, &position)
        else { return false }
        value.removeAll()
        unsafe value.append(values.prefix)
        unsafe value.append(bytes)
      } else {
        guard let step = values.step(&position),
          unsafe step.droppedByteCount <= value.count - values.prefix.count
        else { return false }
        value.truncate(to: value.count - step.droppedByteCount)
        unsafe value.append(step.added)
      }
      index += 1
      return true
    }
  }
}

// SAFETY: the memory is never written while a view of it exists.
extension SortedBytes: @unchecked Sendable {}

/// How many bytes both begin with.
@inline(__always)
func commonByteCount(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  let limit = min(left.count, right.count)
  guard limit > 0, let a = left.baseAddress, let b = right.baseAddress else { return 0 }
  var offset = 0
  // SAFETY: each load ends at or before `limit`, inside both.
  while offset &+ 8 <= limit {
    let left = unsafe a.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let right = unsafe b.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let difference = left ^ right
    if difference != 0 { return offset &+ difference.trailingZeroBitCount / 8 }
    offset &+= 8
  }
  while offset < limit,
    unsafe a.load(fromByteOffset: offset, as: UInt8.self)
      == b.load(fromByteOffset: offset, as: UInt8.self)
  {
    offset &+= 1
  }
  return offset
}

extension [UInt8] {
  /// Lends the array's bytes for the length of the call.
  ///
  /// As `withByteView`, but compiled into the caller: a look-up lends its value twice, and the call
  /// of a generic function of another module costs 100 ns.
  @inline(__always)
  func withRawBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: the bytes do not leave the closure, during which the array stays put.
    try unsafe withUnsafeBufferPointer { bytes throws(Failure) in
      try unsafe body(UnsafeRawBufferPointer(bytes))
    }
  }
}
