internal import AtollObjects

/// Puts rows in order in the eight bytes that each of them has in a list.
///
/// An entry is a number: its low bits are the place of a row, the bits above a rank, which orders
/// like the rows' values in one key as far as the bits go. Sorted as numbers, entries come in the
/// order of their ranks, and those of one rank in the order of their places, as ties should. Then
/// the runs of one rank get finer ranks: of the rest of the number, of the bytes behind those that
/// were looked at, or of the next key.
///
/// Finer ranks are given to many runs at once, as their rows lie in the same leaves: a batch of
/// runs is put into the order of the leaves, so that each of these is opened once or twice for all
/// rows of the batch. A run larger than a batch is one by itself.
///
/// Memory: beside the entries what `DigitSort` takes, whatever their number, and 40 to 70 bytes for
/// each row of a batch: a sixteenth of all, from half a million to a million. Keys that are neither
/// numbers nor bytes are sorted by their values, which cost about a hundred bytes a row.
@safe
final class EntrySort {
  let codes: [SortCodes]
  let execution: Execution
  let places: EntryPlaces
  // SAFETY: lent by the caller, who leaves them alone until the sort is done. Indices are of runs
  // and rows, which lie in the range of all entries or in a part of it; one thread sorts.
  let entries: UnsafeMutableBufferPointer<UInt64>
  /// Bits of a rank: as few as leave few ties.
  let rankBitCount: Int
  private let leaves: [Leaf]
  private let digits = DigitSort()
  /// Puts rows in the order of their leaves, in little memory.
  private let rowDigits = DigitSort(limit: 1 << 16)
  /// Rows of a batch, at most.
  private let batchLimit: Int
  /// Entries that a batch reaches over, at most.
  private let spanLimit: Int

  /// The sort of rows by keys, the first one most significant.
  ///
  /// `entries`: each a place, ascending; they outlive the sort. `batchLimit`: rows of a batch, at
  /// most; given only in tests.
  init(
    _ entries: UnsafeMutableBufferPointer<UInt64>, _ keys: [SortPath], _ leaves: [Leaf],
    _ places: EntryPlaces, _ execution: Execution, batchLimit: Int? = nil
  ) {
    codes = keys.map { SortCodes($0, execution) }
    self.execution = execution
    self.leaves = leaves
    self.places = places
    unsafe self.entries = entries
    // Twelve bits more than tell as many rows apart, so that few ranks are equal by chance.
    let wanted = Int.bitWidth - entries.count.leadingZeroBitCount + 12
    rankBitCount = min(64 - places.bitCount, wanted)
    self.batchLimit =
      batchLimit
      ?? min(
        max(1 << 19, entries.count / 16), QueryLimits.sortBatchRows)
    spanLimit = min(1 << 32, 1 << min(62, UInt64.bitWidth - places.orderBitCount))
  }

  /// What the next ranks are made of.
  struct Stage {
    var key: Int
    /// Numbers: which one of a value.
    var part = 0
    /// Numbers: what no rank has told of yet; nil: all.
    var rest: NumberRest?
    /// Bytes: how many are known to be equal in every run; nil: the runs know.
    var offset: Int? = 0
    /// Bytes: how many were compared with a pivot last.
    var length = 0
  }

  /// The bits below `bitCount` of numbers from `least` on.
  struct NumberRest {
    var least: UInt64
    var bitCount: UInt64
  }

  /// Rows that are equal as far as was looked; their entries follow each other.
  struct Run {
    /// Counted from the first entry of the batch.
    var start: UInt32
    /// Bytes of the key that are equal in all rows.
    var offset: UInt32 = 0
    var count: Int

    func range(_ base: Int) -> Range<Int> {
      let first = base + Int(start)
      return first..<first + count
    }
  }

  /// What ranks were given to rows.
  struct Ranks {
    var greatest: UInt64 = 0
    var meaning = Meaning.whole
    /// What tells rows of one rank apart that differ in the key.
    var following: Stage
    let isAscending: Bool
    /// Whether the least rank, or the greatest in a descending key, is that of null.
    var hasNull = false

    enum Meaning {
      /// Rows of one rank are equal in the key.
      case whole
      /// More is to be told of numbers.
      case numbers
      case bytes(BytesRanks)
      case pivots(PivotRanks)
    }

    /// Bytes of the key that are equal in all rows of a rank, in a run where `offset` were.
    ///
    /// - Returns: nil when the rows are equal in the key.
    func offset(ofRank rank: UInt64, run: Int, _ offset: Int) -> Int? {
      let rank = isAscending ? rank : greatest - rank
      if hasNull, rank == 0 { return nil }
      switch meaning {
      case .whole: return nil
      case .numbers: return 0
      case .bytes(let ranks):
        return ranks.isEnd(rank - (hasNull ? 1 : 0)) ? nil : offset + ranks.placeCount
      case .pivots(let ranks): return ranks.equalByteCount(run, rank).map { offset + $0 }
      }
    }
  }

  // MARK: Large runs

  /// Entries that were sorted by their ranks, up to where their runs were looked at.
  private struct Frame {
    var cursor: Int
    let end: Int
    let ranks: Ranks
    /// Bytes of the key that were equal before.
    let offset: Int
  }

  func sort() throws {
    // A list instead of recursion: runs within runs may be as many as there are rows.
    var frames: [Frame] = []
    let all = unsafe 0..<entries.count
    if let frame = try sort(all, Stage(key: 0), offset: 0) { frames.append(frame) }
    while var frame = frames.popLast() {
      let next = take(&frame)
      if frame.cursor < frame.end { frames.append(frame) }
      switch next {
      case .batch(let batch): try sort(batch, frame.ranks.following)
      case .large(let range, let stage, let offset):
        if let frame = try sort(range, stage, offset: offset) { frames.append(frame) }
      }
    }
  }

  /// Sorts rows that are equal before a stage by as much as that tells of them.
  ///
  /// - Returns: nil when nothing is left to be told of them.
  private func sort(_ range: Range<Int>, _ first: Stage, offset: Int) throws -> Frame? {
    var stage = first
    var offset = offset
    while range.count > 1, stage.key < codes.count {
      let run = Run(start: 0, offset: UInt32(offset), count: range.count)
      let rows =
        places.areRows
        ? unsafe SortRows(range, entries, places)
        : self.rows([run], base: range.lowerBound, span: range.count)
      let ranks = try rank(rows, [run], base: range.lowerBound, span: range.count, stage)
      guard ranks.greatest == 0 else {
        sort(range, ranks)
        if case .whole = ranks.meaning, stage.key + 1 == codes.count { return nil }
        return Frame(cursor: range.lowerBound, end: range.upperBound, ranks: ranks, offset: offset)
      }
      // One rank: nothing was moved, and the next stage may tell more.
      if let equal = ranks.offset(ofRank: 0, run: 0, offset) {
        stage = ranks.following
        offset = equal
      } else {
        stage = Stage(key: stage.key + 1)
        offset = 0
      }
    }
    return nil
  }

  /// Sorts entries by their ranks.
  private func sort(_ range: Range<Int>, _ ranks: Ranks) {
    let top = places.bitCount + UInt64.bitWidth - ranks.greatest.leadingZeroBitCount
    unsafe digits.sort(
      UnsafeMutableBufferPointer(rebasing: entries[range]), from: places.bitCount, to: top)
  }

  // MARK: Batches

  /// Runs that get finer ranks together.
  private struct Batch {
    let base: Int
    var span = 0
    var rowCount = 0
    /// Runs that the stage tells more of, and those that are equal in its key.
    var runs: [Run] = []
    var ties: [Run] = []

    /// Appends rows that are equal in the first bytes of a key; nil: in the key.
    mutating func append(_ range: Range<Int>, _ offset: Int?) {
      let run = Run(
        start: UInt32(range.lowerBound - base), offset: UInt32(offset ?? 0), count: range.count)
      if offset == nil { ties.append(run) } else { runs.append(run) }
    }
  }

  private enum Next {
    case batch(Batch)
    case large(Range<Int>, Stage, offset: Int)
  }

  /// The next runs of sorted entries.
  private func take(_ frame: inout Frame) -> Next {
    let ranks = frame.ranks
    var batch = Batch(base: frame.cursor)
    while frame.cursor < frame.end {
      let start = frame.cursor
      let end = endOfRun(start, frame.end)
      if end - start > 1 {
        let rank = unsafe entries[start] >> UInt64(places.bitCount)
        let offset = ranks.offset(ofRank: rank, run: 0, frame.offset)
        if offset != nil || ranks.following.key + 1 < codes.count {
          if end - start > batchLimit, batch.rowCount == 0 {
            frame.cursor = end
            let stage = offset.map { _ in ranks.following }
            return .large(
              start..<end, stage ?? Stage(key: ranks.following.key + 1), offset: offset ?? 0)
          }
          if batch.rowCount + end - start > batchLimit || end - batch.base > spanLimit {
            return .batch(batch)
          }
          batch.rowCount += end - start
          batch.append(start..<end, offset)
        }
      }
      frame.cursor = end
      batch.span = end - batch.base
    }
    return .batch(batch)
  }

  private func endOfRun(_ start: Int, _ limit: Int) -> Int {
    let shift = UInt64(places.bitCount)
    let rank = unsafe entries[start] &>> shift
    var end = start &+ 1
    while end < limit, unsafe entries[end] &>> shift == rank { end &+= 1 }
    return end
  }

  /// Sorts runs by a stage and all that follow it.
  private func sort(_ batch: consuming Batch, _ first: Stage) throws {
    var stage = first
    let (base, span) = (batch.base, batch.span)
    var runs = batch.runs
    var ties = batch.ties
    // Only one copy of the runs is kept.
    batch = Batch(base: base)
    while true {
      if runs.isEmpty {
        guard !ties.isEmpty, stage.key + 1 < codes.count else { return }
        stage = Stage(key: stage.key + 1)
        swap(&runs, &ties)
      }
      let rows = rows(runs, base: base, span: span)
      let ranks = try rank(rows, runs, base: base, span: span, stage)
      var next = Batch(base: base, ties: ties)
      ties = []
      for (number, run) in runs.enumerated() {
        let range = run.range(base)
        if ranks.greatest > 0 { sort(range, ranks) }
        var start = range.lowerBound
        while start < range.upperBound {
          // Of one rank nothing was set.
          let end = ranks.greatest > 0 ? endOfRun(start, range.upperBound) : range.upperBound
          if end - start > 1 {
            let rank = ranks.greatest > 0 ? unsafe entries[start] >> UInt64(places.bitCount) : 0
            next.append(
              start..<end, ranks.offset(ofRank: rank, run: number, Int(run.offset)))
          }
          start = end
        }
      }
      (runs, ties, stage) = (next.runs, next.ties, ranks.following)
    }
  }

  // MARK: Ranks

  private func rank(
    _ rows: SortRows, _ runs: [Run], base: Int, span: Int, _ stage: Stage
  ) throws -> Ranks {
    switch codes[stage.key].form {
    case .numbers: return try rankNumbers(rows, stage)
    case .bytes:
      // Ranks of all runs by the same bytes tell more of many rows; a pivot of a run skips what is
      // equal in it.
      if let offset = stage.offset, offset == 0 || offset < 64 && rows.count >= 8 * runs.count,
        let ranks = try rankBytes(rows, stage, from: offset)
      {
        return ranks
      }
      return try rankByPivots(rows, runs, base: base, span: span, stage)
    case .values: return try rankByValues(rows, runs, base: base, stage)
    }
  }

  /// The rows of runs.
  private func rows(_ runs: [Run], base: Int, span: Int) -> SortRows {
    unsafe SortRows(
      from: base, span: span, count: runs.reduce(0) { $0 + $1.count }, entries, places, rowDigits
    ) { body in
      for run in runs { for index in run.range(base) { body(index) } }
    }
  }

  /// Chosen entries, in the order of their leaves.
  func rows(_ indices: [Int], base: Int, span: Int) -> SortRows {
    unsafe SortRows(from: base, span: span, count: indices.count, entries, places, rowDigits) {
      indices.forEach($0)
    }
  }

  /// Calls `body` for the rows of each leaf.
  @inline(__always)
  func forEachLeaf(_ rows: SortRows, _ body: (Leaf, Range<Int>) throws -> Void) throws {
    var start = 0
    while start < rows.count {
      let number = rows[start].leaf
      var end = start &+ 1
      while end < rows.count, rows[end].leaf == number { end &+= 1 }
      execution.leavesSorted += 1
      try body(leaves[number], start..<end)
      start = end
    }
  }

  /// Whether it is quicker to look at all rows of a leaf than at `group` of them one by one.
  func isDense(_ group: Range<Int>, _ leaf: Leaf) -> Bool {
    group.count * 4 >= leaf.rowCount
  }

  /// The numbers of the rows of `group` out of those of all rows of their leaf, in their place.
  func pick(
    _ rows: SortRows, _ group: Range<Int>, _ numbers: inout [UInt64], _ spare: inout [UInt64]
  ) {
    if group.count == numbers.count { return }
    spare.removeAll(keepingCapacity: true)
    for item in group { spare.append(numbers[rows[item].row]) }
    swap(&numbers, &spare)
  }

  @inline(__always)
  func setRank(_ index: Int, _ rank: UInt64) {
    unsafe entries[index] = rank &<< UInt64(places.bitCount) | places.place(entries[index])
  }

  /// The rank that was set.
  @inline(__always)
  func rank(_ index: Int) -> Int { unsafe Int(entries[index] &>> UInt64(places.bitCount)) }
}
