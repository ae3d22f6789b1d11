internal import AtollObjects

/// Objects in an order: leaves, and rows of them.
struct RowList {
  /// The leaves that have rows in the list.
  var leaves: [Leaf] = []
  /// Each the number of its leaf, times 2^16, plus its row.
  var rows: [UInt64] = []

  func place(_ row: UInt64) -> RowPlace {
    RowPlace(leaf: leaves[Int(row >> 16)], row: Int(row & 0xFFFF))
  }

  /// - Precondition: the leaf was opened, so that the keys of its rows can be read.
  mutating func append(_ leaf: Leaf, _ selection: Selection) {
    let base = UInt64(leaves.count) << 16
    leaves.append(leaf)
    selection.forEach { rows.append(base | UInt64($0)) }
  }
}

/// Rows in the order of their leaves, a bit for each row of these.
struct LeafRows {
  private(set) var leaves: [Leaf] = []
  private(set) var count = 0
  private var words: [UInt64] = []

  mutating func append(_ leaf: Leaf, _ selection: Selection) {
    leaves.append(leaf)
    count += selection.trueCount
    // SAFETY: a selection has `wordCount` words.
    for index in 0..<selection.wordCount { words.append(unsafe selection.words[index]) }
  }

  /// Calls `body` with the number of the leaf and the row, ascending.
  @inline(__always)
  func forEach(_ body: (_ leaf: Int, _ row: Int) -> Void) {
    var start = 0
    for leaf in leaves.indices {
      let wordCount = (leaves[leaf].rowCount + 63) / 64
      for index in 0..<wordCount {
        var word = words[start + index]
        while word != 0 {
          body(leaf, index << 6 | word.trailingZeroBitCount)
          word &= word &- 1
        }
      }
      start += wordCount
    }
  }
}
