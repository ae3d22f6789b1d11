internal import AtollObjects
internal import AtollStorage

/// Objects in the order of an index: for SORT, and for DISTINCT, where that beats ordering them.
struct OrderedAccess {
  enum Purpose: Equatable {
    case sort(isAscending: Bool)
    case distinct
  }

  let purpose: Purpose
  let listing: IndexAccess.Listing
  let index: Index
  /// They ascend; all objects that can pass are in them.
  let ranges: [IndexRange]
  /// At most so many objects are wanted.
  let limit: Int?
  /// The test of the objects in the ranges.
  var test: RowTest
  /// What it costs, in nanoseconds, about.
  let cost: Double
  /// Entries that are walked over, about.
  let estimate: Double

  private var isWhole: Bool { (test as? ConstantTest)?.value == true }

  /// What descriptors need of one property, if that is all they need.
  static func purpose(
    _ descriptors: [BoundDescriptor]
  ) -> (purpose: Purpose, column: Column, limit: Int?)? {
    var limit: Int?
    for descriptor in descriptors.dropFirst() {
      guard case .limit(let next) = descriptor else { return nil }
      limit = min(next, limit ?? .max)
    }
    let path: BoundPath
    let purpose: Purpose
    switch descriptors.first {
    case .sort(let keys) where keys.count == 1:
      path = keys[0].path
      purpose = .sort(isAscending: keys[0].isAscending)
    case .distinct(let paths) where paths.count == 1:
      path = paths[0]
      purpose = .distinct
    default: return nil
    }
    // An index orders mixed numbers by their types first.
    guard let column = path.directColumn, column.isIndexed, column.layout.collection == .none,
      column.layout.value != .mixed, column.layout.value != .link
    else { return nil }
    return (purpose, column, limit)
  }

  /// The cheapest way through an index that has the order of `descriptors`; nil when none has it.
  static func find(
    _ descriptors: [BoundDescriptor], _ candidates: [Planner.Candidate], _ table: TableAccess,
    _ execution: Execution
  ) throws -> OrderedAccess? {
    var found: [OrderedAccess] = []
    if let (purpose, column, limit) = Self.purpose(descriptors),
      let index = try execution.source.index(column), index.entryCount == table.count
    {
      // What the predicate says of the same property narrows the walk.
      let narrowing = candidates.last { candidate in
        if case .index(let access) = candidate.path { access.column == column } else { false }
      }
      found.append(
        try OrderedAccess(purpose, .column(column), index, limit, narrowing, candidates, table))
    }
    if let order = TableOrder(descriptors, candidates, table.schema),
      let index = try execution.source.index(order.index), index.entryCount == table.count
    {
      found.append(
        try OrderedAccess(
          .sort(isAscending: order.isAscending), .table(order.index), index, order.limit,
          order.candidate, candidates, table))
    }
    return found.min { $0.cost < $1.cost }
  }

  /// `narrowing`: the way to the objects that leads through the same index.
  private init(
    _ purpose: Purpose, _ listing: IndexAccess.Listing, _ index: Index, _ limit: Int?,
    _ narrowing: Planner.Candidate?, _ candidates: [Planner.Candidate], _ table: TableAccess
  ) throws {
    self.purpose = purpose
    self.listing = listing
    self.index = index
    self.limit = limit
    var ranges = [IndexRange.all]
    var test = candidates[0].test
    var entries = Double(table.count)
    if let narrowing, case .index(let access) = narrowing.path {
      ranges = access.ranges.sorted { $0.lower.lexicographicallyPrecedes($1.lower) }
      test = narrowing.test
      entries = Double(access.count)
    }
    self.ranges = ranges
    self.test = test
    let isWhole = (test as? ConstantTest)?.value == true
    var walked = entries
    if let limit, case .sort = purpose {
      walked = min(entries, Double(limit) * entries / max(1, candidates[0].estimate))
    }
    estimate = walked
    var cost = PlanCost.place * Double(ranges.count) + walked * PlanCost.orderedEntry
    if !isWhole {
      // One by one, or the whole table once.
      let scan = PlanCost.scan(test, try table.statistics())
      cost += min(walked * (PlanCost.leafByKey + test.cost * 10), scan) + walked * 2
    }
    self.cost = cost
  }

  /// The keys, in the order of the query.
  func keys(_ table: TableAccess, _ execution: Execution) throws -> [UInt64] {
    var keys: [UInt64] = []
    let limit = limit ?? .max
    guard limit > 0 else { return [] }
    let set = isWhole ? nil : ObjectSet(table, test, execution)
    var whole: KeySet?
    if let set, estimate >= Double(table.count) / 100 {
      whole = try set.whole(for: 0, expected: Int(estimate))
    }
    func passes(_ key: UInt64) throws -> Bool {
      if let whole { return whole.contains(key) }
      return try set?.contains(key) ?? true
    }
    let columns = listing.columns
    // The objects last met that the index lists under the beginnings of their values.
    var cut: [UInt64] = []
    switch purpose {
    case .sort(let isAscending):
      func appendCut() throws {
        guard !cut.isEmpty else { return }
        let rows = try Self.sorted(cut, isAscending: isAscending, columns, table)
        keys += rows.prefix(limit - keys.count).map(\.key)
        cut = []
      }
      for range in isAscending ? ranges : ranges.reversed() {
        try index.forEachGroup(range, order: isAscending ? .ascending : .descending) {
          value, found in
          if listing.isCut(value) {
            for index in found.indices where try passes(found[index]) { cut.append(found[index]) }
            return true
          }
          try appendCut()
          for index in found.indices where keys.count < limit {
            if try passes(found[index]) { keys.append(found[index]) }
          }
          return keys.count < limit
        }
        try appendCut()
        if keys.count == limit { break }
      }
    case .distinct:
      // A value comes several times where its entries lie in several leaves.
      var last: [UInt8]?
      var isFound = false
      for range in ranges {
        try index.forEachGroup(range) { value, found in
          if listing.isCut(value) {
            for index in found.indices where try passes(found[index]) { cut.append(found[index]) }
            return true
          }
          if last == nil || !value.elementsEqual(last ?? []) {
            last = value.copy()
            isFound = false
          }
          guard !isFound else { return true }
          for index in found.indices where try passes(found[index]) {
            keys.append(found[index])
            isFound = true
            break
          }
          return true
        }
      }
      var lastCut: [Value]?
      for row in try Self.sorted(cut, isAscending: true, columns, table)
      where row.values != lastCut {
        keys.append(row.key)
        lastCut = row.values
      }
      try KeyLists.sort(&keys, table)
      if keys.count > limit { keys.removeLast(keys.count - limit) }
    }
    return keys
  }

  /// Objects by their values, those of equal values by their keys.
  private static func sorted(
    _ keys: [UInt64], isAscending: Bool, _ columns: [Column], _ table: TableAccess
  ) throws -> [(key: UInt64, values: [Value])] {
    var rows: [(key: UInt64, values: [Value])] = []
    for key in keys {
      guard let place = try table.locate(key) else { continue }
      rows.append((key, try columns.map { try place.value($0) }))
    }
    rows.sort { a, b in
      for (left, right) in zip(a.values, b.values) {
        switch Value.sortOrder(left, right) {
        case .less: return isAscending
        case .greater: return !isAscending
        case .equal: continue
        }
      }
      return a.key < b.key
    }
    return rows
  }
}

extension IndexAccess.Listing {
  fileprivate var columns: [Column] {
    switch self {
    case .column(let column): [column]
    case .table(let index): index.columns
    }
  }

  /// Whether several values may be listed together under `bytes`, which is their beginning then.
  fileprivate func isCut(_ bytes: ByteView) -> Bool {
    switch self {
    case .column: Index.isCut(bytes)
    // Zeros may also be in the midst of a key of several values.
    case .table: bytes.count == Index.valueByteLimit
    }
  }
}
