package import AtollObjects

extension PropertySchema {
  /// `int?`, `list of string`, `link to Country`, for people and messages.
  package var typeName: String {
    var text = linkTarget.map { "link to \($0)" } ?? type.queryName
    // A link can always be null.
    if isOptional, type != .link { text += "?" }
    return switch collection {
    case .none: text
    case .list: "list of \(text)"
    case .set: "set of \(text)"
    case .map: "map of \(text)"
    }
  }
}

extension ValueType {
  /// Finds the type that a dump or an option names; also by the names of earlier versions.
  package init?(named name: String) {
    let earlierNames = ["timestamp": "date", "binary": "data"]
    guard let type = Self(queryName: earlierNames[name] ?? name), type != .link else { return nil }
    self = type
  }
}

extension PropertySchema {
  /// The property whose type is spelled `typeName`; nil when there is no such type.
  package init?(_ name: String, typeName: String) {
    var text = Substring(typeName)
    var collection = CollectionKind.none
    for (prefix, kind) in [("list of ", CollectionKind.list), ("set of ", .set), ("map of ", .map)]
    where text.hasPrefix(prefix) {
      text = text.dropFirst(prefix.count)
      collection = kind
      break
    }
    let link = "link to "
    guard !text.hasPrefix(link) else {
      self.init(name, linkTo: String(text.dropFirst(link.count)), collection: collection)
      return
    }
    let isOptional = text.last == "?"
    if isOptional { text.removeLast() }
    guard let type = ValueType(named: String(text)) else { return nil }
    self.init(name, type, collection: collection, isOptional: isOptional)
  }
}
