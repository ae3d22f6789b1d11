/// A set of blocks of the file, one bit each.
///
/// Invariant: no block from `limit` on is in it.
struct BlockSet {
  private var words: [UInt64]
  private(set) var limit: UInt64

  /// The empty set of blocks below `limit`.
  init(limit: UInt64) {
    self.limit = limit
    words = Array(repeating: 0, count: Int((limit + 63) / 64))
  }

  /// Whether any block of `run` is in the set.
  func intersects(_ run: BlockRun) -> Bool {
    var isMet = false
    Self.forEachWord(of: clipped(run)) { isMet = isMet || words[$0] & $1 != 0 }
    return isMet
  }

  /// Whether all blocks of `run` are in the set.
  func contains(_ run: BlockRun) -> Bool {
    guard run.end <= limit else { return false }
    var isWhole = true
    Self.forEachWord(of: run) { isWhole = isWhole && words[$0] & $1 == $1 }
    return isWhole
  }

  /// Adds the blocks of `run`; the set grows to hold them.
  mutating func insert(_ run: BlockRun) {
    if run.end > limit {
      limit = run.end
      let wordCount = Int((limit + 63) / 64)
      if wordCount > words.count {
        words.append(contentsOf: repeatElement(0, count: wordCount - words.count))
      }
    }
    Self.forEachWord(of: run) { words[$0] |= $1 }
  }

  mutating func remove(_ run: BlockRun) {
    Self.forEachWord(of: clipped(run)) { words[$0] &= ~$1 }
  }

  /// The blocks as runs, ascending, no two of which touch.
  func forEachRun(_ body: (BlockRun) -> Void) {
    var start: UInt64?
    for (index, word) in words.enumerated() where word != (start == nil ? 0 : .max) {
      let base = UInt64(index) * 64
      for bit in 0..<UInt64(64) {
        if word >> bit & 1 == 1 {
          start = start ?? base + bit
        } else if let first = start {
          body(BlockRun(start: first, count: base + bit - first))
          start = nil
        }
      }
    }
    if let start { body(BlockRun(start: start, count: limit - start)) }
  }

  private func clipped(_ run: BlockRun) -> BlockRun {
    let end = min(run.end, limit)
    return BlockRun(start: run.start, count: end > run.start ? end - run.start : 0)
  }

  /// Visits the words that hold the bits of `run`, with the mask of those bits.
  private static func forEachWord(of run: BlockRun, _ body: (_ index: Int, _ mask: UInt64) -> Void)
  {
    var block = run.start
    while block < run.end {
      let count = min(64 - block % 64, run.end - block)
      let mask = (count == 64 ? UInt64.max : 1 << count - 1) << (block % 64)
      body(Int(block / 64), mask)
      block += count
    }
  }
}
