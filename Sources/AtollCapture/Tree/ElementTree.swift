import AtollObjects
import AtollStorage

/// Ids and positions of the elements of all synced lists, those that wait included.
///
/// A list has a number. Its elements lie in the order of the list, so that the branches of the tree
/// count the elements before one; and once more by id. An element so costs a leaf or two, however
/// long the list. The tree's bytes: Format.md, "Trees of a device".
///
/// Until a list's elements first change, one value that has them all may stand for them, as builds
/// before wrote it (`Capture.elements`).
struct ElementTree {
  /// The first byte of a key.
  private enum Kind {
    static let list: UInt8 = 0
    static let place: UInt8 = 1
    static let id: UInt8 = 2
    static let counter: UInt8 = 3
  }

  let tree: NamedTree

  // MARK: Lists

  /// The number of a list; nil when it has no elements here.
  func number(_ object: [UInt8], _ property: String) throws(ObjectError) -> UInt64? {
    guard tree.count > 0, let bytes = try tree.get(Self.listKey(object, property)) else {
      return nil
    }
    return try Self.decodeNumber(bytes)
  }

  /// Gives a list that has no number the next one.
  func makeNumber(_ object: [UInt8], _ property: String) throws(ObjectError) -> UInt64 {
    let number = try tree.get([Kind.counter]).map(Self.decodeNumber) ?? 0
    try tree.set(Self.encode(number + 1), for: [Kind.counter])
    try tree.set(Self.encode(number), for: Self.listKey(object, property))
    return number
  }

  /// The lists of an object, by property.
  func numbers(_ object: [UInt8]) throws(ObjectError) -> [(property: String, number: UInt64)] {
    guard tree.count > 0 else { return [] }
    var numbers: [(property: String, number: UInt64)] = []
    let prefix = [Kind.list] + object
    try tree.visit(prefix: prefix) { key, bytes throws(ObjectError) in
      guard let (name, rest) = CaptureKey.name(key[prefix.count...]), rest.isEmpty else {
        throw ObjectError.damagedRecord
      }
      numbers.append((name, try Self.decodeNumber(bytes)))
      return true
    }
    return numbers
  }

  /// Forgets a list that has no elements any more.
  func removeNumber(_ object: [UInt8], _ property: String) throws(ObjectError) {
    try tree.set(nil, for: Self.listKey(object, property))
  }

  // MARK: Elements

  func count(_ list: UInt64) throws(ObjectError) -> Int {
    try tree.rank(of: Self.prefix(Kind.place, list + 1)) - first(list)
  }

  /// The element before which `index` others lie; nil when there are no more than these.
  func element(_ list: UInt64, at index: Int) throws(ObjectError) -> ListElement? {
    guard index >= 0, let (key, _) = try tree.entry(atOrdinal: first(list) + index),
      key.starts(with: Self.prefix(Kind.place, list))
    else { return nil }
    return try Self.element(key)
  }

  /// How many elements lie before one, which need not be there.
  func index(_ list: UInt64, of element: ListElement) throws(ObjectError) -> Int {
    try tree.rank(of: Self.placeKey(list, element)) - first(list)
  }

  /// Where an element stands; nil when it is not there.
  func position(_ list: UInt64, of id: ElementID) throws(ObjectError) -> ListPosition? {
    guard let bytes = try tree.get(Self.idKey(list, id)) else { return nil }
    guard let position = ListPosition(decoding: bytes) else { throw ObjectError.damagedRecord }
    return position
  }

  /// All elements of a list, in order.
  func elements(_ list: UInt64) throws(ObjectError) -> [ListElement] {
    var elements: [ListElement] = []
    try tree.visit(prefix: Self.prefix(Kind.place, list)) { key, _ throws(ObjectError) in
      elements.append(try Self.element(key))
      return true
    }
    return elements
  }

  /// Adds an element, or moves the one with this id.
  func set(_ list: UInt64, _ element: ListElement) throws(ObjectError) {
    if let old = try position(list, of: element.id) {
      guard old != element.position else { return }
      try tree.set(
        nil, for: Self.placeKey(list, ListElement(id: element.id, position: old)))
    }
    try tree.set([], for: Self.placeKey(list, element))
    try tree.set(element.position.bytes, for: Self.idKey(list, element.id))
  }

  func remove(_ list: UInt64, _ id: ElementID) throws(ObjectError) {
    guard let position = try position(list, of: id) else { return }
    try tree.set(nil, for: Self.placeKey(list, ListElement(id: id, position: position)))
    try tree.set(nil, for: Self.idKey(list, id))
  }

  /// Removes all that is kept of the elements of a list, also where it does not fit together.
  func removeElements(of list: UInt64) throws(ObjectError) {
    var keys: [[UInt8]] = []
    for kind in [Kind.place, Kind.id] {
      try tree.forEach(prefix: Self.prefix(kind, list)) { key, _ throws(ObjectError) in
        keys.append(key)
      }
    }
    for key in keys { try tree.set(nil, for: key) }
  }

  /// Sets the number of the next list.
  func setNext(_ number: UInt64) throws(ObjectError) {
    try tree.set(Self.encode(number), for: [Kind.counter])
  }

  private func first(_ list: UInt64) throws(ObjectError) -> Int {
    try tree.rank(of: Self.prefix(Kind.place, list))
  }

  // MARK: Keys

  /// What an entry says.
  enum Entry {
    case list(object: ObjectAddress, property: String, number: UInt64)
    case place(list: UInt64, ListElement)
    case id(list: UInt64, ListElement)
    case counter(UInt64)
  }

  static func entry(_ key: [UInt8], _ value: [UInt8]) throws(ObjectError) -> Entry {
    func list() -> UInt64 { CaptureKey.bigEndian(key[1..<9]) }
    switch key.first {
    case Kind.list:
      guard let (object, rest) = CaptureKey.address(Array(key[1...])),
        let (name, end) = CaptureKey.name(rest), end.isEmpty
      else { throw .damagedRecord }
      return .list(object: object, property: name, number: try decodeNumber(value))
    case Kind.place where key.count > 9: return .place(list: list(), try element(key))
    case Kind.id where key.count == 29:
      guard let id = CaptureKey.elementID(key[9...]), let position = ListPosition(decoding: value)
      else { throw .damagedRecord }
      return .id(list: list(), ListElement(id: id, position: position))
    case Kind.counter where key.count == 1: return .counter(try decodeNumber(value))
    default: throw .damagedRecord
    }
  }

  private static func listKey(_ object: [UInt8], _ property: String) -> [UInt8] {
    [Kind.list] + CaptureKey.property(object, property)
  }

  private static func prefix(_ kind: UInt8, _ list: UInt64) -> [UInt8] {
    [kind] + CaptureKey.number(list)
  }

  /// Orders as elements do: the zero lies below the first byte of any number of a position.
  private static func placeKey(_ list: UInt64, _ element: ListElement) -> [UInt8] {
    var key = prefix(Kind.place, list)
    key += element.position.bytes
    key.append(0)
    key += CaptureKey.elementID(element.id)
    return key
  }

  private static func idKey(_ list: UInt64, _ id: ElementID) -> [UInt8] {
    prefix(Kind.id, list) + CaptureKey.elementID(id)
  }

  private static func element(_ key: [UInt8]) throws(ObjectError) -> ListElement {
    guard key.count > 30, key[key.count - 21] == 0,
      let id = CaptureKey.elementID(key.suffix(20)),
      let position = ListPosition(decoding: Array(key[9..<key.count - 21]))
    else { throw ObjectError.damagedRecord }
    return ListElement(id: id, position: position)
  }

  private static func encode(_ number: UInt64) -> [UInt8] {
    var writer = RecordedWriter()
    writer.append(varint: number)
    return writer.bytes
  }

  private static func decodeNumber(_ bytes: [UInt8]) throws(ObjectError) -> UInt64 {
    try Capture.decode { () throws(ValueCodingError) in
      var reader = RecordedReader(bytes)
      let number = try reader.readVarint()
      try reader.finish()
      // There is a next one.
      guard number < .max else { throw .invalidContents(byteOffset: 0) }
      return number
    }
  }
}
