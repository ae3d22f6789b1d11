#if Sync
/// A device's core without input and output: frames and time go in, frames come out.
///
/// Used by one thread at a time. A call may block, in a transaction for example. Times are in
/// milliseconds since 1970.
package protocol FrameEndpoint: AnyObject {
  /// A connection is open: what to send first.
  func open(now: UInt64) throws -> [[UInt8]]

  /// Processes a frame; returns the reply.
  ///
  /// Few and short; what is long waits for `outgoing(now:)`.
  func receive(_ frame: [UInt8], now: UInt64) throws -> [[UInt8]]

  /// Returns the frames that can be sent now, about one or two; empty when there are none.
  ///
  /// Called again until it is empty or the connection is no longer writable; after local commits,
  /// and at `deadline(after:)`.
  func outgoing(now: UInt64) throws -> [[UInt8]]

  /// When to call `outgoing(now:)` though nothing happened; nil for never.
  func deadline(after now: UInt64) -> UInt64?

  /// The connection is gone.
  func close(now: UInt64)
}

extension FrameEndpoint {
  package func deadline(after now: UInt64) -> UInt64? { nil }
}

/// An error of an endpoint that knows what is to be done about it.
///
/// Any other error ends the connection as a misunderstanding, and it is tried again.
package protocol FrameEndpointError: Error {
  var recovery: SessionRecovery { get }
  /// The message to the other end before the connection is closed.
  var parting: [[UInt8]] { get }
}

extension FrameEndpointError {
  package var parting: [[UInt8]] { [] }
}

/// What follows a failure.
package enum SessionRecovery: Hashable, Sendable {
  /// Connect again, not before so many milliseconds have passed.
  case reconnect(afterMilliseconds: UInt64)
  /// Connect again at once, as something has changed: an identity, a token.
  case renew
  /// Connect again only when the application requests it.
  case stop
}
#endif
