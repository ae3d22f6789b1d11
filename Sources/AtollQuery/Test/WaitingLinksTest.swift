internal import AtollObjects

/// Passes rows as another test of a property does, where links that wait in it count as links to
/// objects.
///
/// What waits is not in the value that a version shows: it is null, or in a set or a list of links
/// nothing. Rows that have any are tested by the value that they would have if all targets were
/// there.
final class WaitingLinksTest: RowTest {
  /// How many leaves are asked for their own links, before those of all objects are read at once.
  private static let singleLeafCount = 8

  private var test: RowTest
  private let column: Column
  private let execution: Execution
  private let holds: (Value) throws -> Bool
  private var leafCount = 0
  /// Those of all objects.
  private var all: [UInt64: [[UInt8]]]?

  /// The test, where links that wait count and may be in the property; else `test`.
  ///
  /// `holds`: the same test of one value of the property.
  static func wrap(
    _ test: RowTest, _ column: Column, _ execution: Execution,
    _ holds: @escaping (Value) throws -> Bool
  ) -> RowTest {
    let mayWait = column.layout.value == .link || column.layout.value == .mixed
    // In a map of links null has the key of one that waits.
    guard execution.countsWaitingLinks, mayWait, column.layout.collection != .map else {
      return test
    }
    return WaitingLinksTest(test, column, execution, holds)
  }

  private init(
    _ test: RowTest, _ column: Column, _ execution: Execution,
    _ holds: @escaping (Value) throws -> Bool
  ) {
    self.test = test
    self.column = column
    self.execution = execution
    self.holds = holds
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    let keys = try leaf.keys()
    let waiting = try waiting(rows, keys)
    guard !waiting.isEmpty else { return try test.narrow(rows, in: leaf) }
    let view = try leaf.column(column)
    var passed: [Int] = []
    try rows.filter { row in
      guard let links = waiting[keys.key(row)] else { return true }
      if try holds(view.value(row).showing(links, of: column)) { passed.append(row) }
      return false
    }
    try test.narrow(rows, in: leaf)
    for row in passed { rows[row] = true }
  }

  /// The links that wait in the property of the rows, by their keys; perhaps those of others too.
  private func waiting(_ rows: Selection, _ keys: IntVector) throws -> [UInt64: [[UInt8]]] {
    if let all { return all }
    leafCount += 1
    guard leafCount <= Self.singleLeafCount else {
      let found = try execution.source.waitingLinks(column, of: 0 ... .max)
      all = found
      return found
    }
    var span: ClosedRange<UInt64>?
    rows.forEach { row in
      let key = keys.key(row)
      span = min(span?.lowerBound ?? key, key)...max(span?.upperBound ?? key, key)
    }
    guard let span else { return [:] }
    return try execution.source.waitingLinks(column, of: span)
  }

  override func learn(from statistics: TableStatistics) throws {
    try test.learn(from: statistics)
  }

  override func measureParts(_ execution: Execution) { test = test.measured(execution) }

  // What zone maps know of a leaf is without the links that wait.
  override var cost: Double { test.cost + 10 }
  override var selectivity: Double { test.selectivity }
  override var summary: String { "with links that wait" }
  override var parts: [RowTest] { [test] }
}

extension Value {
  /// The value of a property with links in the places of those that wait, which lead nowhere.
  ///
  /// `waiting`: as `TreeSource.waitingLinks` gives them.
  fileprivate func showing(_ waiting: [[UInt8]], of column: Column) -> Value {
    guard !waiting.isEmpty else { return self }
    let links = waiting.indices.map { ObjectLink.unheld(UInt64($0)) }
    if column.layout.value == .mixed {
      return filling(zip(waiting, links).lazy.map { (path: $0, link: $1) })
    }
    let values = links.map { Value.link($0) }
    if case .set(let elements) = self { return .set(elements + values) }
    return .list(elements + values)
  }
}
