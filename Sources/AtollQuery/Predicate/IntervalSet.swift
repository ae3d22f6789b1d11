internal import AtollObjects

/// A set of integers as ascending closed ranges that neither touch nor overlap.
///
/// Predicates on numbers, dates and links become such sets of codes: integers that order like the
/// values of a column. So a scan has only ranges to compare with, whatever the constant's type.
struct IntervalSet<Code: FixedWidthInteger & SignedInteger & Sendable>: Equatable, Sendable {
  private(set) var ranges: [ClosedRange<Code>]

  static var empty: IntervalSet { IntervalSet(ranges: []) }

  private init(ranges: [ClosedRange<Code>]) {
    self.ranges = ranges
  }

  init(_ range: ClosedRange<Code>) {
    ranges = [range]
  }

  /// The union of ranges in any order.
  init(_ unsorted: some Sequence<ClosedRange<Code>>) {
    ranges = []
    for range in unsorted.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = ranges.last,
        range.lowerBound <= last.upperBound || range.lowerBound == last.upperBound &+ 1
      {
        ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
    }
  }

  var isEmpty: Bool { ranges.isEmpty }

  func union(_ other: IntervalSet) -> IntervalSet { IntervalSet(ranges + other.ranges) }

  func intersection(_ other: IntervalSet) -> IntervalSet {
    var result: [ClosedRange<Code>] = []
    var i = 0
    var j = 0
    while i < ranges.count, j < other.ranges.count {
      let low = max(ranges[i].lowerBound, other.ranges[j].lowerBound)
      let high = min(ranges[i].upperBound, other.ranges[j].upperBound)
      if low <= high { result.append(low...high) }
      if ranges[i].upperBound < other.ranges[j].upperBound { i += 1 } else { j += 1 }
    }
    return IntervalSet(ranges: result)
  }

  /// What is in `domain` and not in the set, which lies in the domain.
  func complement(in domain: ClosedRange<Code>) -> IntervalSet {
    var result: [ClosedRange<Code>] = []
    var next = domain.lowerBound
    for range in ranges {
      if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
      guard range.upperBound < domain.upperBound else { return IntervalSet(ranges: result) }
      next = range.upperBound + 1
    }
    result.append(next...domain.upperBound)
    return IntervalSet(ranges: result)
  }

  func contains(_ code: Code) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < code { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= code
  }

  /// The codes in `domain` whose values pass `predicate`.
  ///
  /// The values must order as their codes do wherever they compare at all.
  init(
    _ predicate: ValuePredicate, in domain: ClosedRange<Code>, _ value: (Code) -> Value
  ) {
    switch predicate {
    case .compare(let comparator, let constant, let folding):
      self.init(comparator, constant, folding, in: domain, value)
    case .compareReversed(let comparator, let constant, let folding):
      self.init(comparator.reversed, constant, folding, in: domain, value)
    case .between(let low, let high):
      let least = IntervalSet(.greaterOrEqual, low, .exact, in: domain, value)
      self = least.intersection(IntervalSet(.lessOrEqual, high, .exact, in: domain, value))
    case .isIn(let list):
      self.init(
        list.values.flatMap { IntervalSet(.equal, $0, .exact, in: domain, value).ranges })
    case .all(let terms):
      // As the complement of what any of them leaves out: one sort, however many terms.
      self = IntervalSet(
        terms.flatMap { IntervalSet($0, in: domain, value).complement(in: domain).ranges }
      ).complement(in: domain)
    case .any(let terms):
      self.init(terms.flatMap { IntervalSet($0, in: domain, value).ranges })
    case .not(let inner):
      self = IntervalSet(inner, in: domain, value).complement(in: domain)
    }
  }

  private init(
    _ comparator: QuerySyntax.Comparator, _ constant: Value, _ folding: QuerySyntax.Folding,
    in domain: ClosedRange<Code>, _ value: (Code) -> Value
  ) {
    // Strings, null and the like compare with no value of the domain, except that all differ.
    guard ValueComparison.ordered(value(domain.lowerBound), constant) != nil else {
      self = comparator == .notEqual ? IntervalSet(domain) : .empty
      return
    }
    // The codes below the constant, and those not above it.
    let below = Self.prefix(of: domain) { ValueComparison.ordered(value($0), constant) == .less }
    let through = Self.prefix(of: domain) {
      ValueComparison.ordered(value($0), constant) != .greater
    }
    switch comparator {
    case .less: self = below
    case .lessOrEqual: self = through
    case .greater: self = through.complement(in: domain)
    case .greaterOrEqual: self = below.complement(in: domain)
    case .equal, .in: self = through.intersection(below.complement(in: domain))
    case .notEqual:
      self = through.intersection(below.complement(in: domain)).complement(in: domain)
    case .beginsWith, .endsWith, .contains, .like: self = .empty
    }
  }

  /// The codes from the first of `domain` for which `isInside` holds, which are in one run.
  ///
  /// Cost: one call for each bit of the code.
  private static func prefix(
    of domain: ClosedRange<Code>, where isInside: (Code) -> Bool
  ) -> IntervalSet {
    guard isInside(domain.lowerBound) else { return .empty }
    var low = domain.lowerBound
    var high = domain.upperBound
    while low < high {
      // Rounded up; the distance of two codes fits their unsigned type.
      let distance = Code.Magnitude(truncatingIfNeeded: high &- low)
      let step = Code(truncatingIfNeeded: distance / 2 + distance % 2)
      let middle = low &+ step
      if isInside(middle) { low = middle } else { high = middle - 1 }
    }
    return IntervalSet(domain.lowerBound...low)
  }
}

extension QuerySyntax.Comparator {
  /// The comparator with its operands exchanged; string operators have none and match no number.
  var reversed: QuerySyntax.Comparator {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: self
    }
  }
}

/// Integers that order like floating-point numbers.
///
/// -0 has the code before that of 0; all other numbers have codes in their order. NaN has none.
enum FloatCode {
  static func code(_ value: Double) -> Int64 {
    let bits = Int64(bitPattern: value.bitPattern)
    return bits < 0 ? bits ^ .max : bits
  }

  static func double(_ code: Int64) -> Double {
    Double(bitPattern: UInt64(bitPattern: code < 0 ? code ^ .max : code))
  }

  static func code(_ value: Float) -> Int32 {
    let bits = Int32(bitPattern: value.bitPattern)
    return bits < 0 ? bits ^ .max : bits
  }

  static func float(_ code: Int32) -> Float {
    Float(bitPattern: UInt32(bitPattern: code < 0 ? code ^ .max : code))
  }

  static let doubles = code(-Double.infinity)...code(Double.infinity)
  static let floats = code(-Float.infinity)...code(Float.infinity)
}
