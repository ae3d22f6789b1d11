// What a value holds, for those who know or guess its type; each is nil for a value of another
// type.

extension Value {
  /// The truth value; nil for a value of another type.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The number of an int; not of a bool or a double.
  public var int: Int64? { if case .int(let value) = self { value } else { nil } }

  /// The number of a float; not of a double.
  public var float: Float? { if case .float(let value) = self { value } else { nil } }

  /// The number of a double; not of a float or an int.
  public var double: Double? { if case .double(let value) = self { value } else { nil } }

  /// The number of a decimal; not of an int or a double.
  public var decimal: Decimal128? { if case .decimal(let value) = self { value } else { nil } }

  /// The string; nil for a value of another type.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The bytes of data; nil for a value of another type.
  public var data: [UInt8]? { if case .data(let value) = self { value } else { nil } }

  /// The moment; nil for a value of another type.
  public var date: Timestamp? { if case .date(let value) = self { value } else { nil } }

  /// The object id; nil for a value of another type.
  public var objectID: ObjectID? { if case .objectID(let value) = self { value } else { nil } }

  /// The UUID; nil for a value of another type.
  public var uuid: UniqueID? { if case .uuid(let value) = self { value } else { nil } }

  /// The address of the object that is linked to; nil for a value of another type.
  public var link: ObjectLink? { if case .link(let value) = self { value } else { nil } }

  /// The elements of a list; not of a set.
  public var list: [Value]? { if case .list(let value) = self { value } else { nil } }

  /// The elements of a set, in any order; not of a list.
  public var set: [Value]? { if case .set(let value) = self { value } else { nil } }

  /// The map; nil for a value of another type.
  public var map: ValueMap? { if case .map(let value) = self { value } else { nil } }
}

extension Value {
  /// Visits the links in the value; one that is in it twice twice.
  @inline(__always)
  func forEachLink<Failure: Error>(_ body: (ObjectLink) throws(Failure) -> Void) throws(Failure) {
    switch self {
    case .link(let link): try body(link)
    case .list, .set, .map: for link in links { try body(link) }
    default: break
    }
  }

  /// The value without the links that `isRemoved`, and how many those were.
  ///
  /// A list and a set lose their elements; a map keeps its keys, with null.
  func removingLinks(where isRemoved: (ObjectLink) -> Bool) -> (Value, removedCount: Int) {
    func isRemovedLink(_ value: Value) -> Bool { value.link.map(isRemoved) ?? false }
    switch self {
    case .list(let elements):
      let kept = elements.filter { !isRemovedLink($0) }
      return (.list(kept), elements.count - kept.count)
    case .set(let elements):
      let kept = elements.filter { !isRemovedLink($0) }
      return (.set(kept), elements.count - kept.count)
    case .map(var map):
      let removed = map.entries.filter { isRemovedLink($0.value) }
      for entry in removed { map[entry.key] = .some(.null) }
      return (.map(map), removed.count)
    default: return isRemovedLink(self) ? (.null, 1) : (self, 0)
    }
  }
}

extension Value: CustomStringConvertible {
  /// The value as people write it: `Oslo`, `2.5`, `2026-03-01T12:30:00Z`, `[a, b]`, `null`.
  ///
  /// Not for programs: the string `5` and the number 5 look the same. Data shows its length, a link
  /// the number of its class and of its object.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value): value
    case .data(let value): "\(value.count) bytes"
    case .date(let value): "\(value)"
    case .objectID(let value): "\(value)"
    case .uuid(let value): "\(value)"
    case .link(let value): "object \(value.table)#\(value.key)"
    case .list(let elements): "[\(Self.text(elements))]"
    case .set(let elements): "{\(Self.text(elements))}"
    case .map(let map):
      "{\(map.entries.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
    }
  }

  private static func text(_ elements: [Value]) -> String {
    elements.map(\.description).joined(separator: ", ")
  }
}

extension Value {
  /// The targets in a value of links; one that comes twice twice.
  package var links: [ObjectLink] {
    switch self {
    case .link(let link): [link]
    case .list(let elements), .set(let elements): elements.flatMap(\.links)
    case .map(let map): map.entries.flatMap(\.value.links)
    default: []
    }
  }

  /// What the value is, in the words of the query language.
  package var typeName: String {
    switch self {
    case .null: "null"
    case .list: "list"
    case .set: "set"
    case .map: "map"
    default: type?.queryName ?? "null"
    }
  }
}
