public import Foundation

/// The name that `PropertyChange` has beside projections.
public typealias ProjectedPropertyChange = PropertyChange

extension ProjectionObservable {
  /// Calls `block` whenever what the projection shows has changed, and once when its object was
  /// deleted.
  ///
  /// - Parameters:
  ///   - keyPaths: The names of properties of the projection that count, which may go on with names
  ///     of properties of what they show; nil: all.
  ///   - block: Called where the realm belongs. A change has the name of the projection's property.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe(
    keyPaths: [String]? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    let row = rootObject.observableRow()
    row.context.checkScheduler("a projection")
    let form = ProjectionForm(self, row, keyPaths)
    return row.context.notifier.add(ObjectObserver(self, row, form, block))
  }

  /// Calls `block` on a queue whenever what the projection shows has changed, and once when its
  /// object was deleted, where it is one of a realm of that queue.
  ///
  /// - Parameters:
  ///   - keyPaths: As in `observe(keyPaths:_:)`.
  ///   - queue: A serial queue; nil: where the object's realm belongs.
  ///   - block: Called on the queue.
  /// - Returns: A token; it ends the observation when it is gone.
  @preconcurrency public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue?,
    _ block: @escaping @Sendable (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    guard let queue else { return observe(keyPaths: keyPaths, block) }
    return observationElsewhere(keyPaths, block).begin(on: queue)
  }

  /// Calls `block` on an actor whenever what the projection shows has changed, and once when its
  /// object was deleted, where it is one of a realm of that actor.
  ///
  /// - Parameters:
  ///   - keyPaths: As in `observe(keyPaths:_:)`.
  ///   - actor: Where the block is called.
  ///   - _isolation: Where the caller runs.
  ///   - block: Called on the actor.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    let start = observationElsewhere(keyPaths, ObservationElsewhere.calling(actor, block))
    return await start.begin(on: actor)
  }

  private func observationElsewhere(
    _ keyPaths: [String]?, _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> ObservationElsewhere {
    let form = ProjectionForm(self, rootObject.observableRow(), keyPaths)
    return rootObject.observationElsewhere {
      block(.deleted)
    } observer: { row, observation in
      ObjectObserver(form.shown(row), row, form, observation: observation, block)
    }
  }
}

extension ProjectionObservable {
  /// Calls `block` whenever what these key paths lead to has changed, and once when the object was
  /// deleted.
  ///
  /// - Parameters:
  ///   - keyPaths: Key paths to properties of the projection, or through them.
  ///   - block: Called where the realm belongs.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe(
    keyPaths: [PartialKeyPath<Self>], _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: ProjectedProperties.names(of: keyPaths, self), block)
  }

  /// Calls `block` on a queue whenever what these key paths lead to has changed, and once when the
  /// object was deleted.
  ///
  /// - Parameters:
  ///   - keyPaths: Key paths to properties of the projection, or through them.
  ///   - queue: A serial queue; nil: where the object's realm belongs.
  ///   - block: Called on the queue.
  /// - Returns: A token; it ends the observation when it is gone.
  @preconcurrency public func observe(
    keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue?,
    _ block: @escaping @Sendable (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: ProjectedProperties.names(of: keyPaths, self), on: queue, block)
  }

  /// Calls `block` on an actor whenever what these key paths lead to has changed, and once when the
  /// object was deleted.
  ///
  /// - Parameters:
  ///   - keyPaths: Key paths to properties of the projection, or through them.
  ///   - actor: Where the block is called.
  ///   - _isolation: Where the caller runs.
  ///   - block: Called on the actor.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Self>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: ProjectedProperties.names(of: keyPaths, self), on: actor, block)
  }
}
