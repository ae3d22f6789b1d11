internal import AtollObjects
internal import AtollStorage

/// What reading costs, in nanoseconds; measured on tables of a million objects, and only compared
/// with each other.
enum PlanCost {
  /// To open a leaf that comes next.
  static let leaf = 250.0
  /// To leave a leaf out by its zone maps.
  static let skippedLeaf = 80.0
  /// To find a leaf by a key, and open it.
  static let leafByKey = 900.0
  /// To find one place in an index.
  static let place = 500.0
  /// To read an entry of an index, and put its key in order.
  static let entry = 8.0
  /// To take one row of a leaf that was found by its key.
  static let rowByKey = 10.0
  /// To put a row in order: its code, and the passes of the sort.
  static let sortedRow = 60.0
  /// To hand on an entry in the order of an index.
  static let orderedEntry = 3.0

  static func test(_ test: RowTest, rows: Double) -> Double { test.cost * 0.1 * rows }

  static func scan(_ test: RowTest, _ statistics: TableStatistics) -> Double {
    let opened = statistics.openedPart(test) * statistics.leafCount
    return (statistics.leafCount - opened) * skippedLeaf
      + opened * (leaf + Self.test(test, rows: statistics.rowsPerLeaf))
  }

  static func path(
    _ path: AccessPath, _ test: RowTest, isWhole: Bool, _ demand: Planner.Demand,
    _ statistics: TableStatistics
  ) -> Double {
    let rows = path.estimate(statistics.rowCount)
    let leafCost = leafByKey + Self.test(test, rows: statistics.rowsPerLeaf)
    if case .keyed(let access) = path {
      let leaves = min(
        statistics.leafCount,
        Double(access.ranges.count) + rows / max(1, statistics.rowsPerLeaf))
      return leaves * leafCost
    }
    let entries = path.entries
    // The count of one index was taken already.
    if isWhole, demand == .count, case .index = path { return 0 }
    var cost = entries.count * entry + entries.places * place
    if isWhole, demand != .rows { return cost }
    // So many different leaves do as many keys hit that are spread evenly.
    let leaves = statistics.leafCount * (1 - Self.exponential(-rows / statistics.leafCount))
    cost += leaves * leafCost + rows * rowByKey
    return cost
  }

  /// e to the power of x, for x not above 0: (1 + x / 2^10) to the power of 2^10.
  private static func exponential(_ x: Double) -> Double {
    var power = max(0, 1 + x / 1024)
    for _ in 0..<10 { power *= power }
    return power
  }
}

extension TableStatistics {
  /// The part of the leaves that a scan has to open for `test`.
  func openedPart(_ test: RowTest) -> Double {
    guard !samples.isEmpty else { return 1 }
    let opened = samples.count { test.verdict($0.zones) == .some }
    return Double(opened) / Double(samples.count)
  }
}
