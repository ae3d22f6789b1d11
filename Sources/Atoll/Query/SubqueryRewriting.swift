internal import AtollQuery

/// Turns a test of an object with a list into a test of the objects in the list.
///
/// `dogs.age > 2` becomes `$x.age > 2`. Ways that do not go through the list are refused: inside of
/// a subquery there is no way to the object around it.
struct SubqueryRewriting {
  private let list: [QuerySyntax.PathStep]
  /// The ways to collections of objects that there are.
  private let collections: Set<[QuerySyntax.PathStep]>
  /// The name of the object in the list, which no subquery inside has.
  let variable: String

  init(
    list: [QuerySyntax.PathStep], of collections: Set<[QuerySyntax.PathStep]>,
    _ predicate: QuerySyntax.Predicate
  ) {
    let used = Self.variables(in: predicate)
    let variable = (0...used.count).lazy.map { $0 == 0 ? "$x" : "$x\($0)" }
      .first { !used.contains($0) }
    self.init(list: list, of: collections, variable: variable ?? "$x")
  }

  private init(
    list: [QuerySyntax.PathStep], of collections: Set<[QuerySyntax.PathStep]>, variable: String
  ) {
    self.list = list
    self.collections = collections
    self.variable = variable
  }

  func rewritten(_ predicate: QuerySyntax.Predicate) -> QuerySyntax.Predicate {
    switch predicate {
    case .and(let terms): return .and(terms.map { rewritten($0) })
    case .or(let terms): return .or(terms.map { rewritten($0) })
    case .not(let inner): return .not(rewritten(inner))
    case .comparison(var comparison):
      if let test = testOfOne(comparison) { return test }
      comparison.left = rewritten(comparison.left)
      comparison.right = rewritten(comparison.right)
      return .comparison(comparison)
    case .between(var between):
      between.operand = rewritten(between.operand)
      return .between(between)
    case .text(var search):
      search.operand = rewritten(search.operand)
      return .text(search)
    case .geoWithin(var test):
      test.property.path = rewritten(test.property.path)
      return .geoWithin(test)
    case .true, .false: return predicate
    }
  }

  private func rewritten(_ expression: QuerySyntax.Expression) -> QuerySyntax.Expression {
    switch expression {
    case .property(var reference):
      if reference.quantifier?.value == .any, !isMany(reference.path) {
        reference.quantifier = nil
      }
      reference.path = rewritten(reference.path)
      return .property(reference)
    case .aggregate(var aggregate):
      aggregate.path = rewritten(aggregate.path)
      return .aggregate(aggregate)
    case .subquery(var subquery):
      subquery.value.source = rewritten(subquery.value.source)
      return .subquery(subquery)
    case .arithmetic(var arithmetic):
      arithmetic.first = rewritten(arithmetic.first)
      for index in arithmetic.rest.indices {
        arithmetic.rest[index].operand = rewritten(arithmetic.rest[index].operand)
      }
      return .arithmetic(arithmetic)
    case .literal, .list, .argument: return expression
    }
  }

  /// Whether a path leads to several values of one object in the list.
  private func isMany(_ path: QuerySyntax.Path) -> Bool {
    let steps = path.steps.map(\.value)
    guard steps.count > list.count else { return true }
    return (list.count + 1...steps.count).contains { count in
      if [.keys, .values, .all].contains(steps[count - 1]) { return true }
      // The value of a key is one, where the whole map has several.
      if count < steps.count, case .key = steps[count] { return false }
      return collections.contains(Array(steps.prefix(count)))
    }
  }

  private func rewritten(_ path: QuerySyntax.Path) -> QuerySyntax.Path {
    let steps = path.steps.map(\.value)
    guard steps.starts(with: list), steps.count > list.count else {
      Misuse.trap(
        "\(path) is no property of the objects in \(QueryTree.path(list)), which are to be counted")
    }
    return QueryTree.path([.property(variable)] + steps.dropFirst(list.count))
  }

  /// The test of a single object that asks whether one in the list passes it; nil for others.
  ///
  /// `SUBQUERY(dogs, $x, $x.age > 2).@count > 0` becomes `$x1.age > 2`.
  private func testOfOne(_ comparison: QuerySyntax.Comparison) -> QuerySyntax.Predicate? {
    guard case .subquery(let subquery) = comparison.left,
      subquery.value.source.steps.map(\.value) == list, comparison.comparator.value == .greater,
      case .literal(let literal) = comparison.right, literal.value == .int(0)
    else { return nil }
    let inner: [QuerySyntax.PathStep] = [.property(subquery.value.variable.value)]
    return SubqueryRewriting(
      list: inner, of: collections, variable: variable
    ).rewritten(subquery.value.predicate)
  }

  /// The variables of the subqueries in a predicate.
  private static func variables(in predicate: QuerySyntax.Predicate) -> Set<String> {
    switch predicate {
    case .and(let terms), .or(let terms):
      terms.reduce(into: []) { $0.formUnion(variables(in: $1)) }
    case .not(let inner): variables(in: inner)
    case .comparison(let comparison):
      variables(in: comparison.left).union(variables(in: comparison.right))
    case .between(let between): variables(in: between.operand)
    case .text, .geoWithin, .true, .false: []
    }
  }

  private static func variables(in expression: QuerySyntax.Expression) -> Set<String> {
    guard case .subquery(let subquery) = expression else { return [] }
    return variables(in: subquery.value.predicate).union([subquery.value.variable.value])
  }
}
