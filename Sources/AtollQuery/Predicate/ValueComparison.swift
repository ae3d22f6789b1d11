internal import AtollObjects

/// How two values compare in a predicate: the rules that every scan and test agrees with.
enum ValueComparison {
  /// Whether `a comparator b` holds; `IN` is equality with one element.
  static func holds(
    _ comparator: QuerySyntax.Comparator, _ a: Value, _ b: Value, folding: QuerySyntax.Folding
  ) -> Bool {
    switch comparator {
    case .equal, .in: equal(a, b, folding: folding)
    case .notEqual: !equal(a, b, folding: folding)
    case .less, .lessOrEqual, .greater, .greaterOrEqual: holds(comparator, ordered(a, b))
    case .beginsWith, .endsWith, .contains, .like:
      text(comparator, a, b, folding: folding)
    }
  }

  /// Whether a comparator that is not for strings alone holds between values of this order, nil
  /// where they have none.
  @inline(__always)
  static func holds(_ comparator: QuerySyntax.Comparator, _ order: Ordering?) -> Bool {
    switch comparator {
    case .equal, .in: order == .equal
    case .notEqual: order != .equal
    case .less: order == .less
    case .lessOrEqual: order == .less || order == .equal
    case .greater: order == .greater
    case .greaterOrEqual: order == .greater || order == .equal
    case .beginsWith, .endsWith, .contains, .like: false
    }
  }

  static func equal(_ a: Value, _ b: Value, folding: QuerySyntax.Folding = .exact) -> Bool {
    switch (a, b) {
    case (.string(let x), .string(let y)) where folding != .exact:
      return TextFolding.folded(Array(x.utf8), folding)
        == TextFolding.folded(Array(y.utf8), folding)
    default:
      return ordered(a, b) == .equal || (!isNumeric(a) && Value.equal(a, b))
    }
  }

  /// The order of two values; nil when they have none.
  ///
  /// Numbers of different types by exact value, except that a binary number becomes a decimal
  /// (15 digits, a float 7) to meet a decimal.
  static func ordered(_ a: Value, _ b: Value) -> Ordering? {
    switch (a, b) {
    case (.decimal(let x), .double), (.decimal(let x), .float):
      return b.promotedToDecimal.flatMap { Decimal128.order(x, $0) }
    case (.double, .decimal(let y)), (.float, .decimal(let y)):
      return a.promotedToDecimal.flatMap { Decimal128.order($0, y) }
    default: return Value.ordered(a, b)
    }
  }

  private static func isNumeric(_ value: Value) -> Bool { value.type?.isNumeric ?? false }

  private static func text(
    _ comparator: QuerySyntax.Comparator, _ a: Value, _ b: Value, folding: QuerySyntax.Folding
  ) -> Bool {
    var text: [UInt8]
    var pattern: [UInt8]
    var isText = true
    switch (a, b) {
    case (.string(let x), .string(let y)):
      text = Array(x.utf8)
      pattern = Array(y.utf8)
    case (.data(let x), .data(let y)):
      text = x
      pattern = y
      isText = false
    default: return false
    }
    if folding != .exact {
      text = TextFolding.folded(text, folding)
      pattern = TextFolding.folded(pattern, folding)
    }
    switch comparator {
    case .beginsWith: return text.starts(with: pattern)
    case .endsWith: return text.reversed().starts(with: pattern.reversed())
    case .contains:
      // SAFETY: the bytes of a local array, for the length of the call.
      return unsafe text.withUnsafeBytes { unsafe ByteSearch(pattern).isContained(in: $0) }
    case .like:
      // SAFETY: as above.
      return unsafe text.withUnsafeBytes {
        unsafe LikePattern(pattern, isText: isText).matches($0)
      }
    default: return false
    }
  }
}

/// A test of one value against constants.
indirect enum ValuePredicate {
  /// `value comparator constant`
  case compare(QuerySyntax.Comparator, Value, folding: QuerySyntax.Folding)
  /// `constant comparator value`
  case compareReversed(QuerySyntax.Comparator, Value, folding: QuerySyntax.Folding)
  /// Inclusive; null is in no range.
  case between(Value, Value)
  /// Equal to one of the values.
  case isIn(ConstantList)
  case all([ValuePredicate])
  case any([ValuePredicate])
  case not(ValuePredicate)

  func matches(_ value: Value) -> Bool {
    switch self {
    case .compare(let comparator, let constant, let folding):
      return ValueComparison.holds(
        comparator, value, constant, folding: folding)
    case .compareReversed(let comparator, let constant, let folding):
      return ValueComparison.holds(
        comparator, constant, value, folding: folding)
    case .between(let low, let high):
      guard !value.isNull, let below = ValueComparison.ordered(value, low),
        let above = ValueComparison.ordered(value, high)
      else { return false }
      return below != .less && above != .greater
    case .isIn(let list): return list.contains(value)
    case .all(let terms): return terms.allSatisfy { $0.matches(value) }
    case .any(let terms): return terms.contains { $0.matches(value) }
    case .not(let inner): return !inner.matches(value)
    }
  }
}
