internal import AtollObjects
internal import AtollQuery

/// What a `Query` stands for: a part of a syntax tree of the query language.
///
/// The typed interface only decides what may be written; the tree is made here, and nowhere is a
/// text in between.
struct QueryTree {
  enum Form {
    /// The way from the object to a value; no step at all is the object, or the element, itself.
    case path([QuerySyntax.PathStep])
    /// A count or an aggregate.
    case value(QuerySyntax.Expression)
    case test(QuerySyntax.Predicate)
  }

  var form: Form
  /// The ways to lists of objects that the tree takes, each once: what a subquery can count.
  var lists: [[QuerySyntax.PathStep]] = []
  /// The declared default of the property that the way ends with.
  var unset: _StoredValue?
  /// Shared by all trees of one query.
  let arguments: Arguments

  /// What has no literal, and so is written as `$0`.
  final class Arguments {
    private(set) var values: [Value] = []

    /// The number of an argument with this value.
    func number(of value: Value) -> Int {
      values.append(value)
      return values.count - 1
    }
  }

  /// The object that is asked, or the element of a collection of values.
  init() {
    form = .path([])
    arguments = Arguments()
  }

  private init(_ form: Form, from trees: QueryTree...) {
    self.form = form
    arguments = trees[0].arguments
    for tree in trees {
      for list in tree.lists where !lists.contains(list) { lists.append(list) }
    }
  }

  // MARK: Ways

  /// The way with one more step.
  ///
  /// `isList`: whether the step leads to a list of objects, or to those that link here.
  func appending(_ step: QuerySyntax.PathStep, isList: Bool = false) -> QueryTree {
    guard case .path(let steps) = form else {
      Misuse.trap("a computed value has no members")
    }
    var tree = QueryTree(.path(steps + [step]), from: self)
    if isList { tree.lists = [steps + [step]] }
    return tree
  }

  /// `path.@count`.
  func counted() -> QueryTree {
    QueryTree(.value(.property(.init(path, suffix: .init(.count)))), from: self)
  }

  /// `path.@max`, or `list.@max.property` when the way goes through a list of objects.
  func aggregated(_ function: QuerySyntax.AggregateFunction) -> QueryTree {
    guard case .path(let steps) = form else {
      Misuse.trap("a computed value has no aggregates")
    }
    guard let list = lists.last, steps.count > list.count else {
      return QueryTree(.value(.aggregate(.init(path, .init(function)))), from: self)
    }
    guard case .property(let name) = steps[steps.count - 1], steps.count == list.count + 1 else {
      Misuse.trap(
        "\(function.rawValue) is asked of a property of the objects in a list")
    }
    let aggregate = QuerySyntax.Aggregate(Self.path(list), .init(function), of: .init(name))
    return QueryTree(.value(.aggregate(aggregate)), from: self)
  }

  /// The way as a path of the query language.
  private var path: QuerySyntax.Path {
    guard case .path(let steps) = form else {
      Misuse.trap("a computed value is no property")
    }
    guard !steps.isEmpty else {
      Misuse.trap("the elements of this collection are values, which have no properties")
    }
    return Self.path(steps)
  }

  static func path(_ steps: [QuerySyntax.PathStep]) -> QuerySyntax.Path {
    QuerySyntax.Path(steps.map { QuerySyntax.Located($0) })
  }

  // MARK: Tests

  /// The test that the tree is: of a property of type bool, whether it is true.
  var predicate: QuerySyntax.Predicate {
    switch form {
    case .test(let predicate): predicate
    case .path, .value:
      .comparison(.init(expression, .init(.equal), .literal(.init(.bool(true)))))
    }
  }

  var expression: QuerySyntax.Expression {
    switch form {
    case .path: .property(.init(path))
    case .value(let expression): expression
    case .test: Misuse.trap("a condition is no value to compare")
    }
  }

  func compared(
    _ comparator: QuerySyntax.Comparator, _ operand: QueryOperand,
    folding: QuerySyntax.Folding = .exact
  ) -> QueryTree {
    if case .test(let predicate) = form {
      return truth(of: predicate, comparator, operand)
    }
    let right: QuerySyntax.Expression =
      switch literal(operand) {
      case .argument(let number): .argument(nil, .init(number))
      case let literal: .literal(.init(literal))
      }
    return comparison(expression, comparator, folding, right)
  }

  func compared(
    _ comparator: QuerySyntax.Comparator, _ other: QueryTree,
    folding: QuerySyntax.Folding = .exact
  ) -> QueryTree {
    var tree = comparison(expression, comparator, folding, other.expression)
    for list in other.lists where !tree.lists.contains(list) { tree.lists.append(list) }
    return tree
  }

  /// A condition beside `true` or `false`.
  private func truth(
    of predicate: QuerySyntax.Predicate, _ comparator: QuerySyntax.Comparator,
    _ operand: QueryOperand
  ) -> QueryTree {
    guard case .value(.bool(let wanted)) = operand,
      comparator == .equal || comparator == .notEqual
    else { Misuse.trap("a condition is true or false, and compares with nothing else") }
    let isKept = wanted == (comparator == .equal)
    return QueryTree(.test(isKept ? predicate : .negation(of: predicate)), from: self)
  }

  /// `operand IN path`.
  func containing(_ operand: QueryOperand) -> QueryTree {
    let left: QuerySyntax.Expression =
      switch literal(operand) {
      case .argument(let number): .argument(nil, .init(number))
      case let literal: .literal(.init(literal))
      }
    return comparison(left, .in, .exact, expression)
  }

  /// `path IN {a, b}`; of a collection `ANY path IN {a, b}`.
  func contained(in operands: [QueryOperand], any: Bool = false) -> QueryTree {
    var left = expression
    if any { left = .property(.init(path, quantifier: .init(.any))) }
    let elements = operands.map { QuerySyntax.Located(literal($0)) }
    return comparison(left, .in, .exact, .list(.init(.init(elements))))
  }

  /// `NOT path IN {a, b}`; of a collection `NOT ALL path IN {a, b}`, so that one element is outside.
  func excluded(from operands: [QueryOperand], any: Bool) -> QueryTree {
    if operands.isEmpty {
      return any
        ? counted().compared(.greater, .value(.int(0))) : QueryTree(.test(.true), from: self)
    }
    let left: QuerySyntax.Expression =
      any ? .property(.init(path, quantifier: .init(.all))) : expression
    let elements = operands.map { QuerySyntax.Located(literal($0)) }
    return comparison(left, .in, .exact, .list(.init(.init(elements)))).negated()
  }

  /// Whether the way leads over an object, which may be none.
  var isBehindLink: Bool { if case .path(let steps) = form { steps.count > 1 } else { false } }

  /// `path BETWEEN {low, high}`.
  func between(_ low: QueryOperand, _ high: QueryOperand) -> QueryTree {
    let bounds = [low, high].map { QuerySyntax.Located(literal($0)) }
    let test = QuerySyntax.Between(expression, .list(.init(.init(bounds))))
    return QueryTree(.test(.between(test)), from: self)
  }

  /// Whether there are elements and each passes all tests: `path.@count > 0 AND ALL path >= low …`.
  func eachElement(_ tests: [(QuerySyntax.Comparator, QueryOperand)]) -> QueryTree {
    var terms = [
      QuerySyntax.Predicate.comparison(
        .init(counted().expression, .init(.greater), .literal(.init(.int(0)))))
    ]
    for (comparator, operand) in tests {
      let each = QuerySyntax.Expression.property(.init(path, quantifier: .init(.all)))
      terms.append(
        .comparison(.init(each, .init(comparator), .literal(.init(literal(operand))))))
    }
    return QueryTree(.test(.all(of: terms)), from: self)
  }

  func within(_ shape: QuerySyntax.GeoShape) -> QueryTree {
    QueryTree(.test(.geoWithin(.init(.init(path), .init(.shape(shape))))), from: self)
  }

  private func comparison(
    _ left: QuerySyntax.Expression, _ comparator: QuerySyntax.Comparator,
    _ folding: QuerySyntax.Folding, _ right: QuerySyntax.Expression
  ) -> QueryTree {
    QueryTree(
      .test(.comparison(.init(left, .init(comparator), folding: folding, right))), from: self)
  }

  // MARK: Logic

  func and(_ other: QueryTree) -> QueryTree {
    QueryTree(.test(.all(of: [predicate, other.predicate])), from: self, other)
  }

  func or(_ other: QueryTree) -> QueryTree {
    QueryTree(.test(.any(of: [predicate, other.predicate])), from: self, other)
  }

  func negated() -> QueryTree {
    QueryTree(.test(.negation(of: predicate)), from: self)
  }

  /// `SUBQUERY(list, $x, …).@count`: how many objects of the one list in the test pass it.
  func countedMatches() -> QueryTree {
    guard case .test(let predicate) = form else { return counted() }
    guard lists.count == 1 else {
      Misuse.trap("what is counted here are the objects of one list, which the test names")
    }
    var rewriting = SubqueryRewriting(list: lists[0], predicate)
    let subquery = QuerySyntax.Subquery(
      Self.path(lists[0]), variable: .init(rewriting.variable), rewriting.rewritten(predicate))
    var tree = QueryTree(.value(.subquery(.init(subquery))), from: self)
    tree.lists = []
    return tree
  }

  // MARK: Constants

  private func literal(_ operand: QueryOperand) -> QuerySyntax.Literal {
    switch operand {
    case .value(let value):
      QuerySyntax.Literal(value) ?? .argument(arguments.number(of: value))
    case .object(let className, let key):
      .object(class: .init(className), key: .init(key))
    }
  }
}
