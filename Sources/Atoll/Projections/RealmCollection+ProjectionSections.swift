public import Foundation

extension RealmCollection where Element: ProjectionObservable {
  /// Returns the projections ordered by a property, in a section for each value of it.
  ///
  /// - Parameters:
  ///   - keyPath: The property of the projection, which may lie behind links to one object.
  ///   - ascending: Whether its values ascend.
  /// - Returns: The sections, which follow the realm.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    sectioned(
      by: keyPath,
      sortDescriptors: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
  }

  /// Returns the projections in an order, in a section for each value of a property.
  ///
  /// - Parameters:
  ///   - keyPath: The property of the projection, or a computed property that reads it.
  ///   - sortDescriptors: The order; the property is the first to sort by. Another one ends the
  ///     process.
  /// - Returns: The sections, which follow the realm.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    let name = _name(for: keyPath)
    guard sortDescriptors.first?.keyPath == name else {
      Misuse.trap("sections by '\(name)' are of a collection that is sorted by it first")
    }
    return sectioned(keyPath, sortDescriptors) { $0[keyPath: keyPath] }
  }

  /// Returns the projections in an order, in a section for each key that a block gives.
  ///
  /// Observers ask for the key of a projection again when its object has changed, or one that it
  /// links to, four links deep.
  ///
  /// - Parameters:
  ///   - block: Gives the key of a projection. It is also called where the sections are frozen or
  ///     observed.
  ///   - sortDescriptors: The order; none ends the process.
  /// - Returns: The sections, which follow the realm.
  @preconcurrency public func sectioned<Key: _Persistable & Hashable>(
    by block: @escaping @Sendable (Element) -> Key, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    sectioned(nil, sortDescriptors, block)
  }

  /// Returns the projections in an order, in a section for each key that a block gives.
  ///
  /// - Parameters:
  ///   - sortDescriptors: The order; none ends the process.
  ///   - keyBlock: Gives the key of a projection, as in `sectioned(by:sortDescriptors:)`.
  /// - Returns: The sections, which follow the realm.
  @preconcurrency public func sectioned<Key: _Persistable & Hashable>(
    sortDescriptors: [SortDescriptor], _ keyBlock: @escaping @Sendable (Element) -> Key
  ) -> SectionedResults<Key, Element> {
    sectioned(nil, sortDescriptors, keyBlock)
  }
}

extension RealmSectionedResult where SectionElement: ProjectionObservable {
  /// Calls `block` with the sections as they are, and then whenever they have changed, where only
  /// changes of these properties count as modifications of a projection.
  ///
  /// - Parameters:
  ///   - keyPaths: Key paths to properties of the projection, or through them.
  ///   - block: Called where the realm belongs.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe(
    keyPaths: [PartialKeyPath<SectionElement>],
    _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, block)
  }

  /// Calls `block` on a queue with the sections as they are, and then whenever they have changed,
  /// where only changes of these properties count as modifications of a projection.
  ///
  /// - Parameters:
  ///   - keyPaths: Key paths to properties of the projection, or through them.
  ///   - queue: A serial queue; nil: where the realm of this collection belongs.
  ///   - block: Called on the queue.
  /// - Returns: A token; it ends the observation when it is gone.
  @preconcurrency public func observe(
    keyPaths: [PartialKeyPath<SectionElement>], on queue: DispatchQueue?,
    _ block: @escaping @Sendable (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// Calls `block` on an actor with the sections as they are, and then whenever they have changed,
  /// where only changes of these properties count as modifications of a projection.
  ///
  /// - Parameters:
  ///   - keyPaths: Key paths to properties of the projection, or through them.
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
