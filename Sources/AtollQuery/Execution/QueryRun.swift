internal import AtollObjects
internal import AtollStorage

/// One run of a query on one version: chooses how, and does it.
final class QueryRun {
  let bound: BoundQuery
  let execution: Execution
  let table: TableAccess
  /// What an index gives, when one is used; the rest of the predicate is `test`.
  private let access: Access?
  /// The test of the rows, without what the index has decided.
  private let test: RowTest

  /// The part of an index that holds all the objects that can pass.
  private struct Access {
    enum Source {
      case ranges(IndexTree, [IndexRange])
      case words(TextLookup)
    }

    let column: Column
    let source: Source
    /// For ranges the exact count.
    let estimate: Int
    /// Whether every object that the index gives passes.
    let isWhole: Bool

    /// The keys of the objects, ascending; for ranges one may come several times.
    func keys() throws -> [UInt64] {
      switch source {
      case .words(let lookup): return try lookup.keys()
      case .ranges(let index, let ranges):
        var keys: [UInt64] = []
        for range in ranges { keys += try index.keys(range) }
        keys.sort()
        return keys
      }
    }

    /// How many objects the index gives.
    func count() throws -> Int {
      switch source {
      case .words(let lookup): try lookup.keys().count
      case .ranges: estimate
      }
    }
  }

  init(_ bound: BoundQuery, _ arguments: [Value], in source: some ObjectSource) throws {
    guard let source = source as? any TreeSource else {
      throw ObjectError.noSuchClass(bound.table.name, nearest: nil)
    }
    self.bound = bound
    execution = Execution(source: source, arguments: arguments)
    table = try execution.table(bound.table.id)
    let compiler = Compiler(execution: execution)
    (access, test) = try Self.plan(bound.predicate, table, compiler)
  }

  // MARK: Planning

  /// The part of a scan's cost that reading an object by its key takes, in objects.
  private static let lookupCost = 40

  /// The cheapest index for one of the AND terms, if it beats a scan, and the test of what is left.
  private static func plan(
    _ predicate: BoundPredicate, _ table: TableAccess, _ compiler: Compiler
  ) throws -> (Access?, RowTest) {
    let terms: [BoundPredicate] = if case .and(let terms) = predicate { terms } else { [predicate] }
    var best: (term: Int, access: Access)?
    let columns = table.schema.columns
    if columns.contains(where: { $0.isIndexed || $0.isFullTextIndexed }), terms.count <= 64 {
      for (position, term) in terms.enumerated() {
        guard
          let access = try access(for: term, table, compiler, isWhole: terms.count == 1),
          access.estimate < best?.access.estimate ?? .max
        else { continue }
        best = (position, access)
      }
    }
    guard let best, best.access.isWhole || best.access.estimate * lookupCost < table.count else {
      return (nil, try compiler.compile(predicate, on: table))
    }
    var rest = terms
    rest.remove(at: best.term)
    let test =
      rest.isEmpty ? ConstantTest(true) : try compiler.compile(.and(rest), on: table)
    return (best.access, test)
  }

  /// What an index gives for one of the AND terms; nil when none can.
  private static func access(
    for term: BoundPredicate, _ table: TableAccess, _ compiler: Compiler, isWhole: Bool
  ) throws -> Access? {
    if case .text(let search) = term {
      guard search.path.directColumn != nil else { return nil }
      let lookup = try TextLookup(search, table, compiler.execution)
      guard let estimate = lookup.estimate else { return nil }
      return Access(
        column: search.column, source: .words(lookup), estimate: estimate, isWhole: isWhole)
    }
    guard let (column, ranges) = try indexRanges(term, table, compiler),
      let index = try compiler.execution.source.index(column)
    else { return nil }
    var estimate = 0
    for range in ranges { estimate += try index.count(range) }
    return Access(
      column: column, source: .ranges(index, ranges), estimate: estimate, isWhole: isWhole)
  }

  /// The ranges of an index on the table itself that hold what a term asks for.
  private static func indexRanges(
    _ term: BoundPredicate, _ table: TableAccess, _ compiler: Compiler
  ) throws -> (Column, [IndexRange])? {
    if let (column, predicate) = try compiler.columnPredicate(term) {
      guard column.isIndexed, let ranges = IndexChoice.ranges(predicate, column) else {
        return nil
      }
      return (column, ranges)
    }
    // An OR of terms on one column, each of which is equality.
    guard case .or(let alternatives) = term else { return nil }
    var column: Column?
    var predicates: [ValuePredicate] = []
    for alternative in alternatives {
      guard let (next, predicate) = try compiler.columnPredicate(alternative), next.isIndexed,
        next == column ?? next
      else { return nil }
      column = next
      predicates.append(predicate)
    }
    guard let column, let ranges = IndexChoice.ranges(.union(predicates), column) else {
      return nil
    }
    return (column, ranges)
  }

  /// The count of a query that is one equality on an indexed string, straight from the index.
  static func indexedCount(
    _ bound: BoundQuery, _ arguments: [Value], in source: some ObjectSource
  ) throws -> Int? {
    guard let (column, operand) = bound.equality, case .string = operand.value(arguments),
      let source = source as? any TreeSource, let index = try source.index(column),
      let bytes = IndexTree.bytes(of: operand.value(arguments))
    else { return nil }
    return try index.count(.equal(to: bytes))
  }

  // MARK: Rows

  /// Visits the leaves with rows that pass, in the order of the keys.
  ///
  /// `body`: returns whether to go on.
  func forEachLeaf(_ body: (Leaf, Selection) throws -> Bool) throws {
    guard let access else {
      try execution.scan(table, test, body)
      return
    }
    let keys = try access.keys()
    let rows = execution.takeSelection()
    defer { execution.give(rows) }
    var position = 0
    while position < keys.count {
      guard let page = try table.table.tree.leafPage(for: TreeKey(keys[position])) else { return }
      let leaf = Leaf(table, try table.table.cluster(page))
      execution.leavesRead += 1
      let count = leaf.rowCount
      rows.fill(count, false)
      // The keys in this leaf; at least one is taken, so that the loop ends.
      let last = count > 0 ? leaf.cluster.key(count - 1) : 0
      repeat {
        if let row = leaf.cluster.row(ofKey: keys[position]) { rows[row] = true }
        position += 1
      } while position < keys.count && keys[position] <= last
      execution.rowsTested += rows.trueCount
      try test.narrow(rows, in: leaf)
      if !rows.isEmpty, try !body(leaf, rows) { return }
    }
  }

  /// How many objects pass the predicate.
  private func matchCount() throws -> Int {
    if let access {
      if access.isWhole { return try access.count() }
      var count = 0
      try forEachLeaf { _, rows in
        count += rows.trueCount
        return true
      }
      return count
    }
    return try execution.count(table, test)
  }

  func count() throws -> Int {
    var count: Int?
    // A LIMIT bounds the count, and sorting does not change it.
    for descriptor in bound.descriptors {
      switch descriptor {
      case .sort: continue
      case .limit(let limit): count = min(try count ?? matchCount(), limit)
      case .distinct: return try rows().rows.count
      }
    }
    return try count ?? matchCount()
  }

  /// The keys of the objects, in the order of the query.
  func keys() throws -> [ObjectKey] {
    if bound.descriptors.isEmpty {
      var keys: [ObjectKey] = []
      try forEachLeaf { leaf, rows in
        let cluster = leaf.cluster
        rows.forEach { keys.append(ObjectKey(rawValue: cluster.key($0))) }
        return true
      }
      return keys
    }
    let list = try rows()
    return list.rows.map { ObjectKey(rawValue: list.place($0).key) }
  }

  /// The objects that pass, put through SORT, DISTINCT and LIMIT.
  func rows() throws -> RowList {
    var pipeline = Pipeline(bound.descriptors, execution)
    return try pipeline.run { body in try self.forEachLeaf(body) }
  }

  // MARK: Aggregates

  func aggregate(_ function: AggregateFunction, of property: String) throws -> Value {
    let column = try table.schema.requireColumn(property)
    let type = try AggregateScan.require(function, column, of: table.schema.name)
    var scan = AggregateScan(function, column, type)
    if bound.descriptors.isEmpty {
      try forEachLeaf { leaf, rows in
        try scan.add(leaf, rows)
        return true
      }
      return scan.accumulator.result
    }
    let list = try rows()
    for row in list.rows { scan.add(try list.place(row).value(column)) }
    return scan.accumulator.result
  }

  // MARK: The plan

  func explain() throws -> QueryPlan {
    let matching = try matchCount()
    let tested = execution.rowsTested
    let read = execution.leavesRead
    let skipped = execution.leavesSkipped
    let results = try bound.descriptors.isEmpty ? matching : count()
    return QueryPlan(
      index: access.map { access in
        let name = "'\(bound.table.name).\(access.column.name)'"
        return switch access.source {
        case .ranges(_, let ranges):
          "on \(name) (\(ranges.count) \(ranges.count == 1 ? "range" : "ranges"))"
        case .words(let lookup): "of the words in \(name) TEXT \(lookup.pattern.planText)"
        }
      },
      estimatedRowCount: access?.estimate ?? table.count, matchingRowCount: matching,
      resultCount: results, testedRowCount: tested, leavesRead: read, leavesSkipped: skipped,
      test: Self.step(test), descriptors: bound.descriptors.map(Self.text))
  }

  /// The test and what it is made of; as deep as the query.
  private static func step(_ test: RowTest) -> QueryPlan.Step {
    let parts = test.parts
    var steps = parts.prefix(20).map(step)
    if parts.count > 20 {
      steps.append(QueryPlan.Step(text: "… \(parts.count) tests", parts: []))
    }
    return QueryPlan.Step(text: test.summary, parts: steps)
  }

  private static func text(_ descriptor: BoundDescriptor) -> String {
    switch descriptor {
    case .limit(let count): "LIMIT \(count)"
    case .distinct(let paths):
      "DISTINCT by " + paths.map(\.planText).joined(separator: ", ")
    case .sort(let keys):
      "SORT by "
        + keys.map { "\($0.path.planText) \($0.isAscending ? "ASC" : "DESC")" }
        .joined(separator: ", ")
    }
  }
}

extension BoundPath {
  /// The path in a plan.
  var planText: String {
    var names = hops.map(\.column.name)
    if case .value(let column, _) = terminal { names.append(column.name) }
    return names.joined(separator: ".")
  }
}
