/// Counts the messages of one connection that mean nothing to the server.
///
/// These are messages of unknown kinds, a PONG, and a PING that comes before the one before it was
/// answered. They cost no allowance. A device of a later version may send unknown kinds, but few.
struct MeaninglessMessages {
  /// So many may come in a minute.
  static let limit = 1_000
  private static let minute: UInt64 = 60_000_000_000

  private var count = 0
  /// When the first of the minute came.
  private var start: UInt64 = 0

  /// Counts one more.
  ///
  /// - Parameter time: When it came, in nanoseconds of a monotonic clock.
  /// - Returns: Whether there are too many.
  mutating func add(at time: UInt64) -> Bool {
    if time > start, time - start >= Self.minute { (count, start) = (0, time) }
    count += 1
    return count > Self.limit
  }
}

extension ServerContext {
  /// Notes a message that means nothing, and ends a connection that has sent too many.
  func noteMeaningless(of connection: Connection, arrivedAt: UInt64) -> [ServerOutput] {
    guard connection.meaningless.add(at: arrivedAt) else { return [] }
    return end(
      connection.id,
      ErrorMessage(
        .retry, .tooBusy, retryAfterMilliseconds: 60_000, text: "too many messages mean nothing"))
  }
}
