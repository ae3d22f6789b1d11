extension RealmCollection {
  /// Calls `block` on an actor with the collection as it is, and then whenever it has changed,
  /// where it is one of a realm of that actor.
  ///
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    let start = observationElsewhere(keyPaths, ObservationElsewhere.calling(actor, block))
    return await start.begin(on: actor)
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
