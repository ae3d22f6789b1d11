internal import AtollObjects

/// Turns a bound predicate into tests of leaves, with the constants of one run.
struct Compiler {
  let execution: Execution

  /// The test of rows of `table`.
  func compile(_ predicate: BoundPredicate, on table: TableAccess) throws -> RowTest {
    switch predicate {
    case .constant(let value): return ConstantTest(value)
    case .not(let inner): return NotTest(try compile(inner, on: table), execution)
    case .and(let terms): return try compile(terms, on: table, isAll: true)
    case .or(let terms): return try compile(terms, on: table, isAll: false)
    case .test(let test): return try compile(test, on: table)
    case .between(let between): return try compile(between, on: table)
    case .text(let search): return try compile(search, on: table)
    case .geoWithin(let search): return try compile(search, on: table)
    }
  }

  /// Joins terms; those on the values at the end of one path become one test of them.
  private func compile(
    _ terms: [BoundPredicate], on table: TableAccess, isAll: Bool
  ) throws -> RowTest {
    let joined = try JoinedTerms(terms, isAll: isAll, self)
    var tests = try joined.others.map { try compile($0, on: table) }
    for term in joined.terms {
      tests.append(try compile(term.path, term.quantifier, term.predicate, on: table))
    }
    if tests.count == 1 { return tests[0] }
    return isAll ? AllTest(tests) : AnyTest(tests, execution)
  }

  /// The term as a predicate on the values at the end of a path; nil when it is more, when both
  /// sides are paths, or when lists compare position by position.
  func pathPredicate(
    _ term: BoundPredicate
  ) throws -> (BoundPath, QuerySyntax.Quantifier?, ValuePredicate)? {
    switch term {
    case .test(let test):
      guard !test.isOrdered else { return nil }
      if case .path(let path) = test.left, let predicate = try predicate(test, isReversed: false) {
        return (path, test.leftQuantifier, predicate)
      }
      if case .path(let path) = test.right, case .constant = test.left,
        let predicate = try predicate(test, isReversed: true)
      {
        return (path, test.rightQuantifier, predicate)
      }
      return nil
    case .between(let between):
      guard case .path(let path) = between.operand else { return nil }
      return (path, between.quantifier, try predicate(between))
    default: return nil
    }
  }

  // MARK: Comparisons

  private func compile(_ test: BoundTest, on table: TableAccess) throws -> RowTest {
    if let (path, quantifier, predicate) = try pathPredicate(.test(test)) {
      return try compile(path, quantifier ?? .any, predicate, on: table)
    }
    if let (count, quantifier, predicate) = try countPredicate(test),
      let compiled = try compile(count, quantifier ?? .any, predicate, on: table)
    {
      return compiled
    }
    if let compiled = try linkedNumberTest(test, on: table) ?? numberTest(test) { return compiled }
    return try columnPairTest(test) ?? rowByRow(test)
  }

  private func compile(_ between: BoundBetween, on table: TableAccess) throws -> RowTest {
    let predicate = try predicate(between)
    switch between.operand {
    case .path(let path):
      return try compile(path, between.quantifier ?? .any, predicate, on: table)
    case .count(let count):
      if let test = try compile(count, between.quantifier ?? .any, predicate, on: table) {
        return test
      }
    default: break
    }
    let expression = try rowExpression(between.operand)
    let evaluator = RowEvaluator(execution: execution)
    let quantifier = between.quantifier ?? .any
    return RowByRowTest("BETWEEN") { row in
      try evaluator.groups(expression, row).contains {
        Self.holds(quantifier, $0) { predicate.matches($0) }
      }
    }
  }

  /// The test of one value by both bounds.
  private func predicate(_ between: BoundBetween) throws -> ValuePredicate {
    let low = try execution.value(between.low)
    let high = try execution.value(between.high)
    guard between.excludesHigh else { return .between(low, high) }
    return .all([
      .compare(.greaterOrEqual, low, folding: .exact), .compare(.less, high, folding: .exact),
    ])
  }

  private func countPredicate(
    _ test: BoundTest
  ) throws -> (BoundCount, QuerySyntax.Quantifier?, ValuePredicate)? {
    guard !test.isOrdered else { return nil }
    if case .count(let count) = test.left, let predicate = try predicate(test, isReversed: false) {
      return (count, test.leftQuantifier, predicate)
    }
    if case .count(let count) = test.right, case .constant = test.left,
      let predicate = try predicate(test, isReversed: true)
    {
      return (count, test.rightQuantifier, predicate)
    }
    return nil
  }

  /// The test as a predicate on one value of the side that is not constant.
  func predicate(_ test: BoundTest, isReversed: Bool) throws -> ValuePredicate? {
    let comparator = test.valueComparator
    let folding = test.folding
    switch isReversed ? test.left : test.right {
    case .constant(let constant):
      let value = try execution.value(constant)
      if !isReversed { return .compare(comparator, value, folding: folding) }
      if comparator.comparesStrings {
        return .compareReversed(comparator, value, folding: folding)
      }
      return .compare(comparator.reversed, value, folding: folding)
    case .list(let constants):
      let values = try constants.map { try execution.value($0) }
      if test.comparesWholeLists {
        let isEqual = ValuePredicate.any([
          .isIn(ConstantList(values, folding: .exact)),
          .compare(.equal, .list(values), folding: .exact),
        ])
        if comparator == .equal { return isEqual }
        // A value that is no list differs from one of several constants; of none, from the list.
        if values.isEmpty { return .not(isEqual) }
        return .all(
          [.compare(.notEqual, .list(values), folding: .exact)]
            + [.any(values.map { .compare(.notEqual, $0, folding: .exact) })])
      }
      let quantifier = test.rightQuantifier ?? .any
      if comparator == .equal, quantifier != .all {
        return ValuePredicate.isIn(ConstantList(values, folding: folding)).quantified(quantifier)
      }
      if comparator == .notEqual, quantifier == .all, values.count > 1 {
        return .not(.isIn(ConstantList(values, folding: folding)))
      }
      let terms = ValuePredicate.decisive(comparator, values, isAll: quantifier == .all).map {
        ValuePredicate.compare(comparator, $0, folding: folding)
      }
      let joined = terms.count == 1 ? terms[0] : quantifier == .all ? .all(terms) : .any(terms)
      return joined.quantified(quantifier)
    default: return nil
    }
  }

  // MARK: Paths

  /// Makes the test that the values at the end of a path pass a predicate.
  func compile(
    _ path: BoundPath, _ quantifier: QuerySyntax.Quantifier, _ predicate: ValuePredicate,
    on table: TableAccess
  ) throws -> RowTest {
    guard path.dropsNulls else {
      // One object at the end, or null.
      let isEmptyTrue = quantifier != .any
      let passesNull =
        path.endsInCollection
        ? isEmptyTrue : (quantifier == QuerySyntax.Quantifier.none) != predicate.matches(.null)
      let end = try terminal(path, quantifier, predicate)
      return try reach(path.hops[...], from: table, end: end, passesNull: passesNull)
    }
    if path.hasGroups {
      let end = try terminal(path, quantifier, predicate)
      let one = try reach(path.hops[...], from: table, end: end, passesNull: false)
      guard quantifier != .any else { return one }
      // No object reached: one empty collection, for which ALL and NONE hold.
      let reached = try reach(
        path.hops[...], from: table, end: { _ in ConstantTest(true) }, passesNull: false)
      return AnyTest([one, NotTest(reached, execution)], execution)
    }
    var wanted = quantifier == .all ? ValuePredicate.not(predicate) : predicate
    // Behind a collection a null link is no value.
    if path.endsInLink {
      wanted = .all([.compare(.notEqual, .null, folding: .exact), wanted])
    }
    let found = try reach(
      path.hops[...], from: table, end: try terminal(path, .any, wanted), passesNull: false)
    return quantifier == .any ? found : NotTest(found, execution)
  }

  /// The test of an object at the end of a path's hops.
  private func terminal(
    _ path: BoundPath, _ quantifier: QuerySyntax.Quantifier, _ predicate: ValuePredicate
  ) throws -> (TableAccess) throws -> RowTest {
    let execution = execution
    switch path.terminal {
    case .object:
      let wanted = predicate.quantified(quantifier)
      return { KeyTest($0.schema.id, wanted) }
    case .value(let column, let steps) where steps.isEmpty || column.isWhole(steps):
      if column.layout.collection == .none {
        let wanted = predicate.quantified(quantifier)
        return { _ in
          WaitingLinksTest.wrap(ColumnTest(column, wanted, execution), column, execution) {
            wanted.matches($0)
          }
        }
      }
      return { _ in
        let test = CollectionTest(column, predicate, quantifier, execution)
        return WaitingLinksTest.wrap(test, column, execution) { try test.holds($0.elements) }
      }
    case .value, .keys, .elementLengths:
      var end = BoundPath(root: path.lastTable)
      end.terminal = path.terminal
      let evaluator = RowEvaluator(execution: execution)
      return { _ in
        RowByRowTest("\(quantifier.rawValue) value \(predicate.summary)") { row in
          try evaluator.groups(end, row).contains {
            Self.holds(quantifier, $0) { predicate.matches($0) }
          }
        }
      }
    }
  }

  /// The test that hops lead to an object that passes the test `end` makes.
  func reach(
    _ hops: ArraySlice<BoundPath.Hop>, from table: TableAccess,
    end: (TableAccess) throws -> RowTest, passesNull: Bool
  ) throws -> RowTest {
    // From the far end to the near one, without recursion.
    var tables = [table]
    for hop in hops { tables.append(try execution.table(hop.target)) }
    var test = try end(tables[hops.count])
    for (offset, hop) in hops.enumerated().reversed() {
      let set = ObjectSet(tables[offset + 1], test, execution)
      switch hop {
      case .link(let column):
        test = LinkTest(column, set, passesNull: passesNull, execution)
      case .links(let column): test = CollectionLinkTest(column, set, execution)
      case .backlinks(let column):
        test = BacklinkTest(column, tables[offset], set, execution)
      case .mapEntry, .element:
        let evaluator = RowEvaluator(execution: execution)
        test = RowByRowTest("an element of '\(hop.column.name)'") { row in
          guard let key = try evaluator.targets(hop, row).first else {
            return hop.keepsNull && passesNull
          }
          return try set.contains(key)
        }
      }
    }
    return test
  }

  // MARK: Geography

  /// The test that the points at the end of a path lie in a region.
  ///
  /// Unlike other tests, ALL is false where there are no points.
  private func compile(_ search: BoundGeoWithin, on table: TableAccess) throws -> RowTest {
    let execution = execution
    let hops = search.path.hops[...]
    func found(_ end: @escaping (TableAccess) throws -> RowTest) throws -> RowTest {
      try reach(hops, from: table, end: end, passesNull: false)
    }
    switch search.quantifier ?? .any {
    case .any: return try found { _ in GeoTest(search, execution) }
    case .none:
      return NotTest(try found { _ in GeoTest(search, execution) }, execution)
    case .all:
      let outside = try found { _ in NotTest(GeoTest(search, execution), execution) }
      return AllTest([NotTest(outside, execution), try found { _ in ConstantTest(true) }])
    }
  }

  // MARK: Counts

  /// The test of a count; nil when it is made row by row.
  private func compile(
    _ count: BoundCount, _ quantifier: QuerySyntax.Quantifier, _ predicate: ValuePredicate,
    on table: TableAccess
  ) throws -> RowTest? {
    switch count.counted {
    case .mapEntry, .element, .nested: return nil
    case .incoming: if !count.base.hops.isEmpty { return nil }
    case .link, .collection, .backlinks, .bytes: break
    }
    let execution = execution
    let counted = count.counted
    guard count.base.dropsNulls else {
      let wanted = predicate.quantified(quantifier)
      let ofNull: Value =
        if case .bytes = counted { .null } else { .int(0) }
      return try reach(
        count.base.hops[...], from: table, end: { _ in Self.countTest(counted, wanted, execution) },
        passesNull: wanted.matches(ofNull))
    }
    let wanted = quantifier == .all ? ValuePredicate.not(predicate) : predicate
    let found = try reach(
      count.base.hops[...], from: table, end: { _ in Self.countTest(counted, wanted, execution) },
      passesNull: false)
    return quantifier == .any ? found : NotTest(found, execution)
  }

  private static func countTest(
    _ counted: BoundCount.Counted, _ wanted: ValuePredicate, _ execution: Execution
  ) -> RowTest {
    let test = CountTest(counted, wanted, execution)
    guard case .collection(let column) = counted else { return test }
    return WaitingLinksTest.wrap(test, column, execution) {
      wanted.matches(.int(Int64($0.elements.count)))
    }
  }

  // MARK: Row by row

  private func rowByRow(_ test: BoundTest) throws -> RowTest {
    let left = try rowExpression(test.left)
    let right = try rowExpression(test.right)
    let evaluator = RowEvaluator(execution: execution, keepsWays: test.isOrdered)
    let comparator = test.valueComparator
    let leftQuantifier = test.leftQuantifier ?? .any
    let rightQuantifier = test.rightQuantifier ?? .any
    let folding = test.folding
    let isOrdered = test.isOrdered
    func holds(_ a: Value, _ b: Value) -> Bool {
      ValueComparison.holds(comparator, a, b, folding: folding)
    }
    return RowByRowTest(comparator.rawValue) { row in
      let leftGroups = try evaluator.groups(left, row)
      let rightGroups = try evaluator.groups(right, row)
      return leftGroups.contains { a in
        rightGroups.contains { b in
          if isOrdered {
            return ValueComparison.listsHold(
              comparator, a, b, folding: folding)
          }
          return Self.holds(leftQuantifier, a) { x in
            Self.holds(rightQuantifier, b) { y in holds(x, y) }
          }
        }
      }
    }
  }

  static func holds(
    _ quantifier: QuerySyntax.Quantifier, _ values: [Value], _ test: (Value) -> Bool
  ) -> Bool {
    switch quantifier {
    case .any: values.contains(where: test)
    case .all: values.allSatisfy(test)
    case .none: !values.contains(where: test)
    }
  }

  /// The expression with its constants looked up.
  func rowExpression(_ expression: BoundExpression) throws -> RowExpression {
    switch expression {
    case .constant(let constant): return .values([try execution.value(constant)])
    case .list(let constants): return .values(try constants.map { try execution.value($0) })
    case .path(let path): return .path(path)
    case .count(let count): return .count(count)
    case .aggregate(let aggregate): return .aggregate(aggregate)
    case .subquery(let subquery):
      return .subquery(subquery.path, try objects(of: subquery))
    case .arithmetic(let first, let rest):
      return .arithmetic(
        try rowExpression(first), try rest.map { ($0.0, try rowExpression($0.1)) })
    case .typeName(let path): return .typeName(path)
    }
  }
}

extension BoundTest {
  /// How two single values are compared.
  var valueComparator: QuerySyntax.Comparator {
    comparator == .in ? .equal : comparator
  }

  /// Whether the test of a pair of values is turned round, where each side has one value.
  ///
  /// ANY and ALL then say the same, and NONE the opposite.
  var isNegatedPair: Bool {
    (leftQuantifier == QuerySyntax.Quantifier.none)
      != (rightQuantifier == QuerySyntax.Quantifier.none)
  }
}

extension Column {
  /// Whether the steps lead to all elements of the property's collection, as the property itself
  /// does.
  fileprivate func isWhole(_ steps: [BoundPath.ValueStep]) -> Bool {
    layout.collection != .none && steps == [.all]
  }
}

extension ValueComparison {
  /// Compares lists position by position; different counts hold for `!=` only.
  static func listsHold(
    _ comparator: QuerySyntax.Comparator, _ a: [Value], _ b: [Value], folding: QuerySyntax.Folding
  ) -> Bool {
    if comparator == .notEqual {
      return !listsHold(.equal, a, b, folding: folding)
    }
    return a.count == b.count
      && zip(a, b).allSatisfy { holds(comparator, $0, $1, folding: folding) }
  }
}

extension ValuePredicate {
  /// What the one value there is has to pass, when it is asked for with a quantifier.
  func quantified(_ quantifier: QuerySyntax.Quantifier?) -> ValuePredicate {
    quantifier == QuerySyntax.Quantifier.none ? .not(self) : self
  }

  /// The constants that tell by themselves how a value compares with all or with one of `values`.
  ///
  /// What is below one of several constants is below the greatest; so of each type one constant is
  /// enough, and one null, which is neither below nor above another value but equals null.
  fileprivate static func decisive(
    _ comparator: QuerySyntax.Comparator, _ values: [Value], isAll: Bool
  ) -> [Value] {
    let wantsGreatest: Bool
    switch comparator {
    case .less, .lessOrEqual: wantsGreatest = !isAll
    case .greater, .greaterOrEqual: wantsGreatest = isAll
    default: return values
    }
    var extremes: [ValueType: Value] = [:]
    var others: Set<Value> = []
    for value in values {
      // NaN has no order, with itself neither.
      guard let type = value.type, ValueComparison.ordered(value, value) != nil else {
        others.insert(value)
        continue
      }
      if let extreme = extremes[type],
        ValueComparison.ordered(value, extreme) != (wantsGreatest ? .greater : .less)
      {
        continue
      }
      extremes[type] = value
    }
    return values.filter { value in
      if let type = value.type, extremes[type] == value {
        extremes[type] = nil
        return true
      }
      return others.remove(value) != nil
    }
  }

  /// One of several predicates; equalities become one list.
  static func union(_ terms: [ValuePredicate]) -> ValuePredicate {
    var values: [Value] = []
    var others: [ValuePredicate] = []
    for term in terms {
      switch term {
      case .compare(.equal, let constant, .exact): values.append(constant)
      case .isIn(let list) where list.folding == .exact: values += list.values
      default: others.append(term)
      }
    }
    if values.isEmpty { return .any(others) }
    let list = ValuePredicate.isIn(ConstantList(values, folding: .exact))
    return others.isEmpty ? list : .any(others + [list])
  }
}
