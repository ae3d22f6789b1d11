import AtollObjects

extension PropertySchema {
  /// `int?`, `list of string`, `link to Country`, for people and messages.
  var typeName: String {
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

extension ClassSchema {
  /// The class as `info --json` and `dump` write it.
  var json: [OutputValue.Entry] {
    let entries = properties.map { property in
      OutputValue.map([
        .init("name", property.name), .init("type", property.typeName),
        .init("isIndexed", property.isIndexed),
        .init("isFullTextIndexed", property.isFullTextIndexed),
      ])
    }
    return [
      .init("name", name), .init("isEmbedded", isEmbedded),
      .init("primaryKey", primaryKey.map(OutputValue.string) ?? .null),
      .init("properties", .list(entries)),
    ]
  }
}
