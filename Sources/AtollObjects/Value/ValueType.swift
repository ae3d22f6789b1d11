/// The types a property or a mixed value can have.
///
/// The raw values are stored in files: they never change.
public enum ValueType: UInt8, Sendable, CaseIterable {
  case bool = 1
  case int = 2
  case float = 3
  case double = 4
  case decimal = 5
  case string = 6
  case data = 7
  case date = 8
  case objectID = 9
  case uuid = 10
  case mixed = 11
  case link = 12

  /// The type's name in the query language and its messages.
  public var queryName: String {
    switch self {
    case .bool: "bool"
    case .int: "int"
    case .float: "float"
    case .double: "double"
    case .decimal: "decimal128"
    case .string: "string"
    case .data: "binary"
    case .date: "timestamp"
    case .objectID: "objectId"
    case .uuid: "uuid"
    case .mixed: "mixed"
    case .link: "link"
    }
  }

  /// Whether values compare by numeric value across types.
  public var isNumeric: Bool {
    switch self {
    case .int, .float, .double, .decimal: true
    default: false
    }
  }
}
