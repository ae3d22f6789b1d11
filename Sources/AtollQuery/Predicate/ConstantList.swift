internal import AtollObjects

/// The constants of `IN`, of which a value may equal one.
///
/// A long list becomes a set when it is asked often, so that a value costs the same whatever the
/// number of constants; so does every list that is compared without regard to case or accents, so
/// that a value is folded once.
final class ConstantList {
  let values: [Value]
  let folding: QuerySyntax.Folding
  private var lookup: ConstantSet?
  private var askedCount = 0
  private let hasNull: Bool

  /// Fewer constants are compared one by one.
  private static let setLimit = 8
  /// So many values are compared one by one: a set has to be worth being made.
  private static let questionLimit = 4

  init(_ values: [Value], folding: QuerySyntax.Folding) {
    self.values = values
    self.folding = folding
    hasNull = values.contains { if case .null = $0 { true } else { false } }
  }

  func contains(_ value: Value) -> Bool {
    // The compiler asks for these two, whether or not values follow.
    switch value {
    case .null: return hasNull
    case .double(let number) where number.isNaN: return false
    case .float(let number) where number.isNaN: return false
    default: break
    }
    if folding == .exact, values.count <= Self.setLimit { return isOne(value) }
    if let lookup { return lookup.contains(folded(value)) }
    if askedCount < Self.questionLimit {
      askedCount += 1
      return isOne(value)
    }
    let lookup = ConstantSet(values.map { folded($0) })
    self.lookup = lookup
    return lookup.contains(folded(value))
  }

  /// Whether values are looked up and no longer compared with each constant.
  var isSet: Bool { lookup != nil }

  private func isOne(_ value: Value) -> Bool {
    values.contains { ValueComparison.equal(value, $0, folding: folding) }
  }

  /// A string folded, any other value as it is.
  private func folded(_ value: Value) -> Value {
    guard folding != .exact, case .string(let text) = value else { return value }
    return .string(
      String(decoding: TextFolding.folded(Array(text.utf8), folding), as: UTF8.self))
  }
}

/// Constants, to find one of them that equals a value as `ValueComparison.equal` has it for
/// `.exact`.
///
/// A set finds numbers of any type by their exact value. A binary number that meets a decimal is
/// made one first, which may round it: so decimals and binary numbers are kept apart.
/// NaN equals nothing and is left out; collections are few and compared one by one.
final class ConstantSet {
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
