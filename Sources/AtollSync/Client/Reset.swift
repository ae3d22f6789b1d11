internal import AtollCapture
package import AtollObjects

/// What a client reset does with changes that the server does not have.
package enum ResetMode: Hashable, Sendable {
  /// They are sent again, rebased on the server's state.
  case recover
  /// They are dropped, in the commit that ends the reset.
  case discard
  /// Nothing happens until the application allows it; see `SyncClient.allowReset`.
  case manual
}

/// The client reset of a file whose history and the server's have diverged (R3, R14, R18).
///
/// In place: the old contents can be read until the last batch, which removes objects that did not
/// arrive again and moves the cursor, in one commit with the end of the reset. If interrupted, it
/// continues with the next connection. Kept in the record `reset` of the tree `sync`: Format.md,
/// "Trees of a device".
struct Reset: Hashable {
  enum Stage: UInt8 {
    /// The last reset has ended; the server has not yet continued normally.
    case ended = 0
    /// The application has to allow it.
    case required = 1
    /// The application has allowed it.
    case allowed = 2
    case running = 3
  }

  var stage: Stage
  /// The newest number of the outbox that the reset drops, also while it is allowed and has not
  /// begun; 0: none.
  var discardedUpTo: UInt64 = 0
  /// How many resets have begun since the server last continued from the file's cursor.
  var count: UInt64 = 0
  /// Whether the server's history does not have what the file has seen: then the reset may take
  /// away what nobody else has.
  var isServerOlder = false
  /// Whether there is a copy of the file from before that.
  var hasCopy = false

  private static let name = "reset"

  static func find(_ capture: Capture) throws(ObjectError) -> Reset? {
    try capture.record(name).flatMap { Reset(decoding: $0) }
  }

  static func find(_ snapshot: Snapshot) throws(ObjectError) -> Reset? {
    try snapshot.syncRecord(name).flatMap { Reset(decoding: $0) }
  }

  static func set(_ reset: Reset?, _ capture: Capture) throws(ObjectError) {
    try capture.setRecord(name, reset?.encoded)
  }

  private var encoded: [UInt8] {
    var writer = RecordedWriter()
    writer.append(byte: stage.rawValue)
    writer.append(varint: discardedUpTo)
    writer.append(varint: count)
    let flags = (isServerOlder ? 1 : 0) | (hasCopy ? 2 : 0) as UInt8
    // Without any the record is as older versions know it.
    if flags != 0 { writer.append(byte: flags) }
    return writer.bytes
  }

  private init?(decoding bytes: [UInt8]) {
    var reader = RecordedReader(bytes)
    do throws(ValueCodingError) {
      guard let stage = Stage(rawValue: try reader.readByte()) else { return nil }
      self.stage = stage
      discardedUpTo = try reader.readVarint()
      count = try reader.readVarint()
      let flags = reader.isAtEnd ? 0 : try reader.readByte()
      guard flags < 4 else { return nil }
      isServerOlder = flags & 1 != 0
      hasCopy = flags & 2 != 0
      try reader.finish()
    } catch { return nil }
  }

  init(stage: Stage) { self.stage = stage }
}

extension Reset {
  /// Begins a reset, in the transaction that clears the cursor.
  ///
  /// A running reset drops what it began to drop, and nothing written since then.
  ///
  /// - Parameters:
  ///   - mode: What the application has chosen.
  ///   - capture: The records of the file.
  ///   - isServerOlder: Whether the server's history does not have the file's cursor.
  /// - Throws: `SyncError.resetRequired` when the application has to allow it, `resetsRepeated`
  ///   when resets have not helped: the caller then cancels the transaction.
  static func begin(_ mode: ResetMode, _ capture: Capture, isServerOlder: Bool) throws {
    var new = try find(capture) ?? Reset(stage: .ended)
    if mode == .manual, new.stage != .allowed, new.stage != .running {
      throw SyncError.resetRequired
    }
    guard new.count < SyncError.resetLimit || new.stage == .allowed else {
      throw SyncError.resetsRepeated
    }
    switch new.stage {
    case .running: break
    // Changes since the application allowed it are in no copy, and are kept.
    case .allowed: new.count = 0
    case .ended, .required:
      new.discardedUpTo = mode == .discard ? try capture.state().nextNumber - 1 : 0
    }
    // Another server may be reached while one is running.
    if isServerOlder { new.isServerOlder = true }
    new.stage = .running
    new.count += 1
    try set(new, capture)
  }

  /// The newest number of the outbox that a running reset drops; 0: none.
  static func discarding(_ snapshot: Snapshot) throws(ObjectError) -> UInt64 {
    guard let reset = try find(snapshot), reset.stage == .running else { return 0 }
    return reset.discardedUpTo
  }

  /// The outbox was renumbered from 1: its first `count` entries are to be dropped.
  static func renumber(discarded count: UInt64, _ capture: Capture) throws(ObjectError) {
    guard var reset = try find(capture), reset.stage == .running else { return }
    reset.discardedUpTo = count
    try set(reset, capture)
  }

  /// It has ended, and counts until the server continues from the file's cursor.
  var ended: Reset {
    var ended = Reset(stage: .ended)
    ended.count = count
    return ended
  }

  /// The server continues from the file's cursor: earlier resets no longer count.
  ///
  /// - Returns: Whether there was anything to clear.
  static func forget(_ capture: Capture) throws(ObjectError) -> Bool {
    guard let reset = try find(capture), reset.stage != .running else { return false }
    try set(nil, capture)
    return true
  }
}

extension SyncClient {
  /// Whether the file waits for `allowReset`.
  package static func isResetRequired(_ snapshot: Snapshot) throws(ObjectError) -> Bool {
    try Reset.find(snapshot)?.stage == .required
  }

  /// How many more consecutive resets are possible before one is refused.
  package static func remainingResetCount(_ snapshot: Snapshot) throws(ObjectError) -> UInt64 {
    SyncError.resetLimit - min(SyncError.resetLimit, try Reset.find(snapshot)?.count ?? 0)
  }

  /// Returns the newest number of the outbox; to be called before the file is copied.
  package static func newestNumber(_ snapshot: Snapshot) throws(ObjectError) -> UInt64 {
    (try snapshot.syncState()?.nextNumber ?? 1) - 1
  }

  /// Allows the reset that the file waits for.
  ///
  /// `number`: transactions up to it that the server does not have are dropped; later ones are sent
  /// again.
  ///
  /// - Throws: `ObjectError`, when the file cannot be written.
  package static func allowReset(_ database: Database, upTo number: UInt64) throws {
    try database.write { transaction in
      transaction.origin = .sync
      let capture = try transaction.capture
      guard var reset = try Reset.find(capture), reset.stage == .required else { return }
      reset.stage = .allowed
      reset.discardedUpTo = number
      try Reset.set(reset, capture)
    }
  }

  /// Records that there is a copy of the file as it was before the reset, also for a later attempt.
  func noteCopy() throws {
    try database.write { transaction in
      transaction.origin = .sync
      let capture = try transaction.capture
      guard var reset = try Reset.find(capture), reset.stage == .running else { return }
      reset.hasCopy = true
      try Reset.set(reset, capture)
    }
  }

  /// Records that the file waits for the application; its contents are unchanged.
  func requireReset() throws(SyncError) {
    do {
      try database.write { transaction in
        transaction.origin = .sync
        let capture = try transaction.capture
        var reset = try Reset.find(capture) ?? Reset(stage: .required)
        guard reset.stage != .running, reset.stage != .allowed else { return }
        reset.stage = .required
        try Reset.set(reset, capture)
      }
    } catch { throw SyncError(any: error) }
  }
}
