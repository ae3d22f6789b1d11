import AtollObjects

/// The classes in the file at the start of an import, and which of them only links have named.
struct ExistingClasses: Equatable {
  var classes: [ClassSchema] = []
  /// Classes that an import created as targets of links, and whose own data was not imported yet:
  /// they have a primary key of the links' type, under a name that no data has, and no objects.
  var placeholders: Set<ExactText> = []

  func isPlaceholder(_ name: String) -> Bool { placeholders.contains(ExactText(name)) }

  /// The name of the primary key until the class's own data gives it another.
  static let placeholderKey = "(primary key)"

  /// The classes of an empty file.
  init() {}

  init(_ source: some ObjectSource) throws(ObjectError) {
    classes = source.schema.classes
    for found in classes where found.properties.map(\.name) == [Self.placeholderKey] {
      guard found.primaryKey == Self.placeholderKey, try source.table(found.name).count == 0
      else { continue }
      placeholders.insert(ExactText(found.name))
    }
  }

  subscript(name: String) -> ClassSchema? {
    classes.first { $0.name.hasSameBytes(as: name) }
  }

  /// The target class of links to `name` before its own data is imported.
  static func placeholder(_ name: String, _ keyType: KeyType) -> ClassSchema {
    ClassSchema(
      name, properties: [PropertySchema(placeholderKey, keyType.type)],
      primaryKey: placeholderKey)
  }
}

/// A step that makes the file's classes fit the data to be imported.
indirect enum SchemaChange: Equatable, Sendable {
  case addClass(ClassSchema)
  /// Adds classes of embedded objects, which may hold each other, and with them that of the
  /// records when they link to it.
  case addEmbedded([ClassSchema])
  /// A change of another class.
  case inClass(String, SchemaChange)
  /// Gives the primary key of a placeholder its name.
  case nameKey(String)
  case addProperty(PropertySchema)
  case makeOptional(property: String)
  case addIndex(property: String)
  case addFullTextIndex(property: String)
}

extension Transaction {
  /// Makes the changes; those that name no class are of `className`.
  func apply(_ changes: [SchemaChange], to className: String) throws(ObjectError) {
    for change in changes {
      switch change {
      case .addClass(let added): try addClass(added)
      case .addEmbedded(let added): try addClasses(added)
      case .inClass(let name, let change): try apply([change], to: name)
      case .nameKey(let name):
        try renameProperty(ExistingClasses.placeholderKey, of: className, to: name)
      case .addProperty(let property): try addProperty(property, to: className)
      case .makeOptional(let property): try makeOptional(property, of: className)
      case .addIndex(let property): try addIndex(on: property, of: className)
      case .addFullTextIndex(let property): try addFullTextIndex(on: property, of: className)
      }
    }
  }
}
