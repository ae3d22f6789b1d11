internal import AtollObjects

/// What tells the elements of an unmanaged collection apart: what a file would hold for them, so
/// that strings of the same characters differ by their bytes.
enum ElementIdentity<Element: _MapValue>: Hashable {
  case stored(_StoredValue)
  /// An object, a collection in a mixed value, or a date that no file can hold.
  case element(Element)

  init(_ element: Element) {
    if Element._storedType.target == nil, !Self.isCompound(element), element.unheldDate == nil {
      self = .stored(element._store(nil))
    } else {
      self = .element(element)
    }
  }

  private static func isCompound(_ element: Element) -> Bool {
    guard Element._storedType.type == .mixed else { return false }
    return switch element as? AnyRealmValue {
    case .object, .list, .dictionary: true
    default: false
    }
  }
}

/// A comparison of what unmanaged collections hold.
///
/// Two collections are compared once, however many ways lead to them.
struct ContentEquality {
  private struct Pair: Hashable {
    var first: ObjectIdentifier
    var second: ObjectIdentifier
  }

  /// What is equal, or being compared: where it is not equal, the whole is not.
  private var pairs: Set<Pair> = []

  static func areEqual<Element: _MapValue>(
    _ a: some Sequence<Element>, _ b: some Sequence<Element>
  ) -> Bool {
    var comparison = ContentEquality()
    return comparison.areEqual(a, b, depth: 0)
  }

  static func areEqual<Key: _MapKey, Value: _MapValue>(
    _ a: Map<Key, Value>, _ b: Map<Key, Value>
  ) -> Bool {
    var comparison = ContentEquality()
    return comparison.areEqual(a, b, depth: 0)
  }

  static func areEqual(_ a: AnyRealmValue, _ b: AnyRealmValue) -> Bool {
    var comparison = ContentEquality()
    return comparison.areEqual(a, b, depth: 0)
  }

  /// Whether both have one of each element of the other.
  static func areEqual<Element: _MapValue>(
    asSets a: some Sequence<Element>, _ b: some Sequence<Element>
  ) -> Bool {
    Set(a.map { ElementIdentity($0) }) == Set(b.map { ElementIdentity($0) })
  }

  // `depth`: how many collections a value lies in.

  private mutating func areEqual<Element: _MapValue>(
    _ a: some Sequence<Element>, _ b: some Sequence<Element>, depth: Int
  ) -> Bool {
    a.elementsEqual(b) { areEqual($0, $1, depth: depth) }
  }

  private mutating func areEqual<Key: _MapKey, Value: _MapValue>(
    _ a: Map<Key, Value>, _ b: Map<Key, Value>, depth: Int
  ) -> Bool {
    a.entries.elementsEqual(b.entries) { a, b in
      a.key._key.utf8.elementsEqual(b.key._key.utf8) && areEqual(a.value, b.value, depth: depth)
    }
  }

  private mutating func areEqual<Element: _MapValue>(
    _ a: Element, _ b: Element, depth: Int
  ) -> Bool {
    guard let mixed = a as? AnyRealmValue, let other = b as? AnyRealmValue else {
      return ElementIdentity(a) == ElementIdentity(b)
    }
    return areEqual(mixed, other, depth: depth)
  }

  /// Whether both are of one type and equal; unmanaged collections, whether they hold the same.
  private mutating func areEqual(_ a: AnyRealmValue, _ b: AnyRealmValue, depth: Int) -> Bool {
    switch (a, b) {
    case (.list(let x), .list(let y)):
      guard x.managed == nil, y.managed == nil else { return x == y }
      return isNew(x, y)
        ? depth < MixedCoding.nestingLimit && areEqual(x, y, depth: depth + 1) : true
    case (.dictionary(let x), .dictionary(let y)):
      guard x.managed == nil, y.managed == nil else { return x == y }
      return isNew(x, y)
        ? depth < MixedCoding.nestingLimit && areEqual(x, y, depth: depth + 1) : true
    default: return a == b
    }
  }

  /// Whether two collections are to be compared: they are not one, nor were they compared before.
  private mutating func isNew(_ a: AnyObject, _ b: AnyObject) -> Bool {
    a !== b
      && pairs.insert(Pair(first: ObjectIdentifier(a), second: ObjectIdentifier(b))).inserted
  }
}
