internal import DequeModule

/// Live connections in the order of their cursors, to move those that nothing concerns.
///
/// A device that was told nothing for long would look at all that changed since when it connects
/// again. A connection is moved once in so many versions that it is little beside what these cost.
struct CursorQueue {
  private var entries = Deque<(connection: ConnectionID, version: UInt64)>()

  /// A cursor may stay so far behind, and further where there are many connections.
  private static let versionLimit: UInt64 = 1_000
  /// Versions for each connection, so that each change moves a part of a cursor.
  private static let versionsForEach: UInt64 = 20

  /// How many versions a cursor may stay behind where so many are connected.
  static func limit(connectionCount: Int) -> UInt64 {
    max(versionLimit, versionsForEach * UInt64(connectionCount))
  }

  mutating func append(_ connection: ConnectionID, at version: UInt64) {
    entries.append((connection, version))
  }

  /// Drops the connections that are gone, when they are many.
  mutating func compact(_ connectionCount: Int, isOpen: (ConnectionID) -> Bool) {
    guard entries.count > 2 * connectionCount + 1_000 else { return }
    entries.removeAll { !isOpen($0.connection) }
  }

  /// Removes and returns the first connection, if its cursor was last seen so far behind.
  mutating func removeFirst(at version: UInt64, limit: UInt64) -> ConnectionID? {
    guard let first = entries.first, first.version + limit <= version else { return nil }
    return entries.popFirst()?.connection
  }
}
