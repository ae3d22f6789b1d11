import AtollObjects

/// Where an element stands in its list: there is always a place between two that differ.
///
/// A sequence of whole numbers, compared one by one, a shorter one first. The ends of a list step
/// by one; between neighbours a number is added to the lower one, which steps from then on. So
/// elements that are inserted one after the other at one place take a few bytes each.
///
/// Each number is written so that bytes compare as numbers do:
///
///     0x40...0xBF                 -64...63
///     0xC0...0xC7, then 1 to 8    64 and above: how many bytes, then the number less 64
///     0x38...0x3F, then 8 to 1    -65 and below: likewise, of the number plus 65, negative
///
/// Invariant: of each number the shortest form; the magnitude is at most `limit`, and the last
/// number is above its negative, so that something fits before it.
package struct ListPosition: Hashable, Comparable, Sendable {
  /// The greatest magnitude of a number.
  static let limit: Int64 = 1 << 48
  /// The longest position that is read.
  package static let byteCountLimit = 16 << 10
  /// The longest position that a device makes and a server takes: well below what is read.
  package static let madeByteCountLimit = 1 << 10

  package let bytes: [UInt8]

  /// Bytes that came from outside; nil when this type would not write them.
  package init?(decoding bytes: [UInt8]) {
    guard bytes.count <= Self.byteCountLimit, let numbers = Self.numbers(bytes),
      let last = numbers.last, last > -Self.limit
    else { return nil }
    self.bytes = bytes
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  init(_ numbers: [Int64]) {
    var bytes: [UInt8] = []
    for number in numbers { Self.append(number, to: &bytes) }
    self.bytes = bytes
  }

  var numbers: [Int64] { Self.numbers(bytes) ?? [] }

  package static func < (a: ListPosition, b: ListPosition) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }

  // MARK: Between

  /// Positions for `count` elements that are inserted side by side, ascending, between `a` and `b`;
  /// nil is the end of the list.
  ///
  /// A run begins with a place between its neighbours and the mark of who makes it; its elements
  /// count from there, and so do those that are inserted at its ends later. Two devices that insert
  /// at one place at once begin from the same neighbours: all that one inserts there lies before or
  /// behind all that the other does.
  ///
  /// - Parameters:
  ///   - a: Lies before `b`; otherwise the elements follow `a`. Nil: the start of the list.
  ///   - b: Nil: the end of the list.
  ///   - count: How many elements the run has.
  ///   - mark: Of who inserts, and of no one else.
  ///   - continues: Whether the run is to lie with that of `a`, whoever made it: what else is
  ///     inserted behind `a` lies behind it then.
  /// - Returns: The places, ascending.
  static func run(
    _ a: ListPosition?, _ b: ListPosition?, count: Int, mark: UInt32, continues: Bool = false
  ) -> [ListPosition] {
    let mark = Int64(mark)
    let upper = b.flatMap { b in a.map { $0 < b } ?? true ? b : nil }
    if let a, let (prefix, last) = a.numbers.place(in: mark), last <= limit - Int64(count) {
      let run = series(prefix, from: last + 1, count)
      if let end = run.last, upper.map({ end < $0 }) ?? true { return run }
    }
    if let upper, let (prefix, first) = upper.numbers.place(in: mark),
      first > -limit + Int64(count)
    {
      let run = series(prefix, from: first - Int64(count), count)
      if let begin = run.first, a.map({ $0 < begin }) ?? true { return run }
    }
    if continues, let a, upper.map({ !$0.bytes.starts(with: a.bytes) }) ?? true {
      return series(a.numbers + [0, mark], from: 0, count)
    }
    return between(a, upper, count: 1).flatMap { series($0.numbers + [mark], from: 0, count) }
  }

  /// Positions for `count` elements, ascending, between `a` and `b`; nil is the end of the list.
  ///
  /// `a` lies before `b`; otherwise they follow `a`.
  package static func between(_ a: ListPosition?, _ b: ListPosition?, count: Int)
    -> [ListPosition]
  {
    guard count > 0 else { return [] }
    let lower = a?.numbers
    let upper = b.flatMap { b in a.map { $0 < b } ?? true ? b.numbers : nil }
    switch (lower, upper) {
    case (nil, nil): return series([], from: 0, count)
    case (let lower?, nil): return after([], lower[...], count)
    case (nil, let upper?): return before([], upper[...], count)
    case (let lower?, let upper?):
      let shared = zip(lower, upper).prefix { $0 == $1 }.count
      let prefix = Array(lower[..<shared])
      guard shared < lower.count else { return before(prefix, upper[shared...], count) }
      let (x, y) = (lower[shared], upper[shared])
      let room = y - x - 1
      if room >= count {
        // Evenly, so that room is left between all of them.
        return (1...count).map { index in
          let step = (Int128(room) + 1) * Int128(index) / (Int128(count) + 1)
          return ListPosition(prefix + [x + max(Int64(step), Int64(index))])
        }
      }
      return after(prefix + [x], lower[(shared + 1)...], count)
    }
  }

  /// Behind `prefix` + `rest`, and before what `prefix` with a greater last number begins.
  private static func after(_ prefix: [Int64], _ rest: ArraySlice<Int64>, _ count: Int)
    -> [ListPosition]
  {
    guard let first = rest.first else { return series(prefix, from: 0, count) }
    guard first <= limit - Int64(count) else {
      return after(prefix + [first], rest.dropFirst(), count)
    }
    return series(prefix, from: first + 1, count)
  }

  /// Before `prefix` + `rest`, and behind `prefix`.
  private static func before(_ prefix: [Int64], _ rest: ArraySlice<Int64>, _ count: Int)
    -> [ListPosition]
  {
    guard let first = rest.first else { return series(prefix, from: 0, count) }
    if first > -limit + Int64(count) { return series(prefix, from: first - Int64(count), count) }
    if first > -limit { return series(prefix + [-limit], from: 0, count) }
    return before(prefix + [first], rest.dropFirst(), count)
  }

  private static func series(_ prefix: [Int64], from first: Int64, _ count: Int) -> [ListPosition] {
    (0..<Int64(count)).map { ListPosition(prefix + [first + $0]) }
  }

  // MARK: Bytes

  private static func append(_ number: Int64, to bytes: inout [UInt8]) {
    if (-64...63).contains(number) {
      bytes.append(UInt8(0x80 + number))
      return
    }
    let isNegative = number < 0
    let magnitude = UInt64(isNegative ? -65 - number : number - 64)
    let byteCount = max(1, (71 - magnitude.leadingZeroBitCount) / 8)
    bytes.append(isNegative ? UInt8(0x40 - byteCount) : UInt8(0xBF + byteCount))
    for index in stride(from: byteCount - 1, through: 0, by: -1) {
      let byte = UInt8(truncatingIfNeeded: magnitude >> UInt64(8 * index))
      bytes.append(isNegative ? ~byte : byte)
    }
  }

  private static func numbers(_ bytes: [UInt8]) -> [Int64]? {
    var numbers: [Int64] = []
    var offset = 0
    while offset < bytes.count {
      let head = bytes[offset]
      offset += 1
      if (0x40...0xBF).contains(head) {
        numbers.append(Int64(head) - 0x80)
        continue
      }
      let isNegative = head < 0x40
      let byteCount = isNegative ? 0x40 - Int(head) : Int(head) - 0xBF
      guard byteCount <= 8, byteCount <= bytes.count - offset else { return nil }
      var magnitude: UInt64 = 0
      for _ in 0..<byteCount {
        magnitude = magnitude << 8 | UInt64(isNegative ? ~bytes[offset] : bytes[offset])
        offset += 1
      }
      guard magnitude <= UInt64(limit),
        byteCount == 1 || magnitude >> UInt64(8 * byteCount - 8) != 0
      else { return nil }
      let number = isNegative ? -65 - Int64(magnitude) : Int64(magnitude) + 64
      guard number.magnitude <= UInt64(limit) else { return nil }
      numbers.append(number)
    }
    return numbers
  }
}

extension [Int64] {
  /// The run that a position with these numbers lies in, and its number there; nil when it is in
  /// none of `mark`.
  fileprivate func place(in mark: Int64) -> (prefix: [Int64], number: Int64)? {
    guard count > 2, self[count - 2] == mark, let last else { return nil }
    return (dropLast(), last)
  }
}
