/// Comparing and hashing trees without recursion.
///
/// The members that a compiler would synthesise call each other once per level, with frames of
/// several kilobytes in unoptimised builds: a small stack could not hold a deep tree.
private enum SyntaxNode {
  case predicate(QuerySyntax.Predicate)
  case expression(QuerySyntax.Expression)

  /// Appends the nodes directly below this one.
  func appendChildren(to nodes: inout [SyntaxNode]) {
    switch self {
    case .predicate(.and(let terms)), .predicate(.or(let terms)):
      nodes.append(contentsOf: terms.lazy.map { .predicate($0) })
    case .predicate(.not(let inner)):
      nodes.append(.predicate(inner))
    case .predicate(.comparison(let comparison)):
      nodes.append(.expression(comparison.left))
      nodes.append(.expression(comparison.right))
    case .predicate(.between(let between)):
      nodes.append(.expression(between.operand))
    case .predicate(.text(let search)):
      nodes.append(.expression(search.operand))
      nodes.append(.expression(search.pattern))
    case .predicate(.geoWithin), .predicate(.true), .predicate(.false): break
    case .expression(.subquery(let subquery)):
      nodes.append(.predicate(subquery.value.predicate))
    case .expression(.arithmetic(let arithmetic)):
      nodes.append(.expression(arithmetic.first))
      nodes.append(contentsOf: arithmetic.rest.lazy.map { .expression($0.operand) })
    case .expression: break
    }
  }

  /// Whether two nodes are equal, their children aside; equal nodes have equally many.
  static func haveEqualRoots(_ left: SyntaxNode, _ right: SyntaxNode) -> Bool {
    switch (left, right) {
    case (.predicate(let left), .predicate(let right)): haveEqualRoots(left, right)
    case (.expression(let left), .expression(let right)): haveEqualRoots(left, right)
    default: false
    }
  }

  private static func haveEqualRoots(
    _ left: QuerySyntax.Predicate, _ right: QuerySyntax.Predicate
  ) -> Bool {
    switch (left, right) {
    case (.and(let left), .and(let right)), (.or(let left), .or(let right)):
      left.count == right.count
    case (.comparison(let left), .comparison(let right)):
      left.comparator == right.comparator && left.folding == right.folding
    case (.between(let left), .between(let right)):
      left.bounds == right.bounds && left.excludesHigh == right.excludesHigh
    case (.geoWithin(let left), .geoWithin(let right)): left == right
    case (.not, .not), (.text, .text), (.true, .true), (.false, .false): true
    default: false
    }
  }

  private static func haveEqualRoots(
    _ left: QuerySyntax.Expression, _ right: QuerySyntax.Expression
  ) -> Bool {
    switch (left, right) {
    case (.literal(let left), .literal(let right)): left == right
    case (.list(let left), .list(let right)): left == right
    case (.argument(let quantifier, let index), .argument(let otherQuantifier, let otherIndex)):
      quantifier == otherQuantifier && index == otherIndex
    case (.property(let left), .property(let right)): left == right
    case (.aggregate(let left), .aggregate(let right)): left == right
    case (.subquery(let left), .subquery(let right)):
      left.value.source == right.value.source && left.value.variable == right.value.variable
    case (.arithmetic(let left), .arithmetic(let right)):
      left.rest.map(\.function) == right.rest.map(\.function)
    default: false
    }
  }

  /// Hashes the node, its children aside; a number tells the kinds apart.
  func hashRoot(into hasher: inout Hasher) {
    switch self {
    case .predicate(let predicate): hashRoot(predicate, into: &hasher)
    case .expression(let expression): hashRoot(expression, into: &hasher)
    }
  }

  private func hashRoot(_ predicate: QuerySyntax.Predicate, into hasher: inout Hasher) {
    switch predicate {
    case .and(let terms):
      hasher.combine(0)
      hasher.combine(terms.count)
    case .or(let terms):
      hasher.combine(1)
      hasher.combine(terms.count)
    case .not: hasher.combine(2)
    case .comparison(let comparison):
      hasher.combine(3)
      hasher.combine(comparison.comparator)
      hasher.combine(comparison.folding)
    case .between(let between):
      hasher.combine(4)
      hasher.combine(between.bounds)
      hasher.combine(between.excludesHigh)
    case .text: hasher.combine(5)
    case .geoWithin(let test):
      hasher.combine(6)
      hasher.combine(test)
    case .true: hasher.combine(7)
    case .false: hasher.combine(8)
    }
  }

  private func hashRoot(_ expression: QuerySyntax.Expression, into hasher: inout Hasher) {
    switch expression {
    case .literal(let literal):
      hasher.combine(9)
      hasher.combine(literal)
    case .list(let list):
      hasher.combine(10)
      hasher.combine(list)
    case .argument(let quantifier, let index):
      hasher.combine(11)
      hasher.combine(quantifier)
      hasher.combine(index)
    case .property(let reference):
      hasher.combine(12)
      hasher.combine(reference)
    case .aggregate(let aggregate):
      hasher.combine(13)
      hasher.combine(aggregate)
    case .subquery(let subquery):
      hasher.combine(14)
      hasher.combine(subquery.value.source)
      hasher.combine(subquery.value.variable)
    case .arithmetic(let arithmetic):
      hasher.combine(15)
      hasher.combine(arithmetic.rest.map(\.function))
    }
  }

  /// Whether two trees are equal.
  static func areEqual(_ left: SyntaxNode, _ right: SyntaxNode) -> Bool {
    var lefts = [left]
    var rights = [right]
    while let left = lefts.popLast(), let right = rights.popLast() {
      guard haveEqualRoots(left, right) else { return false }
      left.appendChildren(to: &lefts)
      right.appendChildren(to: &rights)
    }
    return true
  }

  /// Hashes a whole tree.
  func hash(into hasher: inout Hasher) {
    var nodes = [self]
    while let node = nodes.popLast() {
      node.hashRoot(into: &hasher)
      node.appendChildren(to: &nodes)
    }
  }
}

extension QuerySyntax.Predicate {
  public static func == (left: Self, right: Self) -> Bool {
    SyntaxNode.areEqual(.predicate(left), .predicate(right))
  }

  public func hash(into hasher: inout Hasher) {
    SyntaxNode.predicate(self).hash(into: &hasher)
  }
}

extension QuerySyntax.Expression {
  public static func == (left: Self, right: Self) -> Bool {
    SyntaxNode.areEqual(.expression(left), .expression(right))
  }

  public func hash(into hasher: inout Hasher) {
    SyntaxNode.expression(self).hash(into: &hasher)
  }
}
