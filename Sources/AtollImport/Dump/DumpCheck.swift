import AtollObjects

/// Checks a dump for errors that would stop its import halfway: lines that do not fit the classes,
/// nulls of required properties, missing or duplicate primary keys, equal values of unique indexes,
/// links to objects that are not there.
///
/// Memory follows the number of objects: the keys of all of them are held, and their values in unique
/// indexes.
struct DumpCheck {
  private(set) var classes = DumpedClasses()
  private let existing: ExistingClasses
  private var primaryKeys: [ExactText: Set<Value>] = [:]
  /// The numbers of the objects without primary key.
  private var numbers: [ExactText: Set<Int64>] = [:]
  /// What the objects have in unique indexes.
  private var listed: Set<Listed> = []
  /// Where objects are named first that have not come yet, but for links that may wait in the file.
  private var missing: [Target: SourcePosition] = [:]

  private struct Target: Hashable {
    var className: ExactText
    var key: DumpedObject.Key
  }

  private struct Listed: Hashable {
    var className: ExactText
    /// The place of the index among those of its class.
    var index: Int
    var values: [UInt8]
  }

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
      try checkUnique(object, of: schema, at: record.position)
      noteTargets(of: object)
    }
  }

  /// Refuses an object that has the same values as one before it where the class has a unique index.
  ///
  /// A property that the line does not name has its default.
  private mutating func checkUnique(
    _ object: DumpedObject, of schema: ClassSchema, at position: SourcePosition
  ) throws(ImportError) {
    for (place, index) in schema.indexes.enumerated() where index.isUnique {
      let values = index.properties.map { name in
        object.values.first { $0.name.hasSameBytes(as: name) }?.value
          ?? schema[name].map { $0.isOptional ? .null : Value(zeroOf: $0.type) } ?? .null
      }
      // A null equals no other.
      guard !values.contains(where: { $0.isNull }), let bytes = Index.bytes(ofAll: values) else {
        continue
      }
      let listing = Listed(className: ExactText(schema.name), index: place, values: bytes)
      guard listed.insert(listing).inserted else {
        let text = values.map { "\($0)" }.joined(separator: ", ")
        throw .data(
          .notUnique(text, properties: index.properties, className: schema.name), at: position)
      }
    }
  }

  private mutating func noteTargets(of object: DumpedObject) {
    for links in object.links where classes[links.target]?.primaryKey == nil {
      for (_, key, position) in links.entries {
        if let key { noteTarget(links.target, key, position) }
      }
    }
    for mixed in object.mixed {
      for (className, key, position) in mixed.targets { noteTarget(className, key, position) }
    }
    for embedded in object.embedded { noteTargets(of: embedded.object) }
  }

  private mutating func noteTarget(
    _ className: String, _ key: DumpedObject.Key, _ position: SourcePosition
  ) {
    let target = Target(className: ExactText(className), key: key)
    guard !hasCome(target), missing[target] == nil else { return }
    missing[target] = position
  }

  private func hasCome(_ target: Target) -> Bool {
    switch target.key {
    case .primaryKey(let value): primaryKeys[target.className]?.contains(value) ?? false
    case .number(let number): numbers[target.className]?.contains(number) ?? false
    }
  }

  /// Checks what can be known only behind the last line.
  ///
  /// - Throws: `.notInDump` at the first link to an object that never came.
  func finish() throws(ImportError) {
    let lost = missing.filter { !hasCome($0.key) }
    guard let (target, position) = lost.min(by: { $0.value < $1.value }) else { return }
    throw .data(.notInDump(target.key.text, className: target.className.text), at: position)
  }
}
