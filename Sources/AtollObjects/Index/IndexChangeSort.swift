/// Sorts the changes of a buffer by value, then key, then the order in which they were made.
///
/// A radix sort from the most significant digit, over eight bytes of the value at a time: a group
/// of changes is split by the highest bits in which their windows differ, as many as make small
/// groups; a group that agrees in all eight bytes goes on with the bytes behind those that all have
/// in common, and one that agrees in the whole value with the key. Groups that are small, or
/// already in order, are finished at once. (McIlroy, Bostic, McIlroy, "Engineering Radix Sort",
/// 1993; the cached windows are those of Ng and Kakehi, "Cache Efficient Radix Sort for String
/// Sorting", 2007.)
///
/// Every step is stable. No recursion: values share beginnings of any length.
///
/// Cost: 1 000 000 names (200 000 distinct) take about 60 ms, 1 000 000 integers 30 ms.
@safe
struct IndexChangeSort: ~Copyable {
  private let changes: UnsafeMutablePointer<IndexChange>
  private let count: Int
  /// Nil when the values are integers, which lie in the windows.
  private let arena: UnsafeRawPointer?
  private let spare: UnsafeMutablePointer<IndexChange>
  private let ends: UnsafeMutablePointer<UInt32>
  private var pending: [Group] = []
  /// Groups of integers whose windows hold keys, and those integers.
  private var replacedIntegers: [(start: Int, end: Int, integer: UInt64)] = []
  /// For each change in its final place, whether its value differs from the one before.
  private(set) var startsValue: [Bool]

  /// Changes `start..<end` that agree in the first `depth` bytes of their values.
  private struct Group {
    var start: Int
    var end: Int
    var depth: Int
    var state: State
  }

  private enum State {
    /// The windows are still to be loaded.
    case unloaded
    /// The windows hold the eight bytes from `depth` on.
    case loaded
    /// The values are equal and the windows hold the keys.
    case keys
  }

  private static let digitBitLimit = 11
  private static let insertionSortLimit = 20

  /// Sorts at once.
  ///
  /// `arena`: the values, with eight bytes behind the last that may be read; nil when all
  /// are integers, which the windows hold then before and after.
  init(_ changes: UnsafeMutableBufferPointer<IndexChange>, arena: UnsafeRawPointer?) {
    guard let start = changes.baseAddress else { preconditionFailure("there are changes to sort") }
    unsafe self.changes = start
    count = changes.count
    unsafe self.arena = arena
    unsafe spare = .allocate(capacity: changes.count)
    unsafe ends = .allocate(capacity: 1 << Self.digitBitLimit)
    startsValue = [Bool](repeating: false, count: changes.count)
    // The window of an integer holds what follows its tag.
    pending.append(
      unsafe arena == nil
        ? Group(start: 0, end: count, depth: 1, state: .loaded)
        : Group(start: 0, end: count, depth: 0, state: .unloaded))
    while let group = pending.popLast() { sort(group) }
    for (start, end, integer) in replacedIntegers {
      for index in start..<end { unsafe self.changes[index].window = integer }
    }
  }

  deinit {
    unsafe spare.deallocate()
    unsafe ends.deallocate()
  }

  // SAFETY, for all below: groups lie inside of the changes, `spare` is as large; a change's value
  // lies in the arena.

  private mutating func sort(_ group: Group) {
    var group = group
    var differing: UInt64 = 0
    if group.state == .unloaded {
      while true {
        let byteCountLimit = load(group)
        differing = differingBits(group)
        if differing == 0 {
          guard byteCountLimit > group.depth + 8 else {
            sortKeys(group.start, group.end)
            return
          }
          group.depth += 8
        } else {
          let common = differing.leadingZeroBitCount / 8
          if common < 2 || byteCountLimit <= group.depth + 8 { break }
          group.depth += common
        }
      }
      group.state = .loaded
    } else {
      differing = differingBits(group)
    }
    if group.end - group.start <= Self.insertionSortLimit {
      insertionSort(group)
      finishRuns(group)
    } else if isAscending(group) {
      finishRuns(group)
    } else {
      split(group, differing)
    }
  }

  /// Loads the windows at the group's depth; returns the byte count of the longest value.
  private func load(_ group: Group) -> Int {
    guard let arena = unsafe arena else { preconditionFailure("integers are loaded already") }
    var longest = 0
    for index in group.start..<group.end {
      let change = unsafe changes + index
      let byteCount = unsafe change.pointee.byteCount
      longest = max(longest, byteCount)
      let rest = byteCount - group.depth
      var window: UInt64 = 0
      if rest > 0 {
        window = unsafe UInt64(
          bigEndian: arena.loadUnaligned(
            fromByteOffset: Int(change.pointee.start) + group.depth, as: UInt64.self))
        if rest < 8 { window &= ~(~0 &>> UInt64(rest &* 8)) }
      }
      unsafe change.pointee.window = window
    }
    return longest
  }

  private func differingBits(_ group: Group) -> UInt64 {
    let first = unsafe changes[group.start].window
    var bits: UInt64 = 0
    for index in group.start..<group.end { bits |= unsafe changes[index].window ^ first }
    return bits
  }

  private func isAscending(_ group: Group) -> Bool {
    var previous: UInt64 = 0
    for index in group.start..<group.end {
      let window = unsafe changes[index].window
      if window < previous { return false }
      previous = window
    }
    return true
  }

  private func insertionSort(_ group: Group) {
    for index in group.start + 1..<max(group.end, group.start + 1) {
      let change = unsafe changes[index]
      var place = index
      while place > group.start, unsafe changes[place - 1].window > change.window {
        unsafe changes[place] = changes[place - 1]
        place -= 1
      }
      unsafe changes[place] = change
    }
  }

  /// Goes on with each run of equal windows in a sorted group.
  private mutating func finishRuns(_ group: Group) {
    guard group.state != .keys else { return }
    var start = group.start
    while start < group.end {
      let window = unsafe changes[start].window
      var end = start + 1
      while end < group.end, unsafe changes[end].window == window { end += 1 }
      finishRun(start, end, depth: group.depth)
      start = end
    }
  }

  /// Goes on with changes that agree in the eight bytes at `depth` too.
  private mutating func finishRun(_ start: Int, _ end: Int, depth: Int) {
    if end - start == 1 {
      startsValue[start] = true
      return
    }
    let limit = depth + 8
    for index in start..<end where unsafe changes[index].byteCount > limit {
      pending.append(Group(start: start, end: end, depth: limit, state: .unloaded))
      return
    }
    sortKeys(start, end)
  }

  /// Sorts changes of one value.
  private mutating func sortKeys(_ start: Int, _ end: Int) {
    startsValue[start] = true
    var isAscending = true
    for index in start + 1..<max(end, start + 1) {
      if unsafe changes[index].key < changes[index - 1].key {
        isAscending = false
        break
      }
    }
    if isAscending { return }
    if unsafe arena == nil {
      replacedIntegers.append((start, end, unsafe changes[start].window))
    }
    for index in start..<end { unsafe changes[index].window = changes[index].key }
    pending.append(Group(start: start, end: end, depth: 0, state: .keys))
  }

  // MARK: Splitting

  /// Some of the bits in which windows differ, highest first, put together.
  private struct Digit {
    /// A run of neighbouring bits.
    struct Part {
      var shift: UInt64
      var mask: UInt64
      var width: UInt64
    }

    private(set) var parts: [Part] = []
    private(set) var width = 0
    /// The differing bits that are not in the digit.
    private(set) var rest: UInt64

    init(of differing: UInt64, limit: Int) {
      rest = differing
      while rest != 0, width < limit {
        let high = rest.leadingZeroBitCount
        let run = (~(rest << UInt64(high))).leadingZeroBitCount
        let taken = min(run, limit - width)
        let shift = 64 - high - taken
        let mask: UInt64 = 1 << UInt64(taken) - 1
        parts.append(Part(shift: UInt64(shift), mask: mask, width: UInt64(taken)))
        width += taken
        rest &= ~(mask << UInt64(shift))
      }
    }
  }

  @inline(__always)
  private static func value(_ window: UInt64, _ parts: UnsafeBufferPointer<Digit.Part>) -> Int {
    var value: UInt64 = 0
    for index in 0..<parts.count {
      let part = unsafe parts[index]
      value = value &<< part.width | (window &>> part.shift) & part.mask
    }
    return Int(truncatingIfNeeded: value)
  }

  /// Distributes a group by its next digit and goes on with the parts.
  private mutating func split(_ group: Group, _ differing: UInt64) {
    let groupCount = group.end - group.start
    let countBits = Int.bitWidth - groupCount.leadingZeroBitCount
    let digit = Digit(of: differing, limit: min(max(countBits - 2, 4), Self.digitBitLimit))
    let partCount = 1 << digit.width
    unsafe ends.update(repeating: 0, count: partCount)
    if digit.parts.count == 1 {
      let part = digit.parts[0]
      distribute(group, partCount) { Int(truncatingIfNeeded: ($0 &>> part.shift) & part.mask) }
    } else {
      unsafe digit.parts.withUnsafeBufferPointer { parts in
        distribute(group, partCount) { unsafe Self.value($0, parts) }
      }
    }

    var start = group.start
    for part in 0..<partCount {
      let end = unsafe group.start + Int(ends[part])
      if end - start == 0 { continue }
      if digit.rest != 0, end - start > 1 {
        pending.append(
          Group(start: start, end: end, depth: group.depth, state: group.state))
      } else if group.state != .keys {
        finishRun(start, end, depth: group.depth)
      }
      start = end
    }
  }

  /// Sorts the group by `digit`; `ends` then says where each part ends, from the group's start.
  @inline(__always)
  private func distribute(_ group: Group, _ partCount: Int, _ digit: (UInt64) -> Int) {
    for index in group.start..<group.end {
      unsafe ends[digit(changes[index].window)] &+= 1
    }
    var next: UInt32 = 0
    for part in 0..<partCount {
      let partEnd = unsafe next &+ ends[part]
      unsafe ends[part] = next
      next = partEnd
    }
    for index in group.start..<group.end {
      let change = unsafe changes[index]
      let part = digit(change.window)
      let place = unsafe Int(ends[part])
      unsafe spare[place] = change
      unsafe ends[part] &+= 1
    }
    unsafe (changes + group.start).update(from: spare, count: group.end - group.start)
  }
}
