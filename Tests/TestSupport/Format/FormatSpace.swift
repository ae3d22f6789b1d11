/// The state of a file's space, replayed from the log by Format.md, section 7.
package struct FormatSpace {
  package private(set) var blockCount = 3
  package private(set) var free: Set<Int> = []
  /// Block count by start.
  package private(set) var retired: [Int: Int] = [:]
  package private(set) var logPages: [FormatPage] = []
  /// Of the newest page of the log.
  package private(set) var fields: [FormatField] = []

  package init(of file: FormatFile) throws {
    var groups = [file.slot.tail]
    var next = file.slot.spaceLog
    while !next.isNone {
      let page = try file.page(next, .spaceLog, treeID: 0)
      var reader = FormatReader(page.payload)
      next = try reader.reference("previous")
      guard try reader.number(4, "flags") <= 1 else { throw FormatError("unknown flags") }
      let byteCount = try reader.count(4, "byteCount")
      if logPages.isEmpty {
        var replay = FormatSpace()
        var tables = reader
        try tables.part(byteCount) { try replay.replay(&$0, names: 3) }
        fields = tables.fields
      }
      groups.append(try reader.raw(byteCount, "groups"))
      guard reader.isAtEnd else { throw FormatError("bytes are left in the log's page") }
      logPages.append(page)
    }
    for bytes in groups.reversed() {
      var reader = FormatReader(bytes)
      try replay(&reader, names: .max)
    }
  }

  private init() {}

  /// Replays groups; those after the first `names` are one field together.
  private mutating func replay(_ reader: inout FormatReader, names: Int) throws {
    var groupCount = 0
    while !reader.isAtEnd {
      if groupCount == names {
        _ = try reader.raw(reader.end - reader.byteOffset, "…") { _ in "the groups that follow" }
        return
      }
      groupCount += 1
      switch try reader.number(1, "kind", { $0 == 1 ? "base" : "change" }) {
      case 1: try replayBase(&reader)
      case 2: try replayChange(&reader, isChecked: names == .max)
      default: throw FormatError("an unknown kind of group")
      }
    }
  }

  private mutating func run(_ reader: inout FormatReader, _ name: String, after end: inout Int)
    throws
    -> Range<Int>
  {
    let base = end
    let start =
      Int(try reader.varint("\(name).start") { "\(Int($0) + base), \($0) after \(base)" }) + end
    let count = Int(try reader.varint("\(name).count"))
    end = start + count
    return start..<end
  }

  private mutating func replayBase(_ reader: inout FormatReader) throws {
    blockCount = Int(try reader.varint("blockCount"))
    var end = 0
    for _ in 0..<(try reader.varint("free, count")) {
      free.formUnion(try run(&reader, "free", after: &end))
    }
    end = 0
    for _ in 0..<(try reader.varint("retired, count")) {
      let run = try run(&reader, "retired", after: &end)
      _ = try reader.varint("birth")
      _ = try reader.varint("death - birth")
      retired[run.lowerBound] = run.count
    }
  }

  private mutating func replayChange(_ reader: inout FormatReader, isChecked: Bool) throws {
    _ = try reader.varint("transaction")
    let newBlockCount = Int(try reader.varint("blockCount"))
    if newBlockCount > blockCount { free.formUnion(blockCount..<newBlockCount) }
    blockCount = max(blockCount, newBlockCount)
    var previous = 0
    for _ in 0..<(try reader.varint("reclaimed, count")) {
      let base = previous
      previous += Int(try reader.varint("reclaimed") { "\(Int($0) + base)" })
      let count = retired.removeValue(forKey: previous)
      guard let count else {
        if isChecked { throw FormatError("a run is reclaimed that was not retired") }
        continue
      }
      free.formUnion(previous..<previous + count)
    }
    var end = 0
    for _ in 0..<(try reader.varint("taken, count")) {
      let run = try run(&reader, "taken", after: &end)
      guard free.isSuperset(of: run) || !isChecked else {
        throw FormatError("a run is taken that was not free")
      }
      free.subtract(run)
    }
    end = 0
    for _ in 0..<(try reader.varint("retired, count")) {
      let run = try run(&reader, "retired", after: &end)
      _ = try reader.varint("transaction - birth")
      retired[run.lowerBound] = run.count
    }
  }
}
