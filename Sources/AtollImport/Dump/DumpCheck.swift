import AtollObjects

/// Checks a dump for errors that would stop its import halfway: lines that do not fit the classes,
/// nulls of required properties, missing or duplicate primary keys.
///
/// Memory follows the number of objects: the keys of all of them are held.
struct DumpCheck {
  private(set) var classes = DumpedClasses()
  private let existing: ExistingClasses
  private var primaryKeys: [ExactText: Set<Value>] = [:]
  /// The numbers of the objects without primary key.
  private var numbers: [ExactText: Set<Int64>] = [:]

  init(existing: ExistingClasses) {
    self.existing = existing
  }

  mutating func observe(_ record: DataRecord) throws(ImportError) {
    switch try DumpLine(record) {
    case .description(let schema):
      guard existing[schema.name] == nil else {
        throw .data(.classInFile(schema.name), at: record.position)
      }
      try classes.add(schema, at: record.position)
    case .object(let className, let number, let fields):
      let object = try classes.object(fields, of: className, at: record.position)
      guard let schema = classes[className], !schema.isEmbedded else {
        throw .data(.notByItself(className), at: record.position)
      }
      if let name = schema.primaryKey {
        guard let key = object.values.first(where: { $0.name.hasSameBytes(as: name) })?.value
        else {
          throw .data(.primaryKeyMissing(name), at: record.position)
        }
        guard primaryKeys[ExactText(className), default: []].insert(key).inserted else {
          throw .data(
            .duplicatePrimaryKey("\(key)", className: className),
            at: fields.first { $0.name.hasSameBytes(as: name) }?.position ?? record.position)
        }
      } else if let number {
        guard numbers[ExactText(className), default: []].insert(number).inserted else {
          throw .data(.duplicateObjectKey(number, className: className), at: record.position)
        }
      }
    }
  }
}
