/// The messages that were received and that no tick has taken: of each connection in their order.
///
/// A tick looks at those that it may take, and not at what floods the others' queues.
struct WaitingMessages {
  struct Message {
    let message: SyncMessage
    /// How many bytes it came in.
    let byteCount: Int
    /// Its place among the messages of all connections.
    let arrival: UInt64
    /// When it was complete, in nanoseconds of the clock that nobody sets.
    let arrivedAt: UInt64
  }

  private struct Queue {
    var messages: [Message?] = []
    /// The messages before this one were taken.
    var start = 0

    var count: Int { messages.count - start }
  }

  private var queues: [ConnectionID: Queue] = [:]
  private(set) var count = 0
  private var arrivalCount: UInt64 = 0

  var isEmpty: Bool { count == 0 }
  /// The connections that have some.
  var connections: some Collection<ConnectionID> { queues.keys }

  mutating func append(
    _ message: SyncMessage, byteCount: Int, from id: ConnectionID, arrivedAt: UInt64
  ) {
    arrivalCount += 1
    count += 1
    queues[id, default: Queue()].messages.append(
      Message(
        message: message, byteCount: byteCount, arrival: arrivalCount, arrivedAt: arrivedAt))
  }

  func count(of id: ConnectionID) -> Int { queues[id]?.count ?? 0 }

  /// A message of a connection, counted from the next one; nil when there are fewer.
  func message(_ offset: Int, of id: ConnectionID) -> Message? {
    guard let queue = queues[id], offset < queue.count else { return nil }
    return queue.messages[queue.start + offset]
  }

  /// Removes the next message of a connection.
  mutating func removeFirst(of id: ConnectionID) {
    guard let index = queues.index(forKey: id) else { return }
    count -= 1
    guard queues.values[index].count > 1 else {
      queues.remove(at: index)
      return
    }
    // At once: a message may be large.
    queues.values[index].messages[queues.values[index].start] = nil
    queues.values[index].start += 1
    let start = queues.values[index].start
    if start >= 64, start > queues.values[index].messages.count / 2 {
      queues.values[index].messages.removeFirst(start)
      queues.values[index].start = 0
    }
  }

  /// Drops those of a connection that is gone.
  mutating func removeAll(of id: ConnectionID) {
    count -= queues.removeValue(forKey: id)?.count ?? 0
  }
}
