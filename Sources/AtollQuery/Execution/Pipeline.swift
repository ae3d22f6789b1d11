internal import AtollObjects

/// Objects in an order: leaves, and rows of them.
struct RowList {
  /// The leaves that have rows in the list.
  var leaves: [Leaf] = []
  /// Each the number of its leaf, times 2^16, plus its row.
  var rows: [UInt64] = []

  func place(_ row: UInt64) -> RowPlace {
    RowPlace(leaf: leaves[Int(row >> 16)], row: Int(row & 0xFFFF))
  }

  /// - Precondition: the leaf was opened, so that the keys of its rows can be read.
  mutating func append(_ leaf: Leaf, _ selection: Selection) {
    let base = UInt64(leaves.count) << 16
    leaves.append(leaf)
    selection.forEach { rows.append(base | UInt64($0)) }
  }
}

/// Rows in the order of their leaves, a bit for each row of these.
struct LeafRows {
  private(set) var leaves: [Leaf] = []
  private(set) var count = 0
  private var words: [UInt64] = []

  mutating func append(_ leaf: Leaf, _ selection: Selection) {
    leaves.append(leaf)
    count += selection.trueCount
    for index in 0..<selection.wordCount { words.append(unsafe selection.words[index]) }
  }

  /// Calls `body` with the number of the leaf and the row, ascending.
  @inline(__always)
  func forEach(_ body: (_ leaf: Int, _ row: Int) -> Void) {
    var start = 0
    for leaf in leaves.indices {
      let wordCount = (leaves[leaf].rowCount + 63) / 64
      for index in 0..<wordCount {
        var word = words[start + index]
        while word != 0 {
          body(leaf, index << 6 | word.trailingZeroBitCount)
          word &= word &- 1
        }
      }
      start += wordCount
    }
  }
}

/// SORT, DISTINCT and LIMIT, one after the other.
struct Pipeline {
  let steps: [Step]
  private let execution: Execution
  /// What the source and the step that takes its rows, then what each further step gave and took;
  /// empty unless a plan is printed.
  private(set) var meters: [Meter] = []
  private let isMeasured: Bool

  enum Step {
    case sort([SortKey])
    /// A sort of which only the first rows are wanted.
    case top([SortKey], limit: Int)
    case distinct([BoundPath])
    case limit(Int)
  }

  struct Meter {
    var rows: Int
    var time: Duration
    /// Leaves that a sort looked into.
    var leavesSorted = 0
  }

  /// The sort that is all there is to do, when more rows are wanted of it than are quickly kept while
  /// leaves go by.
  var fullSort: (keys: [SortKey], limit: Int)? {
    guard steps.count == 1 else { return nil }
    switch steps[0] {
    case .sort(let keys): return (keys, .max)
    case .top(let keys, let limit) where limit > 1 << 16: return (keys, limit)
    default: return nil
    }
  }

  /// The descriptors of a query on rows that come in the order of their keys.
  init(_ query: BoundQuery, _ execution: Execution, isMeasured: Bool = false) {
    self.isMeasured = isMeasured
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
        steps.append(.sort(keys.map { SortKey($0.path, $0.isAscending) }))
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

/// A path that orders rows.
struct SortKey {
  let path: BoundPath
  let isAscending: Bool

  init(_ path: BoundPath, _ isAscending: Bool) {
    self.path = path
    self.isAscending = isAscending
  }
}

/// What a path gives one row for sorting.
enum SortValue {
  case value(Value)
  /// A link on the way to the value is null.
  case nowhere

  /// Null values come first, rows without an object to take a value from last.
  static func order(_ a: SortValue, _ b: SortValue) -> Ordering {
    switch (a, b) {
    case (.value(let x), .value(let y)): Value.sortOrder(x, y)
    case (.value, .nowhere): .less
    case (.nowhere, .value): .greater
    case (.nowhere, .nowhere): .equal
    }
  }
}

/// The values of sort and distinct paths.
struct KeyEvaluator {
  let execution: Execution

  func value(_ path: BoundPath, _ row: RowPlace) throws -> SortValue {
    let evaluator = RowEvaluator(execution: execution)
    guard let (object, _) = try evaluator.objects(path, row)?.first else { return .nowhere }
    var end = BoundPath(root: path.lastTable)
    end.terminal = path.terminal
    // An element that is not there reads as null.
    return .value(try evaluator.groups(end, object).first?.first ?? .null)
  }

  /// The values of all paths; nil when a link on the way to one is null.
  func distinctKey(_ paths: [BoundPath], _ row: RowPlace) throws -> [Value]? {
    var key: [Value] = []
    for path in paths {
      guard case .value(let value) = try value(path, row) else { return nil }
      key.append(value)
    }
    return key
  }
}
