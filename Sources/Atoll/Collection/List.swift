internal import AtollObjects
public import Foundation

/// An ordered collection that a property of an object holds.
///
/// Like its object, a list is unmanaged at first, and a live view of the current version of its
/// realm from the moment on when the object is added. Elements of a managed list are changed in a
/// write.
public final class List<Element: RealmCollectionValue> {
  private var contents: Contents
  /// Whether the list is on a path that is being traced: it has an element at every place.
  private var isTraced = false

  private enum Contents {
    case unmanaged([Element])
    case managed(ManagedElements)
  }

  /// Makes an empty, unmanaged list.
  public init() { contents = .unmanaged([]) }

  init(_ place: _ValuePlace) { contents = .managed(ManagedElements(place)) }

  /// The row and property that the list belongs to; nil for an unmanaged one.
  var managed: ManagedElements? {
    if case .managed(let list) = contents { list } else { nil }
  }

  private static var isOfObjects: Bool { Element._storedType.target != nil }

  // MARK: Reading

  /// The number of elements.
  public var count: Int {
    switch contents {
    case .unmanaged(let elements): elements.count
    case .managed(let list): list.count
    }
  }

  /// The element at a position.
  ///
  /// An embedded object that is set where another element of the same list is exchanges its place
  /// with that one, so that a list of them can be sorted.
  public subscript(position: Int) -> Element {
    get {
      switch contents {
      case .unmanaged(let elements):
        if isTraced, let element = elements.first { return element }
        guard elements.indices.contains(position) else {
          Misuse.trap(Self.outside(position, elements.count))
        }
        return elements[position]
      case .managed(let list):
        guard let element = list.element(position) else {
          refuse(Self.outside(position, list.count))
          return Element._load(.null, list.row.context)
        }
        return list.load(element, position)
      }
    }
    set {
      guard isIndex(position, below: count) else { return }
      replaceSubrange(position..<position + 1, with: CollectionOfOne(newValue))
    }
  }

  /// The elements of a range; setting it puts any number of others in their place.
  public subscript(bounds: Range<Int>) -> ListSlice<Element> {
    get {
      _ = isRange(bounds, below: count)
      return ListSlice(self, bounds)
    }
    set {
      let (start, end) = (newValue.startIndex, newValue.endIndex)
      if isSame(as: newValue.base), bounds.lowerBound <= start, end <= bounds.upperBound {
        // What was done to elements of the slice was done to the list at once. Those that it has
        // left out are removed.
        if end < bounds.upperBound { removeSubrange(end..<bounds.upperBound) }
        if bounds.lowerBound < start { removeSubrange(bounds.lowerBound..<start) }
      } else {
        replaceSubrange(bounds, with: Array(newValue))
      }
    }
  }

  /// Ends the process for an index, or a range, that there is not.
  ///
  /// What may be wrong as the file failed to say how many elements there are is passed over, and the
  /// write that is open fails.
  func refuse(
    _ sentence: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
  ) {
    guard let managed else { Misuse.trap(sentence(), file: file, line: line) }
    managed.row.context.refuse(sentence(), file: file, line: line)
  }

  private static func outside(_ index: Int, _ end: Int) -> String {
    "index \(index) is out of range of a list of \(end) elements"
  }

  private func isIndex(_ index: Int, below end: Int) -> Bool {
    if index >= 0, index < end { return true }
    refuse(Self.outside(index, end))
    return false
  }

  // MARK: Changing

  /// Puts other elements in the place of a range.
  public func replaceSubrange<C: Collection>(_ range: Range<Int>, with newElements: C)
  where C.Element == Element {
    switch contents {
    case .unmanaged(var elements):
      guard isRange(range, below: elements.count) else { return }
      contents = .unmanaged([])
      elements.replaceSubrange(range, with: newElements)
      contents = .unmanaged(elements)
    case .managed(let list):
      guard list.requireWrite(), isRange(range, below: list.count) else { return }
      if list.isOwning {
        list.replaceOwned(range, with: newElements.compactMap { $0 as? ObjectBase })
      } else {
        list.replace(range, with: newElements.map { $0._store(list.row.context) })
      }
    }
  }

  /// Puts other elements in the place of a range.
  public func replaceSubrange<C: Collection, R: RangeExpression<Int>>(
    _ range: R, with newElements: C
  ) where C.Element == Element {
    replaceSubrange(bounds(range), with: newElements)
  }

  /// The places that an expression means, as `2...`.
  private func bounds(_ range: some RangeExpression<Int>) -> Range<Int> {
    guard let context = managed?.row.context else { return range.relative(to: self) }
    let end = count
    guard context.hasMetFailure else { return range.relative(to: self) }
    // Of a list that may only seem to be so short `2...` would end the process.
    let meant = range.relative(to: 0..<Int.max)
    return meant.upperBound == .max && meant.lowerBound <= end ? meant.lowerBound..<end : meant
  }

  private func isRange(_ range: Range<Int>, below end: Int) -> Bool {
    if range.lowerBound >= 0, range.upperBound <= end { return true }
    refuse("the range \(range) is out of range of a list of \(end) elements")
    return false
  }

  /// Adds an element at the end.
  public func append(_ element: Element) { insert(element, at: count) }

  /// Adds elements at the end.
  public func append<S: Sequence>(objectsIn elements: S) where S.Element == Element {
    let end = count
    replaceSubrange(end..<end, with: Array(elements))
  }

  /// Inserts an element before the one at a position.
  public func insert(_ element: Element, at index: Int) {
    guard isPlace(index) else { return }
    replaceSubrange(index..<index, with: CollectionOfOne(element))
  }

  /// Inserts elements before the one at a position.
  public func insert<C: Collection>(contentsOf elements: C, at index: Int)
  where C.Element == Element {
    guard isPlace(index) else { return }
    replaceSubrange(index..<index, with: elements)
  }

  private func isPlace(_ index: Int) -> Bool {
    let end = count
    if index >= 0, index <= end { return true }
    refuse("index \(index) is no place in a list of \(end) elements")
    return false
  }

  /// Removes an element; an object that is not embedded stays in the realm.
  public func remove(at index: Int) {
    guard isIndex(index, below: count) else { return }
    removeSubrange(index..<index + 1)
  }

  /// Removes elements; objects that are not embedded stay in the realm.
  public func removeSubrange(_ range: Range<Int>) {
    replaceSubrange(range, with: EmptyCollection())
  }

  /// Removes elements; objects that are not embedded stay in the realm.
  public func removeSubrange<R: RangeExpression<Int>>(_ range: R) {
    removeSubrange(bounds(range))
  }

  /// Removes elements from the start.
  public func removeFirst(_ number: Int = 1) {
    guard isNumber(number, of: count) else { return }
    removeSubrange(0..<number)
  }

  /// Removes elements from the end.
  public func removeLast(_ number: Int = 1) {
    let end = count
    guard isNumber(number, of: end) else { return }
    removeSubrange(end - number..<end)
  }

  private func isNumber(_ number: Int, of end: Int) -> Bool {
    if number >= 0, number <= end { return true }
    refuse("\(number) elements cannot be removed from a list of \(end)")
    return false
  }

  /// Removes all elements; objects that are not embedded stay in the realm.
  public func removeAll() { removeSubrange(0..<count) }

  /// Replaces an element.
  public func replace(index: Int, object: Element) { self[index] = object }

  /// Moves an element to another position.
  public func move(from: Int, to: Int) {
    let end = count
    guard isIndex(from, below: end), isIndex(to, below: end) else { return }
    rearrange(moving: [from], of: end) { order in order.insert(order.remove(at: from), at: to) }
  }

  /// Exchanges two elements.
  public func swapAt(_ index1: Int, _ index2: Int) {
    let end = count
    guard isIndex(index1, below: end), isIndex(index2, below: end) else { return }
    rearrange(moving: [index1, index2], of: end) { $0.swapAt(index1, index2) }
  }

  /// Removes the elements at these positions.
  public func remove(atOffsets offsets: IndexSet) {
    let end = count
    guard offsets.allSatisfy({ isIndex($0, below: end) }) else { return }
    switch contents {
    case .unmanaged(var elements):
      for offset in offsets.reversed() { elements.remove(at: offset) }
      contents = .unmanaged(elements)
    case .managed(let list):
      guard list.requireWrite() else { return }
      list.remove(offsets)
    }
  }

  /// Moves elements to before the one at a position.
  public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
    let end = count
    guard offsets.allSatisfy({ isIndex($0, below: end) }), isPlace(destination) else { return }
    rearrange(moving: Set(offsets), of: end) { order in
      let place = destination - offsets.count(in: 0..<destination)
      order = order.filter { !offsets.contains($0) }
      order.insert(contentsOf: offsets, at: place)
    }
  }

  /// Puts the elements in another order.
  ///
  /// In a synced realm an element that moves stays the same one: what another device does with it
  /// at once is done to it where it is then.
  ///
  /// `moved`: the positions of those that move; others do as far as they must. `end`: the number of
  /// elements. `change`: gets all positions.
  func rearrange(
    moving moved: Set<Int>, of end: Int, _ change: (inout [Int]) throws -> Void
  ) rethrows {
    var order = Array(0..<end)
    try change(&order)
    switch contents {
    case .unmanaged(let elements): contents = .unmanaged(order.map { elements[$0] })
    case .managed(let list):
      guard list.requireWrite() else { return }
      list.rearrange(order, moved: moved)
    }
  }

  // MARK: Of a property

  public func _belongs(to row: _ManagedRow, _ position: Int) -> Bool {
    guard case .managed(let list) = contents else { return false }
    return list.place.isProperty(position, of: row)
  }

  private func isSame(as other: List) -> Bool {
    self === other || managed.map { $0.isSame(as: other.managed) } ?? false
  }

  public func _assign(_ other: List) {
    if isSame(as: other) { return }
    if let managed, !managed.isOwning {
      guard managed.requireWrite() else { return }
      managed.set(other.map { $0._store(managed.row.context) })
    } else {
      replaceSubrange(0..<count, with: Array(other))
    }
  }

  public func _attach(_ row: _ManagedRow, _ position: Int) -> _Contents? {
    guard case .unmanaged(let elements) = contents else { return nil }
    contents = .managed(ManagedElements(_ValuePlace(row, position)))
    if Element._storedType.type == .mixed {
      return .mixed { context in .list(elements.map { $0._store(context) }) }
    }
    if Self.isOfObjects { return .objects(elements.compactMap { $0 as? ObjectBase }) }
    return .values(.list(elements.map { $0._store(nil) }))
  }
}

extension List: _Persistable {
  public static var _form: _PropertyForm { _PropertyForm(.list, Element._storedType) }
  public static var _isLive: Bool { true }
  public static func _default() -> List { List() }
  public static func _traced(_ tracer: _KeyPathTracer) -> List {
    let list = List()
    list.contents = .unmanaged(Element._tracedElement(tracer).map { [$0] } ?? [])
    list.isTraced = true
    return list
  }

  public static func _read(_ row: _ManagedRow, _ position: Int) -> List {
    List(_ValuePlace(row, position))
  }

  public static func _write(_ row: _ManagedRow, _ position: Int, _ value: List) {
    List(_ValuePlace(row, position))._assign(value)
  }

  public static func _bridgeProperty(_ source: Any?) -> List? {
    let list = List()
    switch AnyBridge.unwrapped(source) {
    case nil: return list
    case let source as any Sequence:
      if let source = AnyBridge.instance(of: List.self, source) {
        list.append(objectsIn: source)
        return list
      }
      for element in source {
        guard let element = Element._bridge(element) else { return nil }
        list.append(element)
      }
      return list
    default: return nil
    }
  }
}

extension List: MutableCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// Goes over the elements that there are now, whatever the loop does to the list.
  public func makeIterator() -> RLMIterator<Element> {
    switch contents {
    case .unmanaged(let elements): RLMIterator(elements)
    case .managed(let list): RLMIterator(list.loopElements, in: list.place)
    }
  }
}

extension List: ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) {
    self.init()
    append(objectsIn: elements)
  }
}

extension List: Decodable where Element: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { append(try container.decode(Element.self)) }
  }
}

extension List: Encodable where Element: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}
