internal import AtollObjects
internal import AtollStorage

/// Chooses how the objects that pass a predicate are found: by a scan, or by one or more indexes.
///
/// Terms of the AND at the top are taken apart; those on one path are one test (`JoinedTerms`).
/// Every term that indexes answer is a way in, of which the counts in the index branches tell how
/// many objects it gives; zone maps tell it of other terms. The costs of all ways are compared, in
/// nanoseconds. No choice changes what is found.
struct Planner {
  let table: TableAccess
  let compiler: Compiler
  var execution: Execution { compiler.execution }

  init(_ table: TableAccess, _ compiler: Compiler) {
    self.table = table
    self.compiler = compiler
  }

  /// What is wanted of the objects.
  enum Demand {
    /// How many there are.
    case count
    /// Their keys.
    case keys
    /// Their leaves and rows.
    case rows
  }

  /// A way to find the objects.
  struct Candidate {
    let path: AccessPath
    /// The test of what the path gives.
    let test: RowTest
    /// Whether everything that the path gives passes.
    let isWhole: Bool
    /// The way through an index of several columns that the path is, if it is one.
    var tableIndex: TableIndexAccess?
    /// The objects of the table.
    let rowCount: Int
    /// What it costs, in nanoseconds, about.
    let cost: Double

    /// Objects that pass, about.
    var estimate: Double { path.estimate(rowCount) * test.selectivity }

    /// Whether the indexes alone tell the keys of what passes.
    var isCovering: Bool { isWhole && path.hasKeys }
  }

  /// A term of the AND at the top.
  private struct Term {
    let test: RowTest
    /// Gives all objects that pass the term, if it is not nil.
    let path: AccessPath?
    /// Whether the path gives no others.
    let isExact: Bool
    /// What the term says of a property of the object itself.
    var property: (column: Column, predicate: ValuePredicate)?
  }

  /// More terms than this are not looked at one by one.
  private static let termLimit = 64

  /// The ways to find what passes `predicate`, a scan the first of them.
  func candidates(_ predicate: BoundPredicate, for demand: Demand) throws -> [Candidate] {
    let terms = try terms(predicate)
    let tests = terms.map(\.test)
    let whole = joined(tests)
    let paths = terms.indices.filter { terms[$0].path != nil }
    let joint = try tableIndexAccesses(terms)
    guard !paths.isEmpty || !joint.isEmpty || terms.count > 1 else {
      return [
        Candidate(
          path: .scan, test: whole, isWhole: isTrue(whole), rowCount: table.count, cost: 0)
      ]
    }
    if terms.count == 1, demand == .count, terms[0].isExact, case .index = terms[0].path,
      let path = terms[0].path
    {
      // The count was taken already: nothing is cheaper.
      return [
        Candidate(path: .scan, test: whole, isWhole: false, rowCount: table.count, cost: 1),
        Candidate(
          path: path, test: ConstantTest(true), isWhole: true, rowCount: table.count, cost: 0),
      ]
    }
    let statistics = try table.statistics()
    try whole.learn(from: statistics)
    for term in terms { learn(term) }
    let scan = joined(tests)
    var candidates = [
      Candidate(
        path: .scan, test: scan, isWhole: isTrue(scan), rowCount: table.count,
        // A test for words looks them up in the index all the same.
        cost: PlanCost.scan(scan, statistics)
          + terms.reduce(0) { $0 + ($1.path?.wordCost ?? 0) })
    ]
    /// Adds the way through the indexes of `chosen` terms.
    func add(_ chosen: [Int]) {
      let parts = chosen.compactMap { terms[$0].path }
      let path = parts.count == 1 ? parts[0] : .all(parts)
      let rest = terms.indices.filter { !chosen.contains($0) || !terms[$0].isExact }
      let test = joined(rest.map { terms[$0].test })
      let isWhole = isTrue(test)
      candidates.append(
        Candidate(
          path: path, test: test, isWhole: isWhole, rowCount: table.count,
          cost: PlanCost.path(path, test, isWhole: isWhole, demand, statistics)))
    }
    /// Adds the way through an index of several columns.
    func add(_ found: TableIndexAccess) {
      let rest = terms.filter { term in
        term.property.map { !found.exactColumns.contains($0.column.id) } ?? true
      }
      let path = AccessPath.index(found.access)
      let test = joined(rest.map(\.test))
      let isWhole = isTrue(test)
      candidates.append(
        Candidate(
          path: path, test: test, isWhole: isWhole, tableIndex: found, rowCount: table.count,
          cost: PlanCost.path(path, test, isWhole: isWhole, demand, statistics)))
    }
    let order = paths.sorted { pathEstimate(terms[$0]) < pathEstimate(terms[$1]) }
    for position in order { add([position]) }
    let listing = order.filter { terms[$0].path?.hasKeys ?? false }
    for count in 2..<max(2, min(listing.count, 8) + 1) { add(Array(listing.prefix(count))) }
    for found in joint { add(found) }
    return candidates
  }

  /// The cheapest way.
  static func best(_ candidates: [Candidate]) -> Candidate {
    var best = candidates[0]
    for candidate in candidates.dropFirst() where candidate.cost < best.cost { best = candidate }
    return best
  }

  private func pathEstimate(_ term: Term) -> Double {
    term.path?.estimate(table.count) ?? Double(table.count)
  }

  /// Tells the test of a term what its indexes counted.
  private func learn(_ term: Term) {
    guard term.isExact, let path = term.path, table.count > 0 else { return }
    (term.test as? ColumnTest)?.knownSelectivity =
      min(1, path.estimate(table.count) / Double(table.count))
  }

  private func isTrue(_ test: RowTest) -> Bool { (test as? ConstantTest)?.value == true }

  /// The test that all of several hold.
  private func joined(_ tests: [RowTest]) -> RowTest {
    let tests = tests.filter { !isTrue($0) }
    return switch tests.count {
    case 0: ConstantTest(true)
    case 1: tests[0]
    default: AllTest(tests)
    }
  }

  // MARK: Terms

  private func terms(_ predicate: BoundPredicate) throws -> [Term] {
    var conjuncts: [BoundPredicate] = []
    Self.flatten(predicate, into: &conjuncts)
    // Every link has a backlink index.
    let hasIndexes =
      !table.schema.indexes.isEmpty
      || table.schema.columns.contains {
        $0.isIndexed || $0.isFullTextIndexed || $0.layout.value == .link
      }
    let joined = try JoinedTerms(conjuncts, isAll: true, compiler)
    // Of very many terms the first that could have an index are looked up only.
    var askedCount = 0
    let paths = try joined.terms.map { term in
      let isAsked = hasIndexes && askedCount < Self.termLimit && mayHaveAccess(term)
      if isAsked { askedCount += 1 }
      let access = isAsked ? try access(term) : nil
      return Term(
        test: try compiler.compile(term.path, term.quantifier, term.predicate, on: table),
        path: access?.path, isExact: access?.isExact ?? false,
        property: term.path.directColumn.map { ($0, term.predicate) })
    }
    return try paths
      + joined.others.enumerated().map { number, conjunct in
        let isAsked = hasIndexes && number < Self.termLimit
        let access = isAsked ? try access(conjunct, depth: 0) : nil
        return Term(
          test: try compiler.compile(conjunct, on: table), path: access?.path,
          isExact: access?.isExact ?? false)
      }
  }

  /// The ways through the indexes of several columns.
  private func tableIndexAccesses(_ terms: [Term]) throws -> [TableIndexAccess] {
    var predicates: [UInt32: ValuePredicate] = [:]
    guard !table.schema.indexes.isEmpty else { return [] }
    for term in terms {
      if let (column, predicate) = term.property { predicates[column.id] = predicate }
    }
    // A unique index of one column is the path of a term.
    return try table.schema.indexes.filter { $0.columns.count > 1 }
      .compactMap { try access($0) { predicates[$0.id] } }
  }

  private static func flatten(_ predicate: BoundPredicate, into terms: inout [BoundPredicate]) {
    guard case .and(let parts) = predicate else {
      terms.append(predicate)
      return
    }
    for part in parts { flatten(part, into: &terms) }
  }

  /// The objects whose value in `column` passes, or some more; nil when no index tells.
  func access(
    _ column: Column, _ predicate: ValuePredicate
  ) throws -> (path: AccessPath, isExact: Bool)? {
    guard column.table == table.schema.id else { return nil }
    if column.layout.value == .link {
      return try access(link: column, predicate).map { ($0, true) }
    }
    guard column.isIndexed else { return try access(first: column, predicate) }
    if column.isPrimaryKey, table.schema.isKeyedByPrimaryKey {
      return try keyed(column, predicate).map { ($0, true) }
    }
    guard let index = try execution.source.index(column),
      let (ranges, isExact) = IndexChoice.ranges(predicate, column),
      ranges.count <= rangeLimit(column)
    else { return nil }
    var count = 0
    for range in ranges { count += try index.count(range) }
    return (
      .index(
        IndexAccess(listing: .column(column), index: index, ranges: ranges, count: count)), isExact
    )
  }

  /// So many ranges are asked for: counting costs a descent for each, not more than a scan, which is
  /// slow for values that no vector scan answers.
  func rangeLimit(_ column: Column) -> Int {
    8 + table.count / (Self.isScannedByValue(column) ? 8 : 128)
  }

  private static func isScannedByValue(_ column: Column) -> Bool {
    switch column.layout.value {
    case .decimal, .objectID, .uuid, .mixed: true
    default: false
    }
  }

  /// The objects whose primary keys, which are their places in the table, pass.
  private func keyed(_ column: Column, _ predicate: ValuePredicate) throws -> AccessPath? {
    let compiled = CompiledPredicate(predicate, column.layout)
    guard case .ints(let set) = compiled.form, set.ranges.count <= 1000 + table.count / 64,
      set.ranges != [Int64.min...Int64.max]
    else { return nil }
    let tree = table.table.tree
    var estimate = 0
    let ranges = set.ranges.map { range in
      ObjectKey(integerPrimaryKey: range.lowerBound)
        .rawValue...ObjectKey(
          integerPrimaryKey: range.upperBound
        ).rawValue
    }
    for range in ranges {
      let width = range.upperBound - range.lowerBound
      guard width > 0 else {
        estimate += 1
        continue
      }
      let before = try tree.countBeforeLeaf(for: TreeKey(range.lowerBound))
      let through = try tree.countBeforeLeaf(for: TreeKey(range.upperBound))
      let guess = Int(clamping: through &- before) + 256
      estimate += min(Int(clamping: width), guess, table.count)
    }
    return .keyed(
      KeyedAccess(column: column, ranges: ranges, estimate: min(estimate, table.count)))
  }

  /// What an alternative deep down could be is left to a scan.
  private static let depthLimit = 8

  /// A path to the objects that pass a term, and whether it leads to no others.
  private func access(
    _ term: BoundPredicate, depth: Int
  ) throws -> (path: AccessPath, isExact: Bool)? {
    guard depth < Self.depthLimit else { return nil }
    if let term = try compiler.pathTerm(term) { return try access(term) }
    if let (path, quantifier, predicate) = try compiler.pathPredicate(term), !path.hops.isEmpty {
      return try access(path, quantifier, predicate, targetLimit).map { ($0, true) }
    }
    switch term {
    case .text(let search):
      guard search.path.directColumn != nil else { return nil }
      let lookup = try TextLookup(search, table, in: execution.source)
      return lookup.estimate == nil ? nil : (.words(lookup), true)
    case .or(let alternatives): return try access(any: alternatives, depth: depth)
    case .and(let parts):
      var best: (path: AccessPath, isExact: Bool)?
      for part in parts.prefix(Self.termLimit) {
        guard let (path, _) = try access(part, depth: depth + 1) else { continue }
        if path.estimate(table.count) < best?.path.estimate(table.count) ?? .infinity {
          best = (path, false)
        }
      }
      return best
    default: return nil
    }
  }

  /// Whether an index could tell of the term.
  private func mayHaveAccess(_ term: PathTerm) -> Bool {
    guard let column = term.path.directColumn else { return true }
    return column.isIndexed || column.isPrimaryKey || column.layout.value == .link
      || table.schema.index(leadingWith: column) != nil
  }

  /// A path to the objects that pass a term, and whether to no others.
  private func access(_ term: PathTerm) throws -> (path: AccessPath, isExact: Bool)? {
    if let column = term.path.directColumn { return try access(column, term.predicate) }
    // As many objects may be asked for as by the terms one by one.
    let targetLimit = targetLimit * min(term.termCount, Self.termLimit)
    return try access(term.path, term.quantifier, term.predicate, targetLimit)
      .map { ($0, true) }
  }

  /// The union of what all alternatives lead to; those on the values at the end of one path are
  /// one.
  private func access(
    any alternatives: [BoundPredicate], depth: Int
  ) throws -> (path: AccessPath, isExact: Bool)? {
    var parts: [AccessPath] = []
    var isExact = true
    /// Adds what an alternative leads to; false when that is not known.
    func add(_ access: (path: AccessPath, isExact: Bool)?) -> Bool {
      guard let access else { return false }
      parts.append(access.path)
      isExact = isExact && access.isExact
      return true
    }
    let joined = try JoinedTerms(alternatives, isAll: false, compiler)
    let farCount = joined.terms.count(where: { $0.path.directColumn == nil })
    guard joined.terms.allSatisfy(mayHaveAccess),
      farCount + joined.others.count <= Self.termLimit
    else { return nil }
    for term in joined.terms { guard add(try access(term)) else { return nil } }
    for alternative in joined.others {
      guard add(try access(alternative, depth: depth + 1)) else { return nil }
    }
    if parts.count == 1 { return (parts[0], isExact) }
    guard parts.allSatisfy(\.listsKeys) else { return nil }
    return parts.isEmpty ? nil : (.any(parts), isExact)
  }
}

extension AccessPath {
  /// What it costs to look words up; 0 for other paths.
  fileprivate var wordCost: Double {
    guard case .words = self else { return 0 }
    return entries.count * PlanCost.entry + entries.places * PlanCost.place
  }
}
