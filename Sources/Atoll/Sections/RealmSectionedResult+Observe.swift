public import Foundation

extension RealmSectionedResult {
  /// Calls `block` with the sections as they are, and then whenever they have changed.
  ///
  ///     let token = sections.observe { change in
  ///       switch change {
  ///       case .initial(let sections): …
  ///       case .update(let sections, let deletions, let insertions, let modifications,
  ///         let sectionsToInsert, let sectionsToDelete): …
  ///       }
  ///     }
  ///
  /// As `observe(keyPaths:_:)` of a collection. An observer of one section is told of what happens
  /// in it, and that it is inserted or deleted.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes count as modifications of an object; nil: all of
  ///     them, and those of objects that it links to, four links deep. An object that has another
  ///     key moves in any case.
  ///   - block: Called where the realm belongs.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe(
    keyPaths: [String]? = nil, _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    let context = observableContext()
    context.checkScheduler("a sectioned collection")
    return context.notifier.add(SectionObserver(self, keyPaths, block))
  }

  /// Calls `block` on a queue with the sections as they are, and then whenever they have changed,
  /// where they are those of a realm of that queue.
  ///
  /// - Parameters:
  ///   - keyPaths: As in `observe(keyPaths:_:)`.
  ///   - queue: A serial queue; nil: where the realm of these sections belongs.
  ///   - block: Called on the queue.
  /// - Returns: A token; it ends the observation when it is gone.
  @preconcurrency public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue?,
    _ block: @escaping @Sendable (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    guard let queue else { return observe(keyPaths: keyPaths, block) }
    return observationElsewhere(keyPaths, block).begin(on: queue)
  }

  /// Calls `block` on an actor with the sections as they are, and then whenever they have changed,
  /// where they are those of a realm of that actor.
  ///
  /// - Parameters:
  ///   - keyPaths: As in `observe(keyPaths:_:)`.
  ///   - actor: Where the block is called.
  ///   - _isolation: Where the caller runs.
  ///   - block: Called on the actor.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
  ) async -> NotificationToken {
    let start = observationElsewhere(keyPaths, ObservationElsewhere.calling(actor, block))
    return await start.begin(on: actor)
  }

  private func observableContext() -> _RealmContext {
    let context = _sections.list.context
    context.checkObservable("a sectioned collection")
    return context
  }

  private func observationElsewhere(
    _ keyPaths: [String]?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> ObservationElsewhere {
    ObservationElsewhere("a sectioned collection", observableContext()) { context, observation in
      _moved(to: context).map { SectionObserver($0, keyPaths, observation: observation, block) }
    }
  }
}

extension RealmSectionedResult where SectionElement: ObjectBase {
  /// Calls `block` with the sections as they are, and then whenever they have changed, where only
  /// changes of these properties count as modifications of an object.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties.
  ///   - block: Called where the realm belongs.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe(
    keyPaths: [PartialKeyPath<SectionElement>],
    _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, block)
  }

  /// Calls `block` on a queue with the sections as they are, and then whenever they have changed,
  /// where only changes of these properties count as modifications of an object.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties.
  ///   - queue: A serial queue; nil: where the realm of these sections belongs.
  ///   - block: Called on the queue.
  /// - Returns: A token; it ends the observation when it is gone.
  @preconcurrency public func observe(
    keyPaths: [PartialKeyPath<SectionElement>], on queue: DispatchQueue?,
    _ block: @escaping @Sendable (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// Calls `block` on an actor with the sections as they are, and then whenever they have changed,
  /// where only changes of these properties count as modifications of an object.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties.
  ///   - actor: Where the block is called.
  ///   - _isolation: Where the caller runs.
  ///   - block: Called on the actor.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<SectionElement>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }
}
