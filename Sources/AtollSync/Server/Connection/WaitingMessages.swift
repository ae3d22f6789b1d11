internal import DequeModule

/// The messages that were received and that no tick has taken: of each connection in their order.
///
/// A tick looks at those that it may take, and not at what floods the others' queues.
struct WaitingMessages {
  struct Message {
    let message: SyncMessage
    /// How many bytes it came in.
    let byteCount: Int
    /// How many bytes of memory it takes, about.
    let memoryByteCount: Int
    /// Its place among the messages of all connections.
    let arrival: UInt64
    /// When it was complete, in nanoseconds of the clock that nobody sets.
    let arrivedAt: UInt64
  }

  private var queues: [ConnectionID: Deque<Message>] = [:]
  private(set) var count = 0
  private var arrivalCount: UInt64 = 0

  var isEmpty: Bool { count == 0 }
  /// The connections that have some.
  var connections: some Collection<ConnectionID> { queues.keys }

  mutating func append(
    _ message: SyncMessage, byteCount: Int, memoryByteCount: Int, from id: ConnectionID,
    arrivedAt: UInt64
  ) {
    arrivalCount += 1
    count += 1
    queues[id, default: Deque()].append(
      Message(
        message: message, byteCount: byteCount, memoryByteCount: memoryByteCount,
        arrival: arrivalCount, arrivedAt: arrivedAt))
  }

  func count(of id: ConnectionID) -> Int { queues[id]?.count ?? 0 }

  /// A message of a connection, counted from the next one; nil when there are fewer.
  func message(_ offset: Int, of id: ConnectionID) -> Message? {
    guard let queue = queues[id], offset < queue.count else { return nil }
    return queue[offset]
  }

  /// Removes the next message of a connection.
  mutating func removeFirst(of id: ConnectionID) {
    guard let index = queues.index(forKey: id) else { return }
    count -= 1
    queues.values[index].removeFirst()
    if queues.values[index].isEmpty { queues.remove(at: index) }
  }

  /// Drops those of a connection that is gone.
  mutating func removeAll(of id: ConnectionID) {
    count -= queues.removeValue(forKey: id)?.count ?? 0
  }
}
