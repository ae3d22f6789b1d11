public import AtollObjects

/// A query on the objects of one class, parsed and bound, runnable on any version.
///
///     let query = try Query(
///       "age > $0 AND city == 'Oslo'", on: "Person", in: schema, arguments: [.int(30)])
///     try query.results(in: database.snapshot()).forEach { person in … }
///
/// The text was parsed and bound when the value was made; one value may run many times, from any
/// thread. A schema keeps bound texts for a while, so the same text with other arguments costs
/// little.
public struct Query: Sendable {
  /// The classes that it was bound to.
  package let schema: Schema
  package let bound: BoundQuery
  package let arguments: [Value]
  /// The tree that a program made; nil when the query was read from its text.
  let tree: QuerySyntax.Request?
  /// Whether links that wait for their targets count as links to objects.
  ///
  /// So the answer does not depend on which of the targets are there: a subscription must not tell a
  /// user of objects that the user may not read, and must be the same on a server and on devices. The
  /// queries of an app see what its file shows.
  package var countsWaitingLinks = false

  /// Parses `text` and binds it to a class.
  ///
  /// - Parameters:
  ///   - text: A predicate and the steps behind it.
  ///   - className: The class of the objects.
  ///   - schema: The classes of the database, from a snapshot or a transaction.
  ///   - arguments: What `$0`, `$1`… stand for.
  /// - Throws: `QueryError` with the place in the text.
  public init(
    _ text: String, on className: String, in schema: Schema, arguments: [Value] = []
  ) throws(QueryError) {
    self.schema = schema
    bound = try schema.companion { BoundQueryCache() }
      .query(text, on: className, in: schema, arguments)
    self.arguments = arguments
    tree = nil
  }

  /// Binds a syntax tree that was made by a program.
  ///
  /// `text`: what errors show; the ranges in the tree are of it. Nil: the tree has no ranges.
  package init(
    _ request: QuerySyntax.Request, text: String? = nil, on className: String, in schema: Schema,
    arguments: [Value] = []
  ) throws(QueryError) {
    var binder = Binder(
      schema: schema, source: SourceText(text ?? request.description), arguments: arguments)
    self.schema = schema
    bound = try binder.bind(request, on: className)
    self.arguments = arguments
    tree = request
  }

  /// How many arguments the text names: one more than the greatest number of one.
  public var argumentCount: Int { bound.argumentCount }

  /// Returns the objects that pass, in the order of the query or of their keys.
  ///
  /// - Throws: `ObjectError` when the file is damaged or the class is not in `source`; `QueryError`
  ///   when the query has a GROUP and so gives rows of values.
  public func results(in source: some ObjectSource) throws -> QueryResults {
    try requireObjects()
    return try QueryFailure.translated {
      let run = try QueryRun(
        bound, arguments, in: source, for: .keys, countsWaitingLinks: countsWaitingLinks)
      return QueryResults(table: run.table.table, keys: try run.keys())
    }
  }

  /// The keys of the objects that pass, and their count, by a plan that is not chosen but given.
  package func answer(
    in source: some ObjectSource, by force: PlanForce
  ) throws -> (keys: [ObjectKey], count: Int) {
    let keys = try QueryRun(bound, arguments, in: source, for: .keys, forcing: force).keys()
    let count = try QueryRun(bound, arguments, in: source, for: .count, forcing: force).count()
    return (keys, count)
  }

  /// The number of ways to the objects that a plan could take.
  package func accessCount(in source: some ObjectSource) throws -> Int {
    try QueryRun(bound, arguments, in: source, for: .keys).candidates.count
  }

  /// Returns how many objects pass.
  ///
  /// - Complexity: At most the test of each leaf; nothing is kept for an object.
  public func count(in source: some ObjectSource) throws -> Int {
    try requireObjects()
    return try QueryFailure.translated {
      try CountPlan(bound, arguments, in: source, countsWaitingLinks: countsWaitingLinks).count()
    }
  }

  /// An aggregate of a property over the objects that pass.
  ///
  /// Null values and NaN are left out; of nothing the sum is 0 and the others are null.
  public func aggregate(
    _ function: AggregateFunction, of property: String, in source: some ObjectSource
  ) throws -> Value {
    try requireObjects()
    return try QueryFailure.translated {
      let run = try QueryRun(
        bound, arguments, in: source, for: .rows, countsWaitingLinks: countsWaitingLinks)
      return try run.aggregate(function, of: property)
    }
  }

  /// Runs the query for its objects and tells how: the steps with what they were expected to give
  /// and gave, the indexes, the tests in their order, and how many leaves and objects were looked
  /// at.
  ///
  /// `print(try query.explain(in: snapshot))` shows it as a tree.
  public func explain(in source: some ObjectSource) throws -> QueryPlan {
    try QueryFailure.translated {
      var plan = try QueryRun(
        bound, arguments, in: source, for: .keys, countsWaitingLinks: countsWaitingLinks
      ).explain()
      if let grouping = bound.grouping {
        let names = grouping.columns.map(\.name).joined(separator: ", ")
        plan.root = QueryPlan.Step(text: "GROUP \(names)", parts: [plan.root])
        for step in grouping.steps {
          plan.root = QueryPlan.Step(text: grouping.planText(step), parts: [plan.root])
        }
      }
      return plan
    }
  }
}

/// What can be computed from one property over many objects.
public enum AggregateFunction: Sendable, CaseIterable {
  case minimum
  case maximum
  case sum
  case average

  var syntax: QuerySyntax.AggregateFunction {
    switch self {
    case .minimum: .minimum
    case .maximum: .maximum
    case .sum: .sum
    case .average: .average
    }
  }

  /// The aggregate of values that are of type `type` or null.
  package func result(_ type: ValueType, of values: [Value]) -> Value {
    Aggregation.result(syntax, type, of: values)
  }
}

/// Brings the errors of the layers below into the form that callers can handle.
enum QueryFailure {
  static func translated<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as ObjectError {
      throw error
    } catch let error as QueryTooExpensive {
      throw error
    } catch {
      throw ObjectError(any: error)
    }
  }
}
