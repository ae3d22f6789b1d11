internal import AtollCapture
package import AtollObjects

/// The device's side of synchronisation, without input or output of its own.
///
/// One for each open file, in the process that runs the network. The program passes received
/// frames, reports when a connection is up or gone, and requests frames to send: after it has
/// passed what it read, after commits of any process, and when the frames before are sent. All
/// durable state lies in the file, in the commits of the data; the object holds only the state of
/// one connection.
///
/// R2: only durable versions are sent. Frames are read from a snapshot, then
/// `Database.synchronize()` makes the newest version durable, which is that of the snapshot or a
/// later one. So the commits of batches need not wait for the disk.
///
/// Used by one thread at a time.
package final class SyncClient {
  package struct Configuration: Sendable {
    /// Whether the batches of a catch-up are committed, and visible, one by one.
    ///
    /// A running catch-up continues as it began, on this connection and later ones.
    package var isProgressive = false
    /// The most bytes that are held for one message from the server.
    package var messageByteLimit = 256 << 20
    /// About how many bytes `outgoing` gives at once.
    package var outgoingByteLimit = 1 << 20
    /// What a client reset does with unsent changes.
    package var resetMode = ResetMode.recover
    /// Called before the commit that ends a reset; after a failure it is called again.
    package var willEndReset: @Sendable () -> Void = {}
    /// Called before a commit of a reset that takes away what was confirmed, and what the server has
    /// lost.
    ///
    /// A copy of the file can be made then. Nothing is taken away if it throws.
    package var willLose: @Sendable (Loss) throws(ObjectError) -> Void = { _ in }

    package init() {}
  }

  /// The state of the current connection.
  struct OpenConnection {
    var reader: MessageReader
    /// The id that HELLO named.
    let client: UInt64
    /// The token, the cursor, and the catch-up after it, that HELLO named.
    let formerToken: UInt64?
    let cursor: Cursor?
    let bootstrap: [UInt8]?
    /// Whether HELLO said that batches are committed one by one, which decides when the server
    /// sends answers.
    let isProgressive: Bool
    /// The token of the server's WELCOME, which is in the file; nil before.
    var token: UInt64?
    /// Whether the server requested the classes, or has refused them before, and they were not sent
    /// yet.
    var wantsSchema = false
    /// Whether the outbox requests refused classes again: its answer reports a refusal.
    var asksAgain = false
    /// The newest number that was sent here, or that the server had before.
    var sentNumber: UInt64 = 0
    var confirmation: Confirmation?
    /// The version that the newest batch was read at.
    var readAt: UInt64 = 0
    /// The newest mark that was sent here.
    var sentMark: UInt64 = 0
    /// The newest verification that was requested here and can still be answered.
    var sentVerification: UInt64 = 0
    /// The state in which the file could not be compared with digests.
    var incomparableState: SyncState?
  }

  package let database: Database
  package let configuration: Configuration
  var connection: OpenConnection?
  var events: [SyncEvent] = []
  /// Entries decoded by rebases of this connection.
  var decodedEntries = DecodedEntries()
  private var newestMark: UInt64 = 0
  private var reachedMark: UInt64 = 0

  package init(database: Database, configuration: Configuration = Configuration()) {
    self.database = database
    self.configuration = configuration
  }

  /// Whether the server has welcomed the file on the connection that is up.
  package var isWelcomed: Bool { connection?.token != nil }

  // MARK: Connections

  /// Begins a connection; returns the frames to send first.
  package func open(now: UInt64) throws(SyncError) -> [[UInt8]] {
    do {
      if try database.snapshot().syncState() == nil {
        try database.write { transaction in _ = try transaction.capture.state() }
      }
      let snapshot = try durableSnapshot()
      guard let state = try snapshot.syncState() else { return [] }
      let hello = try hello(state, snapshot)
      // Another process may have had the connection meanwhile.
      decodedEntries = DecodedEntries()
      connection = OpenConnection(
        reader: MessageReader(messageByteLimit: configuration.messageByteLimit),
        client: hello.client, formerToken: state.token, cursor: state.cursor,
        bootstrap: state.boot,
        isProgressive: hello.isProgressive)
      return MessageFrames.encode(.hello(hello))
    } catch { throw SyncError(any: error) }
  }

  /// The connection is gone.
  package func close(now: UInt64) { connection = nil }

  /// Processes a frame and returns the immediate reply; call `outgoing` afterwards.
  ///
  /// - Throws: Why the connection cannot continue: close it after `reply` was sent.
  package func receive(_ frame: [UInt8], now: UInt64) throws(SyncError) -> [[UInt8]] {
    guard connection != nil else { return [] }
    do throws(SyncError) {
      let message: SyncMessage?
      do throws(MessageError) { message = try connection?.reader.receive(frame) } catch {
        throw .message(error)
      }
      guard let message else { return [] }
      return try receive(message, now: now)
    } catch {
      connection = nil
      throw error
    }
  }

  private func receive(_ message: SyncMessage, now: UInt64) throws(SyncError) -> [[UInt8]] {
    switch message {
    case .welcome(let welcome): try receive(welcome, now: now)
    case .batch(let batch):
      guard isWelcomed else { throw .unexpected("a batch before the welcome") }
      try receive(batch)
    case .mark(let mark):
      guard mark > reachedMark else { break }
      reachedMark = mark
      events.append(.reached(mark: mark))
    case .digests(let digests):
      guard isWelcomed else { throw .unexpected("digests before the welcome") }
      try receive(digests, now: now)
    case .ping(let number): return MessageFrames.encode(.pong(number))
    case .pong: break
    case .error(let error): try receive(error)
    case .bye:
      throw .remote(ErrorMessage(.retry, .serverStops, text: "the server ended the connection"))
    case .hello, .schema, .sets, .push, .confirm, .verify:
      throw .unexpected("a message of kind \(message.kind) from the server")
    }
    return []
  }

  private func receive(_ error: ErrorMessage) throws(SyncError) {
    switch error.action {
    case .newIdentity: try takeNewIdentity(isServerOlder: error.code == .olderServer)
    case .report where error.code == .setRefused: try refuseAnsweredSet(error)
    case .report where error.code == .schemaConflict && connection?.asksAgain == true: break
    case .report: events.append(.reported(error))
    case .retry, .logIn, .stop: throw .remote(error)
    }
  }

  // MARK: Waiting

  /// Returns the events since the last call.
  package func takeEvents() -> [SyncEvent] {
    defer { events = [] }
    return events
  }

  /// Requests a mark, also across connections.
  ///
  /// `.reached` with this number or a greater one reports that everything the server has now has
  /// arrived.
  package func requestMark() -> UInt64 {
    newestMark += 1
    return newestMark
  }

  /// The newest mark to request; nil when it was requested.
  func markToSend() -> UInt64? {
    guard newestMark > reachedMark, let connection, connection.sentMark < newestMark else {
      return nil
    }
    return newestMark
  }

  /// The newest version, after all of it is on the disk.
  func durableSnapshot() throws(ObjectError) -> Snapshot {
    let snapshot = try database.snapshot()
    try database.synchronize()
    return snapshot
  }
}

extension SyncError {
  /// Any error of a transaction's body.
  init(any error: any Error) {
    switch error {
    case let error as SyncError: self = error
    case let error as ObjectError: self = .file(error)
    default: self = .unexpected("\(error)")
    }
  }
}
