public import Foundation

extension RealmCollection {
  /// Calls `block` with the collection as it is, and then whenever it has changed.
  ///
  ///     let token = results.observe { changes in
  ///       switch changes {
  ///       case .initial(let results): …
  ///       case .update(let results, let deletions, let insertions, let modifications): …
  ///       case .error: break
  ///       }
  ///     }
  ///
  /// Needs a realm of the main actor, another actor, or a queue: a plain thread has nothing that
  /// could call. The first call comes at the next turn of the scheduler, or before the realm moves
  /// on if that is earlier: at the begin of a write that follows at once, so that what the write
  /// does is a change. Several commits may come as one change; when nothing has changed in the end,
  /// none comes.
  ///
  /// `keyPaths`: the properties whose changes count as modifications of an object; nil: all of
  /// them, and those of objects that it links to, four links deep.
  ///
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe(
    keyPaths: [String]? = nil, _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    let list = observableList()
    list.context.checkScheduler("a collection")
    let changes = CollectionChanges(list, keyPaths)
    return list.context.notifier.add(CollectionObserver(self, changes, block))
  }

  /// Calls `block` on a queue with the collection as it is, and then whenever it has changed.
  ///
  /// As `observe(keyPaths:_:)`, with the collection of a realm of that queue. The block is
  /// `@Sendable`: otherwise one that is written on the main actor would count as the main actor's
  /// and use what is its, or end the process, on the queue.
  ///
  /// `queue`: a serial queue; nil: where the realm of this collection belongs.
  ///
  /// - Returns: A token; it ends the observation when it is gone.
  @preconcurrency public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue?,
    _ block: @escaping @Sendable (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    guard let queue else { return observe(keyPaths: keyPaths, block) }
    return observationElsewhere(keyPaths, block).begin(on: queue)
  }

  /// The collection, if it can be observed now.
  func observableList() -> _ResultList {
    let list = requiredList("observe")
    list.context.checkObservable("a collection")
    return list
  }

  /// Prepares the observation of the collection in a realm of another place.
  func observationElsewhere(
    _ keyPaths: [String]?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> ObservationElsewhere {
    let list = observableList()
    return ObservationElsewhere("a collection", list.context) { context, observation in
      guard let moved = list.inContext(context), let collection = Self._collection(moved) else {
        return nil
      }
      let changes = CollectionChanges(moved, keyPaths)
      return CollectionObserver(collection, changes, observation: observation, block)
    }
  }
}

extension RealmCollection where Element: ObjectBase {
  /// Calls `block` with the collection as it is, and then whenever it has changed, where only
  /// changes of these properties count as modifications of an object.
  public func observe(
    keyPaths: [PartialKeyPath<Element>],
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, block)
  }

  /// Calls `block` on a queue with the collection as it is, and then whenever it has changed, where
  /// only changes of these properties count as modifications of an object.
  @preconcurrency public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue?,
    _ block: @escaping @Sendable (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }
}

extension _RealmContext {
  /// Ends the process where `what`, a collection of this realm, cannot be observed now.
  func checkObservable(_ what: String) {
    checkConfinement()
    if isFrozen { Misuse.trap("\(what) that is frozen never changes, so it cannot be observed") }
    if configuration.readOnly {
      Misuse.trap("\(what) of a read-only realm never changes and cannot be observed")
    }
    if hasUncommittedChanges {
      Misuse.trap("\(what) was observed inside of a write that has changed something already")
    }
  }

  /// Ends the process where nothing can call the observer of `what`.
  func checkScheduler(_ what: String) {
    guard !confinement.hasScheduler else { return }
    Misuse.trap(
      "\(what) was observed on a thread that nothing can be delivered to; observe it on the main "
        + "actor, in an actor's realm, or with a queue")
  }
}
