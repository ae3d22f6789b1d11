#if Sync
/// An open connection that carries binary frames; safe to use from any thread.
package protocol FrameConnection: AnyObject, Sendable {
  /// Whether the other end keeps up: few of the bytes sent are still waiting.
  ///
  /// When it is false, `FrameReceiver.becameWritable` comes later, or `closed`.
  var isWritable: Bool { get }

  /// How many bytes wait to be sent.
  var bufferedByteCount: Int { get }

  /// Sends frames in this order; never blocks.
  ///
  /// A sender that continues while `isWritable` is false ends the connection at its send limit.
  func send(_ frames: [[UInt8]])

  /// Reports received frames and bytes that the owner has processed; then more are read.
  func consumed(frameCount: Int, byteCount: Int)

  /// Ends the connection, after what was sent before; `closed` comes with the same reason.
  func close(_ reason: CloseReason)

  /// Ends the connection at once, with what waits to be sent.
  func drop(_ reason: CloseReason)

  /// Pings the other end; without an answer in time, the connection ends as `.silent`.
  func probe(timeoutMilliseconds: UInt64)
}

/// The owner of a connection.
///
/// Called on the connection's event loop: hands over and returns. `opened` comes first, once,
/// `closed` last, once.
package protocol FrameReceiver: AnyObject, Sendable {
  func opened(_ connection: any FrameConnection)
  /// Frames have come, in this order. They count against the window until
  /// `consumed(frameCount:byteCount:)`.
  func received(_ frames: [[UInt8]], on connection: any FrameConnection)
  /// So many bytes are held of a frame that is not complete; 0: none any more.
  func holds(_ byteCount: Int, on connection: any FrameConnection)
  func becameWritable(_ connection: any FrameConnection)
  func closed(_ connection: any FrameConnection, _ reason: CloseReason)
}

extension FrameReceiver {
  /// For an owner with one connection, which the longest frame bounds.
  package func holds(_ byteCount: Int, on connection: any FrameConnection) {}
}

/// Makes connections to one server.
package protocol FrameConnector: Sendable {
  /// Connects; returns when `receiver` was notified of the open connection.
  func connect(_ receiver: any FrameReceiver) async throws(TransportError)
}
#endif
