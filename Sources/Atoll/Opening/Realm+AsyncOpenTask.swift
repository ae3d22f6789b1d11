public import Foundation

extension Realm {
  /// Opens a realm for a queue, in the background.
  ///
  /// Migration, compaction and, in a synced realm, the wait for what the server has do not block the
  /// caller. In asynchronous functions `Realm.open` and `Realm(configuration:actor:)` do the same.
  ///
  /// - Parameters:
  ///   - configuration: Which file, and how it is opened.
  ///   - callbackQueue: The serial queue that the realm is confined to, as with `init(queue:)`.
  ///   - callback: Is called on the queue with the realm, or with what `Realm.open` throws; not after
  ///     `cancel()`.
  /// - Returns: The opening, which goes on if nothing keeps it.
  @discardableResult
  @preconcurrency public static func asyncOpen(
    configuration: Realm.Configuration = .defaultConfiguration,
    callbackQueue: DispatchQueue = .main,
    callback: @escaping @Sendable (Result<Realm, any Swift.Error>) -> Void
  ) -> AsyncOpenTask {
    let opening = QueueOpening(configuration, callbackQueue)
    opening.begin(callback)
    return AsyncOpenTask(opening: opening)
  }

  /// An opening that is under way.
  public struct AsyncOpenTask: Sendable {
    fileprivate let opening: QueueOpening

    /// Ends the opening, if it is not over; the callback is not called then.
    ///
    /// What was downloaded stays in the file. A callback that runs already, on its queue, is not
    /// interrupted.
    public func cancel() { opening.cancel() }

    /// Tells how far the download has come that the opening of a synced realm waits for.
    ///
    /// The last call, before the callback, says that it is complete. Nothing is told when the
    /// opening waits for nothing, fails or is cancelled.
    ///
    /// - Parameters:
    ///   - queue: Where the block is called.
    ///   - block: Is called with estimates that never decrease.
    @preconcurrency public func addProgressNotification(
      queue: DispatchQueue = .main, block: @escaping @Sendable (SyncSession.Progress) -> Void
    ) {
      opening.tell { progress in queue.async { block(progress) } }
    }
  }
}
