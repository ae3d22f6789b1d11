package import AtollObjects

extension Binder {
  /// Resolves the columns of a grouped answer.
  mutating func bind(
    _ grouping: QuerySyntax.Grouping, on table: TableSchema
  ) throws(QueryError) -> BoundGrouping {
    let limit = QueryLimits.groupColumns
    guard grouping.columns.count <= limit, grouping.steps.count <= limit else {
      throw error(
        .binding, "GROUP has more than \(limit) columns, or steps behind it",
        at: grouping.columns.dropFirst(limit).first?.range ?? grouping.columns.last?.range ?? 0..<0)
    }
    var columns: [BoundGrouping.Column] = []
    for column in grouping.columns {
      columns.append(
        BoundGrouping.Column(name: column.description, source: try bind(column, on: table)))
    }
    var steps: [BoundGrouping.Step] = []
    for step in grouping.steps {
      switch step {
      case .limit(let count): steps.append(.limit(Int(clamping: count)))
      case .sort(let keys):
        var places: [(column: Int, isAscending: Bool)] = []
        for key in keys {
          guard let place = grouping.columns.firstIndex(of: key.column) else {
            throw error(
              .binding, "SORT behind GROUP names one of its columns, and `\(key.column)` is none",
              at: key.column.range ?? 0..<0,
              expected: columns.map(\.name))
          }
          places.append((place, key.isAscending))
        }
        steps.append(.sort(places))
      }
    }
    return BoundGrouping(columns: columns, steps: steps)
  }

  private mutating func bind(
    _ column: QuerySyntax.GroupColumn, on table: TableSchema
  ) throws(QueryError) -> BoundGrouping.Source {
    switch column {
    case .count: return .count
    case .key(let path): return .key(try bindKey(path, on: table, clause: "GROUP"))
    case .aggregate(let function, let path):
      let bound = try bindKey(path, on: table, clause: "GROUP")
      guard case .value(let value, let steps) = bound.terminal else {
        throw error(.binding, "an object cannot be aggregated", at: path.range)
      }
      let type = steps.isEmpty ? value.layout.value : .mixed
      try requireAggregatable(function, value.layout.value, name(of: value), at: path.range)
      return .aggregate(function, bound, type)
    }
  }
}

extension QuerySyntax.GroupColumn {
  /// The bytes of the column's path.
  fileprivate var range: Range<Int>? {
    switch self {
    case .key(let path), .aggregate(_, let path): path.range
    case .count: nil
    }
  }
}

/// The rows of values that a query with GROUP gives.
package struct BoundGrouping: Sendable {
  package var columns: [Column]
  package var steps: [Step]

  package struct Column: Sendable {
    /// The column as it is written.
    package var name: String
    package var source: Source
  }

  package enum Source: Sendable {
    case key(BoundPath)
    case count
    /// An aggregate of the values at a path, which are of the type.
    case aggregate(QuerySyntax.AggregateFunction, BoundPath, ValueType)
  }

  package enum Step: Sendable {
    /// Places of columns, the most significant first.
    case sort([(column: Int, isAscending: Bool)])
    case limit(Int)
  }
}
