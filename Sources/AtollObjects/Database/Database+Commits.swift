internal import AtollStorage

extension Database {
  /// The versions that any process commits from now on, as they come.
  ///
  ///     for try await version in database.commits {
  ///       let snapshot = try database.snapshot()
  ///
  /// Commits that come while an element is being handled are one element, the newest. The sequence
  /// ends when the task is cancelled or the database is closed. No thread of Swift concurrency is
  /// blocked: all sequences of a database share one thread of their own, woken by the system. One
  /// that waits keeps the database open, until a second after it was cancelled at the latest.
  public var commits: Commits { Commits(store: store, last: store.coordinator.newestTransaction) }

  /// Blocks the thread until a version after `version` is committed, by any process.
  ///
  /// Not for tasks, which share threads that must not sleep: they use `commits`. A commit wakes the
  /// waiter at once; one whose process died before it could tell is noticed within a second.
  ///
  /// `timeout`: how long to wait, nil for as long as it takes.
  ///
  /// - Returns: the newest version; nil at the end of the timeout.
  /// - Throws: `.storage(.closed)`, also when the database is closed meanwhile;
  ///   `.storage(.moved)` when the file was deleted or replaced.
  public func waitForCommit(
    after version: UInt64, timeout: Duration? = nil
  ) throws(ObjectError) -> UInt64? {
    do throws(StorageError) {
      return try store.waitForCommit(after: version, timeout: timeout)
    } catch { throw .storage(error) }
  }

  /// The versions that are committed, by any process, as they come.
  public struct Commits: AsyncSequence, Sendable {
    let store: PageStore
    let last: UInt64

    public func makeAsyncIterator() -> Iterator { Iterator(store: store, last: last) }

    /// Gives the versions after the one that was newest when the sequence was made.
    public struct Iterator: AsyncIteratorProtocol {
      let store: PageStore
      var last: UInt64

      /// Waits for the next version; nil after the task was cancelled or the database closed.
      public mutating func next(
        isolation: isolated (any Actor)? = #isolation
      ) async throws(ObjectError) -> UInt64? {
        do throws(StorageError) {
          guard let newest = try await store.nextCommit(after: last) else { return nil }
          last = newest
          return newest
        } catch .closed(_, nil) {
          return nil
        } catch { throw .storage(error) }
      }
    }
  }
}
