internal import AtollObjects

extension QueryRun {
  /// Runs the query for its objects, and notes what every step did.
  func explain() throws -> QueryPlan {
    let statistics = try table.statistics()
    try choice.test.learn(from: statistics)
    if let ordered { return try explain(ordered) }
    try startMeasuring()
    var pipeline = pipeline
    pipeline.isMeasured = true
    let start = ContinuousClock.now
    var matching = 0
    var meters: [Pipeline.Meter] = []
    let results: Int
    var source: QueryPlan.Step
    if bound.descriptors.isEmpty {
      if choice.isCovering {
        matching = try choice.path.keys(table, accessMeter).count
      } else {
        try forEachLeaf { _, rows in
          matching += rows.trueCount
          return true
        }
      }
      results = matching
      source = step(matching, start.duration(to: .now))
    } else {
      var timeInStep = Duration.zero
      var sourceTime = Duration.zero
      results = try pipeline.run { body in
        let start = ContinuousClock.now
        try self.forEachLeaf(opensLeaves: pipelineOpensLeaves) { leaf, rows in
          matching += rows.trueCount
          let start = ContinuousClock.now
          defer { timeInStep += start.duration(to: .now) }
          return try body(leaf, rows)
        }
        sourceTime = start.duration(to: .now) - timeInStep
      }.rows.count
      source = step(matching, sourceTime)
      meters = pipeline.meters
      meters[0].time -= sourceTime
      // A sort of all rows begins when they are there.
      if pipeline.steps.count < meters.count { meters.removeFirst() }
    }
    var expected = source.expectedRowCount ?? 0
    for (step, meter) in zip(pipeline.steps, meters) {
      if let limit = step.limit { expected = min(expected, limit) }
      source = QueryPlan.Step(
        text: step.text, expectedRowCount: step.isDistinct ? nil : expected,
        rowCount: meter.rows, leavesRead: meter.leavesSorted, time: meter.time, parts: [source])
    }
    return plan(source, matching: matching, results: results, choice.path)
  }

  private func explain(_ ordered: OrderedAccess) throws -> QueryPlan {
    let measured = try ordered.measured(execution)
    let start = ContinuousClock.now
    let count = try measured.keys(table, execution).count
    let name = ordered.listing.planName(bound.table.name)
    let text =
      switch ordered.purpose {
      case .sort(let isAscending): "index on \(name) in \(isAscending ? "ASC" : "DESC") order"
      case .distinct: "first object of each value in the index on \(name)"
      }
    var step = QueryPlan.Step(
      text: text + (ordered.limit.map { ", the first \($0)" } ?? ""),
      expectedRowCount: ordered.purpose == .distinct
        ? nil : min(ordered.limit ?? .max, Int(choice.estimate.rounded())),
      rowCount: count, leavesRead: execution.leavesRead, leavesSkipped: execution.leavesSkipped,
      time: start.duration(to: .now))
    if let test = measured.test as? MeasuredTest { step.parts = [Self.step(test)] }
    return plan(
      step, matching: count, results: count,
      .index(
        IndexAccess(
          listing: ordered.listing, index: ordered.index, ranges: ordered.ranges,
          count: Int(ordered.estimate))))
  }

  private func plan(
    _ root: QueryPlan.Step, matching: Int, results: Int, _ path: AccessPath
  ) -> QueryPlan {
    var indexes: [String] = []
    path.appendNames(bound.table.name, to: &indexes)
    return QueryPlan(
      root: root, indexes: indexes, estimatedRowCount: Int(path.estimate(table.count).rounded()),
      matchingRowCount: matching, resultCount: results, testedRowCount: execution.rowsTested,
      leavesRead: execution.leavesRead + execution.leavesSorted
        + (accessMeter?.allLeavesRead ?? 0),
      leavesSkipped: execution.leavesSkipped)
  }

  /// The step that gives what passes the predicate.
  private func step(_ rows: Int, _ time: Duration) -> QueryPlan.Step {
    let name = bound.table.name
    let expected = Int(choice.estimate.rounded())
    var step: QueryPlan.Step
    switch choice.path {
    case .scan: step = QueryPlan.Step(text: "scan of '\(name)'")
    case .keyed(let access):
      step = QueryPlan.Step(
        text: "'\(name)' by '\(access.column.name)', \(Self.ranges(access.ranges.count))")
    case .index, .words, .any, .all:
      guard let accessMeter else { preconditionFailure("measuring has begun") }
      let keys = choice.path.step(name, table.count, accessMeter)
      if choice.isCovering { return keys }
      step = QueryPlan.Step(text: "objects of '\(name)' that indexes name", parts: [keys])
    }
    step.expectedRowCount = expected
    step.rowCount = rows
    step.leavesRead = execution.leavesRead
    step.leavesSkipped = execution.leavesSkipped
    step.time = time - (accessMeter?.time ?? .zero)
    if let measured = test as? MeasuredTest { step.parts.append(Self.step(measured)) }
    return step
  }

  fileprivate static func ranges(_ count: Int) -> String {
    count == 1 ? "1 range" : "\(count) ranges"
  }

  /// The test and what it is made of; as deep as the query.
  private static func step(_ test: MeasuredTest) -> QueryPlan.Step {
    let parts = test.parts
    var steps = parts.prefix(20).map { part in
      (part as? MeasuredTest).map { step($0) } ?? QueryPlan.Step(text: part.summary)
    }
    if parts.count > 20 {
      steps.append(QueryPlan.Step(text: "… \(parts.count) tests"))
    }
    return QueryPlan.Step(
      text: test.summary,
      expectedRowCount: Int((test.selectivity * Double(test.rowsTested)).rounded()),
      rowCount: test.rowsPassed, testedRowCount: test.rowsTested, leavesRead: test.leavesRead,
      leavesSkipped: test.leavesSkipped, time: test.time, parts: steps)
  }
}

extension AccessPath {
  func appendNames(_ className: String, to names: inout [String]) {
    switch self {
    case .scan: break
    case .keyed(let access): names.append("\(className).\(access.column.name)")
    case .index(let access): names.append("\(className).\(access.listing.name)")
    case .words(let lookup): names.append("\(className).\(lookup.column.name)")
    case .any(let parts), .all(let parts):
      for part in parts { part.appendNames(className, to: &names) }
    }
  }

  /// The path as a step of a plan.
  fileprivate func step(
    _ className: String, _ rowCount: Int, _ meter: AccessMeter
  ) -> QueryPlan.Step {
    var step: QueryPlan.Step
    switch self {
    case .scan: preconditionFailure("a scan lists no keys")
    case .keyed(let access):
      step = QueryPlan.Step(
        text: "'\(className)' by '\(access.column.name)', "
          + QueryRun.ranges(access.ranges.count))
    case .index(let access) where access.column?.layout.value == .link:
      let count = access.ranges.count
      step = QueryPlan.Step(
        text: "backlinks by '\(className).\(access.listing.name)' of "
          + (count == 1 ? "1 object" : "\(count) objects"))
    case .index(let access):
      step = QueryPlan.Step(
        text: "index on \(access.listing.planName(className)), "
          + QueryRun.ranges(access.ranges.count))
    case .words(let lookup):
      step = QueryPlan.Step(
        text: "words in '\(className).\(lookup.column.name)' "
          + "TEXT \(lookup.pattern.planText)")
    case .any(let parts), .all(let parts):
      let isAny = if case .any = self { true } else { false }
      step = QueryPlan.Step(text: isAny ? "objects that any of these has" : "objects that all have")
      step.parts = zip(parts, meter.parts).map { $0.step(className, rowCount, $1) }
    }
    step.expectedRowCount = Int(estimate(rowCount).rounded())
    step.rowCount = meter.rows
    step.leavesRead = meter.leavesRead
    step.time = meter.time - meter.parts.reduce(.zero) { $0 + $1.time }
    return step
  }
}

extension IndexAccess.Listing {
  /// The name of the property, or those of several in parentheses.
  var name: String {
    switch self {
    case .column(let column): column.name
    case .table(let index):
      index.columns.count == 1 ? index.propertyNames : "(\(index.propertyNames))"
    }
  }

  /// The index in a plan: `'Dog.name'`, or `'Dog' by (owner, name)`.
  fileprivate func planName(_ className: String) -> String {
    if case .table(let index) = self, index.columns.count > 1 {
      return "'\(className)' by \(name)"
    }
    return "'\(className).\(name)'"
  }
}

extension AccessMeter {
  fileprivate var allLeavesRead: Int { parts.reduce(leavesRead) { $0 + $1.allLeavesRead } }
}

extension OrderedAccess {
  /// The same, with a test that notes what it does.
  fileprivate func measured(_ execution: Execution) throws -> OrderedAccess {
    var copy = self
    if !(test is ConstantTest) { copy.test = test.measured(execution) }
    return copy
  }
}

extension Pipeline.Step {
  fileprivate var limit: Int? {
    switch self {
    case .limit(let limit), .top(_, let limit): limit
    case .sort, .distinct: nil
    }
  }

  fileprivate var isDistinct: Bool { if case .distinct = self { true } else { false } }

  fileprivate var text: String {
    switch self {
    case .limit(let limit): "LIMIT \(limit)"
    case .sort(let keys): "SORT by \(Self.text(keys))"
    case .top(let keys, let limit): "SORT by \(Self.text(keys)), the first \(limit) are kept"
    case .distinct(let paths): "DISTINCT by " + paths.map(\.planText).joined(separator: ", ")
    }
  }

  private static func text(_ keys: [SortPath]) -> String {
    keys.map { "\($0.path.planText) \($0.isAscending ? "ASC" : "DESC")" }.joined(separator: ", ")
  }
}

extension BoundGrouping {
  /// A step behind the grouping in a plan.
  func planText(_ step: Step) -> String {
    switch step {
    case .limit(let limit): "LIMIT \(limit)"
    case .sort(let keys):
      "SORT by "
        + keys.map { "\(columns[$0.column].name) \($0.isAscending ? "ASC" : "DESC")" }
        .joined(separator: ", ")
    }
  }
}

extension BoundPath {
  /// The path in a plan.
  fileprivate var planText: String {
    var names = hops.map(\.column.name)
    if case .value(let column, _) = terminal { names.append(column.name) }
    return names.joined(separator: ".")
  }
}
