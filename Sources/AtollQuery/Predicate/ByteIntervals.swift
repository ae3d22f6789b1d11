internal import AtollObjects

/// A set of byte strings as ascending intervals that neither touch nor overlap.
///
/// What a test of strings or data lets pass at most: so several conditions on one property, as
/// `name >= 'a' AND name < 'b' AND name CONTAINS 'c'`, lead to one range of an index and skip
/// leaves by their zones.
struct ByteIntervals: Equatable {
  /// The byte strings from `low` on and below `high`; all from `low` on when it is nil.
  struct Interval: Equatable {
    var low: [UInt8]
    var high: [UInt8]?

    /// The one string in the interval, if it is one.
    var only: [UInt8]? {
      guard let high, high.count == low.count + 1, high.last == 0, high.starts(with: low) else {
        return nil
      }
      return low
    }

    /// The one index key in the interval, if it is all that begins with this key.
    var onlyKey: [UInt8]? {
      guard high == IndexRange.successor(of: low) else { return nil }
      // Between other bounds, `low` may be where many keys begin.
      var end = 0
      // SAFETY: the bytes of an array, which outlives the call.
      let value = try? unsafe OrderedKey.decode(low.span.bytes, at: &end)
      return value != nil && end == low.count ? low : nil
    }
  }

  private(set) var intervals: [Interval]
  /// The first eight bytes of the bounds, as zone maps have them.
  private let lowPrefixes: [UInt64]
  private let highPrefixes: [UInt64]

  static var all: ByteIntervals { ByteIntervals(ascending: [Interval(low: [], high: nil)]) }
  static var empty: ByteIntervals { ByteIntervals(ascending: []) }

  private init(ascending intervals: [Interval]) {
    self.intervals = intervals
    lowPrefixes = intervals.map { Self.prefix($0.low) }
    highPrefixes = intervals.map { $0.high.map(Self.prefix) ?? .max }
  }

  /// The union of intervals in any order.
  init(_ unsorted: some Sequence<Interval>) {
    var merged: [Interval] = []
    for next in unsorted.sorted(by: { $0.low.lexicographicallyPrecedes($1.low) }) {
      if let high = next.high, !next.low.lexicographicallyPrecedes(high) { continue }
      guard let last = merged.last else {
        merged.append(next)
        continue
      }
      guard let end = last.high else { break }
      if end.lexicographicallyPrecedes(next.low) {
        merged.append(next)
      } else if let high = next.high {
        if end.lexicographicallyPrecedes(high) { merged[merged.count - 1].high = high }
      } else {
        merged[merged.count - 1].high = nil
      }
    }
    self.init(ascending: merged)
  }

  /// The set of one byte string.
  init(_ only: [UInt8]) {
    self.init(ascending: [Interval(low: only, high: Self.next(after: only))])
  }

  /// The byte strings that begin with `prefix`.
  init(beginningWith prefix: [UInt8]) {
    self.init(ascending: [Interval(low: prefix, high: IndexRange.successor(of: prefix))])
  }

  /// The least byte string above another.
  static func next(after bytes: [UInt8]) -> [UInt8] { bytes + [0] }

  var isAll: Bool { self == .all }

  /// All byte strings that are not in the set.
  var complement: ByteIntervals {
    var result: [Interval] = []
    var next: [UInt8] = []
    for interval in intervals {
      if next.lexicographicallyPrecedes(interval.low) {
        result.append(Interval(low: next, high: interval.low))
      }
      guard let high = interval.high else { return ByteIntervals(ascending: result) }
      next = high
    }
    result.append(Interval(low: next, high: nil))
    return ByteIntervals(ascending: result)
  }

  static func union(_ sets: [ByteIntervals]) -> ByteIntervals {
    ByteIntervals(sets.flatMap(\.intervals))
  }

  static func intersection(_ sets: [ByteIntervals]) -> ByteIntervals {
    ByteIntervals(sets.flatMap(\.complement.intervals)).complement
  }

  /// Whether a byte string between two prefixes of eight bytes can be in the set.
  ///
  /// Cost: a binary search.
  func mayHold(least: UInt64, greatest: UInt64) -> Bool {
    // The last interval that does not begin behind them.
    var low = 0
    var high = lowPrefixes.count
    while low < high {
      let middle = (low + high) / 2
      if lowPrefixes[middle] <= greatest { low = middle + 1 } else { high = middle }
    }
    return low > 0 && highPrefixes[low - 1] >= least
  }

  /// The first eight bytes as a number; what is missing counts as zeros.
  static func prefix(_ bytes: [UInt8]) -> UInt64 {
    (0..<8).reduce(UInt64(0)) { $0 << 8 | ($1 < bytes.count ? UInt64(bytes[$1]) : 0) }
  }
}

extension BytesPredicate.Form {
  /// All byte strings that can pass, and whether all of these do.
  var intervals: (set: ByteIntervals, isExact: Bool) {
    switch self {
    case .constant(let value): return (value ? .all : .empty, true)
    case .equal(let constant): return (ByteIntervals(constant), true)
    case .isIn(let constants):
      return (
        ByteIntervals(
          constants.map {
            ByteIntervals.Interval(low: $0, high: ByteIntervals.next(after: $0))
          }), true
      )
    case .begins(let prefix): return (ByteIntervals(beginningWith: prefix), true)
    case .range(let low, let isLowIn, let high, let isHighIn):
      let first = low.map { isLowIn ? $0 : ByteIntervals.next(after: $0) } ?? []
      let end = high.map { isHighIn ? ByteIntervals.next(after: $0) : $0 }
      return (ByteIntervals([ByteIntervals.Interval(low: first, high: end)]), true)
    case .like(let pattern, _): return (ByteIntervals(beginningWith: pattern.beginning), false)
    case .ends, .contains, .reversed, .folded: return (.all, false)
    case .not(let inner):
      let (set, isExact) = inner.intervals
      return isExact ? (set.complement, true) : (.all, false)
    case .all(let terms):
      let parts = terms.map(\.intervals)
      return (.intersection(parts.map(\.set)), parts.allSatisfy(\.isExact))
    case .any(let terms):
      let parts = terms.map(\.intervals)
      return (.union(parts.map(\.set)), parts.allSatisfy(\.isExact))
    }
  }
}
