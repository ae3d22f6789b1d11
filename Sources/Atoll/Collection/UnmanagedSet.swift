internal import AtollObjects

/// The elements of an unmanaged set, in the order in which they came.
///
/// Cost: as a hash table for values, and for objects that no realm manages; all elements are looked
/// through for anything else, once for all that are inserted together, and for a removal.
struct UnmanagedSet<Element: RealmCollectionValue> {
  private(set) var elements: [Element] = []
  /// What a file would hold for those that have such an identity, which never changes.
  ///
  /// The hash of an object changes when a realm manages it, and a collection in a mixed value may
  /// change as a whole.
  private var values: Set<_StoredValue> = []
  /// The instances of objects.
  private var instances: Set<ObjectIdentifier> = []

  init() {}

  init(_ elements: some Sequence<Element>) { insert(elements) }

  func contains(_ element: Element) -> Bool {
    knows(element, ElementIdentity(element)) ?? elements.contains(element)
  }

  /// Whether an element is in the set; nil where that takes a look at all elements.
  private func knows(_ element: Element, _ identity: ElementIdentity<Element>) -> Bool? {
    if case .stored(let value) = identity { return values.contains(value) }
    guard let object = element as? ObjectBase else { return nil }
    if instances.contains(ObjectIdentifier(object)) { return true }
    // One that no realm manages equals no other instance.
    return object._row == nil ? false : nil
  }

  /// Adds those elements that are not there.
  mutating func insert(_ newElements: some Sequence<Element>) {
    // Of all elements; made when one asks for it.
    var identities: Set<ElementIdentity<Element>>?
    for element in newElements {
      let identity = ElementIdentity(element)
      var isKnown = knows(element, identity)
      if isKnown == nil, identities == nil {
        identities = Set(elements.map { ElementIdentity($0) })
      }
      if isKnown != true, let insertion = identities?.insert(identity) {
        isKnown = !insertion.inserted
      }
      if isKnown != true { append(element, identity) }
    }
  }

  private mutating func append(_ element: Element, _ identity: ElementIdentity<Element>) {
    elements.append(element)
    if case .stored(let value) = identity {
      values.insert(value)
    } else if let object = element as? ObjectBase {
      instances.insert(ObjectIdentifier(object))
    }
  }

  mutating func remove(_ element: Element) {
    guard contains(element) else { return }
    let identity = ElementIdentity(element)
    keep { ElementIdentity($0) != identity }
  }

  /// Keeps the elements that pass a test.
  mutating func keep(_ isKept: (Element) -> Bool) {
    let old = elements
    elements = []
    values = []
    instances = []
    for element in old where isKept(element) { append(element, ElementIdentity(element)) }
  }
}
