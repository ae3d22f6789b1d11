internal import AtollObjects
internal import AtollStorage

/// Which of the possible plans is taken: for tests, which compare them all.
package struct PlanForce: Sendable {
  /// The number of the way to the objects, a scan being 0; nil: the cheapest.
  package var access: Int?
  /// Whether an index gives the order, where one can; nil: where that is cheaper.
  package var usesIndexOrder: Bool?

  package init(access: Int? = nil, usesIndexOrder: Bool? = nil) {
    self.access = access
    self.usesIndexOrder = usesIndexOrder
  }
}

/// One run of a query on one version: chooses how, and does it.
final class QueryRun {
  let bound: BoundQuery
  let execution: Execution
  let table: TableAccess
  let candidates: [Planner.Candidate]
  /// How the objects that pass are found.
  let choice: Planner.Candidate
  /// How they are found in their order, when an index has it.
  let ordered: OrderedAccess?
  /// What is done with the objects that pass; each use runs a copy.
  let pipeline: Pipeline
  /// The test of what `choice.path` gives; notes what it does when the plan is printed.
  private(set) var test: RowTest

  init(
    _ bound: BoundQuery, _ arguments: [Value], in source: some ObjectSource,
    for demand: Planner.Demand, forcing force: PlanForce = PlanForce(),
    countsWaitingLinks: Bool = false, within budget: QueryBudget? = nil
  ) throws {
    guard let source = source as? any TreeSource else {
      throw ObjectError.noSuchClass(bound.table.name, nearest: nil)
    }
    self.bound = bound
    execution = Execution(
      source: source, arguments: arguments, countsWaitingLinks: countsWaitingLinks)
    execution.budget = budget
    table = try execution.table(bound.table.id)
    let demand = bound.needsRows && demand != .count || bound.needsDistinct ? .rows : demand
    candidates = try Planner(table, Compiler(execution: execution))
      .candidates(bound.predicate, for: demand)
    choice =
      if let number = force.access {
        candidates[min(number, candidates.count - 1)]
      } else {
        Planner.best(candidates)
      }
    test = choice.test
    pipeline = Pipeline(bound, execution)
    ordered = try Self.ordered(bound, candidates, choice, table, execution, force.usesIndexOrder)
  }

  /// The order of an index, if there is one and it is cheaper.
  private static func ordered(
    _ bound: BoundQuery, _ candidates: [Planner.Candidate], _ choice: Planner.Candidate,
    _ table: TableAccess, _ execution: Execution, _ force: Bool?
  ) throws -> OrderedAccess? {
    guard force ?? true, !bound.descriptors.isEmpty,
      let ordered = try OrderedAccess.find(bound.descriptors, candidates, table, execution)
    else { return nil }
    if force == true { return ordered }
    let statistics = try table.statistics()
    var cost = choice.cost
    if candidates.count == 1 { cost = PlanCost.scan(choice.test, statistics) }
    let rows = choice.estimate
    switch ordered.purpose {
    case .sort: cost += rows * (ordered.limit == nil ? PlanCost.sortedRow : 4)
    case .distinct: cost += rows * 4
    }
    return ordered.cost < cost ? ordered : nil
  }

  // MARK: Rows

  /// Visits the leaves with rows that pass, in the order of the keys.
  ///
  /// `opensLeaves`: whether `body` looks at more of a leaf than its vectors. `body`: returns
  /// whether to go on.
  func forEachLeaf(
    opensLeaves: Bool = true, _ body: (Leaf, Selection) throws -> Bool
  ) throws {
    switch choice.path {
    case .scan:
      try execution.scan(
        table, test, isShort: isShort, opensLeaves: opensLeaves, body)
    case .keyed(let access): try execution.visit(table, access.ranges, test, body)
    case .index, .words, .any, .all:
      try execution.visit(table, try choice.path.keys(table, accessMeter), test, body)
    }
  }

  /// Whether the first few objects are enough.
  private var isShort: Bool {
    guard case .limit = pipeline.steps.first else { return false }
    return choice.isWhole
  }

  /// What the indexes cost, when the plan is printed.
  private(set) var accessMeter: AccessMeter?

  /// Notes what every step costs from now on.
  func startMeasuring() throws {
    if !(test is ConstantTest) { test = test.measured(execution) }
    accessMeter = AccessMeter(choice.path)
  }

  /// How many objects pass the predicate.
  func matchCount() throws -> Int {
    switch choice.path {
    case .scan: return try execution.count(table, test)
    case .index(let access) where choice.isWhole: return access.count
    default:
      if choice.isCovering { return try choice.path.keys(table, accessMeter).count }
      var count = 0
      try forEachLeaf(opensLeaves: false) { _, rows in
        count += rows.trueCount
        return true
      }
      return count
    }
  }

  func count() throws -> Int {
    var count: Int?
    // A LIMIT bounds the count, and sorting does not change it.
    for descriptor in bound.descriptors {
      switch descriptor {
      case .sort: continue
      case .limit(let limit): count = min(try count ?? matchCount(), limit)
      case .distinct:
        if let ordered { return try ordered.keys(table, execution).count }
        return try rows().rows.count
      }
    }
    return try count ?? matchCount()
  }

  /// The keys of the objects, in the order of the query.
  func keys() throws -> [ObjectKey] {
    if let ordered { return ObjectKey.list(try ordered.keys(table, execution)) }
    if bound.descriptors.isEmpty {
      if choice.isCovering { return ObjectKey.list(try choice.path.keys(table, accessMeter)) }
      var keys: [ObjectKey] = []
      try forEachLeaf(opensLeaves: false) { leaf, rows in
        let leafKeys = try leaf.keys()
        rows.forEach { keys.append(ObjectKey(rawValue: leafKeys.key($0))) }
        return true
      }
      return keys
    }
    if let sort = pipeline.fullSort {
      return try Sorting.sortedKeys(sort.keys, limit: sort.limit, execution) { body in
        try self.forEachLeaf(opensLeaves: false, body)
      }
    }
    let list = try rows()
    return list.rows.map { ObjectKey(rawValue: list.place($0).key) }
  }

  /// The objects that pass, put through SORT, DISTINCT and LIMIT.
  func rows() throws -> RowList {
    var pipeline = pipeline
    return try pipeline.run { body in
      try self.forEachLeaf(opensLeaves: pipelineOpensLeaves, body)
    }
  }

  /// Whether rows are kept of every leaf; the first of an order, and of each value, are few.
  var pipelineOpensLeaves: Bool {
    switch pipeline.steps.first {
    case .top, .distinct: false
    default: true
    }
  }

  // MARK: Aggregates

  func aggregate(_ function: AggregateFunction, of property: String) throws -> Value {
    let column = try table.schema.requireColumn(property)
    let type = try AggregateScan.require(function, column, of: table.schema.name)
    var scan = AggregateScan(function, column, type)
    if bound.descriptors.isEmpty {
      if let extreme = try indexedExtreme(function, column) { return extreme }
      try forEachLeaf(opensLeaves: false) { leaf, rows in
        try scan.add(leaf, rows)
        return true
      }
      return scan.accumulator.result
    }
    if let ordered {
      for key in try ordered.keys(table, execution) {
        if let place = try table.locate(key) { scan.add(try place.value(column)) }
      }
      return scan.accumulator.result
    }
    let list = try rows()
    for row in list.rows { scan.add(try list.place(row).value(column)) }
    return scan.accumulator.result
  }

  /// The least or the greatest value of all objects, from one end of an index.
  private func indexedExtreme(_ function: AggregateFunction, _ column: Column) throws -> Value? {
    guard function == .minimum || function == .maximum, choice.isWhole, column.isIndexed,
      case .scan = choice.path, column.layout.value != .mixed,
      let index = try execution.source.index(column), index.entryCount == table.count
    else { return nil }
    var result = Value.null
    try index.forEachGroup(.all, order: function == .minimum ? .ascending : .descending) {
      _, keys in
      guard keys.count > 0, let place = try table.locate(keys[0]) else { return true }
      let value = try place.value(column)
      // Null and NaN are no values; they have a group each at most, in a few leaves.
      if value.isNull || value.isNotANumber { return true }
      result = value
      return false
    }
    return result
  }
}

extension ObjectKey {
  fileprivate static func list(_ keys: [UInt64]) -> [ObjectKey] {
    keys.map { ObjectKey(rawValue: $0) }
  }
}

extension Value {
  fileprivate var isNotANumber: Bool {
    switch self {
    case .double(let number): number.isNaN
    case .float(let number): number.isNaN
    case .decimal(let number): number.isNaN
    default: false
    }
  }
}

extension BoundQuery {
  /// Whether descriptors look at the objects, and not only at their number.
  fileprivate var needsRows: Bool { !descriptors.isEmpty }

  fileprivate var needsDistinct: Bool {
    descriptors.contains { if case .distinct = $0 { true } else { false } }
  }
}
