internal import AtollObjects

/// A predicate made ready for many values that no vector scan tests.
///
/// Gives what the predicate gives. A long list of constants is a set here, so that a value costs the
/// same whatever the number of constants; so is every list that is compared without regard to case
/// or accents, so that a value is folded once.
indirect enum ValueMatcher {
  case predicate(ValuePredicate)
  case isIn(ConstantSet, folding: QuerySyntax.Folding)
  case all([ValueMatcher])
  case any([ValueMatcher])
  case not(ValueMatcher)

  /// Fewer constants are compared one by one.
  private static let setLimit = 8

  init(_ predicate: ValuePredicate) {
    switch predicate {
    case .isIn(let values, let folding) where folding != .exact || values.count > Self.setLimit:
      self = .isIn(
        ConstantSet(values.map { Self.folded($0, folding) }), folding: folding)
    case .all(let terms): self = .all(terms.map { ValueMatcher($0) })
    case .any(let terms): self = .any(terms.map { ValueMatcher($0) })
    case .not(let inner): self = .not(ValueMatcher(inner))
    case .isIn, .compare, .compareReversed, .between: self = .predicate(predicate)
    }
  }

  func matches(_ value: Value) -> Bool {
    switch self {
    case .predicate(let predicate): predicate.matches(value)
    case .isIn(let set, let folding): set.contains(Self.folded(value, folding))
    case .all(let terms): terms.allSatisfy { $0.matches(value) }
    case .any(let terms): terms.contains { $0.matches(value) }
    case .not(let inner): !inner.matches(value)
    }
  }

  /// A string folded, any other value as it is.
  private static func folded(_ value: Value, _ folding: QuerySyntax.Folding) -> Value {
    guard folding != .exact, case .string(let text) = value else { return value }
    return .string(
      String(decoding: TextFolding.folded(Array(text.utf8), folding), as: UTF8.self))
  }
}

/// Constants, to find one of them that equals a value as `ValueComparison.equal` has it for `.exact`.
///
/// A set finds numbers of any type by their exact value. A binary number that meets a decimal is
/// made one first, which may round it: so decimals and binary numbers are kept apart.
/// NaN equals nothing and is left out; collections are few and compared one by one.
struct ConstantSet {
  private var decimals: Set<Value> = []
  private var binaries: Set<Value> = []
  /// The binary numbers as decimals.
  private var promoted: Set<Value> = []
  private var others: Set<Value> = []
  private var collections: [Value] = []

  init(_ constants: [Value]) {
    for constant in constants {
      switch constant {
      case .list, .set, .map: collections.append(constant)
      case .decimal(let number): if !number.isNaN { decimals.insert(constant) }
      case .double, .float:
        guard ValueComparison.ordered(constant, constant) != nil else { continue }
        binaries.insert(constant)
        if let decimal = constant.promotedToDecimal { promoted.insert(.decimal(decimal)) }
      default: others.insert(constant)
      }
    }
  }

  func contains(_ value: Value) -> Bool {
    switch value {
    case .list, .set, .map: collections.contains { ValueComparison.equal(value, $0) }
    case .decimal:
      decimals.contains(value) || promoted.contains(value) || others.contains(value)
    case .double, .float:
      binaries.contains(value) || others.contains(value)
        || (!decimals.isEmpty
          && (value.promotedToDecimal.map { decimals.contains(.decimal($0)) } ?? false))
    default: others.contains(value) || decimals.contains(value) || binaries.contains(value)
    }
  }
}
