package import AtollObjects

/// Reads objects of one version as values to be shown.
///
/// A link becomes the primary key of its target, an embedded object the map of its properties. The
/// keys of targets that are no integers are looked up once and kept, up to a limit: many objects
/// link to few.
package final class ValuePresenter {
  private static let keptKeyLimit = 1 << 16
  /// How deep embedded objects are shown: as deep as an import reads, so that the stack holds them.
  ///
  /// Embedded objects that own each other are a tree; in a damaged file one may own itself.
  private static let depthLimit = JSONReader.depthLimit

  /// For whom values are written.
  package enum Notation {
    /// People and programs.
    case answer
    /// The import of a class, and of all classes: types that JSON has no notation for are kept in
    /// mixed values, as Extended JSON has them.
    case records, dump
  }

  private let source: any TreeSource
  private let notation: Notation
  private var keptKeys: [ObjectLink: OutputValue] = [:]

  package init(_ source: any TreeSource, notation: Notation = .answer) {
    self.source = source
    self.notation = notation
  }

  /// The values of `columns` of the object.
  ///
  /// - Throws: `.storage` where the file is damaged, `.noSuchObject` where a link leads nowhere.
  package func values(of object: Object, _ columns: [Column]) throws(ObjectError) -> [OutputValue] {
    try values(of: object, columns, depth: 0)
  }

  /// A value by itself.
  package func shown(_ value: Value) throws(ObjectError) -> OutputValue {
    try shown(value, depth: 0)
  }

  private func values(
    of object: Object, _ columns: [Column], depth: Int
  ) throws(ObjectError) -> [OutputValue] {
    var values: [OutputValue] = []
    values.reserveCapacity(columns.count)
    for column in columns {
      let isMixed = notation != .answer && column.layout.value == .mixed
      values.append(try shown(try object.value(column), depth: depth, isMixed: isMixed))
    }
    return values
  }

  /// An object; where it will be read, one that begins as Extended JSON does is marked as none.
  func object(_ entries: [OutputValue.Entry]) -> OutputValue {
    guard notation != .answer, entries.first?.name.utf8.first == UInt8(ascii: "$") else {
      return .map(entries)
    }
    return .map([.init("$object", .map(entries))])
  }

  /// The notation of a type that JSON has none for; nil for other values.
  private func word(_ value: Value, depth: Int) throws(ObjectError) -> OutputValue? {
    let (word, content): (String, OutputValue)
    switch value {
    case .float(let value):
      (word, content) = ("$numberFloat", .string(Self.text(Double(value)) ?? "\(value)"))
    case .double(let value):
      guard let text = Self.text(value) else { return nil }
      (word, content) = ("$numberDouble", .string(text))
    case .decimal(let value): (word, content) = ("$numberDecimal", .string("\(value)"))
    case .date(let moment): (word, content) = ("$date", .string("\(moment)"))
    case .objectID(let identifier): (word, content) = ("$oid", .string("\(identifier)"))
    case .uuid(let identifier): (word, content) = ("$uuid", .string("\(identifier)"))
    case .data(let bytes):
      (word, content) = (
        "$binary", .map([.init("base64", .data(bytes)), .init("subType", "00")])
      )
    case .link(let link):
      guard notation == .dump, let table = try source.table(id: link.table) else { return nil }
      (word, content) = (
        "$link",
        .map([.init("class", table.name), .init("key", try target(of: link, depth: depth))])
      )
    default: return nil
    }
    return .map([.init(word, content)])
  }

  /// The name of a double that is no number of digits.
  private static func text(_ value: Double) -> String? {
    if value.isNaN { return "NaN" }
    return value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : nil
  }

  private func shown(
    _ value: Value, depth: Int, isMixed: Bool = false
  ) throws(ObjectError) -> OutputValue {
    if isMixed, let word = try word(value, depth: depth) { return word }
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
      for element in elements {
        shownElements.append(try shown(element, depth: depth, isMixed: isMixed))
      }
      return .list(shownElements)
    case .map(let map):
      var entries: [OutputValue.Entry] = []
      for entry in map.entries {
        entries.append(
          .init(entry.key, try shown(entry.value, depth: depth, isMixed: isMixed)))
      }
      return object(entries)
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
      return self.object(zip(columns, values).map { OutputValue.Entry($0.name, $1) })
    }
    // A class without primary key: its objects have no name but their number.
    guard let primaryKey = table.schema.primaryKey else { return .string("#\(link.key)") }
    let value = try shown(try object.value(primaryKey), depth: depth)
    if keptKeys.count >= Self.keptKeyLimit { keptKeys.removeAll(keepingCapacity: true) }
    keptKeys[link] = value
    return value
  }
}
