package import AtollCapture
package import AtollObjects

// Classes in messages: the parts on which both sides must agree, and the device's indexes.

private enum ClassFlag {
  static let isEmbedded: UInt8 = 1
  static let isAsymmetric: UInt8 = 2
  static let known: UInt8 = isEmbedded | isAsymmetric
}

private enum PropertyFlag {
  static let isOptional: UInt8 = 1
  static let isIndexed: UInt8 = 2
  static let isFullTextIndexed: UInt8 = 4
  static let known: UInt8 = isOptional | isIndexed | isFullTextIndexed
}

extension RecordedWriter {
  package mutating func append(_ schema: ClassSchema) {
    append(name: schema.name)
    append(
      byte: (schema.isEmbedded ? ClassFlag.isEmbedded : 0)
        | (schema.isAsymmetric ? ClassFlag.isAsymmetric : 0))
    append(schema.primaryKey) { $0.append(name: $1) }
    append(schema.properties) { $0.append($1) }
  }

  private mutating func append(_ property: PropertySchema) {
    append(name: property.name)
    append(byte: property.type.rawValue)
    append(byte: property.collection.rawValue)
    var flags: UInt8 = 0
    if property.isOptional { flags |= PropertyFlag.isOptional }
    if property.isIndexed { flags |= PropertyFlag.isIndexed }
    if property.isFullTextIndexed { flags |= PropertyFlag.isFullTextIndexed }
    append(byte: flags)
    append(property.linkTarget) { $0.append(name: $1) }
  }
}

extension RecordedReader {
  package mutating func readClassSchema() throws(ValueCodingError) -> ClassSchema {
    let className = try readName()
    let flags = try readByte()
    guard flags & ~ClassFlag.known == 0 else {
      throw .invalidContents(byteOffset: byteOffset - 1)
    }
    let primaryKey = try readOptionalName()
    let properties = try readArray { reader throws(ValueCodingError) in
      try reader.readPropertySchema()
    }
    return ClassSchema(
      className, properties: properties, primaryKey: primaryKey,
      isEmbedded: flags & ClassFlag.isEmbedded != 0,
      isAsymmetric: flags & ClassFlag.isAsymmetric != 0)
  }

  private mutating func readPropertySchema() throws(ValueCodingError) -> PropertySchema {
    let propertyName = try readName()
    let start = byteOffset
    guard let type = ValueType(rawValue: try readByte()),
      let collection = CollectionKind(rawValue: try readByte())
    else { throw .invalidContents(byteOffset: start) }
    let flags = try readByte()
    guard flags & ~PropertyFlag.known == 0 else {
      throw .invalidContents(byteOffset: byteOffset - 1)
    }
    var property = PropertySchema(
      propertyName, type, collection: collection, isOptional: flags & PropertyFlag.isOptional != 0,
      isIndexed: flags & PropertyFlag.isIndexed != 0,
      isFullTextIndexed: flags & PropertyFlag.isFullTextIndexed != 0)
    property.linkTarget = try readOptionalName()
    guard (property.linkTarget != nil) == (type == .link) else {
      throw .invalidContents(byteOffset: start)
    }
    return property
  }

  private mutating func readOptionalName() throws(ValueCodingError) -> String? {
    try readOptional { reader throws(ValueCodingError) in try reader.readName() }
  }
}
