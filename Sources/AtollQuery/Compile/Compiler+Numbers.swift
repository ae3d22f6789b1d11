internal import AtollObjects

// Tests of numbers that are computed: from columns of the object itself, or over its links.

extension Compiler {
  /// The test of expressions of numbers in columns of the object itself; nil for others.
  func numberTest(_ test: BoundTest) throws -> RowTest? {
    // Each subquery is compiled once: one in another in another, twice each, would take 2ⁿ times.
    guard !test.isOrdered, !test.left.hasSubquery, !test.right.hasSubquery else { return nil }
    if case .constant = test.left {
      guard let right = NumberExpression(try rowExpression(test.right)),
        let predicate = try predicate(test, isReversed: true)
      else { return nil }
      return NumberTest(right, predicate.quantified(test.rightQuantifier), execution)
    }
    guard let left = NumberExpression(try rowExpression(test.left)) else { return nil }
    if let predicate = try predicate(test, isReversed: false) {
      return NumberTest(left, predicate.quantified(test.leftQuantifier), execution)
    }
    guard let right = NumberExpression(try rowExpression(test.right)) else { return nil }
    return NumberComparisonTest(
      left, test.valueComparator, right, isNegated: test.isNegatedPair, execution)
  }

  /// The test of an aggregate or a subquery over a collection of links, compared with constants;
  /// nil for others.
  func linkedNumberTest(_ test: BoundTest, on table: TableAccess) throws -> RowTest? {
    guard !test.isOrdered else { return nil }
    let isReversed = if case .constant = test.left { true } else { false }
    func wanted() throws -> ValuePredicate? {
      try predicate(test, isReversed: isReversed)?
        .quantified(isReversed ? test.rightQuantifier : test.leftQuantifier)
    }
    switch isReversed ? test.right : test.left {
    case .aggregate(let aggregate):
      guard !aggregate.base.dropsNulls,
        case .property(let property, of: .links(let links)) = aggregate.source,
        let wanted = try wanted()
      else { return nil }
      let ofNothing = Aggregation.result(aggregate.function, aggregate.type, of: [])
      return try reach(
        aggregate.base.hops[...], from: table,
        end: { [execution] _ in
          try AggregateTest(aggregate, of: property, over: links, wanted, execution)
        }, passesNull: wanted.matches(ofNothing))
    case .subquery(let subquery):
      guard subquery.path.hops.count == 1, case .links(let links) = subquery.path.hops[0],
        let wanted = try wanted()
      else { return nil }
      return CollectionLinkTest(links, count: wanted, try objects(of: subquery), execution)
    default: return nil
    }
  }

  /// The objects at the end of a subquery's path that pass its test.
  func objects(of subquery: BoundSubquery) throws -> ObjectSet {
    let table = try execution.table(subquery.path.lastTable)
    return ObjectSet(table, try compile(subquery.predicate, on: table), execution)
  }

  /// The test of two plain properties of the object itself; nil for others.
  func columnPairTest(_ test: BoundTest) -> RowTest? {
    guard !test.isOrdered, case .path(let left) = test.left, case .path(let right) = test.right,
      let a = left.directColumn, a.layout.collection == .none,
      let b = right.directColumn, b.layout.collection == .none
    else { return nil }
    return ColumnPairTest(
      a, test.valueComparator, b, test.folding, isNegated: test.isNegatedPair)
  }
}

extension BoundExpression {
  fileprivate var hasSubquery: Bool {
    switch self {
    case .subquery: true
    case .arithmetic(let first, let rest): first.hasSubquery || rest.contains { $0.1.hasSubquery }
    default: false
    }
  }
}
