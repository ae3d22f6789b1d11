/// What happened to a collection.
public enum RealmCollectionChange<CollectionType> {
  /// The collection as it is when the observation begins; comes once.
  case initial(CollectionType)

  /// The collection changed since the last call.
  ///
  /// Deletions and modifications are places in the previous state, insertions places in the new
  /// one, all ascending. A view applies them in this order. An element that moved is deleted and
  /// inserted.
  case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])

  /// Is never sent.
  case error(any Error)
}

/// What happened to an object.
public enum ObjectChange<T> {
  /// Is never sent.
  case error(any Error)
  /// Properties of the object were changed.
  case change(_: T, _: [PropertyChange])
  /// The object was deleted; nothing comes after this.
  case deleted
}

/// How a property was changed.
public struct PropertyChange {
  /// The name in Swift.
  public let name: String

  /// The value before; nil for a collection, and when the realm itself made the change.
  public let oldValue: Any?

  /// The value now; nil for a collection.
  public let newValue: Any?
}
