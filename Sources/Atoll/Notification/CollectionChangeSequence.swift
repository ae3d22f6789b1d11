internal import AtollObjects
internal import AtollQuery

extension RealmCollection {
  /// The collection as it is, and then each time that it has changed.
  ///
  ///     for await change in results.changes() { … }
  ///
  /// Changes that come while one is being handled are one change, computed when the next is asked
  /// for; so a slow reader keeps one old version and no more. Asked for where the realm belongs: on
  /// its actor. The observation ends with the loop.
  public func changes(keyPaths: [String]? = nil) -> CollectionChangeSequence<Self> {
    CollectionChangeSequence(collection: self, list: observableList(), keyPaths: keyPaths)
  }
}

/// The changes of a collection, as they come.
public struct CollectionChangeSequence<CollectionType: RealmCollection>: AsyncSequence {
  public typealias Element = RealmCollectionChange<CollectionType>
  public typealias Failure = Never

  let collection: CollectionType
  let list: _ResultList
  let keyPaths: [String]?

  public func makeAsyncIterator() -> Iterator {
    Iterator(collection, CollectionChanges(list, keyPaths))
  }

  /// Gives the collection as it is, and then each change.
  public struct Iterator: AsyncIteratorProtocol {
    private let collection: CollectionType
    private let changes: CollectionChanges
    private let waiter = ChangeWaiter()
    private let token: NotificationToken

    init(_ collection: CollectionType, _ changes: CollectionChanges) {
      self.collection = collection
      self.changes = changes
      token = NotificationToken(waiter.observation)
      changes.list.context.notifier.attach(waiter)
    }

    /// Waits for the next change; nil when the task was cancelled.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async -> Element? {
      while !_Concurrency.Task.isCancelled {
        switch changes.next(DeliveryRound(changes.list.context)) {
        case .initial: return .initial(collection)
        case .update(let difference):
          return .update(
            collection, deletions: difference.deletions, insertions: difference.insertions,
            modifications: difference.modifications)
        case nil: await waiter.wait()
        }
      }
      return nil
    }
  }
}

/// Wakes a task when a realm has moved.
final class ChangeWaiter: RealmObserver, Sendable {
  let observation = Observation()
  private let hasMoved = Monitor(false)

  func deliver(_ round: DeliveryRound) { hasMoved.withLock { $0 = true } }
  func rebase(_ context: _RealmContext) {}

  /// Waits until the realm has moved since the last wait, or the task is cancelled.
  nonisolated(nonsending) func wait() async {
    await hasMoved.wait { $0 }
    hasMoved.withLock { $0 = false }
  }
}
