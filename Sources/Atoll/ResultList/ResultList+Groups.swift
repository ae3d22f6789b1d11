internal import AtollObjects
internal import AtollQuery

extension _ResultList {
  /// The rows of values that the objects give when they are grouped: one for each group, in the order
  /// of the first object of each.
  ///
  /// - Throws: `QueryError` for columns that cannot be asked of the class; `Realm.Error` for a
  ///   collection of values; what the file fails with.
  func groups(_ columns: [QuerySyntax.GroupColumn]) throws -> [[_StoredValue]] {
    noteRead()
    guard let descriptor else { throw Self.hasNoObjects }
    context.noteRead(.contents, of: descriptor)
    let source = context.source(of: descriptor)
    let keys = isOfWholeClass ? nil : try foundElements().keys
    guard !isOutdated, source.schema.table(descriptor.name) != nil else {
      return Self.groupsOfNothing(columns)
    }
    let grouping = QuerySyntax.Grouping(columns)
    // Elements of a collection are found here, and not by the query.
    let request =
      keys == nil
      ? QuerySyntax.Request(predicate, descriptors: descriptors, grouping: grouping)
      : QuerySyntax.Request(.true, grouping: grouping)
    let query = try AtollQuery.Query(
      request, on: descriptor.name, in: source.schema,
      arguments: keys == nil ? arguments : [])
    if let keys { return try query.groups(of: keys, in: source).rows }
    return try query.groups(in: source).rows
  }

  /// Without keys everything is one group, even if there is nothing.
  private static func groupsOfNothing(_ columns: [QuerySyntax.GroupColumn]) -> [[_StoredValue]] {
    var row: [_StoredValue] = []
    for column in columns {
      switch column {
      case .key: return []
      case .count: row.append(.int(0))
      case .aggregate: row.append(.null)
      }
    }
    return [row]
  }
}
