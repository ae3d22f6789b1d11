package import AtollObjects

/// The device's side of synchronisation, without input or output of its own.
///
/// One for each open file, in the process that runs the network. The program passes frames, tells
/// when a connection is up or gone, and asks for what can be sent: after it has handed over what it
/// read, after commits of any process, and when what it sent before is on its way. Everything that
/// lasts lies in the file, in the commits of the data; the object holds only what belongs to one
/// connection.
///
/// R2: only durable versions leave the device. What is to be sent is read from a snapshot, then
/// `Database.synchronize()` makes the newest version durable, which is that of the snapshot or a
/// later one; so the commits of batches themselves need not wait for the disk.
///
/// Used by one thread at a time.
package final class SyncClient {
  package struct Configuration: Sendable {
    /// Whether the batches of a catch-up are committed one by one, and seen so by readers.
    ///
    /// One that is under way goes on as it began, with this connection and later ones.
    package var isProgressive = false
    /// The most bytes that are held for one message from the server.
    package var messageByteLimit = 256 << 20
    /// About how many bytes `outgoing` gives at once.
    package var outgoingByteLimit = 1 << 20
    /// What becomes of what was not sent when the file has to synchronise anew.
    package var resetMode = ResetMode.recover
    /// Called before the commit that ends a reset; after a failure it is called again.
    package var willEndReset: @Sendable () -> Void = {}
    /// A mistake that the simulator plants.
    package var fault: SyncFault?
    /// The check of what the server says that the simulator has taken out.
    package var peerFault: PeerFault?

    package init() {}
  }

  /// What belongs to the connection that is up.
  struct OpenConnection {
    var reader: MessageReader
    /// The id that HELLO named.
    let client: UInt64
    /// Whether HELLO said that batches are committed one by one: the server sends the answers to
    /// suit.
    let isProgressive: Bool
    /// The token of the server's WELCOME, which is in the file; nil before.
    var token: UInt64?
    /// Whether the server asked for the classes, or has refused them before, and they were not sent
    /// yet.
    var wantsSchema = false
    /// Whether the outbox asks again for classes that were refused: its answer tells of a refusal.
    var asksAgain = false
    /// The newest number that was sent here, or that the server had before.
    var sentNumber: UInt64 = 0
    var confirmation: Confirmation?
    /// The version that the newest batch was read at.
    var readAt: UInt64 = 0
    /// The newest mark that was sent here.
    var sentMark: UInt64 = 0
    /// The newest verification that was asked for here and can still be answered.
    var sentVerification: UInt64 = 0
    /// The state in which the file could not be compared with digests.
    var incomparableState: SyncState?
  }

  package let database: Database
  package let configuration: Configuration
  var connection: OpenConnection?
  var events: [SyncEvent] = []
  /// What rebases of this connection have decoded.
  var decodedEntries = DecodedEntries()
  private var newestMark: UInt64 = 0
  private var reachedMark: UInt64 = 0
  /// Whether a refusal was taken in, for a planted mistake.
  var hasRefusal = false

  package init(database: Database, configuration: Configuration = Configuration()) {
    self.database = database
    self.configuration = configuration
  }

  /// Whether the server has welcomed the file on the connection that is up.
  package var isWelcomed: Bool { connection?.token != nil }

  // MARK: Connections

  /// A connection is up; gives the frames to send first.
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
        client: hello.client, isProgressive: hello.isProgressive)
      return MessageFrames.encode(.hello(hello))
    } catch { throw SyncError(any: error) }
  }

  /// The connection is gone.
  package func close(now: UInt64) { connection = nil }

  /// Takes a frame and gives what is to be answered at once; ask `outgoing` afterwards.
  ///
  /// - Throws: why the connection cannot go on: it is to be closed, after `reply` was sent.
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
    case .newIdentity: try takeNewIdentity()
    case .report where error.code == .setRefused: try refuseAnsweredSet(error)
    case .report where error.code == .schemaConflict && connection?.asksAgain == true: break
    case .report: events.append(.reported(error))
    case .retry, .logIn, .stop: throw .remote(error)
    }
  }

  // MARK: Waiting

  /// What happened since the last call.
  package func takeEvents() -> [SyncEvent] {
    defer { events = [] }
    return events
  }

  /// Asks for a mark, also across connections.
  ///
  /// `.reached` with this number or a greater one tells that all that the server has now has
  /// arrived.
  package func requestMark() -> UInt64 {
    newestMark += 1
    return newestMark
  }

  /// The newest mark that is to be asked for; nil when it was.
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
