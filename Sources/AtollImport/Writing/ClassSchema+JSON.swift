package import AtollObjects

extension ClassSchema {
  /// The class as a dump describes it.
  package var json: [OutputValue.Entry] {
    let entries = properties.map { property -> OutputValue in
      var entries: [OutputValue.Entry] = [
        .init("name", property.name), .init("type", property.typeName),
        .init("isIndexed", property.isIndexed),
        .init("isFullTextIndexed", property.isFullTextIndexed),
      ]
      if property.deletionRule != .nullify {
        entries.append(.init("deletionRule", property.deletionRule.name))
      }
      return OutputValue.map(entries)
    }
    let description: [OutputValue.Entry] = [
      .init("name", name), .init("isEmbedded", isEmbedded),
      .init("primaryKey", primaryKey.map(OutputValue.string) ?? .null),
      .init("properties", .list(entries)),
    ]
    guard !indexes.isEmpty else { return description }
    let joint = indexes.map { index in
      OutputValue.map([
        .init("properties", .list(index.properties.map { .string($0) })),
        .init("isUnique", index.isUnique),
      ])
    }
    return description + [.init("indexes", .list(joint))]
  }
}

extension DeletionRule {
  /// The rule as a dump names it.
  package var name: String {
    switch self {
    case .nullify: "nullify"
    case .cascade: "cascade"
    case .deny: "deny"
    }
  }
}
