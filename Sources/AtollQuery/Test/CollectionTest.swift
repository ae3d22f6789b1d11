internal import AtollObjects

/// Passes rows whose elements in a collection pass a predicate: one of them, all or none.
final class CollectionTest: RowTest {
  private let column: Column
  private let compiled: CompiledPredicate
  private let quantifier: QuerySyntax.Quantifier
  private let execution: Execution

  init(
    _ column: Column, _ predicate: ValuePredicate, _ quantifier: QuerySyntax.Quantifier,
    _ execution: Execution
  ) {
    self.column = column
    compiled = CompiledPredicate(predicate, column.layout)
    self.quantifier = quantifier
    self.execution = execution
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    let view = try leaf.column(column)
    // Elements outside the leaf are rare: those leaves go row by row.
    guard compiled.isVectorised, view.values.external == nil else {
      try rows.filter { row in try holds(view.value(row).elements) }
      return
    }
    let matching = execution.selections.take()
    defer { execution.selections.give(matching) }
    try compiled.select(view.values, active: nil, matching, execution.selections)
    // ALL looks for an element that fails.
    if quantifier == .all { matching.invert() }
    let keepsMatching = quantifier == .any
    try view.filter(rows) { elements in
      switch elements {
      case .inLeaf(let range): matching.containsAny(range) == keepsMatching
      case .external(let elements): try holds(elements)
      }
    }
  }

  func holds(_ elements: [Value]) throws -> Bool {
    switch quantifier {
    case .any: try elements.contains { try execution.matches(compiled, $0) }
    case .all: try elements.allSatisfy { try execution.matches(compiled, $0) }
    case .none: try !elements.contains { try execution.matches(compiled, $0) }
    }
  }

  override var cost: Double { 200 }
  override var selectivity: Double { min(1, compiled.predicate.selectivity * 3) }
  override var summary: String {
    "\(quantifier.rawValue) element of '\(column.name)' \(compiled.predicate.summary)"
  }
}

/// Passes rows with as many elements, links or bytes as a set of numbers has.
final class CountTest: RowTest {
  private let counted: BoundCount.Counted
  private let set: IntervalSet<Int64>
  private let passesNull: Bool
  private let text: String
  private let execution: Execution

  init(
    _ counted: BoundCount.Counted, _ predicate: ValuePredicate, _ execution: Execution
  ) {
    self.counted = counted
    set = IntervalSet(predicate, in: .min ... .max) { .int($0) }
    passesNull = predicate.matches(.null)
    text = predicate.summary
    self.execution = execution
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    switch counted {
    case .collection(let column):
      let view = try leaf.column(column)
      guard let counts = view.counts else { return }
      let passed = execution.selections.take()
      defer { execution.selections.give(passed) }
      IntScan.select(counts, set, passed)
      if let external = view.external {
        for record in 0..<external.count {
          let row = external.index(record)
          if let count = view.elementCount(row) {
            passed[row] = set.contains(Int64(count))
          } else if case .int(let size) = RowEvaluator.size(try view.value(row)) {
            passed[row] = set.contains(size)
          }
        }
      }
      rows.formIntersection(passed)
    case .backlinks(let column):
      try narrow(rows, in: leaf, by: column)
    case .link(let column):
      let validity = try leaf.rowGroup.bits(column.id, .validity)
      let hasColumn = try leaf.rowGroup.ints(column.id) != nil
      let passes = [set.contains(0), set.contains(1)]
      rows.filter { passes[hasColumn && validity?[$0] ?? true ? 1 : 0] }
    case .bytes(let column):
      let values = try leaf.column(column).values
      rows.filter {
        values.isNull($0) ? passesNull : set.contains(Int64(values.byteCount($0)))
      }
    case .incoming(let columns):
      let incoming = try columns.map { try execution.incomingLinks($0) }
      try rows.filter { row in
        var sum = 0
        for links in incoming { sum += try links.count(of: leaf.rowGroup.key(row)) }
        return set.contains(Int64(sum))
      }
    case .mapEntry, .element, .nested:
      preconditionFailure("counted row by row")
    }
  }

  private func narrow(_ rows: Selection, in leaf: Leaf, by column: Column) throws {
    let incoming = try execution.incomingLinks(column)
    let active = rows.trueCount
    guard
      let counts = try incoming.counts(
        for: active, expected: execution.expected(active, leaf))
    else {
      let keys = try leaf.keys()
      try rows.filter { set.contains(Int64(try incoming.count(of: keys.key($0)))) }
      return
    }
    if set.ranges.count == 1 {
      let passed = execution.selections.take()
      defer { execution.selections.give(passed) }
      try counts.select(leaf, in: set.ranges[0], passed)
      rows.formIntersection(passed)
    } else {
      let keys = try leaf.keys()
      rows.filter { set.contains(Int64(counts[keys.key($0)])) }
    }
  }

  override var needsRowGroup: Bool { if case .backlinks = counted { false } else { true } }

  override var cost: Double {
    switch counted {
    case .backlinks, .incoming: 40
    default: 10
    }
  }

  override var selectivity: Double { 0.3 }

  override var summary: String {
    switch counted {
    case .collection(let column): "elements of '\(column.name)' \(text)"
    case .backlinks(let column): "links from '\(column.name)' \(text)"
    case .link(let column): "links in '\(column.name)' \(text)"
    case .bytes(let column): "bytes of '\(column.name)' \(text)"
    case .incoming: "links from anywhere \(text)"
    case .mapEntry, .element, .nested: "count \(text)"
    }
  }
}
