import AtollObjects

/// An object of a dump with its values in the types of its class.
struct DumpedObject {
  /// By property; without links and embedded objects.
  var values: [String: Value] = [:]
  var links: [Links] = []
  var embedded: [Embedded] = []

  /// The targets of a property of links.
  struct Links {
    var property: PropertySchema
    var target: String
    /// Without a key, the null of a map.
    var entries: [(mapKey: String?, key: Key?)]
  }

  /// The name of a link's target.
  enum Key {
    case primaryKey(Value)
    /// The number that the object had, whose class has no primary key.
    case number(Int64)
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
  private var indexes: [String: Int] = [:]

  subscript(name: String) -> ClassSchema? { indexes[name].map { classes[$0] } }

  mutating func add(_ schema: ClassSchema, at position: SourcePosition) throws(ImportError) {
    guard self[schema.name] == nil else { throw .data(.classTwice(schema.name), at: position) }
    indexes[schema.name] = classes.count
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
        let value = try PlannedProperty(description: property).convert(field)
        if !Self.holds(property, value) {
          throw .data(
            .nullOfRequired(property: field.name, type: property.typeName), at: field.position)
        }
        object.values[field.name] = value
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
        if !nulls.isEmpty { object.values[field.name] = .map(ValueMap(nulls)) }
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
        var keys: [(mapKey: String?, key: DumpedObject.Key?)] = []
        for entry in entries {
          let key = try Self.key(entry.value, property, targetSchema, at: entry.position)
          keys.append((entry.mapKey, key))
        }
        object.links.append(.init(property: property, target: target, entries: keys))
      }
    }
    return object
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
      return .primaryKey(
        try PlannedProperty(description: primaryKey).convert(value, at: position))
    }
    guard case .string(let text) = value, text.first == "#", let number = Int64(text.dropFirst())
    else {
      let found = DataKind(value, dates: false)?.name ?? "null"
      throw .data(.noObjectKey(property: property.name, found: found), at: position)
    }
    return .number(number)
  }
}
