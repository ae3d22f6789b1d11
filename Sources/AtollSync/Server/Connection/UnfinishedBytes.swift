/// Counts the bytes held of incomplete messages, for each user over all connections.
///
/// A message may be large, and its rest may never arrive: without a common bound, a user with many
/// connections would fill the memory of the server.
struct UnfinishedBytes {
  private var counts: [String: Int] = [:]

  /// Counts the bytes that the reader of a connection holds now.
  ///
  /// - Returns: The sum over the user's connections.
  mutating func count(_ connection: Connection) -> Int {
    change(connection, to: connection.reader.openByteCount)
    return counts[connection.user] ?? 0
  }

  /// Stops counting a connection.
  mutating func forget(_ connection: Connection) { change(connection, to: 0) }

  private mutating func change(_ connection: Connection, to byteCount: Int) {
    let difference = byteCount - connection.unfinishedByteCount
    // Nearly all messages come in one frame.
    guard difference != 0 else { return }
    connection.unfinishedByteCount = byteCount
    let count = (counts[connection.user] ?? 0) + difference
    counts[connection.user] = count > 0 ? count : nil
  }
}

extension ErrorMessage {
  /// The user's connections are in the middle of too many messages.
  static func tooMuchUnfinished(_ limits: UserLimits) -> ErrorMessage {
    .overLimit(
      .retry,
      "the user's devices are sending more than \(limits.unfinishedByteCount) bytes at once in "
        + "messages that are not complete; this one is sent again later",
      retryAfterMilliseconds: 10_000)
  }
}
