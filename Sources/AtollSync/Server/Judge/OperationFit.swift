internal import AtollCapture
internal import AtollObjects

/// Whether an operation fits a schema, independently of the objects.
enum OperationFit {
  /// Values above this many bytes are refused.
  static let byteCountLimit = 16 << 20
  /// Primary keys above this many bytes are refused.
  static let keyByteCountLimit = 1 << 10

  /// Whether an object of the schema can have the address.
  static func isAddress(_ address: ObjectAddress, in schema: Schema) -> Bool {
    guard let table = schema.table(address.className), !table.isEmbedded,
      let key = table.primaryKey
    else { return false }
    return fits(address.primaryKey, key.layout)
  }

  /// Why an operation does not fit the schema; nil when it does.
  static func problem(_ operation: Operation, in schema: Schema) -> Refusal? {
    let className = operation.object.className
    guard let table = schema.table(className) else {
      return Refusal(.unknownSchema, text: "no class \(className)")
    }
    guard isAddress(operation.object, in: schema) else {
      return Refusal(.typeMismatch, text: "no object of \(className) has such a primary key")
    }
    let property: String
    var values: [RecordedValue] = []
    var collections: Set<CollectionKind> = [.list]
    var keyByteCount = 0
    var position: ListPosition?
    switch operation.action {
    case .create, .delete: return nil
    case .set(let name, let new):
      (property, values) = (name, [new])
      collections = [.none]
    case .increment(let name, _):
      property = name
      collections = [.none]
    case .insert(let name, _, let place, let new):
      (property, values, position) = (name, [new], place)
    case .setElement(let name, _, let new): (property, values) = (name, [new])
    case .moveElement(let name, _, let place): (property, position) = (name, place)
    case .removeElement(let name, _): property = name
    case .setEntry(let name, let key, let new):
      (property, values) = (name, [new])
      collections = [.map]
      keyByteCount = byteCount(key)
    case .addMember(let name, let member):
      (property, values) = (name, [member])
      collections = [.set]
    case .removeEntry(let name, let key):
      property = name
      if case .string = key { collections = [.map, .set] } else { collections = [.set] }
      keyByteCount = byteCount(key)
    case .edit(let path, let place, let change):
      return Self.problem(path, place, change, in: table, schema)
    }
    guard let column = table.column(property) else {
      return Refusal(.unknownSchema, text: "no property \(property) in \(className)")
    }
    let name = "\(className).\(property)"
    guard !column.isPrimaryKey else {
      return Refusal(.typeMismatch, text: "\(name) is the primary key")
    }
    guard collections.contains(column.layout.collection) else {
      return Refusal(.typeMismatch, text: "\(name) is of type \(column.layout.description)")
    }
    if case .increment = operation.action, column.layout.value != .int {
      return Refusal(.typeMismatch, text: "\(name) is of type \(column.layout.description)")
    }
    guard keyByteCount + values.reduce(0, { $0 + byteCount($1) }) <= byteCountLimit else {
      return Refusal(.tooLarge, text: "more than \(byteCountLimit) bytes for \(name)")
    }
    // Between two positions of the maximum length, other devices could make no valid one.
    let positionLimit = ListPosition.madeByteCountLimit
    guard position?.bytes.count ?? 0 <= positionLimit else {
      return Refusal(
        .tooLarge, text: "more than \(positionLimit) bytes for the position in \(name)")
    }
    guard values.allSatisfy({ element($0, column.layout, schema) }) else {
      return Refusal(.typeMismatch, text: "\(name) is of type \(column.layout.description)")
    }
    return nil
  }

  /// Roughly the bytes that a value takes.
  static func byteCount(_ value: RecordedValue) -> Int {
    switch value {
    case .string(let value): value.utf8.count + 4
    case .data(let value): value.count + 4
    case .embedded(let object):
      object.fields.reduce(object.incarnation == nil ? 4 : 16) { sum, field in
        sum + field.property.utf8.count / 4 + byteCount(field.value)
      }
    case .list(let elements), .set(let elements): elements.reduce(4) { $0 + byteCount($1) }
    case .map(let entries):
      entries.reduce(4) { $0 + $1.key.utf8.count + byteCount($1.value) }
    case .link(let target): 20 + excess(ofKey: target.primaryKey)
    default: 9
    }
  }

  /// How many bytes a primary key has beyond those of most.
  static func excess(ofKey key: Value) -> Int {
    if case .string(let text) = key { max(0, text.utf8.count - 64) } else { 0 }
  }

  // MARK: Values

  /// Whether a value fits a property, a collection as a whole.
  static func fits(_ value: RecordedValue, _ layout: ColumnLayout, _ schema: Schema) -> Bool {
    switch (layout.collection, value) {
    case (.none, _): element(value, layout, schema)
    case (.list, .list(let elements)), (.set, .set(let elements)):
      elements.allSatisfy { element($0, layout, schema) }
    case (.map, .map(let entries)):
      entries.allSatisfy { element($0.value, layout, schema) }
    default: false
    }
  }

  /// Whether a value fits a single property, or an element of a collection.
  private static func element(_ value: RecordedValue, _ layout: ColumnLayout, _ schema: Schema)
    -> Bool
  {
    switch (layout.value, value) {
    case (_, .null): return layout.allowsNull
    case (.mixed, _):
      return isMixed(value, depth: layout.collection == .none ? 0 : 1, schema)
    case (.link, .link(let address)):
      return schema.table(id: layout.linkTable)?.name.hasSameBytes(as: address.className) == true
        && isAddress(address, in: schema)
    case (.link, .embedded(let object)):
      guard let target = schema.table(id: layout.linkTable), target.isEmbedded else {
        return false
      }
      return object.fields.allSatisfy { field in
        target.column(field.property).map { fits(field.value, $0.layout, schema) } ?? false
      }
    default: return value.single?.type == layout.value
    }
  }

  /// Whether a value fits a mixed property: collections no deeper than a file takes them, and links
  /// to objects of any class that has keys.
  static func isMixed(_ value: RecordedValue, depth: Int, _ schema: Schema) -> Bool {
    switch value {
    case .embedded, .set: return false
    case .link(let address): return isAddress(address, in: schema)
    case .list(let elements):
      return depth < MixedCoding.nestingLimit
        && elements.allSatisfy { isMixed($0, depth: depth + 1, schema) }
    case .map(let entries):
      return depth < MixedCoding.nestingLimit
        && entries.allSatisfy { isMixed($0.value, depth: depth + 1, schema) }
    default: return true
    }
  }

  /// Whether a value is of the type of a primary key.
  private static func fits(_ key: Value, _ layout: ColumnLayout) -> Bool {
    if case .string(let text) = key, text.utf8.count > keyByteCountLimit { return false }
    return key.isNull ? layout.isOptional : key.type == layout.value
  }
}
