extension ObjectBase {
  /// Calls `block` on an actor whenever properties of the object have changed, and once when it was
  /// deleted, where the object is one of a realm of that actor.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties that count; nil: all.
  ///   - actor: Where the block is called.
  ///   - _isolation: Where the caller runs.
  ///   - block: Called on the actor.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<A: Actor, T: ObjectBase>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
  ) async -> NotificationToken {
    let start = observationElsewhere(keyPaths, ObservationElsewhere.calling(actor, block))
    return await start.begin(on: actor)
  }

  /// Calls `block` on an actor whenever one of these properties has changed, and once when the object
  /// was deleted, where the object is one of a realm of that actor.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties that count.
  ///   - actor: Where the block is called.
  ///   - _isolation: Where the caller runs.
  ///   - block: Called on the actor.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<A: Actor, T: ObjectBase>(
    keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }
}
