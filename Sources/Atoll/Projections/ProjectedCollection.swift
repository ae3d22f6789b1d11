public import Foundation

/// What a key path of the elements leads to, for each element of a list, of a set or of linking
/// objects.
///
/// Follows its realm, as the collection does.
public struct ProjectedCollection<Value>: RandomAccessCollection, ThreadConfined,
  CustomStringConvertible
{
  private let base: any ProjectedElements<Value>

  fileprivate init(_ base: any ProjectedElements<Value>) { self.base = base }

  public var startIndex: Int { 0 }
  public var endIndex: Int { base.count }

  /// The number of elements.
  public var count: Int { base.count }

  public subscript(position: Int) -> Value { base.value(at: position) }

  /// Goes over what the elements show that there are now.
  public func makeIterator() -> AnyIterator<Value> { base.makeIterator() }

  /// The realm that the collection belongs to; nil for an unmanaged one.
  public var realm: Realm? { base.list.map { Realm($0.context) } }

  /// Whether the object that the collection belongs to is gone; false for an unmanaged one.
  public var isInvalidated: Bool { base.list?.isInvalidated ?? false }

  /// Whether the collection is of a version that never changes.
  public var isFrozen: Bool { base.list?.context.isFrozen ?? false }

  /// Returns the same in the present version, which never changes and any thread may use.
  public func freeze() -> ProjectedCollection { ProjectedCollection(base.frozen()) }

  /// Returns the live collection of a frozen one.
  ///
  /// - Returns: Nil when its object exists no more.
  public func thaw() -> ProjectedCollection? {
    guard let list = base.list else {
      Misuse.trap("thaw needs a collection of a realm; add the object that holds this one first")
    }
    return _moved(to: list.context.thawed())
  }

  public func _moved(to context: _RealmContext) -> ProjectedCollection? {
    base.list?.inContext(context).flatMap { base.of($0) }.map { ProjectedCollection($0) }
  }

  /// A description with the first hundred elements.
  public var description: String { ObjectDescription.text(of: self) }

  // MARK: Observers

  /// Calls `block` with the collection as it is, and then whenever it has changed; changes of what it
  /// shows of an element count as modifications.
  ///
  /// - Parameter block: Called where the realm belongs.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe(
    _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
  ) -> NotificationToken {
    let list = observableList()
    list.context.checkScheduler("a projected collection")
    let changes = CollectionChanges(list, [base.path])
    return list.context.notifier.add(CollectionObserver(self, changes, block))
  }

  /// Calls `block` on a queue with the collection as it is, and then whenever it has changed, where
  /// it is one of a realm of that queue.
  ///
  /// - Parameters:
  ///   - queue: A serial queue; nil: where the realm of this collection belongs.
  ///   - block: Called on the queue.
  /// - Returns: A token; it ends the observation when it is gone.
  @preconcurrency public func observe(
    on queue: DispatchQueue?,
    _ block: @escaping @Sendable (RealmCollectionChange<ProjectedCollection>) -> Void
  ) -> NotificationToken {
    guard let queue else { return observe(block) }
    return observationElsewhere(block).begin(on: queue)
  }

  /// Calls `block` on an actor with the collection as it is, and then whenever it has changed, where
  /// it is one of a realm of that actor.
  ///
  /// - Parameters:
  ///   - actor: Where the block is called.
  ///   - _isolation: Where the caller runs.
  ///   - block: Called on the actor.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<A: Actor>(
    on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<ProjectedCollection>) -> Void
  ) async -> NotificationToken {
    let start = observationElsewhere(ObservationElsewhere.calling(actor, block))
    return await start.begin(on: actor)
  }

  private func observableList() -> _ResultList {
    guard let list = base.list else {
      Misuse.trap("observe needs a collection of a realm; add the object that holds this one first")
    }
    list.context.checkObservable("a projected collection")
    return list
  }

  private func observationElsewhere(
    _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
  ) -> ObservationElsewhere {
    let (list, path) = (observableList(), base.path)
    return ObservationElsewhere("a projected collection", list.context) { context, observation in
      guard let moved = list.inContext(context), let elements = base.of(moved) else { return nil }
      return CollectionObserver(
        ProjectedCollection(elements), CollectionChanges(moved, [path]), observation: observation,
        block)
    }
  }
}

/// The elements of a list, of a set or of linking objects, each as one of its properties.
///
///     @Projected(\Person.friends.projectTo.firstName) var friends: ProjectedCollection<String>
@dynamicMemberLookup
public struct CollectionElementMapper<Element: ObjectBase> {
  fileprivate let collection: any RealmCollection<Element>

  /// Shows a property of each element.
  public subscript<V>(dynamicMember member: KeyPath<Element, V>) -> ProjectedCollection<V> {
    Self.projected(collection, member)
  }

  private static func projected<C: RealmCollection<Element>, V>(
    _ collection: C, _ keyPath: KeyPath<Element, V>
  ) -> ProjectedCollection<V> {
    // On a path that is being traced the property is noted, as if one element was read.
    if collection._resultList == nil, let element = collection.first, element._tracer != nil {
      _ = element[keyPath: keyPath]
    }
    return ProjectedCollection(ElementProjection(collection: collection, keyPath: keyPath))
  }
}

extension List where Element: ObjectBase {
  /// The elements, each as one of its properties.
  public var projectTo: CollectionElementMapper<Element> {
    CollectionElementMapper(collection: self)
  }
}

extension MutableSet where Element: ObjectBase {
  /// The elements, each as one of its properties.
  public var projectTo: CollectionElementMapper<Element> {
    CollectionElementMapper(collection: self)
  }
}

extension LinkingObjects {
  /// The objects, each as one of its properties.
  public var projectTo: CollectionElementMapper<Element> {
    CollectionElementMapper(collection: self)
  }
}

/// A collection whose elements are shown as one of their properties.
private protocol ProjectedElements<Value> {
  associatedtype Value
  /// What the collection stands on; nil for an unmanaged one.
  var list: _ResultList? { get }
  /// The names of the properties that lead from an element to what is shown of it.
  var path: String { get }
  var count: Int { get }
  func value(at position: Int) -> Value
  func makeIterator() -> AnyIterator<Value>
  func frozen() -> Self
  /// The same of the collection that stands on another list; nil for one that cannot.
  func of(_ list: _ResultList) -> Self?
}

private struct ElementProjection<C: RealmCollection, Value>: ProjectedElements
where C.Element: ObjectBase {
  let collection: C
  let keyPath: KeyPath<C.Element, Value>

  var list: _ResultList? { collection._resultList }
  var path: String { _name(for: keyPath) }
  var count: Int { collection.count }
  func value(at position: Int) -> Value { collection[position][keyPath: keyPath] }

  func makeIterator() -> AnyIterator<Value> {
    var elements = collection.makeIterator()
    return AnyIterator { elements.next().map { $0[keyPath: keyPath] } }
  }

  func frozen() -> ElementProjection {
    ElementProjection(collection: collection.freeze(), keyPath: keyPath)
  }

  func of(_ list: _ResultList) -> ElementProjection? {
    C._collection(list).map { ElementProjection(collection: $0, keyPath: keyPath) }
  }
}

extension ProjectedCollection: DescribedValue {
  func text(_ scope: DescriptionScope) -> String { ObjectDescription.text(of: self, scope) }
}

@available(
  *, unavailable, message: "a projected collection belongs to the place that opened its realm"
)
extension ProjectedCollection: Sendable {}
