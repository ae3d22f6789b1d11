internal import AtollObjects

/// A test of the rows of one table, a leaf at a time.
class RowTest {
  /// Takes the rows that fail out of `rows`, which are rows of `leaf`.
  func narrow(_ rows: Selection, in leaf: Leaf) throws {
    preconditionFailure("every test narrows")
  }

  /// How many rows of `leaf` pass; `scratch` is free to use.
  func count(in leaf: Leaf, _ scratch: Selection) throws -> Int {
    scratch.fill(leaf.rowCount, true)
    try narrow(scratch, in: leaf)
    return scratch.trueCount
  }

  /// What the zone maps of a leaf say.
  func verdict(_ zones: Zones) -> ZoneVerdict { .some }

  /// The keys of all objects that pass, ascending, where an index knows them; else nil.
  func indexedKeys() throws -> [UInt64]? { nil }

  /// What a row costs, in about a tenth of a nanosecond.
  var cost: Double { 10 }

  /// The part of the rows that pass, as a guess from 0 to 1.
  var selectivity: Double { 0.5 }

  /// Whether the test looks at more of a leaf than the vectors of plain columns.
  var needsRowGroup: Bool { true }

  /// The test in a plan.
  var summary: String { "test" }

  /// The tests that this one is made of.
  var parts: [RowTest] { [] }

  /// Takes the selectivity from what is known of the values of the table, and orders the parts by
  /// it.
  func learn(from statistics: TableStatistics) throws {}

  /// Puts parts in the place of themselves that note what they do.
  func measureParts(_ execution: Execution) {}

  /// The test, noting what it does, all its parts likewise.
  final func measured(_ execution: Execution) -> RowTest {
    measureParts(execution)
    return MeasuredTest(self, execution)
  }
}

/// A test that notes what it does, for a plan that is printed.
final class MeasuredTest: RowTest {
  let inner: RowTest
  private let execution: Execution
  private(set) var rowsTested = 0
  private(set) var rowsPassed = 0
  private(set) var leavesRead = 0
  private(set) var leavesSkipped = 0
  private(set) var time = Duration.zero

  init(_ inner: RowTest, _ execution: Execution) {
    self.inner = inner
    self.execution = execution
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    let before = (execution.leavesRead, execution.leavesSkipped)
    rowsTested += rows.trueCount
    let start = ContinuousClock.now
    try inner.narrow(rows, in: leaf)
    time += start.duration(to: .now)
    rowsPassed += rows.trueCount
    leavesRead += execution.leavesRead - before.0
    leavesSkipped += execution.leavesSkipped - before.1
  }

  override func verdict(_ zones: Zones) -> ZoneVerdict { inner.verdict(zones) }
  override var needsRowGroup: Bool { inner.needsRowGroup }
  override var cost: Double { inner.cost }
  override var selectivity: Double { inner.selectivity }
  override var summary: String { inner.summary }
  override var parts: [RowTest] { inner.parts }
}

/// Passes all rows, or none.
final class ConstantTest: RowTest {
  let value: Bool

  init(_ value: Bool) {
    self.value = value
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) {
    if !value { rows.fill(leaf.rowCount, false) }
  }

  override func count(in leaf: Leaf, _ scratch: Selection) -> Int { value ? leaf.rowCount : 0 }
  override func verdict(_ zones: Zones) -> ZoneVerdict { value ? .all : .none }
  override var needsRowGroup: Bool { false }
  override var cost: Double { 0 }
  override var selectivity: Double { value ? 1 : 0 }
  override var summary: String { value ? "every object" : "no object" }
}

/// Passes what passes every one of several tests, cheap and selective ones first.
final class AllTest: RowTest {
  private var tests: [RowTest]

  init(_ tests: [RowTest]) {
    self.tests = Self.ordered(tests)
  }

  /// The order that minimises the expected cost: cost over the part that is sorted out.
  private static func ordered(_ tests: [RowTest]) -> [RowTest] {
    tests.map { ($0, $0.cost / max(1 - $0.selectivity, 1e-3)) }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  override func learn(from statistics: TableStatistics) throws {
    for test in tests { try test.learn(from: statistics) }
    tests = Self.ordered(tests)
  }

  override func measureParts(_ execution: Execution) {
    tests = tests.map { $0.measured(execution) }
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    for (index, test) in tests.enumerated() {
      if index > 0, rows.isEmpty { return }
      try test.narrow(rows, in: leaf)
    }
  }

  override func verdict(_ zones: Zones) -> ZoneVerdict {
    var verdict = ZoneVerdict.all
    for test in tests {
      switch test.verdict(zones) {
      case .none: return .none
      case .some: verdict = .some
      case .all: break
      }
    }
    return verdict
  }

  override var cost: Double {
    var part = 1.0
    return tests.reduce(0) { sum, test in
      defer { part *= test.selectivity }
      return sum + test.cost * part
    }
  }

  override var selectivity: Double { tests.reduce(1) { $0 * $1.selectivity } }
  override var needsRowGroup: Bool { tests.contains(where: \.needsRowGroup) }
  override var summary: String { "all of" }
  override var parts: [RowTest] { tests }
}

/// Passes what passes at least one of several tests.
final class AnyTest: RowTest {
  private var tests: [RowTest]
  private let execution: Execution

  init(_ tests: [RowTest], _ execution: Execution) {
    self.tests = Self.ordered(tests)
    self.execution = execution
  }

  /// The order that minimises the expected cost: cost over the part that passes.
  private static func ordered(_ tests: [RowTest]) -> [RowTest] {
    tests.map { ($0, $0.cost / max($0.selectivity, 1e-3)) }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  override func learn(from statistics: TableStatistics) throws {
    for test in tests { try test.learn(from: statistics) }
    tests = Self.ordered(tests)
  }

  override func measureParts(_ execution: Execution) {
    tests = tests.map { $0.measured(execution) }
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    let passed = execution.selections.take()
    let tried = execution.selections.take()
    defer {
      execution.selections.give(passed)
      execution.selections.give(tried)
    }
    passed.fill(rows.count, false)
    for test in tests {
      tried.copy(rows)
      try test.narrow(tried, in: leaf)
      passed.formUnion(tried)
      // Rows that passed need no other test.
      rows.subtract(tried)
      if rows.isEmpty { break }
    }
    rows.copy(passed)
  }

  override func verdict(_ zones: Zones) -> ZoneVerdict {
    var verdict = ZoneVerdict.none
    for test in tests {
      switch test.verdict(zones) {
      case .all: return .all
      case .some: verdict = .some
      case .none: break
      }
    }
    return verdict
  }

  override var cost: Double { tests.reduce(0) { $0 + $1.cost } }
  override var selectivity: Double { 1 - tests.reduce(1) { $0 * (1 - $1.selectivity) } }
  override var needsRowGroup: Bool { tests.contains(where: \.needsRowGroup) }
  override var summary: String { "any of" }
  override var parts: [RowTest] { tests }
}

/// Passes what another test does not.
final class NotTest: RowTest {
  private var test: RowTest
  private let execution: Execution

  init(_ test: RowTest, _ execution: Execution) {
    self.test = test
    self.execution = execution
  }

  override func learn(from statistics: TableStatistics) throws {
    try test.learn(from: statistics)
  }

  override func measureParts(_ execution: Execution) { test = test.measured(execution) }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    let passed = execution.selections.take()
    defer { execution.selections.give(passed) }
    passed.copy(rows)
    try test.narrow(passed, in: leaf)
    rows.subtract(passed)
  }

  override func verdict(_ zones: Zones) -> ZoneVerdict { test.verdict(zones).inverted }
  override var cost: Double { test.cost }
  override var selectivity: Double { 1 - test.selectivity }
  override var needsRowGroup: Bool { test.needsRowGroup }
  override var summary: String { "not" }
  override var parts: [RowTest] { [test] }
}
