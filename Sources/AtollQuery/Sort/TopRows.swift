internal import AtollObjects

/// Keeps the first rows of an order while leaves go by.
struct TopRows {
  private let keys: [SortPath]
  private let limit: Int
  private let execution: Execution
  private let codes: SortCodes?
  private var list = RowList()
  /// The code of the last row that is kept; rows behind it cannot come in.
  private var bound = UInt64.max
  /// The bytes of its first key, when these are more than the code and lie in the leaf.
  private var boundBytes: [UInt8]?
  /// A quarter of the rows that are collected before those beyond the limit are dropped.
  private var quarter: Int
  private var leafCodes: [UInt64] = []

  init(_ keys: [SortPath], limit: Int, _ execution: Execution) {
    self.keys = keys
    self.limit = limit
    self.execution = execution
    quarter = max(256, limit)
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
      if let boundBytes {
        try codes.narrow(
          rows, leaf, leafCodes, code: bound, bytes: boundBytes, areEqualKept: keys.count > 1)
        if rows.isEmpty { return }
      }
    }
    try leaf.open()
    list.append(leaf, rows)
    guard list.rows.count / 4 > quarter else { return }
    try cut()
    // Each cut opens the leaves of all rows that are kept: it should drop many.
    quarter = max(quarter, min(quarter * 2, Self.quarterLimit))
    // Rows are read in the order of their leaves, which is that of ties.
    list.rows.sort()
  }

  private static let quarterLimit = 1 << 16

  /// The rows, in their order.
  mutating func finish() throws -> RowList {
    try cut()
    return list
  }

  /// Sorts the rows, and drops those beyond the limit and the leaves that no row is left of.
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
    let place = list.place(last)
    try codes.append(place.leaf, to: &lastCodes)
    bound = lastCodes[place.row]
    boundBytes = try codes.bytes(place)
  }
}
