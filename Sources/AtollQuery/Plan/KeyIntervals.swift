internal import AtollObjects

/// A set of values of one type by their index keys: ascending intervals that neither touch nor
/// overlap, each from one key to before another.
///
/// For types that no kernel is made for: decimals, UUIDs and object ids. Their keys are in the order
/// of the values, NaN before all other decimals. Null is in no interval.
struct KeyIntervals: Equatable {
  typealias Key = [UInt8]

  struct Interval: Equatable {
    var lower: Key
    var upper: Key
    /// The only key there is in the interval; nil when there may be several.
    var only: Key?
  }

  private(set) var intervals: [Interval]

  /// The values of `type` that pass `predicate`; nil for a comparison that keys do not tell.
  init?(_ predicate: ValuePredicate, _ type: ValueType) {
    guard let tag = Self.domain(type) else { return nil }
    self.init(predicate, type, tag)
  }

  private init(_ intervals: [Interval]) {
    self.intervals = intervals
  }

  /// The keys of all values of a type; nil for other types.
  private static func domain(_ type: ValueType) -> Interval? {
    let sample: Value
    switch type {
    case .decimal: sample = .decimal(.zero)
    case .uuid: sample = .uuid(UniqueID(high: 0, low: 0))
    case .objectID: sample = .objectID(ObjectID(seconds: 0, random: 0, counter: 0))
    default: return nil
    }
    guard let tag = IndexTree.bytes(of: sample)?.first, tag < .max else { return nil }
    return Interval(lower: [tag], upper: [tag + 1])
  }

  private init?(_ predicate: ValuePredicate, _ type: ValueType, _ domain: Interval) {
    switch predicate {
    case .compare(let comparator, let constant, _):
      self.init(comparator, constant, type, domain)
    case .compareReversed(let comparator, let constant, _):
      self.init(comparator.reversed, constant, type, domain)
    case .between(let low, let high):
      guard let above = KeyIntervals(.greaterOrEqual, low, type, domain),
        let below = KeyIntervals(.lessOrEqual, high, type, domain)
      else { return nil }
      self = above.complement(domain).union([below.complement(domain)]).complement(domain)
    case .isIn(let values, _):
      var parts: [KeyIntervals] = []
      for value in values {
        guard let part = KeyIntervals(.equal, value, type, domain) else { return nil }
        parts.append(part)
      }
      self = KeyIntervals([]).union(parts)
    case .all(let terms):
      var parts: [KeyIntervals] = []
      for term in terms {
        guard let part = KeyIntervals(term, type, domain) else { return nil }
        parts.append(part.complement(domain))
      }
      self = KeyIntervals([]).union(parts).complement(domain)
    case .any(let terms):
      var parts: [KeyIntervals] = []
      for term in terms {
        guard let part = KeyIntervals(term, type, domain) else { return nil }
        parts.append(part)
      }
      self = KeyIntervals([]).union(parts)
    case .not(let inner):
      guard let part = KeyIntervals(inner, type, domain) else { return nil }
      self = part.complement(domain)
    }
  }

  private init?(
    _ comparator: QuerySyntax.Comparator, _ constant: Value, _ type: ValueType, _ domain: Interval
  ) {
    // Numbers of another type compare by more than their keys.
    if type.isNumeric, let other = constant.type, other.isNumeric, other != type { return nil }
    guard constant.type == type, ValueComparison.ordered(constant, constant) != nil,
      let key = IndexTree.bytes(of: constant), let behind = IndexRange.successor(of: key)
    else {
      // NaN, null and what is of another type equal no value and have no order with any.
      self.init(comparator == .notEqual ? [domain] : [])
      return
    }
    // NaN has no order with a number either.
    var least = domain.lower
    if type == .decimal {
      guard let nan = IndexTree.bytes(of: .decimal(.nan)), let first = IndexRange.successor(of: nan)
      else { return nil }
      least = first
    }
    let equal = Interval(lower: key, upper: behind, only: key)
    let interval: Interval
    switch comparator {
    case .equal, .in: interval = equal
    case .notEqual:
      self = KeyIntervals([equal]).complement(domain)
      return
    case .less: interval = Interval(lower: least, upper: key)
    case .lessOrEqual: interval = Interval(lower: least, upper: behind)
    case .greater: interval = Interval(lower: behind, upper: domain.upper)
    case .greaterOrEqual: interval = Interval(lower: key, upper: domain.upper)
    case .beginsWith, .endsWith, .contains, .like:
      self.init([])
      return
    }
    self.init(interval.lower.lexicographicallyPrecedes(interval.upper) ? [interval] : [])
  }

  // MARK: Sets

  /// What is in this set or in one of others.
  private func union(_ others: [KeyIntervals]) -> KeyIntervals {
    let all = (intervals + others.flatMap(\.intervals)).sorted {
      $0.lower.lexicographicallyPrecedes($1.lower)
    }
    var joined: [Interval] = []
    for next in all {
      guard let last = joined.last, !last.upper.lexicographicallyPrecedes(next.lower) else {
        joined.append(next)
        continue
      }
      if last.lower == next.lower, last.upper == next.upper {
        if next.only == nil { joined[joined.count - 1].only = nil }
        continue
      }
      joined[joined.count - 1].only = nil
      if last.upper.lexicographicallyPrecedes(next.upper) {
        joined[joined.count - 1].upper = next.upper
      }
    }
    return KeyIntervals(joined)
  }

  private func complement(_ domain: Interval) -> KeyIntervals {
    var rest: [Interval] = []
    var lower = domain.lower
    for interval in intervals {
      if lower.lexicographicallyPrecedes(interval.lower) {
        rest.append(Interval(lower: lower, upper: interval.lower))
      }
      lower = interval.upper
    }
    if lower.lexicographicallyPrecedes(domain.upper) {
      rest.append(Interval(lower: lower, upper: domain.upper))
    }
    return KeyIntervals(rest)
  }
}
