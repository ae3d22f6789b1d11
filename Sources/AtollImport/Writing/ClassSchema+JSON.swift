package import AtollObjects

extension ClassSchema {
  /// The class as a dump describes it.
  package var json: [OutputValue.Entry] {
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
