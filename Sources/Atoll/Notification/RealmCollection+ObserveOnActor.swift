extension RealmCollection {
  /// Calls `block` on an actor with the collection as it is, and then whenever it has changed,
  /// where it is one of a realm of that actor.
  ///
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    let observation = Observation()
    let list = observableList()
    let start = ActorObservation(list, keyPaths, observation)
    await start.begin(on: actor, block)
    return NotificationToken(observation)
  }
}

extension RealmCollection where Element: ObjectBase {
  /// Calls `block` on an actor with the collection as it is, and then whenever it has changed,
  /// where only changes of these properties count as modifications of an object.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }
}

/// What goes from the place of one realm to the actor of another.
///
/// SAFETY of `Sendable`: of the list only what never changes is used on the actor.
private struct ActorObservation: @unchecked Sendable {
  private let list: _ResultList
  private let configuration: Realm.Configuration
  private let keyPaths: [String]?
  private let observation: Observation

  init(_ list: _ResultList, _ keyPaths: [String]?, _ observation: Observation) {
    self.list = list
    configuration = list.context.configuration
    self.keyPaths = keyPaths
    self.observation = observation
  }

  func begin<A: Actor, C: RealmCollection>(
    on actor: isolated A,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<C>) -> Void
  ) {
    let opened = configuration.opening("a collection cannot be observed") {
      try RealmOpening(configuration, .actor(actor)).context()
    }
    guard let context = opened else { return }
    // The actor's realm may have been open, in a version that does not know the collection.
    context.refresh()
    guard let moved = list.inContext(context), let collection = C._collection(moved) else { return }
    let changes = CollectionChanges(moved, keyPaths)
    let observer = CollectionObserver(collection, changes, observation: observation) {
      [weak actor] change in
      guard let actor else { return }
      // SAFETY: observers of an actor's realm are called on the actor.
      nonisolated(unsafe) let change = change
      actor.assumeIsolated { actor in unsafe block(actor, change) }
    }
    context.notifier.attach(observer)
    context.notifier.schedule()
  }
}
