#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import AtollObjects

/// Whether two values are the same bit for bit.
///
/// `==` on values is looser on purpose: 1 equals 1.0, -0 equals 0, and a set equals another in any
/// order. What was stored must come back as it was.
func isExactly(_ a: Value, _ b: Value) -> Bool {
  switch (a, b) {
  case (.null, .null): true
  case (.bool(let x), .bool(let y)): x == y
  case (.int(let x), .int(let y)): x == y
  case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern
  case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
  case (.decimal(let x), .decimal(let y)): x.bitPattern == y.bitPattern
  case (.string(let x), .string(let y)): haveSameBytes(x, y)
  case (.data(let x), .data(let y)): x == y
  case (.date(let x), .date(let y)): x == y
  case (.objectID(let x), .objectID(let y)): x == y
  case (.uuid(let x), .uuid(let y)): x == y
  case (.link(let x), .link(let y)): x == y
  case (.list(let x), .list(let y)), (.set(let x), .set(let y)):
    x.elementsEqual(y, by: isExactly)
  case (.map(let x), .map(let y)):
    x.entries.elementsEqual(y.entries) {
      haveSameBytes($0.key, $1.key) && isExactly($0.value, $1.value)
    }
  default: false
  }
}

/// Whether two strings are the same bytes; `==` on strings takes equivalent ones for equal.
func haveSameBytes(_ a: String, _ b: String) -> Bool {
  var a = a
  var b = b
  return a.withUTF8 { a in
    b.withUTF8 { b in
      guard a.count == b.count else { return false }
      guard let x = a.baseAddress, let y = b.baseAddress else { return true }
      return memcmp(x, y, a.count) == 0
    }
  }
}

extension Value {
  /// The value for a message: long ones cut.
  var brief: String {
    let text = "\(self)"
    return text.utf8.count > 160 ? "\(text.prefix(160))… (\(text.utf8.count) bytes)" : text
  }

  /// The targets in a value of links, one that comes twice twice.
  var targets: [ObjectLink] {
    switch self {
    case .link(let link): [link]
    case .list(let elements), .set(let elements): elements.flatMap(\.targets)
    case .map(let map): map.entries.flatMap(\.value.targets)
    default: []
    }
  }

  /// What a property holds until it is set.
  static func initial(_ property: PropertySchema) -> Value {
    switch property.collection {
    case .list: return .list([])
    case .set: return .set([])
    case .map: return .map(ValueMap())
    case .none: break
    }
    if property.isOptional { return .null }
    switch property.type {
    case .bool: return .bool(false)
    case .int: return .int(0)
    case .float: return .float(0)
    case .double: return .double(0)
    case .decimal: return .decimal(Decimal128(low: 0, high: 0))
    case .string: return .string("")
    case .data: return .data([])
    case .date: return .date(Timestamp(seconds: 0, nanoseconds: 0) ?? .distant)
    case .objectID: return .objectID(ObjectID(seconds: 0, random: 0, counter: 0))
    case .uuid: return .uuid(UniqueID(high: 0, low: 0))
    case .mixed, .link: return .null
    }
  }

  /// A set of these elements: each once, in the order of sorting.
  static func ordered(_ elements: [Value]) -> Value {
    var kept: [Value] = []
    for element in elements where !kept.contains(element) { kept.append(element) }
    // Insertion, so that the model does not lean on the library's sort.
    var sorted: [Value] = []
    for element in kept {
      let place = sorted.firstIndex { Value.sortOrder(element, $0) == .less } ?? sorted.count
      sorted.insert(element, at: place)
    }
    return .set(sorted)
  }
}

extension Timestamp {
  private init(_ seconds: Int64) {
    guard let date = Timestamp(normalizing: seconds, nanoseconds: 0) else {
      preconditionFailure("whole seconds make a date")
    }
    self = date
  }

  /// A date that no test uses by accident.
  static let distant = Timestamp(.max / 2)
}
