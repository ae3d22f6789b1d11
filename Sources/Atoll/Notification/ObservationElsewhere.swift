internal import Foundation

/// An observation that begins in a realm of another queue or actor.
///
/// SAFETY of `Sendable`: the observer is made at that place only, and what makes it uses of the
/// first realm only what never changes.
struct ObservationElsewhere: @unchecked Sendable {
  private let what: String
  private let configuration: Realm.Configuration
  private let observation = Observation()
  private let observer: (_RealmContext, Observation) -> (any RealmObserver)?

  /// Prepares the observation of `what`, which belongs to a realm of the same file.
  ///
  /// - Parameters:
  ///   - what: What is observed, for messages.
  ///   - context: Its realm.
  ///   - observer: Makes the observer in the other realm; nil where there is nothing to observe.
  init(
    _ what: String, _ context: _RealmContext,
    _ observer: @escaping (_RealmContext, Observation) -> (any RealmObserver)?
  ) {
    self.what = what
    configuration = context.configuration
    self.observer = observer
  }

  func begin(on queue: DispatchQueue) -> NotificationToken {
    queue.async { begin { try Realm(configuration: configuration, queue: queue).context } }
    return NotificationToken(observation)
  }

  func begin<A: Actor>(on actor: isolated A) -> NotificationToken {
    begin { try RealmOpening(configuration, .actor(actor)).context() }
    return NotificationToken(observation)
  }

  private func begin(_ open: () throws -> _RealmContext) {
    guard observation.isActive,
      let context = configuration.opening("\(what) cannot be observed", open)
    else { return }
    // The realm may have been open, in a version that does not know what is observed.
    context.refresh()
    guard let observer = observer(context, observation) else { return }
    context.notifier.attach(observer)
    context.notifier.schedule()
  }

  /// Calls a block on an actor, as observers of a realm of the actor do.
  static func calling<A: Actor, Change>(
    _ actor: A, _ block: @escaping @Sendable (isolated A, Change) -> Void
  ) -> (Change) -> Void {
    { [weak actor] change in
      guard let actor else { return }
      // SAFETY: observers of an actor's realm are called on the actor.
      nonisolated(unsafe) let change = change
      actor.assumeIsolated { actor in unsafe block(actor, change) }
    }
  }
}
