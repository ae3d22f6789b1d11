internal import AtollObjects

/// The ranges of an ordered index that hold exactly the values passing a predicate.
enum IndexChoice {
  /// More ranges than this cost more than they save.
  static let rangeLimit = 1000

  /// The ranges for `predicate` on an indexed column; nil when no few ranges do.
  static func ranges(_ predicate: ValuePredicate, _ column: Column) -> [IndexRange]? {
    let kernel = ValueKernel(predicate, column.layout)
    var ranges: [IndexRange] = []
    if kernel.passesNull, column.layout.allowsNull {
      guard let null = IndexTree.bytes(of: .null) else { return nil }
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
    switch kernel.form {
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
      guard let found = self.ranges(predicate.form, column.layout.value) else { return nil }
      ranges += found
    case .doubles, .floats: return nil
    case .values:
      guard let values = equalities(predicate), values.count <= rangeLimit else { return nil }
      var keys: Set<[UInt8]> = []
      for value in values where value.type == column.layout.value {
        guard let key = IndexTree.bytes(of: value) else { return nil }
        if keys.insert(key).inserted { ranges.append(.equal(to: key)) }
      }
    }
    return ranges
  }

  /// The range from one value to another, both included.
  private static func range(_ low: Value, _ high: Value) -> IndexRange? {
    guard let lower = IndexTree.bytes(of: low) else { return nil }
    if low == high { return .equal(to: lower) }
    guard let upper = IndexTree.bytes(of: high) else { return nil }
    return IndexRange(lower: lower, upper: IndexRange.successor(of: upper))
  }

  private static func ranges(
    _ form: BytesPredicate.Form, _ type: ValueType
  ) -> [IndexRange]? {
    func key(_ bytes: [UInt8]) -> [UInt8]? {
      if type == .data { return IndexTree.bytes(of: .data(bytes)) }
      guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
      return IndexTree.bytes(of: .string(text))
    }
    func prefix(_ bytes: [UInt8]) -> [UInt8]? {
      var prefix: [UInt8] = []
      if type == .data {
        OrderedKey.appendPrefix(ofData: bytes, to: &prefix)
      } else {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        OrderedKey.appendPrefix(ofString: text, to: &prefix)
      }
      return prefix
    }
    switch form {
    case .equal(let bytes): return key(bytes).map { [.equal(to: $0)] }
    case .isIn(let constants):
      guard constants.count <= rangeLimit else { return nil }
      var ranges: [IndexRange] = []
      var previous: [UInt8]?
      for constant in constants where constant != previous {
        guard let key = key(constant) else { return nil }
        ranges.append(.equal(to: key))
        previous = constant
      }
      return ranges
    case .begins(let bytes): return prefix(bytes).map { [IndexRange(prefix: $0)] }
    case .range(let low, let isLowIn, let high, let isHighIn):
      guard var lower = prefix([]) else { return nil }
      var upper = IndexRange.successor(of: lower)
      if let low {
        guard let key = key(low) else { return nil }
        lower = isLowIn ? key : IndexRange.successor(of: key) ?? key
      }
      if let high {
        guard let key = key(high) else { return nil }
        upper = isHighIn ? IndexRange.successor(of: key) : key
      }
      return [IndexRange(lower: lower, upper: upper)]
    default: return nil
    }
  }

  /// The values that a predicate asks equality with one of.
  private static func equalities(_ predicate: ValuePredicate) -> [Value]? {
    switch predicate {
    case .compare(.equal, let value, .exact): [value]
    case .isIn(let values, .exact): values
    default: nil
    }
  }
}
