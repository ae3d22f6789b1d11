internal import AtollObjects
internal import Synchronization

extension RealmCollection {
  /// The collection as it is, and then each time that it has changed.
  ///
  ///     for await change in results.changes() { … }
  ///
  /// Changes that come while one is being handled are one change, computed when the next is asked for;
  /// so a slow reader keeps one old version and no more. Asked for where the realm belongs: on its
  /// actor. The observation ends with the loop.
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

  private enum State {
    case idle
    /// The realm moved, or the task was cancelled, while nobody waited.
    case signalled
    case waiting(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.idle)

  func deliver(_ round: DeliveryRound) { signal() }
  func rebase(_ context: _RealmContext) {}

  func signal() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard case .waiting(let continuation) = state else {
        state = .signalled
        return nil
      }
      state = .idle
      return continuation
    }
    waiting?.resume()
  }

  /// Waits until the realm moves or the task is cancelled.
  func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSignalled = state.withLock { state in
          if case .signalled = state {
            state = .idle
            return true
          }
          state = .waiting(continuation)
          return false
        }
        if isSignalled { continuation.resume() }
      }
    } onCancel: {
      signal()
    }
  }
}
