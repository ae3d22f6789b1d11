internal import AtollStorage

/// Which parts of a list stay in their place when others of it move.
///
/// A block is a part that is in one piece in the old and in the new order. Keeps the longest part
/// that can stay, and of several the one that `ResultDifference.longestAscending` keeps of the
/// single elements: a block stays as a whole or moves as a whole.
///
/// - Complexity: O(n²) in the blocks at worst, O(n log n) mostly.
struct StayingBlocks {
  /// A part of the new order: blocks ascend by these.
  struct Place: Comparable {
    /// The number of elements before it that were looked at as not moving.
    var rank: Int
    /// Its number among the elements between two such.
    var number: Int

    static func < (a: Place, b: Place) -> Bool {
      (a.rank, a.number) < (b.rank, b.number)
    }
  }

  struct Block {
    var place: Place
    var count: Int
  }

  /// For each block, which come in the old order, whether it stays.
  let isStaying: [Bool]

  init(_ blocks: [Block]) {
    // By the length of an ascending part, what the least of them ends with: for the lengths of a
    // run, the last elements of one block.
    var runs: [(block: Int, count: Int)] = []
    var previous = [Int](repeating: -1, count: blocks.count)
    for (index, block) in blocks.enumerated() {
      let low = binarySearch(0..<runs.count) { blocks[runs[$0].block].place < block.place }
      if low > 0 { previous[index] = runs[low - 1].block }
      var rest = block.count
      var end = low
      while end < runs.count, runs[end].count <= rest {
        rest -= runs[end].count
        end += 1
      }
      if end < runs.count { runs[end].count -= rest }
      runs.replaceSubrange(low..<end, with: [(index, block.count)])
    }
    var isStaying = [Bool](repeating: false, count: blocks.count)
    var next = runs.last?.block ?? -1
    while next >= 0 {
      isStaying[next] = true
      next = previous[next]
    }
    self.isStaying = isStaying
  }
}
