#if Sync
/// The limits and time-outs of a connection, for either end.
package struct ConnectionOptions: Sendable {
  /// The longest accepted frame; a longer one ends the connection.
  package var maximumFrameByteCount = 1 << 20
  /// From this many unsent bytes on, the connection is not writable.
  package var sendHighByteCount = 512 << 10
  /// At so few bytes it becomes writable again.
  package var sendLowByteCount = 128 << 10
  /// Beyond this many unsent bytes the connection ends: the sender ignores `isWritable`, or the
  /// other end sends requests and never reads.
  package var sendLimitByteCount = 16 << 20
  /// From so many bytes on that the owner has not consumed, nothing more is read.
  package var receiveWindowByteCount = 512 << 10
  /// The bytes that a frame adds to the window beside its own: even an empty one takes memory.
  static let windowByteCountOfAFrame = 64

  /// How long to try to connect, the WebSocket upgrade included.
  package var connectTimeoutMilliseconds: UInt64 = 30_000
  /// How often to ping, minus up to a tenth; nil for never.
  package var pingMilliseconds: UInt64?
  /// How long the answer to a ping may take.
  package var pongTimeoutMilliseconds: UInt64 = 120_000
  /// How long the other end may send nothing at all; nil: forever.
  package var idleTimeoutMilliseconds: UInt64?
  /// How long the other end may read nothing of the waiting bytes.
  package var stallTimeoutMilliseconds: UInt64 = 60_000
  /// How long to wait for the other end's close frame.
  package var closeTimeoutMilliseconds: UInt64 = 1_000

  package init() {}

  /// A device pings, so that a dead way is noticed by both ends.
  package static var client: ConnectionOptions {
    var options = ConnectionOptions()
    options.pingMilliseconds = 60_000
    return options
  }

  /// A server waits for pings.
  package static var server: ConnectionOptions {
    var options = ConnectionOptions()
    options.idleTimeoutMilliseconds = 600_000
    return options
  }

  /// How often to look at the clock: often enough for the shortest time-out.
  var checkMilliseconds: UInt64 {
    let shortest = [
      pingMilliseconds, pingMilliseconds.map { _ in pongTimeoutMilliseconds },
      idleTimeoutMilliseconds, stallTimeoutMilliseconds,
    ].compactMap(\.self).min()
    return max(5, min(shortest ?? 60_000, 60_000) / 4)
  }
}
#endif
