internal import AtollObjects

/// A path that orders rows.
struct SortPath {
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
