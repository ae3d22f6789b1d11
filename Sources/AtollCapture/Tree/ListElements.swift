package import AtollObjects

/// Ids and positions of the elements of one synced list, those that wait included, in order.
///
/// Indices count the elements that wait too.
///
/// - Complexity: Each call costs a few descents, however long the list; `all` and `replace` cost
///   the list.
struct ListElements {
  private let tree: ElementTree
  private let list: UInt64

  init(_ tree: ElementTree, _ list: UInt64) {
    self.tree = tree
    self.list = list
  }

  var count: Int { get throws(ObjectError) { try tree.count(list) } }

  var all: [ListElement] { get throws(ObjectError) { try tree.elements(list) } }

  /// The element at an index; nil beyond both ends.
  func element(at index: Int) throws(ObjectError) -> ListElement? {
    try tree.element(list, at: index)
  }

  /// How many elements lie before one, which need not be there.
  func index(of element: ListElement) throws(ObjectError) -> Int {
    try tree.index(list, of: element)
  }

  /// The index of an element and where it stands; nil when it is not there.
  func find(_ id: ElementID) throws(ObjectError) -> (index: Int, position: ListPosition)? {
    guard let position = try tree.position(list, of: id) else { return nil }
    return (try tree.index(list, of: ListElement(id: id, position: position)), position)
  }

  func position(of id: ElementID) throws(ObjectError) -> ListPosition? {
    try tree.position(list, of: id)
  }

  /// Adds an element, or moves the one with this id.
  func set(_ element: ListElement) throws(ObjectError) { try tree.set(list, element) }

  func remove(_ id: ElementID) throws(ObjectError) { try tree.remove(list, id) }

  /// Makes these all elements; writes what differs.
  func replace(with elements: [ListElement]) throws(ObjectError) {
    let old = try all
    guard old != elements else { return }
    let kept = Set(elements)
    for element in old where !kept.contains(element) { try remove(element.id) }
    let known = Set(old)
    for element in elements where !known.contains(element) { try set(element) }
  }
}

extension Capture {
  /// The elements of a list, to be read and changed one by one.
  func list(of object: ObjectAddress, _ property: String) throws(ObjectError) -> ListElements {
    let key = CaptureKey.object(object)
    if let number = try places.number(key, property) { return ListElements(places, number) }
    let list = ListElements(places, try places.makeNumber(key, property))
    // As builds before wrote them.
    let old = CaptureKey.property(key, property)
    guard !elements.isEmpty, let bytes = try elements.get(old) else { return list }
    try list.replace(
      with: try Self.decode { () throws(ValueCodingError) in try Self.elements(bytes) })
    try elements.set(nil, for: old)
    return list
  }

  /// Ids and positions of a list's elements, those that wait included, in order.
  package func elements(of object: ObjectAddress, _ property: String) throws(ObjectError)
    -> [ListElement]
  {
    let key = CaptureKey.object(object)
    if let number = try places.number(key, property) { return try places.elements(number) }
    guard !elements.isEmpty,
      let bytes = try elements.get(CaptureKey.property(key, property))
    else { return [] }
    return try Self.decode { () throws(ValueCodingError) in try Self.elements(bytes) }
  }

  func setElements(_ list: [ListElement], of object: ObjectAddress, _ property: String)
    throws(ObjectError)
  {
    let key = CaptureKey.object(object)
    guard list.isEmpty else { return try self.list(of: object, property).replace(with: list) }
    if !elements.isEmpty { try elements.set(nil, for: CaptureKey.property(key, property)) }
    guard let number = try places.number(key, property) else { return }
    try ListElements(places, number).replace(with: [])
    try places.removeNumber(key, property)
  }

  /// Forgets the elements of all lists of an object.
  func removeElements(of object: ObjectAddress) throws(ObjectError) {
    let key = CaptureKey.object(object)
    if !elements.isEmpty { try elements.removeAll(prefix: key) }
    for (property, number) in try places.numbers(key) {
      try places.removeElements(of: number)
      try places.removeNumber(key, property)
    }
  }

  /// The elements of a list in one value, as builds before wrote them.
  static func elements(_ bytes: [UInt8]) throws(ValueCodingError) -> [ListElement] {
    var reader = RecordedReader(bytes)
    var list: [ListElement] = []
    for _ in 0..<(try reader.readCount()) {
      list.append(ListElement(id: try reader.readElementID(), position: try reader.readPosition()))
    }
    try reader.finish()
    return list
  }
}
