internal import AtollObjects
internal import AtollStorage

/// One run of a query: what it reads from, its constants, and what it has cost so far.
///
/// Used by one thread.
final class Execution {
  let source: any TreeSource
  let schema: Schema
  let arguments: [Value]
  /// See `Query.countsWaitingLinks`.
  let countsWaitingLinks: Bool
  private var tables: [UInt32: TableAccess] = [:]
  /// Scratch space for the rows of a leaf.
  let selections = SelectionPool()
  private var spareBlocks: [NumberBlocks] = []
  private var incoming: [UInt64: IncomingLinks] = [:]
  private var numbers: [UInt64: NumbersByKey?] = [:]

  /// Leaves of tables whose columns were looked at.
  var leavesRead = 0
  /// Leaves left out by their zone maps, or answered by them.
  var leavesSkipped = 0
  /// Leaves that were looked into for the keys of a sort, as often as they were.
  var leavesSorted = 0
  /// Objects tested.
  var rowsTested = 0
  /// What bounds the tests of single values; nil: nothing.
  var budget: QueryBudget?
  /// How many more small tables may be scanned for a plan, however many terms the query has.
  var planningScansLeft = QueryLimits.planningScans
  /// How many more bytes may be spent on remembering what lies behind links.
  var memoBytesLeft = QueryLimits.memoByteCount
  /// How many more bytes may be taken by what is kept of whole tables: sets of objects, of which
  /// the last one may take more, and numbers.
  var setBytesLeft = QueryLimits.setByteCount

  /// The table whose leaves are all visited now; nil while objects are looked at one by one.
  private var scanned: TableAccess?

  init(source: any TreeSource, arguments: [Value], countsWaitingLinks: Bool = false) {
    self.source = source
    self.countsWaitingLinks = countsWaitingLinks
    schema = source.schema
    self.arguments = arguments
  }

  /// The objects of a class.
  func table(_ id: UInt32) throws -> TableAccess {
    if let table = tables[id] { return table }
    guard let table = try source.table(id: id) else {
      throw ObjectError.noSuchClass("#\(id)", nearest: nil)
    }
    let access = try TableAccess(table)
    tables[id] = access
    return access
  }

  // MARK: Constants

  /// The value of a constant; an object that does not exist becomes a link that equals none.
  func value(_ constant: BoundConstant) throws -> Value {
    guard case .object(let table, let primaryKey) = constant else {
      return constant.value(arguments)
    }
    let key = try self.table(table).table.key(primaryKey: primaryKey.value(arguments))
    // Keys that are no primary keys are given out from 1 on.
    return .link(ObjectLink(table: table, key: key?.rawValue ?? 0))
  }

  // MARK: Single values

  /// Values of so many bytes are tested without an estimate of how long it takes.
  private static let smallByteCount = 1 << 12

  /// Returns whether a value passes a predicate.
  ///
  /// - Throws: `QueryTooExpensive` when that would take longer than the budget allows.
  func matches(_ predicate: CompiledPredicate, _ value: Value) throws -> Bool {
    if let budget, let byteCount = value.textByteCount, byteCount > Self.smallByteCount {
      try budget.admit(Double(byteCount) * predicate.nanosecondsPerByte)
    }
    return predicate.matches(value)
  }

  // MARK: Demand

  /// How many rows of a table will be tested, when `active` of this leaf's are.
  ///
  /// At most 2⁴⁸, which no table reaches, so that sums of it do not overflow.
  func expected(_ active: Int, _ leaf: Leaf) -> Int {
    guard scanned === leaf.table, leaf.rowCount > 0 else { return active }
    let expected = Double(active) * Double(leaf.table.count) / Double(leaf.rowCount)
    return Int(min(expected, 0x1p48))
  }

  /// Runs `body` as part of looking at single objects.
  func oneByOne<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = scanned
    scanned = nil
    defer { scanned = before }
    return try body()
  }

  // MARK: Scratch space

  /// Lends the means to compute an expression; give it back.
  func takeNumberBlocks() -> NumberBlocks { spareBlocks.popLast() ?? NumberBlocks() }

  func give(_ blocks: NumberBlocks) { spareBlocks.append(blocks) }

  // MARK: Scanning

  /// Visits the leaves of a table with the rows of each that pass `test`.
  ///
  /// `isShort`: whether the scan is likely to end soon; `opensLeaves`: whether `body` looks at more
  /// of a leaf than its vectors. `body`: gets the leaf and the rows, which are reused; not called
  /// for leaves without such rows. Returns whether to go on.
  func scan(
    _ table: TableAccess, _ test: RowTest, isShort: Bool = false, opensLeaves: Bool = true,
    _ body: (Leaf, Selection) throws -> Bool
  ) throws {
    let rows = selections.take()
    let before = scanned
    scanned = table
    defer {
      selections.give(rows)
      scanned = before
    }
    let opensFirst = test.needsRowGroup
    try forEachLeaf(table, isShort: isShort) { leaf, summary in
      let verdict = summary.isEmpty ? .some : test.verdict(Zones(summary))
      if verdict == .none {
        leavesSkipped += 1
        return true
      }
      leavesRead += 1
      rows.fill(leaf.rowCount, true)
      if verdict != .all {
        rowsTested += leaf.rowCount
        if opensFirst { try leaf.open() }
        try test.narrow(rows, in: leaf)
        if rows.isEmpty { return true }
      }
      if opensLeaves { try leaf.open() }
      return try body(leaf, rows)
    }
  }

  /// How many rows of a table pass `test`.
  func count(_ table: TableAccess, _ test: RowTest) throws -> Int {
    let rows = selections.take()
    let before = scanned
    scanned = table
    defer {
      selections.give(rows)
      scanned = before
    }
    let opensFirst = test.needsRowGroup
    var total = 0
    try forEachLeaf(table, isShort: false) { leaf, summary in
      let verdict = summary.isEmpty ? .some : test.verdict(Zones(summary))
      switch verdict {
      case .none: leavesSkipped += 1
      case .all:
        leavesSkipped += 1
        total += leaf.rowCount
      case .some:
        leavesRead += 1
        rowsTested += leaf.rowCount
        if opensFirst { try leaf.open() }
        total += try test.count(in: leaf, rows)
      }
      return true
    }
    return total
  }

  /// Visits the leaves of a table with their zone maps; none of them is opened.
  @inline(__always)
  private func forEachLeaf(
    _ table: TableAccess, isShort: Bool, _ body: (Leaf, ByteView) throws -> Bool
  ) throws {
    var leaf: Leaf?
    func visit(_ entry: LeafList.Entry, _ number: Int) throws -> Bool {
      // One object serves all leaves that are not kept.
      if isKnownUniquelyReferenced(&leaf), let leaf {
        leaf.move(to: entry, number: number)
        return try body(leaf, entry.summary)
      }
      let next = Leaf(table, entry, number: number)
      leaf = next
      return try body(next, entry.summary)
    }
    if let list = try table.leafList(isBuilt: !isShort) {
      for number in list.entries.indices {
        guard try visit(list.entries[number], number) else { return }
      }
      return
    }
    var cursor = table.table.tree.cursor()
    while let entry = try cursor.next() {
      let entry = try LeafList.Entry(
        entry.reference, rowCount: entry.count, summary: entry.summary)
      guard try visit(entry, -1) else { return }
    }
  }

  // MARK: Whole columns

  /// The numbers of a column by the keys of its objects, read on first use; nil when it cannot be
  /// read so, see `NumbersByKey`.
  func numbersByKey(_ column: Column) throws -> NumbersByKey? {
    if let known = numbers[column.path] { return known }
    let read = try NumbersByKey(column, table(column.table), self)
    numbers[column.path] = .some(read)
    return read
  }

  /// All links of a column, turned round; made on first use.
  func incomingLinks(_ column: Column) throws -> IncomingLinks {
    if let links = incoming[column.path] { return links }
    let links = try IncomingLinks(column, self)
    incoming[column.path] = links
    return links
  }
}
