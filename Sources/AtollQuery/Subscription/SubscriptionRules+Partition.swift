extension SubscriptionRules {
  /// Whether every object that matches has one of some constants in a property.
  ///
  /// So it is when a comparison of the property by `==` or `IN` with constants is the whole
  /// predicate or a term of its outermost AND.
  package static func fixes(_ property: String, in predicate: QuerySyntax.Predicate) -> Bool {
    switch predicate {
    case .and(let terms): terms.contains { fixes(property, in: $0) }
    case .comparison(let comparison): fixes(property, comparison)
    case .false: true
    case .or, .not, .between, .text, .geoWithin, .true: false
    }
  }

  private static func fixes(_ property: String, _ comparison: QuerySyntax.Comparison) -> Bool {
    guard comparison.folding == .exact else { return false }
    switch comparison.comparator.value {
    case .equal:
      return isProperty(comparison.left, property) && isConstant(comparison.right)
        || isConstant(comparison.left) && isProperty(comparison.right, property)
    case .in:
      guard isProperty(comparison.left, property), case .list(let list) = comparison.right else {
        return false
      }
      return list.quantifier == nil
    default: return false
    }
  }

  private static func isProperty(_ expression: QuerySyntax.Expression, _ name: String) -> Bool {
    guard case .property(let reference) = expression, reference.quantifier == nil,
      reference.suffix == nil, reference.path.steps.count == 1,
      case .property(let found)? = reference.path.steps.first?.value
    else { return false }
    return found == name
  }

  private static func isConstant(_ expression: QuerySyntax.Expression) -> Bool {
    if case .literal = expression { true } else { false }
  }
}
