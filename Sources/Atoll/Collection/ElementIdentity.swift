internal import AtollObjects

/// What tells the elements of an unmanaged collection apart: what a file would hold for them, so
/// that strings of the same characters differ by their bytes.
enum ElementIdentity<Element: _MapValue>: Hashable {
  case stored(_StoredValue)
  /// An object, or a collection in a mixed value.
  case element(Element)

  init(_ element: Element) {
    if Element._storedType.target == nil, !Self.isCompound(element) {
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

/// A key by its bytes: two spellings of one text are two keys, as a file has them.
struct ByteKey: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (a: ByteKey, b: ByteKey) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  func hash(into hasher: inout Hasher) { hasher.combine(_StoredValue.string(text)) }
}

/// Whether unmanaged collections hold the same.
enum ContentEquality {
  static func areEqual<Element: _MapValue>(
    _ a: some Sequence<Element>, _ b: some Sequence<Element>, depth: Int = 0
  ) -> Bool {
    a.elementsEqual(b) { areEqual($0, $1, depth: depth) }
  }

  /// Whether both have one of each element of the other.
  static func areEqual<Element: _MapValue>(
    asSets a: some Sequence<Element>, _ b: some Sequence<Element>
  ) -> Bool {
    Set(a.map { ElementIdentity($0) }) == Set(b.map { ElementIdentity($0) })
  }

  static func areEqual<Key: _MapKey, Value: _MapValue>(
    _ a: Map<Key, Value>, _ b: Map<Key, Value>, depth: Int = 0
  ) -> Bool {
    a.entries.elementsEqual(b.entries) { a, b in
      a.key._key.utf8.elementsEqual(b.key._key.utf8) && areEqual(a.value, b.value, depth: depth)
    }
  }

  private static func areEqual<Element: _MapValue>(
    _ a: Element, _ b: Element, depth: Int
  ) -> Bool {
    guard let mixed = a as? AnyRealmValue, let other = b as? AnyRealmValue else {
      return ElementIdentity(a) == ElementIdentity(b)
    }
    return areEqual(mixed, other, depth: depth)
  }

  /// Whether both are of one type and equal; unmanaged collections, whether they hold the same.
  ///
  /// `depth`: how many collections they lie in; one may lie in itself.
  static func areEqual(_ a: AnyRealmValue, _ b: AnyRealmValue, depth: Int) -> Bool {
    switch (a, b) {
    case (.list(let x), .list(let y)):
      if x === y { return true }
      guard x.managed == nil, y.managed == nil else { return x == y }
      return depth < MixedCoding.nestingLimit && areEqual(x, y, depth: depth + 1)
    case (.dictionary(let x), .dictionary(let y)):
      if x === y { return true }
      guard x.managed == nil, y.managed == nil else { return x == y }
      return depth < MixedCoding.nestingLimit && areEqual(x, y, depth: depth + 1)
    case (.string(let x), .string(let y)): return x.utf8.elementsEqual(y.utf8)
    default: return a == b
    }
  }
}
