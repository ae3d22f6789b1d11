public import AtollObjects

/// The answer of a query with GROUP: rows of values.
///
///     let query = try Query(
///       "age >= 18 GROUP(city, @count, @avg.score) SORT(@count DESC)", on: "Person", in: schema)
///     let groups = try query.groups(in: snapshot)
///     for row in groups.rows { … }
public struct QueryGroups: Sendable {
  /// The columns as they are written in the query: `city`, `@count`, `@avg.score`.
  public let columns: [String]

  /// For each group a value for each column, in the order of the query, else in the order in which
  /// their first objects come.
  public let rows: [[Value]]

  /// The number of rows.
  public var count: Int { rows.count }
}

extension Query {
  /// Whether the query has a GROUP, so that it gives rows of values and no objects.
  public var isGrouped: Bool { bound.grouping != nil }

  /// The rows of values that a query with GROUP gives.
  ///
  /// Objects with equal keys are one group; null is a key like any other, and so is a value that a
  /// null link on the way keeps out of reach. Without a key there is one row, even for no objects.
  ///
  /// Cost: that of the test, and for an object a lookup of its group and its values.
  ///
  /// - Throws: `QueryError` when the query has no GROUP, `ObjectError` when the file is damaged or
  ///   the class is not in `source`.
  public func groups(in source: some ObjectSource) throws -> QueryGroups {
    guard let grouping = bound.grouping else {
      throw QueryError(
        .notSupported, "the query gives objects, as it has no GROUP", in: bound.source, at: 0..<0)
    }
    return try QueryFailure.translated {
      let run = try QueryRun(bound, arguments, in: source, for: .rows)
      return QueryGroups(columns: grouping.columns.map(\.name), rows: try run.groups(grouping))
    }
  }

  /// The rows of values that a query with GROUP gives of chosen objects, whatever its predicate says.
  ///
  /// - Parameters:
  ///   - keys: The objects, in the order in which groups come of them; one that is named twice counts
  ///     twice, and one that is not there is left out.
  ///   - source: What holds them.
  /// - Returns: The rows.
  /// - Throws: As `groups(in:)`.
  package func groups(
    of keys: [ObjectKey], in source: some ObjectSource
  ) throws -> QueryGroups {
    guard let grouping = bound.grouping else {
      throw QueryError(
        .notSupported, "the query gives objects, as it has no GROUP", in: bound.source, at: 0..<0)
    }
    return try QueryFailure.translated {
      let run = try QueryRun(bound, arguments, in: source, for: .rows)
      return QueryGroups(
        columns: grouping.columns.map(\.name), rows: try run.groups(grouping, of: keys))
    }
  }

  /// Refuses to find objects when there are only groups.
  func requireObjects() throws(QueryError) {
    guard bound.grouping != nil else { return }
    throw QueryError(
      .notSupported, "the query gives rows of values, as it has a GROUP", in: bound.source,
      at: 0..<0, hint: "read its groups")
  }
}
