#if Sync
/// The number of a connection at the server's core; never used twice in one run.
package struct PeerID: Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The actions that the server's core requests.
package enum FrameOutput: Sendable {
  case send(PeerID, [UInt8])
  case close(PeerID, CloseReason)
}

/// The server's core without input and output: frames and time go in, frames come out.
///
/// Used by one thread at a time. A call may block, in a transaction for example. Times are in
/// milliseconds since 1970.
package protocol FrameServer: AnyObject {
  /// A connection is up. `host`: from where, for what all connections of one host may take.
  func connect(user: String, host: String, now: UInt64) -> PeerID

  /// A frame has come. Of a connection that the core has closed there are none.
  ///
  /// `arrivedAt`: when it came here, in nanoseconds of a clock that nobody sets.
  func receive(
    _ frame: [UInt8], from peer: PeerID, now: UInt64, arrivedAt: UInt64
  ) -> [FrameOutput]

  /// The transport holds so many bytes of a frame that is not complete; 0: none any more.
  func hold(_ byteCount: Int, of peer: PeerID) -> [FrameOutput]

  /// Continues unfinished work; called after the frames of each turn, and several times a second.
  ///
  /// `blocked`: connections that accept no more for now; they get only short messages.
  /// The result is about a frame or two for each connection; it is called again until that is
  /// empty.
  ///
  /// - Throws: What ends the core: it is used no more.
  func advance(now: UInt64, blocked: Set<PeerID>) throws -> [FrameOutput]

  /// How many bytes may wait to be sent, for all connections together.
  var sendByteLimit: Int { get }

  /// Whether there are received frames that `advance` has not processed.
  var hasInput: Bool { get }

  /// How many bytes of a connection's frames wait for another `advance`.
  ///
  /// They stay in the connection's window: a device that sends faster than the core works is read
  /// no faster. The parts of a message that is not complete are not among them, or it would never
  /// be.
  func waitingByteCount(of peer: PeerID) -> Int

  func disconnect(_ peer: PeerID)

  /// Makes everything durable; no other call follows.
  func stop()
}

extension FrameServer {
  package var sendByteLimit: Int { .max }

  /// Counts nothing: for a core without bounds of memory.
  package func hold(_ byteCount: Int, of peer: PeerID) -> [FrameOutput] { [] }
}
#endif
