import AtollObjects

/// Reads objects of one version as values to be shown.
///
/// A link becomes the primary key of its target, an embedded object the map of its properties. The
/// keys of targets that are no integers are looked up once and kept, up to a limit: many objects
/// link to few.
final class ValuePresenter {
  private static let keptKeyLimit = 1 << 16
  /// Embedded objects that own each other are a tree; only a damaged file makes it deeper.
  private static let depthLimit = 64

  private let source: any TreeSource
  private var keptKeys: [ObjectLink: OutputValue] = [:]

  init(_ source: any TreeSource) {
    self.source = source
  }

  /// The values of `columns` of the object.
  ///
  /// - Throws: `.storage` where the file is damaged, `.noSuchObject` where a link leads nowhere.
  func values(of object: Object, _ columns: [Column]) throws(ObjectError) -> [OutputValue] {
    try values(of: object, columns, depth: 0)
  }

  /// A value by itself.
  func shown(_ value: Value) throws(ObjectError) -> OutputValue { try shown(value, depth: 0) }

  private func values(
    of object: Object, _ columns: [Column], depth: Int
  ) throws(ObjectError) -> [OutputValue] {
    var values: [OutputValue] = []
    values.reserveCapacity(columns.count)
    for column in columns {
      values.append(try shown(try object.value(column), depth: depth))
    }
    return values
  }

  private func shown(_ value: Value, depth: Int) throws(ObjectError) -> OutputValue {
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .int(let value): return .int(value)
    case .float(let value): return .float(value)
    case .double(let value): return .double(value)
    case .decimal(let value): return .string("\(value)")
    case .string(let text): return .string(text)
    case .data(let bytes): return .data(bytes)
    case .date(let moment): return .string("\(moment)")
    case .objectID(let identifier): return .string("\(identifier)")
    case .uuid(let identifier): return .string("\(identifier)")
    case .link(let link): return try target(of: link, depth: depth)
    case .list(let elements), .set(let elements):
      var shownElements: [OutputValue] = []
      shownElements.reserveCapacity(elements.count)
      for element in elements { shownElements.append(try shown(element, depth: depth)) }
      return .list(shownElements)
    case .map(let map):
      var entries: [OutputValue.Entry] = []
      for entry in map.entries {
        entries.append(.init(entry.key, try shown(entry.value, depth: depth)))
      }
      return .map(entries)
    }
  }

  private func target(of link: ObjectLink, depth: Int) throws(ObjectError) -> OutputValue {
    if let kept = keptKeys[link] { return kept }
    guard let table = try source.table(id: link.table) else {
      throw .noSuchClass("#\(link.table)", nearest: nil)
    }
    let key = ObjectKey(rawValue: link.key)
    if table.schema.isKeyedByPrimaryKey { return .int(key.integerPrimaryKey) }
    guard let object = try table.object(key), depth < Self.depthLimit else {
      throw .noSuchObject(className: table.name)
    }
    if table.schema.isEmbedded {
      let columns = table.schema.columns
      let values = try values(of: object, columns, depth: depth + 1)
      return .map(zip(columns, values).map { OutputValue.Entry($0.name, $1) })
    }
    // A class without primary key: its objects have no name but their number.
    guard let primaryKey = table.schema.primaryKey else { return .string("#\(link.key)") }
    let value = try shown(try object.value(primaryKey), depth: depth)
    if keptKeys.count >= Self.keptKeyLimit { keptKeys.removeAll(keepingCapacity: true) }
    keptKeys[link] = value
    return value
  }
}
