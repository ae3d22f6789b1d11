internal import AtollObjects

/// SORT, DISTINCT and LIMIT, one after the other.
struct Pipeline {
  let steps: [Step]
  private let execution: Execution
  /// What the source and the step that takes its rows, then what each further step gave and took;
  /// empty unless a plan is printed.
  private(set) var meters: [Meter] = []
  /// Whether a plan is printed.
  var isMeasured = false

  enum Step {
    case sort([SortPath])
    /// A sort of which only the first rows are wanted.
    case top([SortPath], limit: Int)
    case distinct([BoundPath])
    case limit(Int)
  }

  struct Meter {
    var rows: Int
    var time: Duration
    /// Leaves that a sort looked into.
    var leavesSorted = 0
  }

  /// The sort that is all there is to do, when more rows are wanted of it than are quickly kept
  /// while leaves go by.
  var fullSort: (keys: [SortPath], limit: Int)? {
    guard steps.count == 1 else { return nil }
    switch steps[0] {
    case .sort(let keys): return (keys, .max)
    case .top(let keys, let limit) where limit > 1 << 16: return (keys, limit)
    default: return nil
    }
  }

  /// The descriptors of a query on rows that come in the order of their keys.
  init(_ query: BoundQuery, _ execution: Execution) {
    var steps: [Step] = []
    var descriptors = query.descriptors[...]
    // The primary key is the order that rows come in.
    if query.table.isKeyedByPrimaryKey, case .sort(let keys) = descriptors.first,
      keys[0].isAscending, keys[0].path.directColumn == query.table.primaryKey
    {
      descriptors = descriptors.dropFirst()
    }
    for descriptor in descriptors {
      switch (descriptor, steps.last) {
      case (.sort(let keys), _):
        steps.append(.sort(keys.map { SortPath($0.path, $0.isAscending) }))
      case (.limit(let limit), .sort(let keys)):
        steps[steps.count - 1] = .top(keys, limit: limit)
      case (.limit(let limit), _): steps.append(.limit(limit))
      case (.distinct(let paths), _): steps.append(.distinct(paths))
      }
    }
    self.steps = steps
    self.execution = execution
  }

  /// Runs the steps on the rows that `source` gives, leaf by leaf until it is told to stop.
  mutating func run(
    _ source: ((Leaf, Selection) throws -> Bool) throws -> Void
  ) throws -> RowList {
    var list = RowList()
    var rest = steps[...]
    let start = isMeasured ? ContinuousClock.now : nil
    switch steps.first {
    case .limit(let limit):
      rest = rest.dropFirst()
      if limit > 0 {
        try source { leaf, rows in
          list.append(leaf, rows)
          return list.rows.count < limit
        }
        list.rows.removeLast(max(0, list.rows.count - limit))
      }
    case .top(let keys, let limit):
      rest = rest.dropFirst()
      if limit > 0 {
        var collector = TopRows(keys, limit: limit, execution)
        try source { leaf, rows in
          try collector.add(leaf, rows)
          return true
        }
        list = try collector.finish()
      }
    case .distinct(let paths):
      rest = rest.dropFirst()
      var collector = DistinctRows(paths, execution)
      try source { leaf, rows in
        try collector.add(leaf, rows)
        return true
      }
      list = collector.list
    case .sort, nil:
      try source { leaf, rows in
        list.append(leaf, rows)
        return true
      }
    }
    if let start {
      meters.append(
        Meter(
          rows: list.rows.count, time: start.duration(to: .now),
          leavesSorted: execution.leavesSorted))
    }
    for step in rest {
      let start = isMeasured ? ContinuousClock.now : nil
      let before = execution.leavesSorted
      defer {
        if let start {
          meters.append(
            Meter(
              rows: list.rows.count, time: start.duration(to: .now),
              leavesSorted: execution.leavesSorted - before))
        }
      }
      switch step {
      case .limit(let limit): list.rows.removeLast(max(0, list.rows.count - limit))
      case .sort(let keys): try Sorting.sort(&list, keys, limit: .max, execution)
      case .top(let keys, let limit): try Sorting.sort(&list, keys, limit: limit, execution)
      case .distinct(let paths):
        var seen = Set<[Value]>()
        let evaluator = KeyEvaluator(execution: execution)
        let places = list
        try list.rows.removeAll { row in
          guard let key = try evaluator.distinctKey(paths, places.place(row)) else { return true }
          return !seen.insert(key).inserted
        }
      }
    }
    return list
  }
}
