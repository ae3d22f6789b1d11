package import AtollObjects

extension RecordedValue {
  /// A value without links; a link would be null.
  init(plain value: Value) {
    switch value {
    case .list(let elements): self = .list(elements.map { RecordedValue(plain: $0) })
    case .set(let elements):
      self = .set(Self.sortedMembers(elements.map { RecordedValue(plain: $0) }))
    case .map(let map):
      self = .map(
        map.entries.map { RecordedEntry(key: $0.key, value: RecordedValue(plain: $0.value)) })
    default: self = RecordedValue(single: value)
    }
  }

  /// The same, other way round; nil where a link or an embedded object is in it.
  var plain: Value? {
    switch self {
    case .list(let elements):
      let values = elements.compactMap(\.plain)
      return values.count == elements.count ? .list(values) : nil
    case .set(let elements):
      let values = elements.compactMap(\.plain)
      return values.count == elements.count ? .set(values) : nil
    case .map(let entries):
      let values = entries.compactMap { entry in entry.value.plain.map { (entry.key, $0) } }
      return values.count == entries.count
        ? .map(ValueMap(values.map { (key: $0.0, value: $0.1) })) : nil
    default: return single
    }
  }

  /// What a new object has in a column.
  package init(defaultOf layout: ColumnLayout) {
    self = RecordedValue(plain: Value(defaultOf: layout))
  }

  /// Members in the order of their bytes, each once.
  static func sortedMembers(_ members: [RecordedValue]) -> [RecordedValue] {
    var sorted = members.map { member in
      var writer = RecordedWriter()
      writer.append(member)
      return (bytes: writer.bytes, member: member)
    }
    sorted.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    var result: [RecordedValue] = []
    for (_, member) in sorted where result.last != member { result.append(member) }
    return result
  }
}
