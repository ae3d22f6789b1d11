import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct SpaceLogTests {
  /// A random history of one file: its log, and what the log should add up to.
  private struct History {
    var groups: [[UInt8]] = []
    var blockCount = Block.firstPage
    var free = FreeSpace()
    var used: [BlockRun] = []
    var retired: [RetiredRun] = []

    init(seed: UInt64, commitCount: UInt64 = 30) {
      var random = SplitMix64(seed: seed)
      for transaction in 2..<2 + commitCount {
        if Int.random(in: 0..<10, using: &random) == 0 { rebase(&random) }
        commit(transaction, &random)
      }
    }

    private mutating func commit(_ transaction: UInt64, _ random: inout SplitMix64) {
      var change = SpaceChange(transaction: transaction, blockCount: blockCount)
      let pin = UInt64.random(in: 1..<transaction, using: &random)
      for entry in retired where !(entry.birth <= pin && pin < entry.death) {
        change.reclaimed.append(entry.run.start)
        free.insert(entry.run)
      }
      retired.removeAll { change.reclaimed.contains($0.run.start) }
      for _ in 0..<Int.random(in: 0..<6, using: &random) {
        let count = UInt64.random(in: 1...5, using: &random)
        var run = free.allocate(count)
        if run == nil {
          free.insert(BlockRun(start: blockCount, count: 16))
          blockCount += 16
          run = free.allocate(count)
        }
        if let run { change.taken.append(run) }
      }
      for _ in 0..<Int.random(in: 0..<4, using: &random) where !used.isEmpty {
        let run = used.remove(at: Int.random(in: 0..<used.count, using: &random))
        let birth = UInt64.random(in: 0..<transaction, using: &random)
        change.retired.append(RetiredRun(run: run, birth: birth, death: transaction))
      }
      used += change.taken
      retired += change.retired
      change.blockCount = blockCount
      var group: [UInt8] = []
      change.append(to: &group)
      groups.append(group)
    }

    private mutating func rebase(_ random: inout SplitMix64) {
      var group: [UInt8] = []
      let runs = free.runs
      let middle = Int.random(in: 0...runs.count, using: &random)
      let waiting = retired.sorted { $0.run.start < $1.run.start }
      SpaceBase.append(
        blockCount: blockCount, free: Array(runs[..<middle]), retired: [], to: &group)
      SpaceBase.append(
        blockCount: blockCount, free: Array(runs[middle...]), retired: waiting, to: &group)
      groups = [group]
    }
  }

  @Test(arguments: seeds(40))
  func replayGivesTheStateBack(seed: UInt64) throws {
    let history = History(seed: seed)
    var replay = SpaceReplay(blockLimit: history.blockCount)
    for group in history.groups { try replay.replay(group[...]) }
    #expect(replay.blockCount == history.blockCount)
    let (free, retired, _) = try replay.finish()
    #expect(free.runs == history.free.runs)
    #expect(free.blockCount == history.free.blockCount)
    #expect(Set(retired.all) == Set(history.retired))
  }

  /// Any flipped bit and any cut: an error, or a state in which no block has two uses.
  @Test(arguments: seeds(4))
  func damagedLogsThrowOrStayConsistent(seed: UInt64) {
    let history = History(seed: seed, commitCount: 12)
    let log = Array(history.groups.joined())
    var throwCount = 0
    for bit in 0..<log.count * 8 {
      var damaged = log
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      if !isConsistent(damaged, blockLimit: history.blockCount) { throwCount += 1 }
    }
    for byteCount in 0..<log.count {
      _ = isConsistent(Array(log[..<byteCount]), blockLimit: history.blockCount)
    }
    #expect(throwCount > log.count, "most flips are noticed")
  }

  /// False when the log is refused; records an issue when its state contradicts itself.
  private func isConsistent(_ log: [UInt8], blockLimit: UInt64) -> Bool {
    var replay = SpaceReplay(blockLimit: blockLimit)
    do {
      try replay.replay(log[...])
      let (free, retired, _) = try replay.finish()
      var end = Block.firstPage
      for run in (free.runs + retired.all.map(\.run)).sorted(by: { $0.start < $1.start }) {
        #expect(run.start >= end, "no block has two uses")
        #expect(run.end <= blockLimit)
        end = run.end
      }
      return true
    } catch { return false }
  }

  @Test(
    arguments: [
      // Taken though it was never free; freed twice; reclaimed though it was never retired.
      [2, 2, 10, 0, 1, 20, 1, 0], [1, 10, 1, 2, 3, 0, 1, 10, 1, 4, 1, 0], [2, 2, 10, 1, 5, 0, 0],
      // Retired twice; retired though free; overlapping runs that wait.
      [2, 2, 10, 0, 1, 2, 4, 1, 2, 1, 1, 2, 3, 10, 0, 0, 1, 2, 1, 1], [2, 2, 10, 0, 0, 1, 3, 1, 1],
      [2, 2, 10, 0, 1, 2, 4, 1, 2, 4, 1, 2, 3, 10, 0, 0, 1, 3, 1, 1],
      // Block 1 is a header slot; an empty run; a run behind the end; a length of one block.
      [2, 2, 10, 0, 1, 1, 1, 0], [2, 2, 10, 0, 1, 2, 0, 0], [2, 2, 10, 0, 1, 9, 9, 0],
      [2, 2, 1, 0, 0, 0],
      // A kind that does not exist; numbers that never end, or that are too large.
      [3], [2, 0x80, 0x80], [2, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
      [2, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
    ] as [[UInt8]])
  func contradictionsAreRefused(log: [UInt8]) {
    #expect(!isConsistent(log, blockLimit: 16))
  }
}
