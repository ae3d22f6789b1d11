package import AtollObjects
internal import AtollStorage

/// The test of a query, run on chosen objects of one version.
///
/// Made once for a version, then used often; reads the leaves of these objects and of what they
/// link to, and never scans. Of a transaction, valid until its next change. Used by one thread.
package final class QueryMatcher {
  private let execution: Execution
  private let table: TableAccess
  private let test: RowTest

  /// `budget`: what bounds the tests of single values.
  ///
  /// - Throws: `ObjectError` when the class is not in `source`; `QueryError` for a query with
  ///   GROUP.
  package init(
    _ query: Query, in source: some ObjectSource, within budget: QueryBudget? = nil
  ) throws {
    try query.requireObjects()
    guard let source = source as? any TreeSource else {
      throw ObjectError.noSuchClass(query.bound.table.name, nearest: nil)
    }
    let execution = Execution(
      source: source, arguments: query.arguments, countsWaitingLinks: query.countsWaitingLinks)
    execution.budget = budget
    let (table, test) = try QueryFailure.translated {
      let table = try execution.table(query.bound.table.id)
      return (
        table, try Compiler(execution: execution).compile(query.bound.predicate, on: table)
      )
    }
    (self.execution, self.table, self.test) = (execution, table, test)
  }

  /// The objects among these that exist and pass the test, ascending and each once.
  ///
  /// SORT, DISTINCT and LIMIT are not applied.
  ///
  /// - Complexity: O(log n) pages for each leaf with one of the objects.
  package func matches(_ keys: [ObjectKey]) throws -> [ObjectKey] {
    var matching: [ObjectKey] = []
    try QueryFailure.translated {
      try execution.visit(table, Self.ascending(keys), test) { leaf, rows in
        rows.forEach { matching.append(ObjectKey(rawValue: leaf.rowGroup.key($0))) }
        return true
      }
    }
    return matching
  }

  /// The objects among these that exist and pass the test, until the budget is spent.
  ///
  /// - Throws: `QueryTooExpensive` for an object whose test would take longer than that.
  package func boundedMatches(_ keys: [ObjectKey], within budget: QueryBudget) throws -> BoundedKeys
  {
    let keys = Self.ascending(keys)
    var found = BoundedKeys(keys: [], next: nil)
    let testedCount = try QueryFailure.translated {
      try execution.visit(table, keys, test, within: budget) { leaf, rows in
        rows.forEach { found.keys.append(ObjectKey(rawValue: leaf.rowGroup.key($0))) }
      }
    }
    if testedCount < keys.count { found.next = ObjectKey(rawValue: keys[testedCount]) }
    return found
  }

  private static func ascending(_ keys: [ObjectKey]) -> [UInt64] {
    var raw = keys.map(\.rawValue)
    for index in raw.indices.dropFirst() where raw[index] < raw[index - 1] {
      raw.sort()
      break
    }
    return raw
  }
}

extension Query {
  /// The objects among these that exist and pass the test; see `QueryMatcher.matches`.
  package func matches(keys: [ObjectKey], in source: some ObjectSource) throws -> [ObjectKey] {
    try QueryMatcher(self, in: source).matches(keys)
  }

  /// The objects among these that exist and pass the test, until the budget is spent; see
  /// `QueryMatcher.boundedMatches`.
  package func matches(
    keys: [ObjectKey], in source: some ObjectSource, within budget: QueryBudget
  ) throws -> BoundedKeys {
    try QueryMatcher(self, in: source, within: budget).boundedMatches(keys, within: budget)
  }

  /// The objects that pass, from a key on, until the budget is spent.
  ///
  /// SORT, DISTINCT and LIMIT are not applied. What an index lists is read as a whole each time.
  ///
  /// - Throws: `QueryTooExpensive` for an object whose test would take longer than that.
  package func matches(
    from start: ObjectKey?, in source: some ObjectSource, within budget: QueryBudget
  ) throws -> BoundedKeys {
    try requireObjects()
    return try QueryFailure.translated {
      try QueryRun(
        bound, arguments, in: source, for: .keys, countsWaitingLinks: countsWaitingLinks,
        within: budget
      ).keys(from: start?.rawValue ?? 0, within: budget)
    }
  }
}
