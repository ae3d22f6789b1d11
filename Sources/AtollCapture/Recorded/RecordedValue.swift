package import AtollObjects

/// A value as operations, images and messages carry it: links are addresses, embedded objects
/// values.
///
/// `==` is identity of the bytes, not that of queries: 1 and 1.0 differ, as 0 and -0 do; NaN equals
/// itself.
///
/// 17 bytes, a stride of 24: a mixed value may hold a million of them, and what is larger lies in a
/// box of its own.
package enum RecordedValue: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case float(Float)
  case double(Double)
  case decimal(Decimal128)
  case string(String)
  case data([UInt8])
  case date(Timestamp)
  case objectID(ObjectID)
  case uuid(UniqueID)
  indirect case link(ObjectAddress)
  indirect case embedded(EmbeddedValue)
  case list([RecordedValue])
  /// Members in the order of their bytes.
  case set([RecordedValue])
  /// Entries in the order of their keys' bytes.
  case map([RecordedEntry])
}

/// An entry of a map.
package struct RecordedEntry: Sendable {
  package var key: String
  package var value: RecordedValue

  package init(key: String, value: RecordedValue) {
    self.key = key
    self.value = value
  }
}

extension RecordedEntry: NamedElement {
  @usableFromInline package var name: String { key }

  @usableFromInline package init(name: String, value: RecordedValue) {
    self.init(key: name, value: value)
  }
}

extension RecordedEntry: Hashable {
  package static func == (a: RecordedEntry, b: RecordedEntry) -> Bool {
    Ordering(utf8: a.key, b.key) == .equal && a.value == b.value
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(value)
  }
}

extension RecordedValue: Hashable {
  package static func == (a: RecordedValue, b: RecordedValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let x), .bool(let y)): x == y
    case (.int(let x), .int(let y)): x == y
    case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern
    case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
    case (.decimal(let x), .decimal(let y)): x.bitPattern == y.bitPattern
    case (.string(let x), .string(let y)): Ordering(utf8: x, y) == .equal
    case (.data(let x), .data(let y)): x == y
    case (.date(let x), .date(let y)): x == y
    case (.objectID(let x), .objectID(let y)): x == y
    case (.uuid(let x), .uuid(let y)): x == y
    case (.link(let x), .link(let y)): x == y
    case (.embedded(let x), .embedded(let y)): x == y
    case (.list(let x), .list(let y)): x == y
    case (.set(let x), .set(let y)): x == y
    case (.map(let x), .map(let y)): x == y
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(tag.rawValue)
    switch self {
    case .null: break
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value.bitPattern)
    case .double(let value): hasher.combine(value.bitPattern)
    case .decimal(let value):
      hasher.combine(value.bitPattern.low)
      hasher.combine(value.bitPattern.high)
    case .string(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .objectID(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .link(let value): hasher.combine(value)
    case .embedded(let object): hasher.combine(object)
    case .list(let elements), .set(let elements): hasher.combine(elements)
    case .map(let entries): hasher.combine(entries)
    }
  }

  /// What the value is, as its first byte says (Format.md, "Recorded values").
  enum Tag: UInt8 {
    case null = 0
    case no = 1
    case yes = 2
    case int = 3
    case float = 4
    case double = 5
    case decimal = 6
    case string = 7
    case data = 8
    case date = 9
    case objectID = 10
    case uuid = 11
    case link = 12
    /// An embedded object without an incarnation.
    case embedded = 13
    case list = 14
    case set = 15
    case map = 16
    /// An embedded object with an incarnation.
    case embeddedObject = 17
  }

  var tag: Tag {
    switch self {
    case .null: .null
    case .bool(let value): value ? .yes : .no
    case .int: .int
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .string: .string
    case .data: .data
    case .date: .date
    case .objectID: .objectID
    case .uuid: .uuid
    case .link: .link
    case .embedded(let object): object.incarnation == nil ? .embedded : .embeddedObject
    case .list: .list
    case .set: .set
    case .map: .map
    }
  }
}

extension RecordedValue {
  /// A value without links and collections; anything else is null.
  package init(single value: Value) {
    switch value {
    case .null, .link, .list, .set, .map: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .float(let value): self = .float(value)
    case .double(let value): self = .double(value)
    case .decimal(let value): self = .decimal(value)
    case .string(let value): self = .string(value)
    case .data(let value): self = .data(value)
    case .date(let value): self = .date(value)
    case .objectID(let value): self = .objectID(value)
    case .uuid(let value): self = .uuid(value)
    }
  }

  /// The same, other way round; nil for links, embedded objects and collections.
  package var single: Value? {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .decimal(let value): .decimal(value)
    case .string(let value): .string(value)
    case .data(let value): .data(value)
    case .date(let value): .date(value)
    case .objectID(let value): .objectID(value)
    case .uuid(let value): .uuid(value)
    case .link, .embedded, .list, .set, .map: nil
    }
  }

  /// The value as a primary key; nil when it cannot be one.
  package var primaryKey: Value? {
    switch self {
    case .null, .int, .string, .objectID, .uuid: single
    default: nil
    }
  }
}
