internal import AtollObjects

/// Sorts objects into groups by their keys and aggregates over each, leaf by leaf.
///
/// Groups are numbered as their first objects come. A single key of integers or strings is looked
/// up without making a value of it, and for a leaf with a dictionary once for each of its entries.
/// What lies behind a link is looked up once for each object linked to.
struct GroupTable {
  private let grouping: BoundGrouping
  private let keys: [BoundPath]
  private let execution: Execution

  /// The groups by their keys; by the integer or the bytes alone where `plainKey` is such a column.
  private var numbers: [[Value]: Int] = [:]
  private var intNumbers: [Int64: Int] = [:]
  private var bytesNumbers: [[UInt8]: Int] = [:]
  private var nullNumber: Int?
  private let plainKey: Column?
  /// The group for each link, when the only key lies behind one.
  private var linkedGroups: LinkMemo<Int>?
  /// For each of several keys, its values behind a link; nil where it begins with none.
  private var linkedKeys: [LinkMemo<Value>?] = []
  /// For each aggregate, its values behind a link; nil where it begins with none.
  private var linkedValues: [LinkMemo<SortValue>?] = []

  private var groupKeys: [[Value]] = []
  private var counts: [Int64] = []
  /// For each aggregate, one accumulator for each group.
  private var accumulators: [[Aggregation.Accumulator]]
  private let aggregates: [(QuerySyntax.AggregateFunction, BoundPath, ValueType)]

  init(_ grouping: BoundGrouping, _ execution: Execution) throws {
    self.grouping = grouping
    self.execution = execution
    keys = grouping.columns.compactMap { if case .key(let path) = $0.source { path } else { nil } }
    aggregates = grouping.columns.compactMap {
      if case .aggregate(let function, let path, let type) = $0.source {
        (function, path, type)
      } else {
        nil
      }
    }
    accumulators = Array(repeating: [], count: aggregates.count)
    if keys.count == 1, let column = keys[0].directColumn, column.layout.collection == .none,
      column.layout.value == .int || column.layout.value == .string
    {
      plainKey = column
    } else {
      plainKey = nil
    }
    if keys.count == 1 {
      linkedGroups = try LinkMemo(keys[0], execution)
    } else {
      linkedKeys = try keys.map { try LinkMemo($0, execution) }
    }
    linkedValues = try aggregates.map { try LinkMemo($0.1, execution) }
    // Without keys everything is one group, even if there is nothing.
    if keys.isEmpty { numbers[[]] = newGroup([]) }
  }

  private mutating func newGroup(_ key: [Value]) -> Int {
    groupKeys.append(key)
    counts.append(0)
    for (place, aggregate) in aggregates.enumerated() {
      accumulators[place].append(Aggregation.Accumulator(aggregate.0, aggregate.2))
    }
    return groupKeys.count - 1
  }

  // MARK: Rows

  /// Takes the selected rows of a leaf.
  mutating func add(_ leaf: Leaf, _ rows: Selection) throws {
    if keys.isEmpty, aggregates.isEmpty {
      counts[0] += Int64(rows.trueCount)
      return
    }
    var selected: [Int] = []
    selected.reserveCapacity(rows.trueCount)
    rows.forEach { selected.append($0) }
    let groups = try groups(of: selected, leaf)
    for group in groups { counts[group] += 1 }
    for place in aggregates.indices { try aggregate(place, leaf, selected, groups) }
  }

  /// Takes one object.
  mutating func add(_ place: RowPlace) throws {
    let group = try groups(of: [place.row], place.leaf)
    counts[group[0]] += 1
    for index in aggregates.indices { try aggregate(index, place.leaf, [place.row], group) }
  }

  private mutating func aggregate(
    _ place: Int, _ leaf: Leaf, _ rows: [Int], _ groups: [Int]
  ) throws {
    let path = aggregates[place].1
    if let column = path.directColumn, column.layout.collection == .none {
      let view = try leaf.column(column)
      if let ints = view.ints, column.layout.value == .int {
        for (index, row) in rows.enumerated() where !view.values.isNull(row) {
          accumulators[place][groups[index]].add(.int(ints[row]))
        }
        return
      }
      for (index, row) in rows.enumerated() {
        accumulators[place][groups[index]].add(try view.value(row))
      }
      return
    }
    if let values = try linkedValues[place]?.results(rows, leaf, { $0 }) {
      for (index, value) in values.enumerated() {
        if case .value(let value) = value { accumulators[place][groups[index]].add(value) }
      }
      return
    }
    let evaluator = KeyEvaluator(execution: execution)
    for (index, row) in rows.enumerated() {
      // A link on the way that is null leaves the object out, like a null.
      if case .value(let value) = try evaluator.value(path, RowPlace(leaf: leaf, row: row)) {
        accumulators[place][groups[index]].add(value)
      }
    }
  }

  // MARK: Groups

  /// The group of each row.
  private mutating func groups(of rows: [Int], _ leaf: Leaf) throws -> [Int] {
    if keys.isEmpty { return Array(repeating: 0, count: rows.count) }
    if let plainKey, let found = try groups(of: rows, leaf, by: plainKey) { return found }
    if var memo = linkedGroups {
      // Taken out while it is used, so that it is not copied.
      linkedGroups = nil
      defer { linkedGroups = memo }
      return try memo.results(rows, leaf) { number(of: [$0.orNull]) }
    }
    let columns = try keys.indices.map { try values(ofKey: $0, rows, leaf) }
    return rows.indices.map { index in
      let key = columns.map { $0[index] }
      return plainKey == nil ? number(of: key) : number(ofPlain: key[0])
    }
  }

  /// The values of a key; null where a link on the way is.
  private mutating func values(ofKey key: Int, _ rows: [Int], _ leaf: Leaf) throws -> [Value] {
    if linkedKeys.indices.contains(key),
      let values = try linkedKeys[key]?.results(rows, leaf, { $0.orNull })
    {
      return values
    }
    let evaluator = KeyEvaluator(execution: execution)
    return try rows.map { try evaluator.value(keys[key], RowPlace(leaf: leaf, row: $0)).orNull }
  }

  private mutating func number(of key: [Value]) -> Int {
    if let known = numbers[key] { return known }
    let number = newGroup(key)
    numbers[key] = number
    return number
  }

  /// The groups by a column of integers or strings as it lies; nil when it does not lie in vectors.
  private mutating func groups(
    of rows: [Int], _ leaf: Leaf, by column: Column
  ) throws -> [Int]? {
    let view = try leaf.column(column)
    guard view.values.external == nil else { return nil }
    if column.layout.value == .int {
      guard let ints = view.ints else { return nil }
      return rows.map { row in
        view.values.isNull(row) ? number(ofPlain: .null) : number(ofPlain: .int(ints[row]))
      }
    }
    guard let vector = view.bytes else { return nil }
    let open = try vector.open()
    defer { withExtendedLifetime(open.decoded) {} }
    guard let codes = open.codes else {
      return try rows.map { row in
        if view.values.isNull(row) { return number(ofPlain: .null) }
        // SAFETY: `open` checks the row, and is kept (above), as `leaf` keeps the row group.
        return try unsafe number(ofBytes: Array(open.bytes(row)))
      }
    }
    var ofCode = [Int?](repeating: nil, count: open.entryCount)
    return try rows.map { row in
      if view.values.isNull(row) { return number(ofPlain: .null) }
      let code = Int(codes[row])
      guard ofCode.indices.contains(code) else {
        throw open.outOfBounds(codes[row])
      }
      if let known = ofCode[code] { return known }
      // SAFETY: `open` checks the entry, and is kept (above), as `leaf` keeps the row group.
      let number = unsafe number(ofBytes: Array(open.entry(code)))
      ofCode[code] = number
      return number
    }
  }

  private mutating func number(ofPlain value: Value) -> Int {
    switch value {
    case .int(let int):
      if let known = intNumbers[int] { return known }
      let number = newGroup([value])
      intNumbers[int] = number
      return number
    case .string(let text): return number(ofBytes: Array(text.utf8))
    default:
      if let nullNumber { return nullNumber }
      let number = newGroup([.null])
      nullNumber = number
      return number
    }
  }

  private mutating func number(ofBytes bytes: [UInt8]) -> Int {
    if let known = bytesNumbers[bytes] { return known }
    let number = newGroup([.string(String(decoding: bytes, as: UTF8.self))])
    bytesNumbers[bytes] = number
    return number
  }

  // MARK: The answer

  /// A row of values for each group, sorted and cut.
  func rows() -> [[Value]] {
    var rows = groupKeys.indices.map { group -> [Value] in
      var key = groupKeys[group].makeIterator()
      var place = 0
      return grouping.columns.map { column in
        switch column.source {
        case .key: return key.next() ?? .null
        case .count: return .int(counts[group])
        case .aggregate:
          defer { place += 1 }
          return accumulators[place][group].result
        }
      }
    }
    for step in grouping.steps {
      switch step {
      case .limit(let count): rows.removeLast(max(0, rows.count - count))
      case .sort(let keys):
        // The sort of the standard library keeps the order of ties.
        rows.sort { a, b in
          for key in keys {
            switch Value.sortOrder(a[key.column], b[key.column]) {
            case .equal: continue
            case .less: return key.isAscending
            case .greater: return !key.isAscending
            }
          }
          return false
        }
      }
    }
    return rows
  }
}

extension SortValue {
  /// The value; null where there is no object to take one from.
  fileprivate var orNull: Value { if case .value(let value) = self { value } else { .null } }
}
