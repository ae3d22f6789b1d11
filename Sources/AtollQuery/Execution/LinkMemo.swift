internal import AtollObjects

/// What a path behind a link leads to, found once for each object that is linked to.
///
/// Many objects link to few: their countries, their owners. So many links are remembered as memory
/// allows; for others the path is followed again.
struct LinkMemo<Result> {
  private let column: Column
  private let rest: BoundPath
  private let target: TableAccess
  private let evaluator: KeyEvaluator
  private var known: [UInt64: Result] = [:]

  /// More targets than this are not remembered.
  private static var limit: Int { 1 << 20 }

  /// Nil for a path that does not begin with a link, or may lead to several objects.
  init?(_ path: BoundPath, _ execution: Execution) throws {
    guard case .link(let column) = path.hops.first, !path.reachesMany else { return nil }
    self.column = column
    target = try execution.table(column.layout.linkTable)
    evaluator = KeyEvaluator(execution: execution)
    var rest = BoundPath(root: column.layout.linkTable)
    rest.hops = Array(path.hops.dropFirst())
    rest.terminal = path.terminal
    self.rest = rest
  }

  /// The result for each of the rows of a leaf, made of the path's value by `make` where it is not
  /// known.
  mutating func results(
    _ rows: [Int], _ leaf: Leaf, _ make: (SortValue) throws -> Result
  ) throws -> [Result] {
    let view = try leaf.column(column)
    guard let links = view.ints else { return try rows.map { _ in try make(.nowhere) } }
    var ofNull: Result?
    var results: [Result] = []
    results.reserveCapacity(rows.count)
    for row in rows {
      if view.values.isNull(row) {
        let result = try ofNull ?? make(.nowhere)
        ofNull = result
        results.append(result)
        continue
      }
      let key = UInt64(bitPattern: links[row])
      if let result = known[key] {
        results.append(result)
        continue
      }
      let place = try target.locate(key)
      let result = try make(try place.map { try evaluator.value(rest, $0) } ?? .nowhere)
      if known.count < Self.limit { known[key] = result }
      results.append(result)
    }
    return results
  }
}
