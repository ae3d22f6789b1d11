/// The free runs of a file, in memory: which blocks the next page may take.
///
/// Runs are coalesced with their neighbours when they are given back. The pages
/// of a transaction lie behind one another where they can, so that a commit is
/// one write and not one for each page: the first takes the smallest run with
/// room for a small commit, those that follow what is left of it. Where no run is
/// that long, a page takes the smallest that fits, and the next one looks for room
/// for what is then left of a small commit; of equal runs always the one nearest to
/// the start of the file, so that free space gathers at the end.
///
/// Invariant: the runs are disjoint and no two of them touch.
///
/// Cost: a few dictionary operations for a run taken or given back, whatever
/// the length of the file.
struct FreeSpace {
  private var countByStart: [BlockNumber: UInt64] = [:]
  private var startByEnd: [BlockNumber: BlockNumber] = [:]
  /// Starts of the runs of exactly `index` blocks; stale entries are skipped when met.
  private var exact: [AddressHeap]
  /// Starts of all longer runs.
  private var long = AddressHeap()
  private(set) var blockCount: UInt64 = 0
  /// Entries of all heaps, the stale ones included.
  private(set) var heapEntryCount = 0

  private static let exactLimit: UInt64 = 64
  /// What a transaction of one change takes: a leaf, the branches above it, the catalogue.
  private static let smallCommit: UInt64 = 12

  init() { exact = Array(repeating: AddressHeap(), count: Int(Self.exactLimit)) }

  /// The runs in ascending order.
  var runs: [BlockRun] {
    countByStart.map { BlockRun(start: $0.key, count: $0.value) }
      .sorted { $0.start < $1.start }
  }

  var runCount: Int { countByStart.count }

  /// Gives a run back.
  mutating func insert(_ run: BlockRun) {
    guard run.count > 0 else { return }
    precondition(countByStart[run.start] == nil, "a run is given back once")
    blockCount += run.count
    var merged = run
    if let before = startByEnd[merged.start], let count = countByStart[before] {
      remove(BlockRun(start: before, count: count))
      merged = BlockRun(start: before, count: count + merged.count)
    }
    if let count = countByStart[merged.end] {
      remove(BlockRun(start: merged.end, count: count))
      merged.count += count
    }
    add(merged)
  }

  /// Takes consecutive blocks.
  ///
  /// - Parameters:
  ///   - count: Above 0.
  ///   - previousEnd: Where the run that was taken before ends.
  ///   - takenCount: The blocks that the transaction has taken so far.
  /// - Returns: nil when no run is that long.
  mutating func allocate(
    _ count: UInt64, after previousEnd: BlockNumber? = nil, takenCount: UInt64 = 0
  ) -> BlockRun? {
    precondition(count > 0, "a page has at least one block")
    if let previousEnd, let length = countByStart[previousEnd], length >= count {
      return take(count, from: BlockRun(start: previousEnd, count: length))
    }
    let room = Self.smallCommit - (takenCount < Self.smallCommit ? takenCount : 0)
    if count < room,
      let run = allocate(count, fromRunsOf: room..<Self.exactLimit) ?? allocateLong(count)
    {
      return run
    }
    return allocate(count, fromRunsOf: min(count, Self.exactLimit)..<Self.exactLimit)
      ?? allocateLong(count)
  }

  /// Takes `count` blocks of the shortest run with a length in `lengths`.
  private mutating func allocate(_ count: UInt64, fromRunsOf lengths: Range<UInt64>) -> BlockRun? {
    for length in lengths {
      if let start = lowestExact(length) {
        return take(count, from: BlockRun(start: start, count: length))
      }
    }
    return nil
  }

  /// Takes `count` consecutive blocks below `limit` from the shortest run that has them there, so
  /// that long runs stay for long pages; of equal runs from the lowest.
  ///
  /// For a compaction, to which every place below its cut is as good as another.
  mutating func allocate(_ count: UInt64, below limit: BlockNumber) -> BlockRun? {
    precondition(count > 0, "a page has at least one block")
    for length in min(count, Self.exactLimit)..<Self.exactLimit {
      if let start = lowestExact(length), start + count <= limit {
        return take(count, from: BlockRun(start: start, count: length))
      }
    }
    guard let run = firstLong(count), run.start + count <= limit else { return nil }
    return take(count, from: run)
  }

  /// The run that ends at `end`, if one does.
  func run(endingAt end: BlockNumber) -> BlockRun? {
    startByEnd[end].map { BlockRun(start: $0, count: end - $0) }
  }

  /// Forgets a whole run, whose blocks are no longer part of the file.
  mutating func removeRun(_ run: BlockRun) {
    precondition(countByStart[run.start] == run.count, "a run is removed whole")
    remove(run)
    blockCount -= run.count
  }

  /// The lowest of the runs of exactly `length` blocks.
  private mutating func lowestExact(_ length: UInt64) -> BlockNumber? {
    while let start = exact[Int(length)].first {
      if countByStart[start] == length { return start }
      exact[Int(length)].removeFirst()
      heapEntryCount -= 1
    }
    return nil
  }

  private mutating func allocateLong(_ count: UInt64) -> BlockRun? {
    firstLong(count).map { take(count, from: $0) }
  }

  /// Looks through the long runs from the lowest up for one that fits.
  private mutating func firstLong(_ count: UInt64) -> BlockRun? {
    var tooShort: [BlockNumber] = []
    defer { for start in tooShort { long.insert(start) } }
    while let start = long.first {
      guard let length = countByStart[start], length >= Self.exactLimit else {
        long.removeFirst()
        heapEntryCount -= 1
        continue
      }
      if length >= count { return BlockRun(start: start, count: length) }
      long.removeFirst()
      tooShort.append(start)
    }
    return nil
  }

  private mutating func take(_ count: UInt64, from run: BlockRun) -> BlockRun {
    remove(run)
    blockCount -= count
    if run.count > count {
      add(BlockRun(start: run.start + count, count: run.count - count))
    }
    return BlockRun(start: run.start, count: count)
  }

  private mutating func add(_ run: BlockRun) {
    countByStart[run.start] = run.count
    startByEnd[run.end] = run.start
    heapEntryCount += 1
    if heapEntryCount > 2 * countByStart.count + 1024 {
      rebuildHeaps()
    } else {
      pushToHeap(run)
    }
  }

  private mutating func pushToHeap(_ run: BlockRun) {
    if run.count < Self.exactLimit {
      exact[Int(run.count)].insert(run.start)
    } else {
      long.insert(run.start)
    }
  }

  /// Drops the stale entries, once they outnumber the runs: constant cost for each run added.
  private mutating func rebuildHeaps() {
    for index in exact.indices { exact[index].removeAll() }
    long.removeAll()
    for (start, count) in countByStart { pushToHeap(BlockRun(start: start, count: count)) }
    heapEntryCount = countByStart.count
  }

  private mutating func remove(_ run: BlockRun) {
    countByStart[run.start] = nil
    startByEnd[run.end] = nil
  }
}

/// A binary heap of block numbers, lowest first.
private struct AddressHeap {
  private var items: [BlockNumber] = []

  var first: BlockNumber? { items.first }

  mutating func insert(_ item: BlockNumber) {
    items.append(item)
    var index = items.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard items[index] < items[parent] else { return }
      items.swapAt(index, parent)
      index = parent
    }
  }

  mutating func removeAll() { items.removeAll() }

  mutating func removeFirst() {
    guard let last = items.popLast(), !items.isEmpty else { return }
    items[0] = last
    var index = 0
    while true {
      var smallest = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < items.count && items[child] < items[smallest] {
        smallest = child
      }
      guard smallest != index else { return }
      items.swapAt(index, smallest)
      index = smallest
    }
  }
}
