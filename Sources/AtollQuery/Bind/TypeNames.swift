internal import AtollObjects

/// The names that `@type` compares with.
enum TypeNames {
  /// The canonical name of a value's type.
  static func name(of value: Value) -> String {
    switch value {
    case .null: "null"
    case .bool: "bool"
    case .int: "int"
    case .float: "float"
    case .double: "double"
    case .decimal: "decimal"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .objectID: "objectid"
    case .uuid: "uuid"
    case .link: "link"
    case .list, .set: "list"
    case .map: "map"
    }
  }

  /// The canonical names that a spelling stands for; several for a group, nil for none.
  static func canonical(_ spelling: String) -> [String]? {
    names[spelling.lowercased()]
  }

  /// The spellings, for an error message.
  static var spellings: [String] { names.keys.sorted() }

  private static let names: [String: [String]] = {
    var names: [String: [String]] = [
      "numeric": ["int", "float", "double", "decimal"], "collection": ["list", "map"],
    ]
    let synonyms: [(String, [String])] = [
      ("null", ["null"]),
      ("int", ["int", "integer", "int16", "int32", "int64", "short", "long", "byte", "char"]),
      ("bool", ["bool", "boolean"]),
      ("string", ["string"]),
      ("data", ["data", "binary", "bindata", "bytearray", "byte[]"]),
      ("date", ["date", "datetimeoffset", "timestamp"]),
      ("float", ["float"]),
      ("double", ["double"]),
      ("decimal", ["decimal", "decimal128"]),
      ("link", ["objectlink", "link"]),
      ("objectid", ["objectid"]),
      ("uuid", ["uuid", "guid"]),
      ("map", ["object", "dictionary", "map"]),
      ("list", ["array", "list"]),
    ]
    for (canonical, spellings) in synonyms {
      for spelling in spellings { names[spelling] = [canonical] }
    }
    return names
  }()
}
