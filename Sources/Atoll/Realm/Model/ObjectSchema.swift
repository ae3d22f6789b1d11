internal import AtollObjects

/// The kinds of values that a property may have, whatever collection they are in.
public enum PropertyType: Int32, Sendable {
  case int = 0
  case bool = 1
  case string = 2
  case data = 3
  case date = 4
  case float = 5
  case double = 6
  case object = 7
  case linkingObjects = 8
  case any = 9
  case objectId = 10
  case decimal128 = 11
  case UUID = 12

  init(_ form: _PropertyForm) {
    if form.kind == .linkingObjects {
      self = .linkingObjects
      return
    }
    self =
      switch form.stored.type {
      case .bool: .bool
      case .int: .int
      case .float: .float
      case .double: .double
      case .decimal: .decimal128
      case .string: .string
      case .data: .data
      case .date: .date
      case .objectID: .objectId
      case .uuid: .UUID
      case .mixed: .any
      case .link: .object
      }
  }
}

/// One property of a model class.
public struct Property: Equatable, Sendable {
  /// The name in Swift.
  public let name: String
  /// The name in the file.
  public let columnName: String
  /// The type of the value, or of each element of a collection.
  public let type: PropertyType
  /// Whether the property is a list, or leads to the objects that link here.
  public let isArray: Bool
  /// Whether the property is a set.
  public let isSet: Bool
  /// Whether the property is a map.
  public let isMap: Bool
  /// Whether the property is the primary key or has an ordered index; a full-text index is none.
  public let isIndexed: Bool
  /// Whether the value, or each element of a collection, may be nil; true of a link, and of a map of
  /// objects, and false of a list or set of them.
  public let isOptional: Bool
  /// The name of the class that links lead to, or come from.
  public let objectClassName: String?
  /// Of linking objects, the name of the property whose links are followed backwards.
  public let linkOriginPropertyName: String?

  init(_ property: PropertyDescriptor) {
    name = property.name
    columnName = property.columnName
    type = PropertyType(property.form)
    isArray = property.form.kind == .list || property.form.kind == .linkingObjects
    isSet = property.form.kind == .set
    isMap = property.form.kind == .map
    isIndexed = property.isIndexed || property.isPrimaryKey
    let isOfObjects = isArray || isSet
    isOptional =
      property.form.stored.isOptional && !(isOfObjects && property.form.stored.type == .link)
    objectClassName = property.targetName
    linkOriginPropertyName = property.originName
  }
}

extension Property: CustomStringConvertible {
  public var description: String {
    var text = "\(name) {\n\ttype = \(type);\n"
    if columnName != name { text += "\tcolumnName = \(columnName);\n" }
    if let objectClassName { text += "\tobjectClassName = \(objectClassName);\n" }
    if let linkOriginPropertyName {
      text += "\tlinkOriginPropertyName = \(linkOriginPropertyName);\n"
    }
    for (word, isTrue) in [
      ("array", isArray), ("set", isSet), ("map", isMap), ("indexed", isIndexed),
      ("optional", isOptional),
    ] where isTrue { text += "\t\(word) = YES;\n" }
    return text + "}"
  }
}

/// A model class: what its objects persist.
public struct ObjectSchema: Equatable, Sendable {
  /// The name of the class in files.
  public let className: String
  /// The class in Swift; `DynamicObject` for one that is known from a file only.
  public let objectClass: AnyClass
  /// The stored properties in the order of their declarations, and then the computed ones.
  public let properties: [Property]
  /// Whether objects of the class belong to a property of another object.
  public let isEmbedded: Bool
  /// Whether objects of the class only go to the server, and are not kept.
  public let isAsymmetric: Bool
  private let primaryKeyName: String?

  init(_ descriptor: ClassDescriptor) {
    className = descriptor.name
    objectClass = descriptor.type
    properties = descriptor.properties.map { Property($0) }
    isEmbedded = descriptor.isEmbedded
    isAsymmetric = descriptor.isAsymmetric
    primaryKeyName = descriptor.primaryKey?.name
  }

  /// The property that identifies an object.
  public var primaryKeyProperty: Property? { primaryKeyName.flatMap { self[$0] } }

  /// The property of this name.
  public subscript(propertyName: String) -> Property? {
    properties.first { $0.name == propertyName }
  }

  public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool {
    a.objectClass == b.objectClass && a.className == b.className && a.properties == b.properties
  }
}

extension ObjectSchema: CustomStringConvertible {
  public var description: String {
    let lines = properties.map { "\t\($0.description.replacing("\n", with: "\n\t"))\n" }
    return "\(className) {\n\(lines.joined())}"
  }
}

/// The model classes of a realm.
public struct Schema: Equatable, Sendable {
  /// The classes, ascending by name.
  public let objectSchema: [ObjectSchema]

  init(_ classes: [ClassDescriptor]) {
    objectSchema = classes.map { ObjectSchema($0) }.sorted { $0.className < $1.className }
  }

  /// The class of this name.
  public subscript(className: String) -> ObjectSchema? {
    objectSchema.first { $0.className == className }
  }
}

extension Schema: CustomStringConvertible {
  public var description: String {
    let lines = objectSchema.map { "\t\($0.description.replacing("\n", with: "\n\t"))\n" }
    return "Schema {\n\(lines.joined())}"
  }
}

extension ObjectBase {
  /// What objects of the class persist.
  public final var objectSchema: ObjectSchema { ObjectSchema(descriptor) }
}

extension Realm {
  /// The model classes that the realm knows: those it was opened with, and those used since, by
  /// their type or by their name.
  public var schema: Schema {
    context.checkConfinement()
    let known = context.knownClasses
    let named = context.classes.dynamicDescriptors.filter { dynamic in
      !known.contains { $0.name == dynamic.name }
    }
    return Schema(known + named)
  }
}
