import AtollObjects

/// A line of a dump of all classes.
enum DumpLine {
  case description(ClassSchema)
  /// An object; `key` is its number, by which links name it when its class has no primary key.
  case object(className: String, key: Int64?, fields: [DataField])

  init(_ record: DataRecord) throws(ImportError) {
    if record.fields.count == 1, let field = record.fields.first, field.name == "class" {
      self = .description(try Self.description(field))
      return
    }
    var className: String?
    var key: Int64?
    var fields: [DataField]?
    for field in record.fields {
      switch (field.name, field.value) {
      case ("of", .string(let name)): className = name
      case ("key", .int(let number)): key = number
      case ("object", .object(let found)): fields = found
      default: throw .data(.noDumpLine, at: field.position)
      }
    }
    guard let className, let fields else { throw .data(.noDumpLine, at: record.position) }
    self = .object(className: className, key: key, fields: fields)
  }

  private static func description(_ field: DataField) throws(ImportError) -> ClassSchema {
    let problem = ImportError.data(.noDumpedClass, at: field.position)
    var schema = ClassSchema("", properties: [])
    guard case .object(let fields) = field.value else { throw problem }
    for field in fields {
      switch (field.name, field.value) {
      case ("name", .string(let name)): schema.name = name
      case ("isEmbedded", .bool(let flag)): schema.isEmbedded = flag
      case ("primaryKey", .string(let name)): schema.primaryKey = name
      case ("primaryKey", .null): break
      case ("properties", .list(let elements)):
        for element in elements {
          schema.properties.append(try property(element))
        }
      case ("indexes", .list(let elements)):
        for element in elements { schema.indexes.append(try index(element)) }
      default: throw .data(.noDumpedClass, at: field.position)
      }
    }
    guard !schema.name.isEmpty else { throw problem }
    return schema
  }

  private static func index(_ element: DataElement) throws(ImportError) -> IndexSchema {
    let problem = ImportError.data(.noDumpedClass, at: element.position)
    guard case .object(let fields) = element.value else { throw problem }
    var index = IndexSchema([])
    for field in fields {
      switch (field.name, field.value) {
      case ("isUnique", .bool(let flag)): index.isUnique = flag
      case ("properties", .list(let names)):
        for name in names {
          guard case .string(let text) = name.value else { throw problem }
          index.properties.append(text)
        }
      default: throw .data(.noDumpedClass, at: field.position)
      }
    }
    return index
  }

  private static func property(_ element: DataElement) throws(ImportError) -> PropertySchema {
    let problem = ImportError.data(.noDumpedClass, at: element.position)
    guard case .object(let fields) = element.value else { throw problem }
    var name: String?
    var typeName: String?
    var isIndexed = false
    var isFullTextIndexed = false
    var rule = DeletionRule.nullify
    for field in fields {
      switch (field.name, field.value) {
      case ("name", .string(let text)): name = text
      case ("type", .string(let text)): typeName = text
      case ("isIndexed", .bool(let flag)): isIndexed = flag
      case ("isFullTextIndexed", .bool(let flag)): isFullTextIndexed = flag
      case ("deletionRule", .string(let text)):
        guard let found = DeletionRule.allCases.first(where: { $0.name == text }) else {
          throw .data(.noDumpedClass, at: field.position)
        }
        rule = found
      default: throw .data(.noDumpedClass, at: field.position)
      }
    }
    guard let name, let typeName else { throw problem }
    guard var property = PropertySchema(name, typeName: typeName) else {
      throw .data(.unknownType(typeName, property: name), at: element.position)
    }
    property.isIndexed = isIndexed
    property.isFullTextIndexed = isFullTextIndexed
    property.deletionRule = rule
    return property
  }
}
