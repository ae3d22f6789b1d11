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

  /// The type's name in messages, dumps, options and configurations.
  public var queryName: String {
    switch self {
    case .bool: "bool"
    case .int: "int"
    case .float: "float"
    case .double: "double"
    case .decimal: "decimal128"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .objectID: "objectId"
    case .uuid: "uuid"
    case .mixed: "mixed"
    case .link: "link"
    }
  }

  /// Finds the type that a name stands for; nil for other names.
  public init?(queryName: String) {
    guard let type = Self.allCases.first(where: { $0.queryName == queryName }) else { return nil }
    self = type
  }

  /// Whether values compare by numeric value across types.
  public var isNumeric: Bool {
    switch self {
    case .int, .float, .double, .decimal: true
    default: false
    }
  }
}
