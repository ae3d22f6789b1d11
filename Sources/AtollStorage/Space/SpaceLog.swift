/// What one commit did to the file's space: one group of the space log.
///
/// Bytes (Format.md, "Space log"); every number is a varint, runs ascend and
/// each start is given as the distance from the end of the run before:
///
///     kind 2, transaction, blockCount,
///     reclaimed: count, then starts
///     taken:     count, then (start, count)
///     retired:   count, then (start, count, transaction - birth)
struct SpaceChange: Equatable {
  var transaction: UInt64
  /// The file's length in blocks after the commit.
  var blockCount: UInt64
  /// Starts of retired runs that became free before anything was taken.
  var reclaimed: [BlockNumber] = []
  /// Runs that pages of this transaction occupy.
  var taken: [BlockRun] = []
  /// Runs of pages that this transaction made unreachable; they died at `transaction`.
  var retired: [RetiredRun] = []

  static let kind: UInt8 = 2

  func append(to bytes: inout [UInt8]) {
    bytes.append(Self.kind)
    bytes.appendVarint(transaction)
    bytes.appendVarint(blockCount)
    bytes.appendVarint(UInt64(reclaimed.count))
    var previous: UInt64 = 0
    for start in reclaimed.sorted() {
      bytes.appendVarint(start - previous)
      previous = start
    }
    bytes.appendVarint(UInt64(taken.count))
    previous = 0
    for run in taken.sorted(by: { $0.start < $1.start }) {
      bytes.appendVarint(run.start - previous)
      bytes.appendVarint(run.count)
      previous = run.end
    }
    bytes.appendVarint(UInt64(retired.count))
    previous = 0
    for entry in retired.sorted(by: { $0.run.start < $1.run.start }) {
      bytes.appendVarint(entry.run.start - previous)
      bytes.appendVarint(entry.run.count)
      bytes.appendVarint(transaction - entry.birth)
      previous = entry.run.end
    }
  }
}

/// A part of the whole state, from which the log begins again.
///
/// Bytes: kind 1, blockCount, free: count, then (start, count); retired: count,
/// then (start, count, birth, death - birth).
struct SpaceBase {
  static let kind: UInt8 = 1
  /// Entries of one group, so that a group always fits into a page.
  static let entryLimit = 40_000
  /// No entry is longer: a start of 7 bytes, a count of 3, and for a retired run a birth and an
  /// age, which stay below 7 bytes each for the first 10^14 transactions.
  static let entryByteLimit = 24

  static func append(
    blockCount: UInt64, free: [BlockRun], retired: [RetiredRun], to bytes: inout [UInt8]
  ) {
    bytes.append(kind)
    bytes.appendVarint(blockCount)
    bytes.appendVarint(UInt64(free.count))
    var previous: UInt64 = 0
    for run in free {
      bytes.appendVarint(run.start - previous)
      bytes.appendVarint(run.count)
      previous = run.end
    }
    bytes.appendVarint(UInt64(retired.count))
    previous = 0
    for entry in retired {
      bytes.appendVarint(entry.run.start - previous)
      bytes.appendVarint(entry.run.count)
      bytes.appendVarint(entry.birth)
      bytes.appendVarint(entry.death - entry.birth)
      previous = entry.run.end
    }
  }
}

/// Rebuilds the state of the space from the groups of the log, oldest first.
///
/// What the log says is checked while it is replayed
/// (nothing is freed or taken twice, nothing lies outside the file), so a
/// damaged log is an error and never a page that overwrites another.
struct SpaceReplay {
  struct Inconsistent: Error {}

  private var free: BlockSet
  private(set) var blockCount: UInt64
  private var retired: [BlockNumber: RetiredRun] = [:]
  /// The file is at most this long in blocks: the bound for everything read.
  private let blockLimit: UInt64

  init(blockLimit: UInt64) {
    self.blockLimit = blockLimit
    blockCount = Block.firstPage
    free = BlockSet(limit: blockLimit)
  }

  mutating func replay(_ bytes: ArraySlice<UInt8>) throws(Inconsistent) {
    var reader = ByteReader(bytes)
    do {
      while !reader.isAtEnd {
        switch try reader.readByte() {
        case SpaceBase.kind: try replayBase(&reader)
        case SpaceChange.kind: try replayChange(&reader)
        default: throw Inconsistent()
        }
      }
    } catch { throw Inconsistent() }
  }

  /// The state after the last group; `idle` are the blocks that are free or wait.
  ///
  /// - Throws: when waiting runs overlap each other or free blocks.
  func finish() throws(Inconsistent) -> (free: FreeSpace, retired: RetiredRuns, idle: BlockSet) {
    var idle = free
    var waiting = RetiredRuns()
    for entry in retired.values {
      guard entry.run.end <= blockCount, !idle.intersects(entry.run) else { throw Inconsistent() }
      idle.insert(entry.run)
      waiting.insert(entry)
    }
    var runs = FreeSpace()
    free.forEachRun { runs.insert($0) }
    return (runs, waiting, idle)
  }

  private mutating func replayBase(_ reader: inout ByteReader) throws {
    blockCount = try reader.readVarint()
    guard blockCount >= Block.firstPage, blockCount <= blockLimit else { throw Inconsistent() }
    var previous: UInt64 = 0
    for _ in 0..<(try reader.readCount(limit: reader.rest.count)) {
      let run = try readRun(&reader, after: previous)
      try setFree(run)
      previous = run.end
    }
    previous = 0
    for _ in 0..<(try reader.readCount(limit: reader.rest.count)) {
      let run = try readRun(&reader, after: previous)
      let birth = try reader.readVarint()
      let (death, overflow) = birth.addingReportingOverflow(try reader.readVarint())
      guard !overflow else { throw Inconsistent() }
      try retire(RetiredRun(run: run, birth: birth, death: death))
      previous = run.end
    }
  }

  private mutating func replayChange(_ reader: inout ByteReader) throws {
    let transaction = try reader.readVarint()
    let newBlockCount = try reader.readVarint()
    // A commit that shortens the file begins a new log, as what came before may lie behind its
    // end.
    guard newBlockCount >= blockCount, newBlockCount <= blockLimit else { throw Inconsistent() }
    if newBlockCount > blockCount {
      try setFree(BlockRun(start: blockCount, count: newBlockCount - blockCount))
      blockCount = newBlockCount
    }
    var previous: UInt64 = 0
    for _ in 0..<(try reader.readCount(limit: reader.rest.count)) {
      let (start, overflow) = previous.addingReportingOverflow(try reader.readVarint())
      guard !overflow, let entry = retired.removeValue(forKey: start) else {
        throw Inconsistent()
      }
      try setFree(entry.run)
      previous = start
    }
    previous = 0
    for _ in 0..<(try reader.readCount(limit: reader.rest.count)) {
      let run = try readRun(&reader, after: previous)
      try take(run)
      previous = run.end
    }
    previous = 0
    for _ in 0..<(try reader.readCount(limit: reader.rest.count)) {
      let run = try readRun(&reader, after: previous)
      let age = try reader.readVarint()
      guard age <= transaction else { throw Inconsistent() }
      try retire(RetiredRun(run: run, birth: transaction - age, death: transaction))
      previous = run.end
    }
  }

  private func readRun(_ reader: inout ByteReader, after previous: UInt64) throws -> BlockRun {
    let (start, overflow) = previous.addingReportingOverflow(try reader.readVarint())
    let count = try reader.readVarint()
    guard !overflow, start >= Block.firstPage, count > 0, start <= blockLimit,
      count <= blockLimit - start
    else { throw Inconsistent() }
    return BlockRun(start: start, count: count)
  }

  private mutating func retire(_ entry: RetiredRun) throws(Inconsistent) {
    guard retired[entry.run.start] == nil else { throw Inconsistent() }
    retired[entry.run.start] = entry
  }

  private mutating func setFree(_ run: BlockRun) throws(Inconsistent) {
    guard !free.intersects(run) else { throw Inconsistent() }
    free.insert(run)
  }

  private mutating func take(_ run: BlockRun) throws(Inconsistent) {
    guard free.contains(run) else { throw Inconsistent() }
    free.remove(run)
  }
}
