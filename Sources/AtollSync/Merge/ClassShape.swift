package import AtollCapture
package import AtollObjects

/// The initial state of the objects of a class: the units of their properties.
package struct ClassShape: Hashable, Sendable {
  /// The defaults of all properties but collections and the primary key.
  package let defaults: [ExactText: RecordedValue]

  package init(_ schema: ClassSchema) {
    var defaults: [ExactText: RecordedValue] = [:]
    for property in schema.properties
    where property.collection == .none
      && schema.primaryKey?.hasSameBytes(as: property.name) != true
    {
      defaults[ExactText(property.name)] = Self.defaultValue(property)
    }
    self.defaults = defaults
  }

  package init(defaults: [ExactText: RecordedValue]) { self.defaults = defaults }

  /// Null where null is allowed, else zero, false, empty.
  package static func defaultValue(_ property: PropertySchema) -> RecordedValue {
    guard !property.isOptional else { return .null }
    return switch property.type {
    case .bool: .bool(false)
    case .int: .int(0)
    case .float: .float(0)
    case .double: .double(0)
    case .decimal: .decimal(.zero)
    case .string: .string("")
    case .data: .data([])
    case .date: Timestamp(seconds: 0, nanoseconds: 0).map { .date($0) } ?? .null
    case .objectID: .objectID(ObjectID(seconds: 0, random: 0, counter: 0))
    case .uuid: .uuid(UniqueID(high: 0, low: 0))
    case .mixed, .link: .null
    }
  }
}
