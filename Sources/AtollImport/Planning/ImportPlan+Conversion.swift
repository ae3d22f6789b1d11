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
      if let target = planned.description.linkTarget,
        let inside = embeddedClasses[ExactText(target)]
      {
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
    if guess < properties.count, properties[guess].description.name.hasSameBytes(as: name) {
      return guess
    }
    return properties.firstIndex { $0.description.name.hasSameBytes(as: name) }
  }
}

extension PlannedProperty {
  func convert(_ field: DataField) throws(ImportError) -> Value {
    try convert(field) { _, _, position throws(ImportError) in
      throw .data(.linkOutsideOfDump, at: position)
    }
  }

  /// `link`: makes the links in mixed values.
  func convert(_ field: DataField, link: MixedData.LinkMaker) throws(ImportError) -> Value {
    guard description.collection != .none else {
      return try convert(field.value, at: field.position, link: link)
    }
    let elements: [DataElement]
    switch (description.collection, field.value) {
    case (.map, .null): return .map(ValueMap())
    case (.map, .object(let fields)):
      var pairs: [(key: String, value: Value)] = []
      for entry in fields {
        pairs.append((entry.name, try convert(entry.value, at: entry.position, link: link)))
      }
      return .map(ValueMap(pairs))
    case (.list, .null), (.set, .null): return .list([])
    case (.list, .list(let list)), (.set, .list(let list)): elements = list
    default: throw contradiction(field.value, at: field.position)
    }
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for element in elements {
      values.append(try convert(element.value, at: element.position, link: link))
    }
    return .list(values)
  }

  /// A value of the property, or one in it.
  func convert(_ value: DataValue, at position: SourcePosition) throws(ImportError) -> Value {
    try convert(value, at: position) { _, _, position throws(ImportError) in
      throw .data(.linkOutsideOfDump, at: position)
    }
  }

  private func convert(
    _ value: DataValue, at position: SourcePosition, link: MixedData.LinkMaker
  ) throws(ImportError) -> Value {
    let type = keyType?.type ?? description.type
    switch (type, value) {
    case (_, .null): return .null
    case (.mixed, _):
      let depth = description.collection == .none ? 0 : 1
      return try MixedData.value(value, at: position, depth: depth, link: link)
    case (.bool, .bool(let value)): return .bool(value)
    case (.int, .int(let value)): return .int(value)
    case (.double, _):
      if let double = try double(value, at: position) { return .double(double) }
    case (.float, _):
      if let float = try float(value, at: position) { return .float(float) }
    case (.decimal, _):
      if let decimal = try decimal(value, at: position) { return .decimal(decimal) }
    case (.string, .string(let text)), (.string, .text(let text)): return .string(text)
    case (.date, .string(let text)), (.date, .text(let text)):
      if let moment = Timestamp(text) { return .date(moment) }
    case (.objectID, .string(let text)), (.objectID, .text(let text)):
      if let identifier = ObjectID(text) { return .objectID(identifier) }
    case (.uuid, .string(let text)), (.uuid, .text(let text)):
      if let identifier = UniqueID(text) { return .uuid(identifier) }
    case (.data, .string(let text)), (.data, .text(let text)):
      if let bytes = Base64.decode(text) { return .data(bytes) }
    case (_, .typed(let value)) where value.type == type: return value
    case (.bool, .text(let text)):
      if let bool = TextValue.bool(text) { return .bool(bool) }
    case (.int, .text(let text)):
      if let number = TextValue.number(text) { return try convert(number, at: position) }
    default: break
    }
    throw contradiction(value, at: position)
  }

  /// Nil for what is no number.
  private func double(
    _ value: DataValue, at position: SourcePosition
  ) throws(ImportError) -> Double? {
    switch value {
    case .double(let value, _): return value
    case .int(let value): return Double(exactly: value)
    case .longInt(let digits):
      guard let double = ExactDouble.value(digits) else { throw inexact(digits, at: position) }
      return double
    case .longDouble(let digits): throw outOfRange(digits, at: position)
    case .typed(.float(let value)): return Double(value)
    // As JSON is written, which has no such numbers.
    case .string("inf"): return .infinity
    case .string("-inf"): return -.infinity
    case .string("nan"): return .nan
    case .text(let text):
      guard let number = TextValue.number(text) else { return nil }
      return try double(number, at: position)
    default: return nil
    }
  }

  private func float(_ value: DataValue, at position: SourcePosition) throws(ImportError) -> Float?
  {
    switch value {
    case .double(let value, let digits):
      let float = Float(rounding: digits, value)
      guard float.isFinite || !value.isFinite, float != 0 || value == 0 else {
        throw outOfRange(digits, at: position)
      }
      return float
    case .int(let value):
      guard let float = Float(exactly: value) else { throw inexact("\(value)", at: position) }
      return float
    case .longInt(let digits):
      guard let float = ExactDouble.value(digits).flatMap({ Float(exactly: $0) }), float.isFinite
      else { throw inexact(digits, at: position) }
      return float
    case .longDouble(let digits): throw outOfRange(digits, at: position)
    case .typed(.float(let value)): return value
    case .string("inf"): return .infinity
    case .string("-inf"): return -.infinity
    case .string("nan"): return .nan
    case .text(let text):
      guard let number = TextValue.number(text) else { return nil }
      return try float(number, at: position)
    default: return nil
    }
  }

  /// From the digits, never by way of a double.
  private func decimal(
    _ value: DataValue, at position: SourcePosition
  ) throws(ImportError) -> Decimal128? {
    let digits: String
    switch value {
    case .int(let value): return Decimal128(value)
    case .typed(.decimal(let value)): return value
    case .longInt(let text), .double(_, let text), .longDouble(let text), .string(let text),
      .text(let text):
      digits = text
    default: return nil
    }
    switch DecimalText(digits) {
    case .number(let decimal): return decimal
    case .tooLarge, .tooSmall: throw outOfRange(digits, at: position)
    case .inexact: throw inexact(digits, at: position)
    case nil: return nil
    }
  }

  private func outOfRange(_ number: String, at position: SourcePosition) -> ImportError {
    .data(
      .outOfRange(property: description.name, number: number, type: description.type), at: position)
  }

  private func inexact(_ number: String, at position: SourcePosition) -> ImportError {
    .data(
      .inexact(property: description.name, number: number, type: description.type), at: position)
  }

  func contradiction(_ value: DataValue, at position: SourcePosition) -> ImportError {
    if description.type == .int, case .longInt(let digits) = value {
      return .data(.integerOutOfRange(digits), at: position)
    }
    var expected = description
    expected.isOptional = false
    return .data(
      .contradiction(
        property: description.name, found: DataKind(value, dates: false)?.name ?? "null",
        expected: expected.typeName, by: source), at: position)
  }
}
