public import Foundation

/// The path of the object that a key path of its projection leads to: `address.city`.
public func _name<P: ProjectionObservable>(for keyPath: PartialKeyPath<P>) -> String {
  KeyPathNames.name(of: keyPath, on: "\(P.self)") { tracer in
    _ = P(projecting: P.Root.traced(tracer))[keyPath: keyPath]
  }
}

extension Query where T: ProjectionObservable {
  /// A property of the projection, as what it shows of the object.
  public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
    Query<V>(tree.appending(_name(for: member), of: ClassDescriptor.of(T.Root.self)))
  }
}

extension SortDescriptor {
  /// Makes a descriptor of what a property of a projection shows.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - ascending: Whether the values ascend.
  public init<P: ProjectionObservable>(keyPath: PartialKeyPath<P>, ascending: Bool = true) {
    self.init(keyPath: _name(for: keyPath), ascending: ascending)
  }
}

extension RealmCollection where Element: ProjectionObservable {
  /// Returns the projections ordered by a property.
  ///
  /// - Parameters:
  ///   - keyPath: The property, which may lie behind links to one object.
  ///   - ascending: Whether its values ascend.
  /// - Returns: The projections in this order.
  public func sorted<T>(by keyPath: KeyPath<Element, T>, ascending: Bool = true) -> Results<Element>
  {
    sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
  }

  /// Returns the first projection of each combination of the values of properties.
  ///
  /// - Parameter keyPaths: The properties.
  /// - Returns: The first projections.
  public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
  where S.Element == PartialKeyPath<Element> {
    distinct(by: keyPaths.map { _name(for: $0) })
  }

  /// The objects of the projections.
  private var rootObjects: Results<Element.Root> { Results(requiredList("the objects")) }

  /// Returns the values of a property of all objects, by its name there; for `self`, the projections.
  ///
  /// - Parameter key: The name of a property of the objects.
  /// - Returns: The values in an array.
  public func value(forKey key: String) -> Any? {
    if key == "self" { return Array(self) }
    return rootObjects.value(forKey: key)
  }

  /// Returns the values at the end of a path of all objects, by their names there, or what an
  /// operator computes of them.
  ///
  /// - Parameter keyPath: A path of properties of the objects, or an operator with one, such as
  ///   `@sum.age`.
  /// - Returns: The values in an array, or the result of the operator.
  public func value(forKeyPath keyPath: String) -> Any? {
    rootObjects.value(forKeyPath: keyPath)
  }

  /// Sets a property of all objects, in a write.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The name of a property of the objects.
  public func setValue(_ value: Any?, forKey key: String) {
    rootObjects.setValue(value, forKey: key)
  }

  // MARK: Observers

  /// Calls `block` with the collection as it is, and then whenever it has changed, where only
  /// changes of these properties count as modifications of a projection.
  ///
  /// - Parameters:
  ///   - keyPaths: Key paths to properties of the projection, or through them.
  ///   - block: Called where the realm belongs.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe(
    keyPaths: [PartialKeyPath<Element>], _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, block)
  }

  /// Calls `block` on a queue with the collection as it is, and then whenever it has changed, where
  /// only changes of these properties count as modifications of a projection.
  ///
  /// - Parameters:
  ///   - keyPaths: Key paths to properties of the projection, or through them.
  ///   - queue: A serial queue; nil: where the realm of this collection belongs.
  ///   - block: Called on the queue.
  /// - Returns: A token; it ends the observation when it is gone.
  @preconcurrency public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue?,
    _ block: @escaping @Sendable (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// Calls `block` on an actor with the collection as it is, and then whenever it has changed, where
  /// only changes of these properties count as modifications of a projection.
  ///
  /// - Parameters:
  ///   - keyPaths: Key paths to properties of the projection, or through them.
  ///   - actor: Where the block is called.
  ///   - _isolation: Where the caller runs.
  ///   - block: Called on the actor.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }
}
