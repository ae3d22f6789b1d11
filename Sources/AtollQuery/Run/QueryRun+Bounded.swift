internal import AtollObjects

extension QueryRun {
  /// How many keys an index may list in a bounded run, before all objects are tested instead.
  private static let listedKeyLimit = 50_000.0

  /// The keys of the objects that pass, from `start` on, in their order, until the budget is spent.
  ///
  /// SORT, DISTINCT and LIMIT are not applied.
  func keys(from start: UInt64, within budget: QueryBudget) throws -> BoundedKeys {
    var found = BoundedKeys(keys: [], next: nil)
    func add(_ leaf: Leaf, _ rows: Selection) throws {
      rows.forEach { found.keys.append(ObjectKey(rawValue: leaf.rowGroup.key($0))) }
    }
    // A long list would be read again each time, and take all of the time.
    let isLong = !choice.isCovering && choice.path.entries.count > Self.listedKeyLimit
    let choice = isLong ? candidates[0] : choice
    let test = choice.test
    let ranges: [ClosedRange<UInt64>]? =
      switch choice.path {
      case .scan: [0 ... .max]
      case .keyed(let access): access.ranges
      case .index, .words, .any, .all: nil
      }
    if let ranges {
      found.next = try execution.visit(table, ranges, from: start, test, within: budget, add)
        .map { ObjectKey(rawValue: $0) }
      return found
    }
    var keys = try choice.path.keys(table, nil)
    if start > 0 { keys.removeAll { $0 < start } }
    if choice.isCovering {
      found.keys = keys.map { ObjectKey(rawValue: $0) }
    } else {
      let testedCount = try execution.visit(table, keys, test, within: budget, add)
      if testedCount < keys.count { found.next = ObjectKey(rawValue: keys[testedCount]) }
    }
    return found
  }
}
