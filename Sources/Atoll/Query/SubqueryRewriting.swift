internal import AtollQuery

/// Turns a test of an object with a list into a test of the objects in the list.
///
/// `dogs.age > 2` becomes `$x.age > 2`. Ways that do not go through the list are refused: inside of
/// a subquery there is no way to the object around it.
struct SubqueryRewriting {
  private let list: [QuerySyntax.PathStep]
  /// The name of the object in the list, which no subquery inside has.
  let variable: String

  init(list: [QuerySyntax.PathStep], _ predicate: QuerySyntax.Predicate) {
    self.list = list
    let depth = Self.depth(of: predicate)
    variable = depth == 0 ? "$x" : "$x\(depth)"
  }

  mutating func rewritten(_ predicate: QuerySyntax.Predicate) -> QuerySyntax.Predicate {
    switch predicate {
    case .and(let terms): return .and(terms.map { rewritten($0) })
    case .or(let terms): return .or(terms.map { rewritten($0) })
    case .not(let inner): return .not(rewritten(inner))
    case .comparison(var comparison):
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

  private func rewritten(_ path: QuerySyntax.Path) -> QuerySyntax.Path {
    let steps = path.steps.map(\.value)
    guard steps.starts(with: list), steps.count > list.count else {
      Misuse.trap(
        "\(path) is no property of the objects in \(QueryTree.path(list)), which are to be counted")
    }
    return QueryTree.path([.property(variable)] + steps.dropFirst(list.count))
  }

  /// How many subqueries are one in another.
  private static func depth(of predicate: QuerySyntax.Predicate) -> Int {
    switch predicate {
    case .and(let terms), .or(let terms): terms.map { depth(of: $0) }.max() ?? 0
    case .not(let inner): depth(of: inner)
    case .comparison(let comparison): max(depth(of: comparison.left), depth(of: comparison.right))
    case .between(let between): depth(of: between.operand)
    case .text, .geoWithin, .true, .false: 0
    }
  }

  private static func depth(of expression: QuerySyntax.Expression) -> Int {
    guard case .subquery(let subquery) = expression else { return 0 }
    return 1 + depth(of: subquery.value.predicate)
  }
}
