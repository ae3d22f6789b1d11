internal import AtollObjects

/// What a query does with the objects that pass, if it is no more than to sort them and to cut the
/// list.
struct LiveShape {
  /// The sort keys, the most significant first; the key of the object comes last.
  let order: [SortPath]
  /// How many objects there are at most.
  let limit: Int?

  /// - Returns: Nil for a query with DISTINCT, or that sorts what was cut.
  init?(_ descriptors: [BoundDescriptor]) {
    var order: [SortPath] = []
    var limit: Int?
    for descriptor in descriptors {
      switch descriptor {
      case .sort(let keys):
        // One sort after another came to one when the query was bound (`DescriptorList`).
        guard limit == nil, order.isEmpty else { return nil }
        order = keys.map { SortPath($0.path, $0.isAscending) }
      case .limit(let next): limit = min(next, limit ?? .max)
      case .distinct: return nil
      }
    }
    self.order = order
    self.limit = limit
  }

  /// The values of an object that it is sorted by; nil when it does not exist.
  func values(of key: ObjectKey, in table: TableAccess, _ execution: Execution) throws
    -> [SortValue]?
  {
    guard let row = try table.locate(key.rawValue) else { return nil }
    let evaluator = KeyEvaluator(execution: execution)
    return try order.map { sortKey in
      if let column = sortKey.path.directColumn { return .value(try row.value(column)) }
      return try evaluator.value(sortKey.path, row)
    }
  }

  /// The order of two objects by their values, and then by their keys.
  func compare(
    _ values: [SortValue], _ key: ObjectKey, _ otherValues: [SortValue], _ otherKey: ObjectKey
  ) -> Ordering {
    for (sortKey, pair) in zip(order, zip(values, otherValues)) {
      switch SortValue.order(pair.0, pair.1) {
      case .equal: continue
      case .less: return sortKey.isAscending ? .less : .greater
      case .greater: return sortKey.isAscending ? .greater : .less
      }
    }
    return Ordering(key, otherKey)
  }
}
