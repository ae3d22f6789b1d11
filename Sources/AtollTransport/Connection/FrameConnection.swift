#if Sync
/// An open connection that carries binary frames; safe to use from any thread.
package protocol FrameConnection: AnyObject, Sendable {
  /// Whether the other end keeps up: few of the bytes sent are still waiting.
  ///
  /// When it is false, `FrameReceiver.becameWritable` comes later, or `closed`.
  var isWritable: Bool { get }

  /// Sends frames in this order; never blocks.
  ///
  /// A sender that goes on while `isWritable` is false ends the connection at its send limit.
  func send(_ frames: [[UInt8]])

  /// Says that the owner is done with so many received frames and bytes; more are read then.
  func consumed(frameCount: Int, byteCount: Int)

  /// Ends the connection, after what was sent before; `closed` comes with the same reason.
  func close(_ reason: CloseReason)

  /// Asks the other end for a sign of life; without one in time, the connection ends as `.silent`.
  func probe(timeoutMilliseconds: UInt64)
}

/// The owner of a connection.
///
/// Called on the connection's event loop: hands over and returns. `opened` comes first, once,
/// `closed` last, once.
package protocol FrameReceiver: AnyObject, Sendable {
  func opened(_ connection: any FrameConnection)
  /// A frame has come. It counts against the window until `consumed(frameCount:byteCount:)`.
  func received(_ frame: [UInt8], on connection: any FrameConnection)
  func becameWritable(_ connection: any FrameConnection)
  func closed(_ connection: any FrameConnection, _ reason: CloseReason)
}

/// Makes connections to one server.
package protocol FrameConnector: Sendable {
  /// Connects; returns when `receiver` has been told of the open connection.
  func connect(_ receiver: any FrameReceiver) async throws(TransportError)
}
#endif
