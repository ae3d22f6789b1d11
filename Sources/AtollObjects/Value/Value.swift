/// One value of any type a property, a list element or a query can have.
///
/// 17 bytes, a stride of 24; long strings, data and collections share their
/// storage between copies. `==` and `hash(into:)` are the identity DISTINCT
/// uses; predicates and sorting have functions of their own (Value+Comparison.swift).
public enum Value: Sendable {
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
  case link(ObjectLink)
  case list([Value])
  /// Elements in any order, no two of them equal; the maker of the value keeps that.
  case set([Value])
  case map(ValueMap)

  /// The type of a single value; nil for null and for collections.
  public var type: ValueType? {
    switch self {
    case .null, .list, .set, .map: nil
    case .bool: .bool
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
    }
  }

  /// Whether the value is null; an empty string or collection is not.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

/// The address of an object: its table and its key in that table.
public struct ObjectLink: Hashable, Sendable {
  /// The number of the object's table in its database.
  public var table: UInt32
  /// The raw value of the object's `ObjectKey`.
  public var key: UInt64

  /// Makes an address; that the object exists is not checked.
  public init(table: UInt32, key: UInt64) {
    self.table = table
    self.key = key
  }
}

extension ObjectLink: Comparable {
  /// Order by table, then by key.
  public static func < (a: ObjectLink, b: ObjectLink) -> Bool {
    a.table == b.table ? a.key < b.key : a.table < b.table
  }
}
