package import AtollStorage

/// What a database file holds and what holds it back.
public struct DatabaseStatus: Equatable, Sendable {
  /// The newest version.
  public var version: UInt64
  /// The length of the file in bytes.
  public var fileByteCount: UInt64
  /// Bytes of pages that the newest version reaches.
  public var liveByteCount: UInt64
  /// Bytes that the next pages may take.
  public var freeByteCount: UInt64
  /// Bytes of pages that only older versions reach.
  public var retiredByteCount: UInt64
  /// What the newest version asks of the file; the rest is behind its end.
  public var versionByteCount: UInt64
  /// The versions that readers hold, oldest first.
  public var pins: [PinStatus]
  /// The other processes that have the file open.
  public var otherProcesses: [ProcessStatus]
  /// Whether the file is encrypted.
  public var isEncrypted: Bool
  /// How opening found the file.
  public var opening: Opening

  /// A version that readers of some process keep readable.
  public struct PinStatus: Equatable, Sendable {
    /// The version that is kept, older than the newest one.
    public var version: UInt64
    /// The number that the system has given the readers' process.
    public var processID: Int32
    /// When the first of them began, in seconds since 1970.
    public var since: UInt64
    /// Bytes of pages that wait for this version alone.
    public var heldByteCount: UInt64
  }

  /// A process that has the file open.
  public struct ProcessStatus: Equatable, Sendable {
    /// The number that the system has given the process.
    public var processID: Int32
    /// When it opened the file, in seconds since 1970.
    public var openSince: UInt64
    /// When its transaction began that runs now, in seconds since 1970; nil when none does.
    ///
    /// Other writers wait for its end: one that began long ago belongs to a process that is
    /// stopped, or that hangs.
    public var writingSince: UInt64?
  }

  /// How opening found the file.
  public enum Opening: Equatable, Sendable {
    case created
    /// Closed in good order, or in use by another process.
    case clean
    /// Not closed; its newest commit was whole.
    case notClosed
    /// The commit that was being written when the power went is undone.
    case rolledBack(from: UInt64, to: UInt64)
  }
}

extension Database {
  /// How opening found the file.
  public var opening: DatabaseStatus.Opening {
    switch store.recovery {
    case .created: .created
    case .clean: .clean
    case .verified: .notClosed
    case .rolledBack(let from, let to): .rolledBack(from: from, to: to)
    }
  }

  /// What the file holds.
  ///
  /// Cost: the log of free space.
  public func status() throws(ObjectError) -> DatabaseStatus {
    do throws(StorageError) {
      let snapshot = try store.snapshot()
      let use = try snapshot.spaceUse()
      let held = try store.blockCountByPin()
      let blockByteCount = UInt64(Block.byteCount)
      var pins: [DatabaseStatus.PinStatus] = []
      for pin in try store.pins().sorted(by: Self.isBefore)
      where pin.transaction < snapshot.transaction {
        // Several lanes of a process may have readers of one version; the first began earliest.
        if pins.last?.version == pin.transaction, pins.last?.processID == pin.processID { continue }
        pins.append(
          DatabaseStatus.PinStatus(
            version: pin.transaction, processID: pin.processID, since: pin.since,
            heldByteCount: (held[pin.transaction] ?? 0) * blockByteCount))
      }
      return DatabaseStatus(
        version: snapshot.transaction, fileByteCount: try store.file.byteCount(),
        liveByteCount: use.liveBlockCount * blockByteCount,
        freeByteCount: use.freeBlockCount * blockByteCount,
        retiredByteCount: use.retiredBlockCount * blockByteCount,
        versionByteCount: use.blockCount * blockByteCount, pins: pins,
        otherProcesses: try otherProcesses(), isEncrypted: store.slots.key != nil,
        opening: opening)
    } catch { throw .storage(error) }
  }

  /// The other processes that have the file open, in the order in which they opened it.
  package func otherProcesses() throws(StorageError) -> [DatabaseStatus.ProcessStatus] {
    try store.otherProcesses().map {
      DatabaseStatus.ProcessStatus(
        processID: $0.processID, openSince: $0.openSince, writingSince: $0.writingSince)
    }.sorted { ($0.openSince, $0.processID) < ($1.openSince, $1.processID) }
  }

  private static func isBefore(_ a: Pin, _ b: Pin) -> Bool {
    (a.transaction, a.processID, a.since) < (b.transaction, b.processID, b.since)
  }
}
