/// What a property holds, as the model of `simulate api` knows it.
indirect enum ApiValue: Hashable {
  case null
  case bool(Bool)
  case int(Int64)
  case float(Float)
  case double(Double)
  case string(String)
  case data([UInt8])
  /// Seconds since 1970.
  case date(Double)
  /// A decimal number, an object id, a UUID: its text.
  case decimal(String)
  case objectId(String)
  case uuid(String)
  /// The number of an object.
  case object(Int)
  case list([ApiValue])
  case set(Set<ApiValue>)
  case map([String: ApiValue])

  var isInteger: Bool { if case .int = self { true } else { false } }

  /// The numbers of the objects that a property's value leads to.
  var objects: [Int] {
    switch self {
    case .object(let number): [number]
    case .list(let elements): elements.flatMap(\.objects)
    case .set(let members): members.flatMap(\.objects)
    case .map(let entries): entries.values.flatMap(\.objects)
    default: []
    }
  }

  /// The value after some objects were deleted: links to them are gone, except for the keys of maps
  /// and the elements of mixed values, which are null.
  func removing(_ gone: Set<Int>, isMixed: Bool = false) -> ApiValue {
    func isGone(_ value: ApiValue) -> Bool {
      if case .object(let number) = value { gone.contains(number) } else { false }
    }
    switch self {
    case .object(let number): return gone.contains(number) ? .null : self
    case .list(let elements):
      let kept = isMixed ? elements : elements.filter { !isGone($0) }
      return .list(kept.map { $0.removing(gone, isMixed: isMixed) })
    case .set(let members): return .set(members.filter { !isGone($0) })
    case .map(let entries):
      return .map(entries.mapValues { $0.removing(gone, isMixed: isMixed) })
    default: return self
    }
  }
}

extension ApiValue: CustomStringConvertible {
  var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .float(let value): "\(value)f"
    case .double(let value): "\(value)"
    case .string(let value): "\"\(value)\""
    case .data(let bytes): "data\(bytes)"
    case .date(let seconds): "date(\(seconds))"
    case .decimal(let text): "decimal(\(text))"
    case .objectId(let text): "objectId(\(text))"
    case .uuid(let text): "uuid(\(text.prefix(8)))"
    case .object(let number): "#\(number)"
    case .list(let elements): "[\(elements.map(\.description).joined(separator: ", "))]"
    case .set(let members): "{\(members.map(\.description).sorted().joined(separator: ", "))}"
    case .map(let entries):
      "["
        + entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        .joined(separator: ", ") + "]"
    }
  }
}

extension ApiValue: Comparable {
  /// An order of the values of one type, for lists that are sorted in place.
  static func < (a: ApiValue, b: ApiValue) -> Bool {
    switch (a, b) {
    case (.int(let a), .int(let b)): a < b
    case (.double(let a), .double(let b)): a < b
    case (.object(let a), .object(let b)): a < b
    default: a.description < b.description
    }
  }
}
