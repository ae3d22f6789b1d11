internal import AtollObjects

/// What a path behind a link leads to, found once for each object that is linked to.
///
/// Many objects link to few: their countries, their owners. So many links are remembered as the run
/// has bytes for, which all memos of the run share; for others the path is followed again.
struct LinkMemo<Result: Memorable> {
  private let column: Column
  private let rest: BoundPath
  private let target: TableAccess
  private let execution: Execution
  private let evaluator: KeyEvaluator
  private var known: [UInt64: Result] = [:]

  /// Nil for a path that does not begin with a link, or may lead to several objects.
  init?(_ path: BoundPath, _ execution: Execution) throws {
    guard case .link(let column) = path.hops.first, !path.reachesMany else { return nil }
    self.column = column
    target = try execution.table(column.layout.linkTable)
    self.execution = execution
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
      remember(result, for: key)
      results.append(result)
    }
    return results
  }

  private mutating func remember(_ result: Result, for key: UInt64) {
    // A dictionary has between 4/3 and 8/3 places for each entry.
    let byteCount = 2 * MemoryLayout<(UInt64, Result)>.stride + result.heapByteCount
    guard byteCount <= execution.memoBytesLeft else { return }
    execution.memoBytesLeft -= byteCount
    known[key] = result
  }
}

/// What a `LinkMemo` can hold: it tells what it takes of memory.
protocol Memorable {
  /// About how many bytes it takes beside its own.
  var heapByteCount: Int { get }
}

extension Int: Memorable {
  var heapByteCount: Int { 0 }
}

extension Value: Memorable {
  var heapByteCount: Int {
    switch self {
    case .string, .data, .list, .set, .map: MixedCoding.byteCount(of: self)
    default: 0
    }
  }
}

extension SortValue: Memorable {
  var heapByteCount: Int { if case .value(let value) = self { value.heapByteCount } else { 0 } }
}
