internal import AtollStorage

extension Database {
  /// Runs `body` in a transaction of its own and commits it: durable when this returns.
  ///
  /// Transactions of tasks that wait at the same time are run one after another by one thread of
  /// the database, and share one synchronisation of the disk. So a hundred tasks that save
  /// something small take little longer than one, and no thread of Swift concurrency is blocked.
  ///
  /// - Parameter body: What to do. When it throws, nothing that it did remains, and the other
  ///   transactions are not concerned.
  /// - Returns: what `body` returned.
  /// - Throws: what `body` throws; `CancellationError`, at once, when the task is cancelled before
  ///   `body` began, which is not run then; `.storage` when the commit or the synchronisation
  ///   fails, or the database was closed before.
  @discardableResult
  public func writeAsync<Result: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> Result
  ) async throws -> Result {
    do {
      return try await store.writeInGroup { begin in
        try self.write(durability: .relaxed) { transaction in
          try begin()
          return try body(transaction)
        }
      }
    } catch let error as StorageError { throw ObjectError.storage(error) }
  }

  /// Makes every commit that returned before, of any process, durable.
  ///
  /// Waits for a transaction that is running, unless nothing is to be done. To be called outside of
  /// a transaction.
  public func synchronize() throws(ObjectError) {
    do throws(StorageError) { try store.makeCommitsDurable() } catch { throw .storage(error) }
  }
}
