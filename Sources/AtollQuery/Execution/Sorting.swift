internal import AtollObjects
internal import AtollStorage

/// Puts rows in order.
enum Sorting {
  /// Sorts a list by its keys, the first one most significant; ties keep their order.
  static func sort(
    _ list: inout RowList, _ keys: [SortKey], limit: Int, _ execution: Execution
  ) throws {
    let leaves = list.leaves
    let isAscending = (1..<max(1, list.rows.count)).allSatisfy {
      list.rows[$0 - 1] < list.rows[$0]
    }
    let places = EntryPlaces(leaves, rows: isAscending ? nil : list.rows)
    try unsafe list.rows.withUnsafeMutableBufferPointer { entries in
      for index in 0..<entries.count {
        let row = unsafe entries[index]
        unsafe entries[index] = places.place(
          leaf: Int(row >> 16), row: Int(row & 0xFFFF), number: index)
      }
      try unsafe EntrySort(entries, keys, leaves, places, execution).sort()
      for index in 0..<entries.count {
        let (leaf, row) = unsafe places[entries[index]]
        unsafe entries[index] = UInt64(leaf) << 16 | UInt64(row)
      }
    }
    list.rows.removeLast(max(0, list.rows.count - limit))
  }

  /// The keys of the rows that `source` gives, leaf by leaf, in the order of `keys`.
  ///
  /// Works in the memory of the result, which is all that grows with the number of rows but for a
  /// bit a row.
  static func sortedKeys(
    _ keys: [SortKey], limit: Int, _ execution: Execution,
    _ source: ((Leaf, Selection) throws -> Bool) throws -> Void
  ) throws -> [ObjectKey] {
    var rows = LeafRows()
    try source { leaf, selection in
      rows.append(leaf, selection)
      return true
    }
    let leaves = rows.leaves
    let places = EntryPlaces(leaves, rows: nil)
    let keyVectors = try leaves.map { try $0.keys() }
    let result = try unsafe [ObjectKey](unsafeUninitializedCapacity: rows.count) { buffer, count in
      // SAFETY: a key is one number of 64 bits and nothing else; all of them are set.
      try unsafe buffer.withMemoryRebound(to: UInt64.self) { entries in
        var index = 0
        rows.forEach { leaf, row in
          unsafe entries.initializeElement(
            at: index, to: places.place(leaf: leaf, row: row, number: index))
          index += 1
        }
        try unsafe EntrySort(entries, keys, leaves, places, execution).sort()
        for index in 0..<entries.count {
          let (leaf, row) = unsafe places[entries[index]]
          unsafe entries[index] = keyVectors[leaf].key(row)
        }
      }
      count = rows.count
    }
    withExtendedLifetime(leaves) {}
    return limit < result.count ? Array(result.prefix(limit)) : result
  }
}

/// Keeps the first rows of an order while leaves go by.
struct TopRows {
  private let keys: [SortKey]
  private let limit: Int
  private let execution: Execution
  private let codes: SortCodes?
  private var list = RowList()
  /// The code of the last row that is kept; rows behind it cannot come in.
  private var bound = UInt64.max
  private var leafCodes: [UInt64] = []

  init(_ keys: [SortKey], limit: Int, _ execution: Execution) {
    self.keys = keys
    self.limit = limit
    self.execution = execution
    let first = keys.first.map { SortCodes($0, execution) }
    codes = first?.hasCodes == true ? first : nil
  }

  mutating func add(_ leaf: Leaf, _ rows: Selection) throws {
    if let codes {
      leafCodes.removeAll(keepingCapacity: true)
      try codes.append(leaf, to: &leafCodes)
      // Equal codes can win only by another key or by their values: rows come in the order of ties.
      let isStrict = codes.isExact && keys.count == 1 && bound < .max
      let highest = isStrict ? (bound == 0 ? nil : bound - 1) : bound
      guard let highest else { return }
      unsafe leafCodes.withUnsafeBufferPointer { codes in
        for index in 0..<rows.wordCount {
          let length = min(64, codes.count - index * 64)
          var word: UInt64 = 0
          for i in 0..<length {
            // SAFETY: the row is in bounds.
            word |= unsafe (codes[index &* 64 &+ i] <= highest ? 1 : 0) &<< UInt64(i)
          }
          unsafe rows.words[index] &= word
        }
      }
      if rows.isEmpty { return }
    }
    try leaf.open()
    list.append(leaf, rows)
    if list.rows.count / 4 > max(256, limit) { try cut() }
  }

  mutating func finish() throws -> RowList {
    try cut()
    return list
  }

  /// Drops the rows beyond the limit, and the leaves that no row is left of.
  private mutating func cut() throws {
    try Sorting.sort(&list, keys, limit: limit, execution)
    var places: [UInt64: UInt64] = [:]
    var leaves: [Leaf] = []
    // In the order in which they came: later rows must not win ties.
    for leaf in Set(list.rows.map { $0 >> 16 }).sorted() {
      places[leaf] = UInt64(leaves.count)
      leaves.append(list.leaves[Int(leaf)])
    }
    list.leaves = leaves
    list.rows = list.rows.map { (places[$0 >> 16] ?? 0) << 16 | $0 & 0xFFFF }
    guard let codes, list.rows.count == limit, let last = list.rows.last else { return }
    var lastCodes: [UInt64] = []
    try codes.append(list.place(last).leaf, to: &lastCodes)
    bound = lastCodes[Int(last & 0xFFFF)]
  }
}
