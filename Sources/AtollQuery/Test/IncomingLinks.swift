internal import AtollObjects

/// The links of a column, from targets to sources.
///
/// A few look-ups go to the backlink index; when many come, the column is read once.
final class IncomingLinks {
  private let column: Column
  /// Keeps this object, and is kept by the caller.
  private unowned let execution: Execution
  private let origin: TableAccess
  private let index: Index?
  private var asked = 0
  private var allSources: [UInt64: [UInt64]]?
  private var allCounts: KeyCounts?

  init(_ column: Column, _ execution: Execution) throws {
    self.column = column
    self.execution = execution
    origin = try execution.table(column.table)
    index = try execution.source.backlinks(column)
  }

  /// One look-up in the index costs about as much as so many links in a pass.
  private static let lookupCost = 30

  /// The keys of the objects that link to `key`, ascending, one for each link.
  func sources(of key: UInt64) throws -> [UInt64] {
    if let allSources { return allSources[key] ?? [] }
    asked += 1
    if let index, !origin.isPassWorth(asked, each: Self.lookupCost) || origin.count > 1 << 20,
      let bytes = Index.bytes(of: Index.target(key))
    {
      return try index.keys(.equal(to: bytes))
    }
    var sources: [UInt64: [UInt64]] = [:]
    try forEachLink { source, target in sources[target, default: []].append(source) }
    allSources = sources
    return sources[key] ?? []
  }

  /// How many links lead to `key`.
  func count(of key: UInt64) throws -> Int {
    if let allCounts { return allCounts[key] }
    asked += 1
    if let index, !origin.isPassWorth(asked, each: Self.lookupCost),
      let bytes = Index.bytes(of: Index.target(key))
    {
      return try index.count(.equal(to: bytes))
    }
    return try counts()[key]
  }

  /// The number of links that lead to each object, if that is worth it when `count` objects more
  /// are asked for, `expected` in the end.
  func counts(for count: Int, expected: Int) throws -> KeyCounts? {
    asked += count
    guard origin.isPassWorth(max(asked, expected), each: Self.lookupCost) else { return nil }
    return try counts()
  }

  /// The number of links that lead to each object; for a test of most objects.
  func counts() throws -> KeyCounts {
    if let allCounts { return allCounts }
    let target = try execution.table(column.layout.linkTable)
    let counts = try KeyCounts(of: target)
    try execution.scan(origin, ConstantTest(true), opensLeaves: false) { leaf, rows in
      if column.layout.collection == .none, let links = try leaf.ints(column.id),
        links.validity == nil
      {
        counts.add(links.values)
        return true
      }
      let view = try leaf.column(column)
      if let links = view.ints, view.validity == nil, view.external == nil {
        counts.add(links)
        return true
      }
      try leaf.forEachLink(column, rows) { _, target in counts.add(target) }
      return true
    }
    allCounts = counts
    return counts
  }

  private func forEachLink(_ body: (UInt64, UInt64) -> Void) throws {
    try execution.scan(origin, ConstantTest(true)) { leaf, rows in
      try leaf.forEachLink(column, rows) { row, target in body(leaf.rowGroup.key(row), target) }
      return true
    }
  }
}

extension Leaf {
  /// Calls `body` with the row and the target of every link that the chosen rows have in a column.
  func forEachLink(_ column: Column, _ rows: Selection, _ body: (Int, UInt64) -> Void) throws {
    let view = try self.column(column)
    guard let links = view.ints else { return }
    guard column.layout.collection != .none else {
      rows.forEach { row in
        if !view.values.isNull(row) { body(row, UInt64(bitPattern: links[row])) }
      }
      return
    }
    try view.forEachRow(rows) { row, elements in
      view.forEachLink(in: elements) { body(row, $0) }
    }
  }
}
