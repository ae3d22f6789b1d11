internal import AtollObjects
internal import AtollStorage

/// Puts rows in order.
enum Sorting {
  /// Sorts a list by its keys, the first one most significant; ties keep their order.
  ///
  /// One stable sort a key, the last key first. Keys with codes are sorted by their digits: cost
  /// some ten nanoseconds a row. Other keys by comparison.
  static func sort(
    _ list: inout RowList, _ keys: [SortKey], limit: Int, _ execution: Execution
  ) throws {
    guard list.rows.count < Int(UInt32.max) else {
      throw ObjectError.storage(.valueTooLarge(byteCount: list.rows.count, limit: Int(UInt32.max)))
    }
    /// The order so far; nil: that of the list.
    var order: [UInt32]?
    for key in keys.reversed() {
      let codes = SortCodes(key, execution)
      if codes.hasCodes {
        order = try sorted(order, list, codes)
      } else {
        try sortByValues(&order, list, key, execution)
      }
    }
    guard let order else { return }
    list.rows = order.prefix(limit).map { list.rows[Int($0)] }
  }

  private static func sorted(
    _ order: [UInt32]?, _ list: RowList, _ codes: SortCodes
  ) throws -> [UInt32] {
    var pairs = try pairs(list, codes)
    if let order { pairs = order.map { pairs[Int($0)] } }
    DigitSort.sort(&pairs)
    if !codes.isExact {
      // Runs of equal codes are short, mostly: compare their values.
      var start = 0
      while start < pairs.count {
        var end = start + 1
        while end < pairs.count, pairs[end].code == pairs[start].code { end += 1 }
        if end - start > 1 {
          let run = try pairs[start..<end].enumerated().sorted { a, b in
            let difference = try codes.compare(
              list.place(list.rows[Int(a.element.index)]),
              list.place(list.rows[Int(b.element.index)]))
            return difference == 0 ? a.offset < b.offset : difference < 0
          }
          for (offset, pair) in run.enumerated() { pairs[start + offset] = pair.element }
        }
        start = end
      }
    }
    return pairs.map(\.index)
  }

  /// The code of each row of a list, with its number in the list.
  private static func pairs(_ list: RowList, _ codes: SortCodes) throws -> [DigitSort.Pair] {
    var result: [DigitSort.Pair] = []
    result.reserveCapacity(list.rows.count)
    // Rows that come leaf by leaf need the codes of one leaf at a time; else the codes are kept.
    let isKept = !zip(list.rows, list.rows.dropFirst()).allSatisfy { $0 >> 16 <= $1 >> 16 }
    var ofLeaf: [[UInt64]?] = Array(repeating: nil, count: isKept ? list.leaves.count : 0)
    var current = -1
    var leafCodes: [UInt64] = []
    for (number, row) in list.rows.enumerated() {
      let leaf = Int(row >> 16)
      if leaf != current {
        if isKept, current >= 0 { ofLeaf[current] = leafCodes }
        if isKept, let known = ofLeaf[leaf] {
          leafCodes = known
        } else {
          leafCodes.removeAll(keepingCapacity: !isKept)
          try codes.append(list.leaves[leaf], to: &leafCodes)
        }
        current = leaf
      }
      result.append(DigitSort.Pair(code: leafCodes[Int(row & 0xFFFF)], index: UInt32(number)))
    }
    return result
  }

  private static func sortByValues(
    _ order: inout [UInt32]?, _ list: RowList, _ key: SortKey, _ execution: Execution
  ) throws {
    let evaluator = KeyEvaluator(execution: execution)
    // Links mostly lead to few objects: each is read once.
    var known: [Value: SortValue] = [:]
    let firstLink: Column? =
      if case .link(let column) = key.path.hops.first { column } else { nil }
    let values = try list.rows.map { row throws -> SortValue in
      let place = list.place(row)
      guard let firstLink else { return try evaluator.value(key.path, place) }
      let link = try place.value(firstLink)
      if let value = known[link] { return value }
      let value = try evaluator.value(key.path, place)
      known[link] = value
      return value
    }
    let before = order ?? (0..<UInt32(list.rows.count)).map { $0 }
    order = before.enumerated().sorted { a, b in
      switch SortValue.order(values[Int(a.element)], values[Int(b.element)]) {
      case .less: key.isAscending
      case .greater: !key.isAscending
      case .equal: a.offset < b.offset
      }
    }.map(\.element)
  }
}

/// Sorts numbers by their digits, keeping the order of equal ones.
enum DigitSort {
  struct Pair: BitwiseCopyable {
    var code: UInt64
    var index: UInt32
  }

  private static let digitBitCount = 11
  private static let digitCount = 6

  /// Sorts pairs by their codes.
  ///
  /// Cost: a pass for each of six digits that differs anywhere.
  static func sort(_ pairs: inout [Pair]) {
    guard pairs.count > 256 else {
      // Insertion keeps the order of equal codes.
      for end in pairs.indices.dropFirst() {
        let pair = pairs[end]
        var place = end
        while place > 0, pairs[place - 1].code > pair.code {
          pairs[place] = pairs[place - 1]
          place -= 1
        }
        pairs[place] = pair
      }
      return
    }
    let radix = 1 << digitBitCount
    let mask = UInt64(radix - 1)
    var counts = [UInt32](repeating: 0, count: radix * digitCount)
    for pair in pairs {
      var code = pair.code
      for digit in 0..<digitCount {
        counts[digit &* radix &+ Int(code & mask)] &+= 1
        code &>>= UInt64(digitBitCount)
      }
    }
    var other = [Pair](repeating: Pair(code: 0, index: 0), count: pairs.count)
    for digit in 0..<digitCount {
      let shift = UInt64(digit * digitBitCount)
      let first = Int(pairs[0].code >> shift & mask)
      if Int(counts[digit * radix + first]) == pairs.count { continue }
      var place: UInt32 = 0
      for value in 0..<radix {
        let count = counts[digit * radix + value]
        counts[digit * radix + value] = place
        place += count
      }
      unsafe counts.withUnsafeMutableBufferPointer { counts in
        unsafe pairs.withUnsafeBufferPointer { source in
          unsafe other.withUnsafeMutableBufferPointer { target in
            // SAFETY: the places of all values of a digit add up to the count of pairs.
            for index in 0..<source.count {
              let pair = unsafe source[index]
              let bucket = digit &* radix &+ Int(pair.code &>> shift & mask)
              unsafe target[Int(counts[bucket])] = pair
              unsafe counts[bucket] &+= 1
            }
          }
        }
      }
      swap(&pairs, &other)
    }
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
    if list.rows.count > max(1024, limit * 4) { try cut() }
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
