/// Live connections in the order of their cursors, to move those that nothing concerns.
///
/// A device that was told nothing for long would look at all that changed since when it connects
/// again. A connection is moved once in so many versions that it is little beside what these cost.
struct CursorQueue {
  private var entries: [(connection: ConnectionID, version: UInt64)] = []
  /// The entries before this one are gone.
  private var start = 0

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
    guard entries.count - start > 2 * connectionCount + 1_000 else { return }
    entries = entries[start...].filter { isOpen($0.connection) }
    start = 0
  }

  /// Removes and returns the first connection, if its cursor was last seen so far behind.
  mutating func removeFirst(at version: UInt64, limit: UInt64) -> ConnectionID? {
    guard start < entries.count, entries[start].version + limit <= version else { return nil }
    defer {
      start += 1
      if start > 1_000, start > entries.count / 2 {
        entries.removeFirst(start)
        start = 0
      }
    }
    return entries[start].connection
  }
}
