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
    if let index, asked * Self.lookupCost < origin.count || origin.count > 1 << 20,
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
    if let index, asked * Self.lookupCost < origin.count,
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
    return max(asked, expected) * Self.lookupCost < origin.count ? nil : try counts()
  }

  /// The number of links that lead to each object; for a test of most objects.
  func counts() throws -> KeyCounts {
    if let allCounts { return allCounts }
    let target = try execution.table(column.layout.linkTable)
    let counts = KeyCounts(bounds: try target.keyBounds(), count: target.count)
    try execution.scan(origin, ConstantTest(true), opensLeaves: false) { leaf, _ in
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
      try Self.forEachLink(column, leaf, nil) { _, target in counts.add(target) }
      return true
    }
    allCounts = counts
    return counts
  }

  private func forEachLink(_ body: (UInt64, UInt64) -> Void) throws {
    try execution.scan(origin, ConstantTest(true)) { leaf, _ in
      try Self.forEachLink(column, leaf, nil) { row, target in body(leaf.rowGroup.key(row), target)
      }
      return true
    }
  }

  /// Calls `body` with the row and the target of every link of a leaf's chosen rows.
  static func forEachLink(
    _ column: Column, _ leaf: Leaf, _ rows: Selection?, _ body: (Int, UInt64) -> Void
  ) throws {
    let view = try leaf.column(column)
    guard let links = view.ints else { return }
    if column.layout.collection == .none {
      for row in 0..<leaf.rowCount where rows?[row] ?? true {
        if !view.values.isNull(row) { body(row, UInt64(bitPattern: links[row])) }
      }
      return
    }
    guard let counts = view.counts else { return }
    var element = 0
    for row in 0..<leaf.rowCount {
      let end = element + Int(counts[row])
      if rows?[row] ?? true {
        if let external = view.external, external.find(row) != nil {
          for value in RowEvaluator.elements(try view.value(row)) {
            if case .link(let link) = value { body(row, link.key) }
          }
        } else {
          for index in element..<end where !view.values.isNull(index) {
            body(row, UInt64(bitPattern: links[index]))
          }
        }
      }
      element = end
    }
  }
}
