internal import AtollCapture
internal import AtollObjects

/// Whether a client holds an object: at its confirmed cursor, and after each message since.
///
/// An enter or leave that was sent is listed until the client confirms it. Confirming costs nothing
/// here: `ConfirmedMoves` of the client says which moves count, and a record is brought up to date
/// when it is read.
struct MemberRecord: ServerRecord, Hashable {
  static let map = StoreMap.members

  /// When a move counts as confirmed.
  enum Tag: Hashable {
    /// With this version.
    case version(UInt64)
    /// With the end of this run.
    case run(UInt64)
  }

  /// A create of the client itself that was accepted.
  enum Own: UInt8 {
    /// It made the object.
    case made = 1
    /// It met an object that was there.
    case merged = 2
  }

  struct Move: Hashable {
    var tag: Tag
    var isEnter: Bool
    var own: Own?
  }

  /// Whether the client held the object at its confirmed cursor.
  var isConfirmed: Bool
  /// What was sent since, in order.
  var moves: [Move] = []

  init(isConfirmed: Bool) { self.isConfirmed = isConfirmed }

  /// A client must confirm more moves than this before it gets others.
  static let moveLimit = 256

  /// Whether the client holds the object after it has received everything sent.
  var isHeld: Bool { moves.last?.isEnter ?? isConfirmed }

  /// Whether the client made the object, or met it, by a create whose answer is not confirmed.
  var isOwn: Bool { moves.contains { $0.own != nil } }

  /// Whether a create of the client met the object after `version`, so that it needs all values.
  func isMerged(after version: UInt64) -> Bool {
    moves.contains { move in
      guard move.own == .merged, case .version(let at) = move.tag else { return false }
      return at > version
    }
  }

  var isEmpty: Bool { !isConfirmed && moves.isEmpty }

  /// Applies confirmed moves of this object, and drops those that never arrived.
  mutating func settle(_ confirmed: ConfirmedMoves, of object: ObjectNumber) {
    guard !moves.isEmpty else { return }
    var left: [Move] = []
    for move in moves {
      if move.own == nil, confirmed.isVoid(move.tag, of: object) { continue }
      if confirmed.contains(move.tag) {
        isConfirmed = move.isEnter
      } else {
        left.append(move)
      }
    }
    moves = left
  }
}

extension MemberRecord {
  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    isConfirmed = try reader.readFlag()
    while !reader.isAtEnd {
      let offset = reader.byteOffset
      let kind = try reader.readByte()
      guard kind < 12 else { throw .invalidContents(byteOffset: offset) }
      let number = try reader.readVarint()
      moves.append(
        Move(
          tag: kind & 1 == 0 ? .version(number) : .run(number), isEnter: kind & 2 != 0,
          own: Own(rawValue: kind >> 2)))
    }
  }

  func write(to writer: inout RecordedWriter) {
    writer.append(flag: isConfirmed)
    for move in moves {
      let kind = (move.own?.rawValue ?? 0) << 2 | (move.isEnter ? 2 : 0)
      switch move.tag {
      case .version(let version):
        writer.append(byte: kind)
        writer.append(varint: version)
      case .run(let run):
        writer.append(byte: kind | 1)
        writer.append(varint: run)
      }
    }
  }
}

/// Which moves of a client's members are confirmed, and which never arrived.
struct ConfirmedMoves: Hashable {
  /// Moves up to this version are confirmed.
  private(set) var version: UInt64 = 0
  /// Runs up to this one are confirmed.
  private(set) var run: UInt64 = 0
  /// Runs that ended and are not confirmed: the last of them, and the version at its end.
  private(set) var ended: [(run: UInt64, version: UInt64)] = []
  /// Ranges of versions and of runs whose moves were sent and did not arrive.
  private(set) var voids: [Void] = []

  struct Void: Hashable {
    var versions: Range<UInt64>
    var runs: Range<UInt64>
    /// Only the moves of the objects after this one did not arrive; nil: those of all.
    var behind: ObjectNumber?
  }

  func contains(_ tag: MemberRecord.Tag) -> Bool {
    switch tag {
    case .version(let version): version <= self.version
    case .run(let run): run <= self.run
    }
  }

  func isVoid(_ tag: MemberRecord.Tag, of object: ObjectNumber) -> Bool {
    voids.contains { void in
      if let behind = void.behind, object <= behind { return false }
      return switch tag {
      case .version(let version): void.versions.contains(version)
      case .run(let run): void.runs.contains(run)
      }
    }
  }

  /// The last message of a run, and of those before it that did not end, was sent at `version`.
  mutating func end(run: UInt64, version: UInt64) { ended.append((run, version)) }

  /// The client is confirmed up to `version`.
  mutating func confirm(_ version: UInt64) {
    self.version = max(self.version, version)
    while let first = ended.first, first.version <= version {
      run = max(run, first.run)
      ended.removeFirst()
    }
  }

  /// Begins a new connection: moves sent after the confirmed version did not arrive.
  ///
  /// `head`: the newest version. `run`: the newest run. `resumed`: the run that the client resumes
  /// and where; the moves up to there are kept, with the runs before it. It continues under a new
  /// number, which distinguishes its further moves from the lost ones.
  mutating func dropUnconfirmed(
    head: UInt64, run: UInt64, resumed: (run: UInt64, position: ObjectNumber)?
  ) {
    let lowest = version + 1
    let versions = lowest..<max(lowest, head + 1)
    let lowestRun = max(self.run, resumed?.run ?? 0) + 1
    let runs = lowestRun..<max(lowestRun, run + 1)
    ended.removeAll()
    if let resumed {
      voids.append(
        Void(versions: 0..<0, runs: resumed.run..<resumed.run + 1, behind: resumed.position))
    }
    guard !versions.isEmpty || !runs.isEmpty else { return }
    voids.append(Void(versions: versions, runs: runs))
  }

  /// All members were visited after the first `count` voids: no move of these is left.
  mutating func forgetVoids(_ count: Int) { voids.removeFirst(min(count, voids.count)) }

  static func == (a: ConfirmedMoves, b: ConfirmedMoves) -> Bool {
    a.version == b.version && a.run == b.run && a.voids == b.voids
      && a.ended.elementsEqual(b.ended) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(run)
  }

  init() {}

  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    version = try reader.readVarint()
    run = try reader.readVarint()
    for _ in 0..<(try reader.readCount()) {
      ended.append((run: try reader.readVarint(), version: try reader.readVarint()))
    }
    func range(_ reader: inout RecordedReader) throws(ValueCodingError) -> Range<UInt64> {
      let offset = reader.byteOffset
      let lower = try reader.readVarint()
      let upper = try reader.readVarint()
      guard lower <= upper else { throw .invalidContents(byteOffset: offset) }
      return lower..<upper
    }
    for _ in 0..<(try reader.readCount()) {
      var void = Void(versions: try range(&reader), runs: try range(&reader))
      if try reader.readFlag() {
        void.behind = ObjectNumber(
          classNumber: try reader.readUInt32(), key: try reader.readVarint())
      }
      voids.append(void)
    }
  }

  func write(to writer: inout RecordedWriter) {
    writer.append(varint: version)
    writer.append(varint: run)
    writer.append(varint: UInt64(ended.count))
    for end in ended {
      writer.append(varint: end.run)
      writer.append(varint: end.version)
    }
    writer.append(varint: UInt64(voids.count))
    for void in voids {
      writer.append(varint: void.versions.lowerBound)
      writer.append(varint: void.versions.upperBound)
      writer.append(varint: void.runs.lowerBound)
      writer.append(varint: void.runs.upperBound)
      writer.append(flag: void.behind != nil)
      if let behind = void.behind {
        writer.append(varint: UInt64(behind.classNumber))
        writer.append(varint: behind.key)
      }
    }
  }
}
