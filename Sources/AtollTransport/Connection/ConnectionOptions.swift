#if Sync
/// The limits and time-outs of a connection, for either end.
package struct ConnectionOptions: Sendable {
  /// The longest accepted frame; a longer one ends the connection.
  package var maximumFrameByteCount = 1 << 20
  /// From this many unsent bytes on, the connection is not writable; each frame counts as
  /// `waitingByteCountOfAFrame` bytes beside its own.
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
  /// The bytes that an unsent frame adds to those that wait beside its own: its buffer, its promise,
  /// its place in the lines of the channel.
  static let waitingByteCountOfAFrame = 256

  /// How long to try to connect, the WebSocket upgrade included.
  package var connectTimeoutMilliseconds: UInt64 = 30_000
  /// Pings when nothing was received, or nothing sent, for so long, minus up to a tenth; nil for
  /// never.
  package var pingMilliseconds: UInt64? = 20_000
  /// How long the other end may send nothing at all, the answer to a ping included; nil: forever.
  ///
  /// The time in which this end does not read does not count.
  package var silenceMilliseconds: UInt64? = 30_000
  /// How long the other end may read nothing of the waiting bytes.
  package var stallTimeoutMilliseconds: UInt64 = 60_000
  /// How long to wait for the other end's close frame.
  package var closeTimeoutMilliseconds: UInt64 = 1_000

  package init() {}

  /// Both ends ping: each notices a dead way by itself.
  package static let client = ConnectionOptions()
  package static let server = ConnectionOptions()

  /// How long a ping waits for an answer before silence ends the connection.
  var answerMilliseconds: UInt64 {
    guard let pingMilliseconds, let silenceMilliseconds else { return 0 }
    return silenceMilliseconds - min(pingMilliseconds, silenceMilliseconds)
  }

  /// How often to look at the clock: often enough for the shortest time-out.
  var checkMilliseconds: UInt64 {
    let limits = [pingMilliseconds, silenceMilliseconds, stallTimeoutMilliseconds, 60_000]
    return max(5, (limits.compactMap(\.self).min() ?? 0) / 4)
  }
}
#endif
