extension QuerySyntax.Predicate {
  /// The predicate that is true where this one is certainly true, if some arguments have no value.
  ///
  /// Logic has three values then: a comparison that names such an argument is unknown, and what is
  /// unknown at the end counts as false. NOT keeps unknown, and AND and OR pass it on unless another
  /// term decides. So an unknown comparison may stand for false, and below an odd number of NOT for
  /// true: each way it makes the whole no truer.
  ///
  /// `constant`: the value of an argument; nil for one that has none.
  func certain(_ constant: (Int) -> QuerySyntax.Constant?) -> QuerySyntax.Predicate {
    certain(isNegated: false, constant)
  }

  private func certain(
    isNegated: Bool, _ constant: (Int) -> QuerySyntax.Constant?
  ) -> QuerySyntax.Predicate {
    switch self {
    case .true, .false: return self
    case .and(let terms):
      let terms = terms.map { $0.certain(isNegated: isNegated, constant) }
      return terms.contains(.false) ? .false : .all(of: terms.filter { $0 != .true })
    case .or(let terms):
      let terms = terms.map { $0.certain(isNegated: isNegated, constant) }
      return terms.contains(.true) ? .true : .any(of: terms.filter { $0 != .false })
    case .not(let inner):
      let inner = inner.certain(isNegated: !isNegated, constant)
      if inner == .true { return .false }
      return inner == .false ? .true : .negation(of: inner)
    case .comparison, .between, .text, .geoWithin:
      guard isUnknown(constant) else { return self }
      return isNegated ? .true : .false
    }
  }

  /// Whether a comparison names an argument without a value.
  private func isUnknown(_ constant: (Int) -> QuerySyntax.Constant?) -> Bool {
    var isUnknown = false
    // What else is wrong with an argument is found when it is put into the text.
    _ = try? QuerySyntax.Request(self).replacingArguments {
      index, range throws(QuerySyntax.ArgumentProblem) in
      guard let constant = constant(index) else {
        isUnknown = true
        throw QuerySyntax.ArgumentProblem("argument $\(index) has no value", at: range)
      }
      return constant
    }
    return isUnknown
  }
}
