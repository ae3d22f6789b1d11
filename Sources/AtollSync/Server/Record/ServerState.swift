internal import AtollCapture
internal import AtollObjects

/// The head of the store's order, and the counters, which only grow.
struct ServerState: ServerRecord, Hashable {
  static let map = StoreMap.state
  static let key = Array("state".utf8)

  /// The newest version.
  var version: UInt64 = 0
  /// The starts of the store: a random id, and the first version of each.
  var incarnations: [Cursor] = []
  /// The newest clock that was accepted.
  var clock = HybridClock(rawValue: 0)
  /// The newest number of a run, and of a membership.
  var runNumber: UInt64 = 0
  var membershipNumber: UInt64 = 0

  init() {}

  var incarnation: UInt64 { incarnations.last?.incarnation ?? 0 }
  var head: Cursor { Cursor(incarnation: incarnation, version: version) }

  /// The relation of a cursor to this store's history.
  ///
  /// - Returns: Whether the cursor lies in this history, and the newest version of it that was
  ///   seen.
  func seen(_ cursor: Cursor?) -> (isValid: Bool, version: UInt64) {
    guard let cursor,
      let index = incarnations.firstIndex(where: { $0.incarnation == cursor.incarnation })
    else { return (false, 0) }
    let end = index + 1 < incarnations.count ? incarnations[index + 1].version - 1 : version
    return (cursor.version <= end, min(cursor.version, end))
  }

  /// A clock as it is kept.
  ///
  /// One from the future counts as the later of the server's time plus the tolerance and one tick
  /// after the newest that was accepted: so a write never loses to a value that it has seen.
  mutating func clamp(_ clock: HybridClock, limit: HybridClock) -> HybridClock {
    let limit = max(limit, self.clock.next(milliseconds: 0))
    let clamped = min(clock, limit)
    self.clock = max(self.clock, clamped)
    return clamped
  }
}

extension ServerState {
  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    version = try reader.readVarint()
    clock = HybridClock(rawValue: try reader.readFixed())
    runNumber = try reader.readVarint()
    membershipNumber = try reader.readVarint()
    for _ in 0..<(try reader.readCount()) { incarnations.append(try reader.readCursor()) }
  }

  func write(to writer: inout RecordedWriter) {
    writer.append(varint: version)
    writer.append(fixed: clock.rawValue)
    writer.append(varint: runNumber)
    writer.append(varint: membershipNumber)
    writer.append(varint: UInt64(incarnations.count))
    for incarnation in incarnations { writer.append(incarnation) }
  }
}
