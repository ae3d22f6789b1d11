internal import AtollObjects

/// A test of rows by the objects that they are linked with, of which a set passes a test.
class LinkedObjectsTest: RowTest {
  fileprivate let linked: ObjectSet

  fileprivate init(_ linked: ObjectSet) {
    self.linked = linked
  }

  override var parts: [RowTest] { [linked.test] }

  override func learn(from statistics: TableStatistics) throws {
    try linked.test.learn(from: linked.table.statistics())
  }

  override func measureParts(_ execution: Execution) {
    linked.test = linked.test.measured(execution)
  }
}

/// Passes rows whose link leads to an object of a set.
final class LinkTest: LinkedObjectsTest {
  private let column: Column
  /// Whether rows without a link pass.
  private let passesNull: Bool
  private let execution: Execution

  init(_ column: Column, _ target: ObjectSet, passesNull: Bool, _ execution: Execution) {
    self.column = column
    self.passesNull = passesNull
    self.execution = execution
    super.init(target)
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    guard let found = try leaf.ints(column.id) else {
      // The row group is older than the property: no links.
      if !passesNull { rows.fill(leaf.rowCount, false) }
      return
    }
    let (links, validity) = (found.values, found.validity)
    let active = rows.trueCount
    if let set = try linked.whole(
      for: active, expected: execution.expected(active, leaf))
    {
      let passed = execution.selections.take()
      defer { execution.selections.give(passed) }
      set.select(links, passed)
      if let validity { passed.setNulls(validity, passesNull) }
      rows.formIntersection(passed)
      return
    }
    try rows.filter { row in
      if let validity, !validity[row] { return passesNull }
      return try linked.test(UInt64(bitPattern: links[row]))
    }
  }

  override var needsRowGroup: Bool { false }
  override var cost: Double { 25 + linked.test.cost }
  override var selectivity: Double { linked.test.selectivity }
  override var summary: String { "link '\(column.name)' to an object with" }
}

/// Passes rows with links, in a collection, to objects of a set: with one or more, or with a
/// certain number of them.
final class CollectionLinkTest: LinkedObjectsTest {
  private let column: Column
  /// What the number of links has to pass; nil: it is not 0.
  private let count: ValuePredicate?
  private let numbers: IntervalSet<Int64>?
  private let execution: Execution

  init(
    _ column: Column, count: ValuePredicate? = nil, _ target: ObjectSet, _ execution: Execution
  ) {
    self.column = column
    self.count = count
    numbers = count.map { IntervalSet($0, in: .min ... .max) { .int($0) } }
    self.execution = execution
    super.init(target)
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    let view = try leaf.column(column)
    guard let links = view.ints else { preconditionFailure("a collection of links has keys") }
    let demand = view.elementCount(of: rows)
    let matching = execution.selections.take()
    defer { execution.selections.give(matching) }
    let set = try linked.whole(
      for: demand, expected: execution.expected(demand, leaf))
    if let set {
      set.select(links, matching)
      if let validity = view.validity { matching.setNulls(validity, false) }
    }
    try view.filter(rows) { elements in
      if set != nil, case .inLeaf(let range) = elements {
        guard let numbers else { return matching.containsAny(range) }
        return numbers.contains(Int64(matching.trueCount(in: range)))
      }
      let leadsToSet = { key in try set?.contains(key) ?? self.linked.test(key) }
      guard let numbers else { return try view.containsLink(in: elements, where: leadsToSet) }
      var count: Int64 = 0
      try view.forEachLink(in: elements) { key in
        if try leadsToSet(key) { count += 1 }
      }
      return numbers.contains(count)
    }
  }

  override var cost: Double { 80 + linked.test.cost }
  override var selectivity: Double {
    numbers == nil ? min(1, linked.test.selectivity * 2) : 0.3
  }
  override var summary: String {
    guard let count else { return "a link in '\(column.name)' to an object with" }
    return "links in '\(column.name)' \(count.summary) to objects with"
  }
}

/// Passes rows that an object of a set links to.
final class BacklinkTest: LinkedObjectsTest {
  private let column: Column
  private let table: TableAccess
  private let execution: Execution
  private var set: KeySet?
  private var asked = 0

  /// One look-up of sources costs about as much as so many objects in a pass.
  private static let lookupCost = 100

  init(_ column: Column, _ table: TableAccess, _ origin: ObjectSet, _ execution: Execution) {
    self.column = column
    self.table = table
    self.execution = execution
    super.init(origin)
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    let active = rows.trueCount
    asked += active
    let expected = max(asked, execution.expected(active, leaf))
    if set == nil, linked.table.isPassWorth(expected, each: Self.lookupCost) { set = try targets() }
    let keys = leaf.rowGroup
    if let set {
      rows.filter { set.contains(keys.key($0)) }
      return
    }
    let incoming = try execution.incomingLinks(column)
    try rows.filter { row in
      try incoming.sources(of: keys.key(row)).contains { try linked.contains($0) }
    }
  }

  /// What the objects of the origin set link to.
  private func targets() throws -> KeySet {
    let targets = try KeySet(of: table)
    try execution.scan(linked.table, linked.test) { leaf, rows in
      try leaf.forEachLink(column, rows) { _, target in targets.insert(target) }
      return true
    }
    return targets
  }

  override var cost: Double { 60 + linked.test.cost }
  override var selectivity: Double { min(1, linked.test.selectivity * 2) }
  override var summary: String {
    "linked to by '\(column.name)' of an object of '\(linked.table.schema.name)' with"
  }
}

/// Passes objects with certain keys.
final class KeyTest: RowTest {
  private let table: UInt32
  private let predicate: ValuePredicate

  init(_ table: UInt32, _ predicate: ValuePredicate) {
    self.table = table
    self.predicate = predicate
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) {
    rows.filter {
      predicate.matches(.link(ObjectLink(table: table, key: leaf.rowGroup.key($0))))
    }
  }

  override var cost: Double { 200 }
  override var summary: String { "the object itself \(predicate.summary)" }
}

/// Evaluates a test row by row, for what no vector scan answers.
final class RowByRowTest: RowTest {
  private let matches: (RowPlace) throws -> Bool
  private let text: String

  init(_ text: String, _ matches: @escaping (RowPlace) throws -> Bool) {
    self.text = text
    self.matches = matches
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    try rows.filter { try matches(RowPlace(leaf: leaf, row: $0)) }
  }

  override var cost: Double { 5000 }
  override var summary: String { "row by row: \(text)" }
}
