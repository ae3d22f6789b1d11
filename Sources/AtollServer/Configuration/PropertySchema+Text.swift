#if Sync
internal import AtollObjects

/// The types of properties as a configuration writes them: `int`, `string?`, `Team`, `list<date>`,
/// `map<double?>`, `set<uuid>`.
extension PropertySchema {
  private static let collections: [(name: String, kind: CollectionKind)] = [
    ("list", .list), ("set", .set), ("map", .map),
  ]

  /// The names of these types in other systems.
  private static let foreignNames = [
    "boolean": "bool", "integer": "int", "int64": "int", "number": "double",
    "decimal": "decimal128", "text": "string", "binary": "data", "bytes": "data",
    "timestamp": "date", "datetime": "date", "oid": "objectId", "guid": "uuid", "any": "mixed",
  ]

  /// Returns the type that is meant by a name that is read as that of a class; nil for other names.
  static func typeName(meantBy name: String) -> String? {
    let lowercase = name.lowercased()
    return ValueType.allCases.first { $0 != .link && $0.queryName.lowercased() == lowercase }?
      .queryName ?? foreignNames[lowercase]
  }

  /// Reads the type of a property; a name that is no type is that of a class.
  ///
  /// - Returns: Nil for a text that is no type.
  init?(_ name: String, typeText: String) {
    var text = typeText.filter { !$0.isWhitespace }[...]
    var collection = CollectionKind.none
    for (name, kind) in Self.collections
    where text.hasPrefix(name + "<") && text.hasSuffix(">") {
      collection = kind
      text = text.dropFirst(name.count + 1).dropLast()
      break
    }
    let isOptional = text.hasSuffix("?")
    if isOptional { text.removeLast() }
    guard let first = text.first, first.isLetter || first == "_",
      text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    else { return nil }
    if let type = ValueType(queryName: String(text)), type != .link {
      self.init(
        name, type, collection: collection, isOptional: isOptional || type == .mixed)
    } else {
      self.init(name, linkTo: String(text), collection: collection)
    }
  }

  /// The type of the property, as `init(_:typeText:)` reads it.
  var configurationText: String {
    let element = linkTarget ?? type.queryName
    let optional = isOptional && type != .link && type != .mixed ? element + "?" : element
    guard let kind = Self.collections.first(where: { $0.kind == collection }) else {
      return optional
    }
    return "\(kind.name)<\(optional)>"
  }
}
#endif
