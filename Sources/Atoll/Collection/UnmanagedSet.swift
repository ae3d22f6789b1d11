internal import AtollObjects

/// The elements of an unmanaged set, in the order in which they came.
///
/// Cost: as a hash table for values, and for objects that no realm manages; for anything else all
/// elements are looked through.
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

  func contains(_ element: Element) -> Bool { contains(element, ElementIdentity(element)) }

  private func contains(_ element: Element, _ identity: ElementIdentity<Element>) -> Bool {
    if case .stored(let value) = identity { return values.contains(value) }
    if let object = element as? ObjectBase {
      if instances.contains(ObjectIdentifier(object)) { return true }
      // It equals no other instance.
      if object._row == nil { return false }
    }
    return elements.contains(element)
  }

  /// Adds those elements that are not there.
  mutating func insert(_ newElements: some Sequence<Element>) {
    for element in newElements {
      let identity = ElementIdentity(element)
      if !contains(element, identity) { append(element, identity) }
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
