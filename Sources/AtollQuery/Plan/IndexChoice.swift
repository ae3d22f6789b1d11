internal import AtollObjects

/// The ranges of an ordered index that hold the values passing a predicate.
enum IndexChoice {
  /// More ranges than this cost more than they save.
  static let rangeLimit = 16_384

  /// The ranges for `predicate` on an indexed column, and whether all their values pass; nil when
  /// no few ranges do.
  static func ranges(
    _ predicate: ValuePredicate, _ column: Column
  ) -> (ranges: [IndexRange], isExact: Bool)? {
    let compiled = CompiledPredicate(predicate, column.layout)
    var ranges: [IndexRange] = []
    var isExact = true
    if compiled.passesNull, column.layout.allowsNull {
      guard let null = Index.bytes(of: .null) else { return nil }
      ranges.append(.equal(to: null))
    }
    func append<Code>(_ set: IntervalSet<Code>, _ value: (Code) -> Value) -> Bool {
      guard set.ranges.count <= rangeLimit else { return false }
      for range in set.ranges {
        guard
          let next = self.range(value(range.lowerBound), value(range.upperBound))
        else { return false }
        ranges.append(next)
      }
      return true
    }
    switch compiled.form {
    case .ints(let set):
      guard column.layout.value == .int, append(set, { .int($0) }) else { return nil }
    case .bits(let passesFalse, let passesTrue):
      for (passes, value) in [(passesFalse, false), (passesTrue, true)] where passes {
        guard let range = range(.bool(value), .bool(value)) else { return nil }
        ranges.append(range)
      }
    case .dates(let set):
      guard append(set, { .date(DateCode.timestamp($0)) }) else { return nil }
    case .doubles(let numbers, false):
      guard numbers.count <= rangeLimit else { return nil }
      for number in numbers {
        guard let range = range(.double(number.low), .double(number.high)) else { return nil }
        ranges.append(range)
      }
    case .floats(let numbers, false):
      guard numbers.count <= rangeLimit else { return nil }
      for number in numbers {
        guard let range = range(.float(number.low), .float(number.high)) else { return nil }
        ranges.append(range)
      }
    case .bytes(let predicate):
      guard let found = self.ranges(predicate.bounds, column.layout.value) else { return nil }
      ranges += found
      isExact = predicate.isExactlyBounds
    case .doubles, .floats: return nil
    case .values:
      if let set = ByteIntervals.keys(of: column.layout.value, passing: predicate) {
        guard set.intervals.count <= rangeLimit else { return nil }
        ranges += set.intervals.map { interval in
          interval.onlyKey.map { .equal(to: $0) }
            ?? IndexRange(lower: interval.low, upper: interval.high)
        }
        break
      }
      guard let values = equalities(predicate), values.count <= rangeLimit else { return nil }
      var keys: Set<[UInt8]> = []
      // NaN equals nothing, not even itself, though the index has it in its order.
      for value in values
      where value.type == column.layout.value && predicate.matches(value) {
        guard let key = Index.bytes(of: value), !Index.isCut(key) else { return nil }
        if keys.insert(key).inserted { ranges.append(.equal(to: key)) }
      }
    }
    // A bound that is longer than what is listed of a value does not tell on which side of it one
    // lies that begins alike.
    guard ranges.allSatisfy(\.isShort) else { return nil }
    return (ranges, isExact)
  }

  /// The range from one value to another, both included.
  private static func range(_ low: Value, _ high: Value) -> IndexRange? {
    guard let lower = Index.bytes(of: low) else { return nil }
    if low == high { return .equal(to: lower) }
    guard let upper = Index.bytes(of: high) else { return nil }
    return IndexRange(lower: lower, upper: IndexRange.successor(of: upper))
  }

  /// The ranges of byte strings in an index of `type`; nil when these are all there are.
  private static func ranges(_ set: ByteIntervals, _ type: ValueType) -> [IndexRange]? {
    guard !set.isAll, set.intervals.count <= rangeLimit else { return nil }
    func beginning(_ bytes: [UInt8]) -> [UInt8] {
      var beginning: [UInt8] = []
      if type == .data {
        OrderedKey.appendPrefix(ofData: bytes, to: &beginning)
      } else {
        OrderedKey.appendPrefix(ofText: bytes, to: &beginning)
      }
      return beginning
    }
    return set.intervals.map { interval in
      // What a key begins with sorts before the key, and behind those of all lesser values.
      let lower = beginning(interval.low)
      if interval.only != nil { return .equal(to: lower + OrderedKey.bytesEnd) }
      return IndexRange(
        lower: lower, upper: interval.high.map(beginning) ?? IndexRange.successor(of: beginning([]))
      )
    }
  }

  /// The values of which a value that passes equals one.
  private static func equalities(_ predicate: ValuePredicate) -> [Value]? {
    switch predicate {
    case .compare(.equal, let value, .exact): [value]
    case .isIn(let list) where list.folding == .exact: list.values
    default: nil
    }
  }
}

extension IndexRange {
  /// Whether no bound is longer than the longest value that an index lists.
  fileprivate var isShort: Bool {
    lower.count <= Index.valueByteLimit && upper?.count ?? 0 <= Index.valueByteLimit
  }
}
