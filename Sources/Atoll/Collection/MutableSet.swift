internal import AtollObjects

/// A collection that a property of an object holds, in which each element is once.
///
/// The elements have no order that means something; `subscript` gives each of them one place until
/// the set is changed. Like its object, a set is unmanaged at first, and a live view of the current
/// version of its realm from the moment on when the object is added. A managed set is changed in a
/// write.
public final class MutableSet<Element: RealmCollectionValue> {
  private var contents: Contents

  private enum Contents {
    case unmanaged(UnmanagedSet<Element>)
    case managed(ManagedElements)
  }

  /// Makes an empty, unmanaged set.
  public init() { contents = .unmanaged(UnmanagedSet()) }

  init(_ place: _ValuePlace) { contents = .managed(ManagedElements(place)) }

  /// The row and property that the set belongs to; nil for an unmanaged one.
  var managed: ManagedElements? {
    if case .managed(let elements) = contents { elements } else { nil }
  }

  // MARK: Reading

  /// The number of elements.
  public var count: Int {
    switch contents {
    case .unmanaged(let set): set.elements.count
    case .managed(let set): set.count
    }
  }

  public subscript(position: Int) -> Element {
    switch contents {
    case .unmanaged(let set):
      guard set.elements.indices.contains(position) else {
        Misuse.trap("index \(position) is out of range of a set of \(count) elements")
      }
      return set.elements[position]
    case .managed(let set):
      if let element = set.element(position) { return Element._load(element, set.row.context) }
      set.row.context.refuse("index \(position) is out of range of a set of \(count) elements")
      return Element._load(.null, set.row.context)
    }
  }

  /// Whether an element is in the set.
  public func contains(_ element: Element) -> Bool {
    switch contents {
    case .unmanaged(let set): set.contains(element)
    case .managed(let set):
      set.stored(element).map { element in
        Element._meaning().map { meaning in set.elements.contains { meaning($0) == element } }
          ?? set.contains(element)
      } ?? false
    }
  }

  /// Whether all elements are also in another set.
  public func isSubset(of possibleSuperset: MutableSet) -> Bool {
    if let (own, others) = storedElements(possibleSuperset) { return own.isSubset(of: others) }
    let others = Set(possibleSuperset.map { ElementIdentity($0) })
    return allSatisfy { others.contains(ElementIdentity($0)) }
  }

  /// Whether some element is also in another set.
  public func intersects(_ otherSet: MutableSet) -> Bool {
    if let (own, others) = storedElements(otherSet) { return !own.isDisjoint(with: others) }
    let others = Set(otherSet.map { ElementIdentity($0) })
    return contains { others.contains(ElementIdentity($0)) }
  }

  /// What both sets hold, if they are of one realm: instances of one row there need not be equal.
  private func storedElements(_ other: MutableSet) -> (Set<_StoredValue>, Set<_StoredValue>)? {
    guard case .managed(let own) = contents, case .managed(let others) = other.contents,
      own.row.context === others.row.context
    else { return nil }
    guard let meaning = Element._meaning() else {
      return (Set(own.elements), Set(others.elements))
    }
    return (Set(own.elements.map(meaning)), Set(others.elements.map(meaning)))
  }

  // MARK: Changing

  /// Adds an element, unless it is there.
  public func insert(_ element: Element) { insert(objectsIn: CollectionOfOne(element)) }

  /// Adds those elements that are not there.
  public func insert<S: Sequence>(objectsIn elements: S) where S.Element == Element {
    switch contents {
    case .unmanaged:
      // Before the set is changed: they may come from it.
      let elements = Array(elements)
      changeUnmanaged { $0.insert(elements) }
    case .managed(let set):
      let context = set.row.context
      guard set.requireWrite() else { return }
      set.insert(elements.map { $0._store(context) })
    }
  }

  /// Changes the elements of an unmanaged set.
  private func changeUnmanaged(_ change: (inout UnmanagedSet<Element>) -> Void) {
    guard case .unmanaged(var set) = contents else { return }
    // They have one owner while they are changed.
    contents = .unmanaged(UnmanagedSet())
    change(&set)
    contents = .unmanaged(set)
  }

  /// Removes an element, if it is there; an object stays in the realm.
  public func remove(_ element: Element) {
    guard case .managed(let set) = contents else { return changeUnmanaged { $0.remove(element) } }
    if Element._meaning() == nil {
      guard set.requireWrite(), let removed = set.stored(element) else { return }
      if set.remove(removed) { return }
    }
    keep { _ in
      true
    } stored: { set in
      guard let removed = set.stored(element) else { return { _ in true } }
      return { $0 != removed }
    }
  }

  /// Removes all elements; objects stay in the realm.
  public func removeAll() {
    keep { _ in
      false
    } stored: { _ in
      { _ in false }
    }
  }

  /// Adds the elements of another set.
  public func formUnion(_ other: MutableSet) { insert(objectsIn: Array(other)) }

  /// Removes the elements that are not in another set.
  public func formIntersection(_ other: MutableSet) {
    let others = Array(other)
    let identities = Set(others.map { ElementIdentity($0) })
    keep {
      identities.contains(ElementIdentity($0))
    } stored: { set in
      let kept = Set(others.compactMap { set.stored($0) })
      return { kept.contains($0) }
    }
  }

  /// Removes the elements that are in another set.
  public func subtract(_ other: MutableSet) {
    let others = Array(other)
    let identities = Set(others.map { ElementIdentity($0) })
    keep {
      !identities.contains(ElementIdentity($0))
    } stored: { set in
      let removed = Set(others.compactMap { set.stored($0) })
      return { !removed.contains($0) }
    }
  }

  /// Keeps the elements that pass a test, which a managed set asks of what the file holds.
  private func keep(
    _ isKept: (Element) -> Bool, stored: (ManagedElements) -> (_StoredValue) -> Bool
  ) {
    switch contents {
    case .unmanaged: changeUnmanaged { $0.keep(isKept) }
    case .managed(let set):
      guard set.requireWrite() else { return }
      let old = set.elements
      let isKept = stored(set)
      let kept =
        Element._meaning().map { meaning in old.filter { isKept(meaning($0)) } }
        ?? old.filter(isKept)
      if kept.count < old.count { set.set(kept) }
    }
  }

  // MARK: Of a property

  public func _belongs(to row: _ManagedRow, _ position: Int) -> Bool {
    guard case .managed(let set) = contents else { return false }
    return set.place.isProperty(position, of: row)
  }

  public func _assign(_ other: MutableSet) {
    if self === other || managed.map({ $0.isSame(as: other.managed) }) ?? false { return }
    let elements = Array(other)
    removeAll()
    insert(objectsIn: elements)
  }

  public func _attach(_ row: _ManagedRow, _ position: Int) -> _Contents? {
    guard case .unmanaged(let set) = contents else { return nil }
    let elements = set.elements
    contents = .managed(ManagedElements(_ValuePlace(row, position)))
    if Element._storedType.type == .mixed {
      return .mixed { context in .set(elements.map { $0._store(context) }) }
    }
    if Element._storedType.target != nil {
      return .objects(elements.compactMap { $0 as? ObjectBase })
    }
    return .values(.set(elements.map { $0._store(nil) }))
  }
}

extension MutableSet: _Persistable {
  public static var _form: _PropertyForm { _PropertyForm(.set, Element._storedType) }

  public static var _problem: String? {
    guard let target = Element._storedType.target, target.isEmbedded() else { return nil }
    return "is a set of the embedded class '\(target.className())'; use a List or a Map, whose "
      + "elements can be owned"
  }

  public static var _isLive: Bool { true }
  public static func _default() -> MutableSet { MutableSet() }
  public static func _traced(_ tracer: _KeyPathTracer) -> MutableSet {
    let set = MutableSet()
    set.contents = .unmanaged(
      UnmanagedSet(CollectionOfOne(Element._tracedElement(tracer)).compactMap { $0 }))
    return set
  }

  public static func _read(_ row: _ManagedRow, _ position: Int) -> MutableSet {
    MutableSet(_ValuePlace(row, position))
  }

  public static func _write(_ row: _ManagedRow, _ position: Int, _ value: MutableSet) {
    MutableSet(_ValuePlace(row, position))._assign(value)
  }

  public static func _bridgeProperty(_ source: Any?) -> MutableSet? {
    let set = MutableSet()
    guard let source = AnyBridge.unwrapped(source) else { return set }
    guard let source = source as? any Sequence else { return nil }
    var elements: [Element] = []
    for element in source {
      guard let element = Element._bridge(element) else { return nil }
      elements.append(element)
    }
    set.insert(objectsIn: elements)
    return set
  }
}

extension MutableSet: ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) {
    self.init()
    insert(objectsIn: elements)
  }
}

extension MutableSet: Decodable where Element: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    insert(objectsIn: try [Element](from: decoder))
  }
}

extension MutableSet: Encodable where Element: Encodable {
  public func encode(to encoder: any Encoder) throws { try Array(self).encode(to: encoder) }
}
