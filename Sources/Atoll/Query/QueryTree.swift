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
    /// Tests of which all or any must be true.
    case joined(JoinedTests)
  }

  let form: Form
  /// The ways to collections of objects that every path in the tree goes through, each behind the
  /// one before.
  private var lists: [[QuerySyntax.PathStep]] = []
  /// The declared default of the property that the way ends with.
  var unset: _StoredValue?
  /// Shared by all trees of one query.
  let arguments: Arguments

  /// What has no literal, and so is written as `$0`.
  final class Arguments {
    /// The realm that is asked; nil when that is not known yet.
    let context: _RealmContext?
    private(set) var values: [Value] = []
    /// The ways to collections of objects that paths of the query go through.
    fileprivate(set) var collections: Set<[QuerySyntax.PathStep]> = []

    init(_ context: _RealmContext?) { self.context = context }

    /// The number of an argument with this value.
    func number(of value: Value) -> Int {
      values.append(value)
      return values.count - 1
    }
  }

  /// The object that is asked, or the element of a collection of values.
  ///
  /// - Parameters:
  ///   - context: The realm that is asked; nil when that is not known yet.
  ///   - value: The name of the value; nil where an object is asked.
  init(asking context: _RealmContext? = nil, value: String? = nil) {
    form = .path(value.map { [.property($0)] } ?? [])
    arguments = Arguments(context)
  }

  private init(_ form: Form, from trees: QueryTree...) {
    self.form = form
    arguments = trees[0].arguments
    lists = trees[0].lists
    for tree in trees.dropFirst() {
      lists = zip(lists, tree.lists).prefix { $0 == $1 }.map(\.0)
    }
  }

  private init(
    _ steps: [QuerySyntax.PathStep], through lists: [[QuerySyntax.PathStep]],
    _ arguments: Arguments
  ) {
    form = .path(steps)
    self.lists = lists
    self.arguments = arguments
  }

  /// Whether the path leads to several values of one object.
  private var isMany: Bool {
    guard case .path(let steps) = form else { return false }
    return !lists.isEmpty || steps.contains { [.keys, .values, .all].contains($0) }
  }

  // MARK: Ways

  /// The way with one more step.
  ///
  /// `isList`: whether the step leads to a collection of objects, or to those that link here.
  func appending(_ step: QuerySyntax.PathStep, isList: Bool = false) -> QueryTree {
    guard case .path(let steps) = form else {
      Misuse.trap("a computed value has no members")
    }
    let next = steps + [step]
    var through = lists
    if let last = lists.last, last == steps {
      switch step {
      case .values: through[through.count - 1] = next
      // One object of the collection, or something else than its objects.
      case .key, .keys: through.removeLast()
      default: break
      }
    }
    if isList { through.append(next) }
    if let last = through.last, last == next { arguments.collections.insert(next) }
    return QueryTree(next, through: through, arguments)
  }

  /// `path.@count`.
  func counted() -> QueryTree {
    QueryTree(.value(.property(.init(path, suffix: .init(.count)))), from: withoutOwnList)
  }

  /// The path without the collection that it ends in, which is counted as a whole.
  private var withoutOwnList: QueryTree {
    guard case .path(let steps) = form, lists.last == steps else { return self }
    return QueryTree(steps, through: lists.dropLast(), arguments)
  }

  /// `path.@max`, or `list.@max.property` over the objects of a collection.
  ///
  /// `isOfElements`: whether the path ends in a collection, whose values are aggregated.
  func aggregated(
    _ function: QuerySyntax.AggregateFunction, isOfElements: Bool = false
  ) -> QueryTree {
    guard case .path(let steps) = form else {
      Misuse.trap("a computed value has no aggregates")
    }
    let endsInValues = isOfElements || steps.last == .values || steps.last == .keys
    guard !endsInValues, let list = lists.last else {
      return QueryTree(.value(.aggregate(.init(path, .init(function)))), from: self)
    }
    guard case .property(let name)? = steps.last, steps.count == list.count + 1 else {
      Misuse.trap(
        "\(function.rawValue) is asked of a property of the objects in a list")
    }
    let aggregate = QuerySyntax.Aggregate(Self.path(list), .init(function), of: .init(name))
    let rest = QueryTree(steps, through: lists.dropLast(), arguments)
    return QueryTree(.value(.aggregate(aggregate)), from: rest)
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
    case .joined(let tests): tests.predicate
    case .path, .value:
      .comparison(.init(expression, .init(.equal), .literal(.init(.bool(true)))))
    }
  }

  var expression: QuerySyntax.Expression {
    switch form {
    case .path: .property(.init(path))
    case .value(let expression): expression
    case .test, .joined: Misuse.trap("a condition is no value to compare")
    }
  }

  func compared(
    _ comparator: QuerySyntax.Comparator, _ operand: QueryOperand,
    folding: QuerySyntax.Folding = .exact
  ) -> QueryTree {
    switch form {
    case .test, .joined: return truth(of: predicate, comparator, operand)
    case .path, .value:
      return comparison(expression, comparator, folding, constant(operand))
    }
  }

  func compared(
    _ comparator: QuerySyntax.Comparator, _ other: QueryTree,
    folding: QuerySyntax.Folding = .exact
  ) -> QueryTree {
    var left = expression
    // Of several values on both sides any two: without a word, lists compare place by place.
    if isMany, other.isMany { left = .property(.init(path, quantifier: .init(.any))) }
    let test = QuerySyntax.Comparison(left, .init(comparator), folding: folding, other.expression)
    return QueryTree(.test(.comparison(test)), from: self, other)
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
    comparison(constant(operand), .in, .exact, expression)
  }

  /// `path IN {a, b}`; of a collection `ANY path IN {a, b}`.
  func contained(in operands: [QueryOperand], any: Bool = false) -> QueryTree {
    var left = expression
    if any { left = .property(.init(path, quantifier: .init(.any))) }
    let elements = operands.map { QuerySyntax.Located(literal($0)) }
    return comparison(left, .in, .exact, .list(.init(.init(elements))))
  }

  /// `path != ALL {a, b}`: whether a value is none of these; of several, whether one of them is.
  func excluded(from operands: [QueryOperand]) -> QueryTree {
    let elements = operands.map { QuerySyntax.Located(literal($0)) }
    let list = QuerySyntax.ListLiteral(.init(elements), quantifier: .init(.all))
    return comparison(expression, .notEqual, .exact, .list(list))
  }

  /// Whether the way leads over an object, which may be none.
  var isBehindLink: Bool { if case .path(let steps) = form { steps.count > 1 } else { false } }

  /// `path BETWEEN {low, high}`; without the upper bound `path >= low AND path < high`.
  ///
  /// Of several values one is in the range, which two tests would not say: `BETWEEN {low, <high}`.
  func between(
    _ low: QueryOperand, _ high: QueryOperand, excludesHigh: Bool = false
  ) -> QueryTree {
    if excludesHigh, !isMany, lists.isEmpty {
      return compared(.greaterOrEqual, low).and(compared(.less, high))
    }
    let bounds = [low, high].map { QuerySyntax.Located(literal($0)) }
    let test = QuerySyntax.Between(
      expression, .list(.init(.init(bounds))), excludesHigh: excludesHigh)
    return QueryTree(.test(.between(test)), from: self)
  }

  /// Whether there are elements and each passes all tests: `path.@count > 0 AND ALL path >= low …`.
  ///
  /// Behind a collection of objects, whether that is so for one of them.
  func eachElement(_ tests: [(QuerySyntax.Comparator, QueryOperand)]) -> QueryTree {
    haveElements(
      and: tests.map { comparator, operand in
        let each = QuerySyntax.Expression.property(.init(path, quantifier: .init(.all)))
        return .comparison(.init(each, .init(comparator), .literal(.init(literal(operand)))))
      })
  }

  /// Whether there are elements and none passes a test.
  ///
  /// Behind a collection of objects, whether that is so for one of them.
  func eachElement(butFor test: QueryTree) -> QueryTree {
    haveElements(and: [.negation(of: test.predicate)])
  }

  private func haveElements(and tests: [QuerySyntax.Predicate]) -> QueryTree {
    let isFilled = QuerySyntax.Predicate.comparison(
      .init(counted().expression, .init(.greater), .literal(.init(.int(0)))))
    let tests = QueryTree(.test(.all(of: [isFilled] + tests)), from: self)
    guard !lists.isEmpty else { return tests }
    var ofOneObject = tests.countedMatches().compared(.greater, .value(.int(0)))
    ofOneObject.lists = lists
    return ofOneObject
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
    joined(.all, other)
  }

  func or(_ other: QueryTree) -> QueryTree {
    joined(.any, other)
  }

  private func joined(_ quantity: JoinedTests.Quantity, _ other: QueryTree) -> QueryTree {
    let tests =
      if case .joined(let tests) = form, tests.quantity == quantity {
        tests
      } else {
        JoinedTests(quantity, predicate)
      }
    return QueryTree(.joined(tests.appending(other.predicate)), from: self, other)
  }

  func negated() -> QueryTree {
    QueryTree(.test(.negation(of: predicate)), from: self)
  }

  /// `SUBQUERY(list, $x, …).@count`: how many objects of the last collection that all paths of the
  /// test go through pass it.
  func countedMatches() -> QueryTree {
    let predicate = predicate
    guard let list = lists.last else {
      Misuse.trap(
        "what is counted are the objects of a collection that all properties in '\(predicate)' are "
          + "reached through, and there is none")
    }
    let rewriting = SubqueryRewriting(
      list: list, of: arguments.collections, predicate)
    let subquery = QuerySyntax.Subquery(
      Self.path(list), variable: .init(rewriting.variable), rewriting.rewritten(predicate))
    let rest = QueryTree([], through: lists.dropLast(), arguments)
    return QueryTree(.value(.subquery(.init(subquery))), from: rest)
  }

  // MARK: Constants

  /// The operand as one side of a comparison.
  private func constant(_ operand: QueryOperand) -> QuerySyntax.Expression {
    let literal = literal(operand)
    guard case .argument(let number) = literal else { return .literal(.init(literal)) }
    guard case .list = arguments.values[number] else { return .argument(nil, .init(number)) }
    // One value that is a list, where a list alone would stand for each of its elements.
    let element = QuerySyntax.Located(literal)
    return .list(.init(.init([element]), quantifier: .init(.any)))
  }

  private func literal(_ operand: QueryOperand) -> QuerySyntax.Literal {
    switch operand {
    case .value(let value): return QuerySyntax.Literal(value) ?? argument(value)
    case .mixed(let mixed): return literal(.value(mixed.asked(arguments.context, isNaming: true)))
    case .instance(let object):
      let link = object.asked(arguments.context, isNaming: true)
      let isHeld = link.link?.isToNothing == false
      // Where the realm is not known yet, the key names an object that it may come to hold. Among
      // copies it may name several.
      guard isHeld || arguments.context == nil, arguments.context?.copies == nil,
        let (className, key) = object.queryKey
      else { return argument(link) }
      return .object(class: .init(className), key: .init(key))
    }
  }

  private func argument(_ value: Value) -> QuerySyntax.Literal {
    .argument(arguments.number(of: value))
  }
}
