import AtollObjects

/// A record as the values of an object.
struct ConvertedRecord: Equatable {
  var primaryKey: Value?
  /// Without the links, and without the primary key.
  var values: [PropertyValue] = []
  var links: [Link] = []
  var embedded: [Embedded] = []

  /// The value of a property.
  struct PropertyValue: Equatable {
    /// The place of the property among those that are planned for its class.
    var place: Int
    var value: Value
  }

  /// A property of embedded objects.
  struct Embedded: Equatable {
    var property: String
    var isList: Bool
    var objects: [ConvertedRecord]
  }

  /// A property of links, given by the primary keys of the targets.
  struct Link: Equatable {
    var property: String
    var targets: [Value]
  }
}

extension ImportPlan {
  /// Gives each value of `record` its property's type.
  ///
  /// The plan was made from this record among others, so it fits, unless the data file has
  /// changed between the two passes: then the error names the value all the same.
  func convert(_ record: DataRecord) throws(ImportError) -> ConvertedRecord {
    let converted = try convert(record.fields, by: properties)
    if let primaryKey, converted.primaryKey == nil {
      throw .data(.primaryKeyMissing(primaryKey), at: record.position)
    }
    return converted
  }

  private func convert(
    _ fields: [DataField], by properties: [PlannedProperty]
  ) throws(ImportError) -> ConvertedRecord {
    var converted = ConvertedRecord()
    converted.values.reserveCapacity(fields.count)
    for (fieldIndex, field) in fields.enumerated() {
      guard let place = Self.place(of: field.name, near: fieldIndex, among: properties) else {
        continue
      }
      let planned = properties[place]
      if let target = planned.description.linkTarget, let inside = embeddedClasses[target] {
        converted.embedded.append(try embedded(field, planned, inside))
        continue
      }
      let value = try planned.convert(field)
      if planned.isPrimaryKey {
        converted.primaryKey = value
      } else if planned.keyType != nil {
        let targets: [Value] =
          switch value {
          case .list(let keys): keys
          case .null: []
          default: [value]
          }
        converted.links.append(.init(property: field.name, targets: targets))
      } else {
        converted.values.append(.init(place: place, value: value))
      }
    }
    return converted
  }

  private func embedded(
    _ field: DataField, _ planned: PlannedProperty, _ inside: [PlannedProperty]
  ) throws(ImportError) -> ConvertedRecord.Embedded {
    let isList = planned.description.collection == .list
    let values: [DataElement]
    switch field.value {
    case .null: values = []
    case .list(let elements) where isList: values = elements
    default: values = [DataElement(value: field.value, position: field.position)]
    }
    var objects: [ConvertedRecord] = []
    for element in values {
      guard case .object(let fields) = element.value else {
        throw planned.contradiction(element.value, at: element.position)
      }
      objects.append(try convert(fields, by: inside))
    }
    return .init(property: field.name, isList: isList, objects: objects)
  }

  private static func place(
    of name: String, near guess: Int, among properties: [PlannedProperty]
  ) -> Int? {
    if guess < properties.count, properties[guess].description.name == name { return guess }
    return properties.firstIndex { $0.description.name == name }
  }
}

extension PlannedProperty {
  func convert(_ field: DataField) throws(ImportError) -> Value {
    guard description.collection != .none else {
      return try convert(field.value, at: field.position)
    }
    let elements: [DataElement]
    switch (description.collection, field.value) {
    case (.map, .null): return .map(ValueMap())
    case (.map, .object(let fields)):
      var pairs: [(key: String, value: Value)] = []
      for entry in fields {
        pairs.append((entry.name, try convert(entry.value, at: entry.position)))
      }
      return .map(ValueMap(pairs))
    case (.list, .null), (.set, .null): return .list([])
    case (.list, .list(let list)), (.set, .list(let list)): elements = list
    default: throw contradiction(field.value, at: field.position)
    }
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for element in elements {
      values.append(try convert(element.value, at: element.position))
    }
    return .list(values)
  }

  /// A value of the property, or one in it.
  func convert(_ value: DataValue, at position: SourcePosition) throws(ImportError) -> Value {
    let type = keyType?.type ?? description.type
    switch (type, value) {
    case (_, .null): return .null
    case (.bool, .bool(let value)), (.mixed, .bool(let value)): return .bool(value)
    case (.int, .int(let value)), (.mixed, .int(let value)): return .int(value)
    case (.double, .double(let value)), (.mixed, .double(let value)): return .double(value)
    case (.double, .int(let value)):
      guard let double = Double(exactly: value) else { break }
      return .double(double)
    // As JSON is written, which has no such numbers.
    case (.double, .string("inf")): return .double(.infinity)
    case (.double, .string("-inf")): return .double(-.infinity)
    case (.double, .string("nan")): return .double(.nan)
    case (.float, .string("inf")): return .float(.infinity)
    case (.float, .string("-inf")): return .float(-.infinity)
    case (.float, .string("nan")): return .float(.nan)
    case (.float, .double(let value)):
      let float = Float(value)
      guard float.isFinite else { throw tooLarge(value.description, at: position) }
      return .float(float)
    case (.float, .int(let value)):
      guard let float = Float(exactly: value) else {
        throw .data(
          .inexact(property: description.name, number: "\(value)", type: type), at: position)
      }
      return .float(float)
    case (.string, .string(let text)), (.mixed, .string(let text)): return .string(text)
    case (.date, .string(let text)), (.date, .text(let text)):
      guard let moment = Timestamp(text) else { break }
      return .date(moment)
    case (.decimal, .string(let text)), (.decimal, .text(let text)):
      guard let number = Decimal128(text) else { break }
      // Infinity has a name, not digits.
      guard !number.isInfinite || !text.utf8.contains(where: { (48...57).contains($0) }) else {
        throw tooLarge(text, at: position)
      }
      return .decimal(number)
    case (.decimal, .longInt(let digits)):
      guard let number = Decimal128(digits) else { break }
      guard !number.isInfinite else { throw tooLarge(digits, at: position) }
      return .decimal(number)
    case (.decimal, .int(let value)): return .decimal(Decimal128(value))
    case (.decimal, .double(let value)):
      guard let number = Decimal128(value.description) else { break }
      return .decimal(number)
    case (.objectID, .string(let text)), (.objectID, .text(let text)):
      guard let identifier = ObjectID(text) else { break }
      return .objectID(identifier)
    case (.uuid, .string(let text)), (.uuid, .text(let text)):
      guard let identifier = UniqueID(text) else { break }
      return .uuid(identifier)
    case (.data, .string(let text)), (.data, .text(let text)):
      guard let bytes = Base64.decode(text) else { break }
      return .data(bytes)
    case (.string, .text(let text)), (.mixed, .text(let text)): return .string(text)
    case (.mixed, .list(let list)):
      var values: [Value] = []
      for element in list { values.append(try convert(element.value, at: element.position)) }
      return .list(values)
    case (.mixed, .object(let fields)):
      var pairs: [(key: String, value: Value)] = []
      for field in fields {
        pairs.append((field.name, try convert(field.value, at: field.position)))
      }
      return .map(ValueMap(pairs))
    case (.bool, .text(let text)):
      guard let bool = TextValue.bool(text) else { break }
      return .bool(bool)
    case (_, .text(let text)):
      guard let number = TextValue.number(text) else { break }
      return try convert(number, at: position)
    default: break
    }
    throw contradiction(value, at: position)
  }

  private func tooLarge(_ number: String, at position: SourcePosition) -> ImportError {
    .data(
      .tooLarge(property: description.name, number: number, type: description.type), at: position)
  }

  func contradiction(_ value: DataValue, at position: SourcePosition) -> ImportError {
    if case .longInt(let digits) = value { return .data(.integerOutOfRange(digits), at: position) }
    return .data(
      .contradiction(
        property: description.name, found: DataKind(value, dates: false)?.name ?? "null",
        expected: description.typeName, by: source), at: position)
  }
}
