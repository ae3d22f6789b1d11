internal import AtollObjects

/// A test of rows by the objects that they are linked with, of which a set passes a test.
class LinkedObjectsTest: RowTest {
  fileprivate let linked: ObjectSet

  fileprivate init(_ linked: ObjectSet) {
    self.linked = linked
  }

  override var parts: [RowTest] { [linked.test] }

  override func learn(from statistics: TableStatistics, _ execution: Execution) throws {
    try linked.test.learn(from: linked.table.statistics(), execution)
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
    guard let counts = view.counts, let links = view.ints else {
      preconditionFailure("a collection of links has counts and keys")
    }
    let demand = view.elementCount(of: rows)
    let matching = execution.selections.take()
    defer { execution.selections.give(matching) }
    let set = try linked.whole(
      for: demand, expected: execution.expected(demand, leaf))
    if let set {
      set.select(links, matching)
      if let validity = view.validity { matching.setNulls(validity, false) }
    }
    var element = 0
    for row in 0..<leaf.rowCount {
      let range = element..<(element + Int(counts[row]))
      element = range.upperBound
      guard rows[row] else { continue }
      if let external = view.external, external.find(row) != nil {
        rows[row] = try passes(RowEvaluator.elements(view.value(row))) { value in
          guard case .link(let link) = value else { return false }
          return try set?.contains(link.key) ?? linked.test(link.key)
        }
      } else if set != nil {
        rows[row] =
          numbers.map { $0.contains(Int64(matching.trueCount(in: range))) }
          ?? matching.containsAny(range)
      } else {
        rows[row] = try passes(range) { index in
          try !view.values.isNull(index) && linked.test(UInt64(bitPattern: links[index]))
        }
      }
    }
  }

  private func passes<Links: Sequence>(
    _ links: Links, _ leadsToSet: (Links.Element) throws -> Bool
  ) rethrows -> Bool {
    guard let numbers else { return try links.contains(where: leadsToSet) }
    return numbers.contains(Int64(try links.count(where: leadsToSet)))
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
    if set == nil, expected * 100 >= linked.table.count { set = try targets() }
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
    let targets = KeySet(bounds: try table.keyBounds(), count: table.count)
    try execution.scan(linked.table, linked.test) { leaf, rows in
      try IncomingLinks.forEachLink(column, leaf, rows) { _, target in targets.insert(target) }
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

extension Selection {
  /// Keeps the chosen indices for which `body` holds.
  @inline(__always)
  func filter(_ body: (Int) throws -> Bool) rethrows {
    for index in 0..<wordCount {
      var word = unsafe words[index]
      var kept = word
      while word != 0 {
        let bit = word.trailingZeroBitCount
        if try !body(index << 6 | bit) { kept &= ~(1 << UInt64(bit)) }
        word &= word &- 1
      }
      unsafe words[index] = kept
    }
  }

  /// Sets the bits of null entries to `value`.
  func setNulls(_ validity: BitVector, _ value: Bool) {
    guard validity.count == count, count > 0, !validity.isAllTrue else { return }
    for index in 0..<wordCount {
      if value {
        unsafe words[index] |= ~validity.word(index)
      } else {
        unsafe words[index] &= validity.word(index)
      }
    }
    if value { clearTail() }
  }
}
