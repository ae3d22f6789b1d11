import AtollObjects

/// An object of a dump with its values in the types of its class.
struct DumpedObject {
  /// Without links and embedded objects, and without mixed values that hold links.
  var values: [(name: String, value: Value)] = []
  var links: [Links] = []
  var mixed: [Mixed] = []
  var embedded: [Embedded] = []

  /// The targets of a property of links.
  struct Links {
    var property: PropertySchema
    var target: String
    /// Without a key, the null of a map.
    var entries: [(mapKey: String?, key: Key?, position: SourcePosition)]
  }

  /// A property of mixed values with links in them.
  struct Mixed {
    var property: PropertySchema
    var field: DataField
    /// The links, in the order in which the value is made.
    var targets: [(className: String, key: Key, position: SourcePosition)]
  }

  /// The name of a link's target.
  enum Key: Hashable {
    case primaryKey(Value)
    /// The number that the object had, whose class has no primary key.
    case number(Int64)

    var text: String {
      switch self {
      case .primaryKey(let value): "\(value)"
      case .number(let number): "#\(number)"
      }
    }
  }

  struct Embedded {
    var property: String
    var className: String
    var mapKey: String?
    var object: DumpedObject
  }
}

/// The classes of a dump, which say of what type each value is.
struct DumpedClasses {
  private(set) var classes: [ClassSchema] = []
  private var indexes: [ExactText: Int] = [:]

  subscript(name: String) -> ClassSchema? { indexes[ExactText(name)].map { classes[$0] } }

  mutating func add(_ schema: ClassSchema, at position: SourcePosition) throws(ImportError) {
    guard self[schema.name] == nil else { throw .data(.classTwice(schema.name), at: position) }
    indexes[ExactText(schema.name)] = classes.count
    classes.append(schema)
  }

  /// Gives the fields of an object of `className` their types.
  func object(
    _ fields: [DataField], of className: String, at position: SourcePosition
  ) throws(ImportError) -> DumpedObject {
    guard let schema = self[className] else {
      throw .data(.unknownClass(className), at: position)
    }
    var object = DumpedObject()
    for field in fields {
      guard let property = schema[field.name] else {
        throw .data(.unknownProperty(field.name, className: className), at: field.position)
      }
      guard let target = property.linkTarget else {
        if property.type == .mixed, !MixedData.links(in: field.value).isEmpty {
          object.mixed.append(try mixed(field, property))
          continue
        }
        let value = try PlannedProperty(description: property).convert(field)
        if !Self.holds(property, value) {
          throw .data(
            .nullOfRequired(property: field.name, type: property.typeName), at: field.position)
        }
        try Self.checkLength(of: value, schema, property, at: field.position)
        object.values.append((field.name, value))
        continue
      }
      guard let targetSchema = self[target] else {
        throw .data(.unknownClass(target), at: field.position)
      }
      let entries = try Self.entries(field, property)
      if targetSchema.isEmbedded {
        // The nulls of a map; the objects come beside them.
        let nulls = entries.filter { $0.value == .null }.map {
          (key: $0.mapKey ?? "", value: Value.null)
        }
        if !nulls.isEmpty { object.values.append((field.name, .map(ValueMap(nulls)))) }
        for entry in entries where entry.value != .null {
          guard case .object(let fields) = entry.value else {
            throw .data(.noDumpedObject, at: entry.position)
          }
          object.embedded.append(
            .init(
              property: field.name, className: target, mapKey: entry.mapKey,
              object: try self.object(fields, of: target, at: entry.position)))
        }
      } else if !entries.isEmpty {
        var keys: [(mapKey: String?, key: DumpedObject.Key?, position: SourcePosition)] = []
        for entry in entries {
          let key = try Self.key(entry.value, property, targetSchema, at: entry.position)
          keys.append((entry.mapKey, key, entry.position))
        }
        object.links.append(.init(property: property, target: target, entries: keys))
      }
    }
    return object
  }

  /// A mixed property whose value holds links.
  private func mixed(
    _ field: DataField, _ property: PropertySchema
  ) throws(ImportError) -> DumpedObject.Mixed {
    var targets: [(className: String, key: DumpedObject.Key, position: SourcePosition)] = []
    _ = try PlannedProperty(description: property).convert(field) {
      className, key, position throws(ImportError) in
      guard let target = self[className] else {
        throw .data(.unknownClass(className), at: position)
      }
      guard !target.isEmbedded else { throw .data(.notByItself(className), at: position) }
      if let key = try Self.key(key, property, target, at: position) {
        targets.append((className, key, position))
      }
      return .null
    }
    return .init(property: property, field: field, targets: targets)
  }

  /// Refuses what is too long for an index, or for any value.
  private static func checkLength(
    of value: Value, _ schema: ClassSchema, _ property: PropertySchema, at position: SourcePosition
  ) throws(ImportError) {
    let isPrimaryKey = schema.primaryKey.map(property.name.hasSameBytes(as:)) ?? false
    var limits = schema.indexes.filter { $0.properties.contains(where: property.name.hasSameBytes) }
      .map { TableIndex.textByteLimit(columnCount: $0.properties.count) }
    if property.isIndexed || isPrimaryKey { limits.append(Index.textByteLimit) }
    guard let limit = limits.min(),
      let byteCount = Index.excessByteCount(of: value, limit: limit)
    else { return }
    throw .data(
      .keyTooLong(property: property.name, byteCount: byteCount, limit: limit), at: position)
  }

  /// Whether the property may have the nulls that are in its value.
  private static func holds(_ property: PropertySchema, _ value: Value) -> Bool {
    if property.isOptional || property.type == .mixed { return true }
    switch value {
    case .null: return false
    case .list(let elements): return !elements.contains(.null)
    case .map(let map): return !map.entries.contains { $0.value == .null }
    default: return true
    }
  }

  private typealias Entry = (mapKey: String?, value: DataValue, position: SourcePosition)

  /// The links of a property, without nulls except in maps.
  private static func entries(
    _ field: DataField, _ property: PropertySchema
  ) throws(ImportError) -> [Entry] {
    let entries: [Entry]
    switch (property.collection, field.value) {
    case (_, .null): entries = []
    case (.none, _): entries = [(nil, field.value, field.position)]
    case (.list, .list(let elements)), (.set, .list(let elements)):
      entries = elements.map { (nil, $0.value, $0.position) }
    case (.map, .object(let fields)): entries = fields.map { ($0.name, $0.value, $0.position) }
    default:
      throw PlannedProperty(description: property).contradiction(field.value, at: field.position)
    }
    return property.collection == .map ? entries : entries.filter { $0.value != .null }
  }

  private static func key(
    _ value: DataValue, _ property: PropertySchema, _ target: ClassSchema,
    at position: SourcePosition
  ) throws(ImportError) -> DumpedObject.Key? {
    if value == .null { return nil }
    if let primaryKey = target.primaryKey.flatMap({ target[$0] }) {
      let key = try PlannedProperty(description: primaryKey).convert(value, at: position)
      try checkLength(of: key, target, primaryKey, at: position)
      return .primaryKey(key)
    }
    guard case .string(let text) = value, text.first == "#", let number = Int64(text.dropFirst())
    else {
      let found = DataKind(value, dates: false)?.name ?? "null"
      throw .data(.noObjectKey(property: property.name, found: found), at: position)
    }
    return .number(number)
  }
}
