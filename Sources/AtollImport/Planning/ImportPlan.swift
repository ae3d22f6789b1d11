import AtollObjects

/// The mapping of records to objects of a class: the type of each property, and the necessary
/// changes of the file's classes.
///
/// The rules:
/// - All ints: int. Ints and doubles: double, if each int equals one; with decimals among them
///   decimal. All strings that read as ISO 8601 dates: date. Other strings: string. Bools: bool.
///   Values whose type the notation names: that type. Lists: lists of their elements' type. Other
///   mixtures are an error at the first value that differs from the first one.
/// - Objects: maps, of the type that all of their values have, else of mixed ones; embedded objects
///   where an option or the file says so. Lists of lists or objects: lists of mixed values.
/// - Fields without type (CSV) have the narrowest type that all of them read as, else string. What
///   is written as identifiers are is no number: `007`, `+1`, and where no value has a point or a
///   signed exponent `1E5`.
/// - A type given by an option is that of all values; a value that does not fit it is an error.
///   Where all values are lists, or all are objects, it is that of what is in them; else a mixed
///   property holds lists and objects beside other values.
/// - A property that is null or missing in a record is optional. Null for a list is the empty list.
/// - A property that the file had before the import keeps its type, and the data has to fit: null
///   for one that is required is an error, and where it is missing a new object has the default of
///   the type.
/// - A primary key is int, string, objectId or uuid. A link is given by the primary key of its
///   target and is of the type of that. A target class that is not in the file yet is made as a
///   placeholder, with a key of the type that the data shows.
/// - A property that no record has a value for, or only empty lists, has no type; it is left out.
struct ImportPlan: Equatable {
  let className: String
  let primaryKey: String?
  /// The schema of the plan; for another schema the plan is invalid.
  let existing: ExistingClasses
  /// The schema before the import, of which earlier batches may have made `existing`.
  private let original: ExistingClasses
  let recordCount: Int
  private(set) var properties: [PlannedProperty] = []
  private(set) var changes: [SchemaChange] = []
  /// Properties left out because no record has a value for them.
  private(set) var valuelessProperties: [String] = []
  /// The properties of the classes of embedded objects.
  private(set) var embeddedClasses: [ExactText: [PlannedProperty]] = [:]
  /// Properties that few values have made strings.
  private(set) var oddValues: [OddValue] = []

  /// Plans the import of what `inference` has seen into the class `className` of a file that has
  /// the classes `existing`, and before the first batch had `original`; nil if this is the first.
  ///
  /// - Throws: `ImportError.data` at the first value that does not fit, `.request` for options
  ///   that do not fit the data or the class.
  init(
    _ inference: TypeInference, className: String, options: ImportOptions,
    existing: ExistingClasses, original: ExistingClasses? = nil
  ) throws(ImportError) {
    try options.validate()
    if let (name, property) = inference.shape.contradiction {
      throw .request(.contradictingOptionsInside(className: name, property: property))
    }
    self.className = className
    self.existing = existing
    self.original = original ?? existing
    recordCount = inference.recordCount
    primaryKey = try Self.primaryKey(of: className, options, existing)
    if inference.recordCount == 0 { return }

    if let primaryKey, let position = inference.firstWithoutPrimaryKey {
      throw .data(.primaryKeyMissing(primaryKey), at: position)
    }
    var keyTypes: [ExactText: KeyType] = [:]
    if let primaryKey, let observation = inference[primaryKey] {
      keyTypes[ExactText(className)] = try Self.keyType(
        observation, stated: options.type(primaryKey), existing: existing[className])
    }
    for observation in inference.properties {
      guard let planned = try plan(observation, options, &keyTypes) else {
        valuelessProperties.append(observation.name)
        continue
      }
      try Self.checkName(of: observation)
      properties.append(planned)
      if planned.source != .option, existing[className]?[observation.name] == nil,
        let odd = OddValue(observation, as: planned.description)
      {
        oddValues.append(odd)
      }
    }
    let embedded = try planEmbedded(in: inference, &keyTypes)
    try addIndexes(options, inference: inference)
    try gatherChanges(keyTypes, embedded: embedded)
  }

  /// Refuses a name that no property can have.
  private static func checkName(of observation: PropertyObservation) throws(ImportError) {
    let name = observation.name
    guard !name.isEmpty else { throw .data(.emptyName, at: observation.firstPosition) }
    guard name.utf8.count <= PropertySchema.nameByteLimit else {
      throw .data(
        .nameTooLong(name, limit: PropertySchema.nameByteLimit), at: observation.firstPosition)
    }
  }

  /// The primary key of the class, as the file has it or else as the options name it.
  private static func primaryKey(
    of className: String, _ options: ImportOptions, _ existing: ExistingClasses
  ) throws(ImportError) -> String? {
    guard let found = existing[className] else { return options.primaryKey }
    guard !found.isEmbedded else { throw .request(.embeddedInFile(className)) }
    if existing.isPlaceholder(className) {
      guard let requested = options.primaryKey else {
        throw .request(.primaryKeyNeeded(className))
      }
      return requested
    }
    if let requested = options.primaryKey,
      !(found.primaryKey.map(requested.hasSameBytes(as:)) ?? false)
    {
      throw .request(.primaryKeyDiffers(inFile: found.primaryKey, requested: requested))
    }
    return found.primaryKey
  }

  private static func keyType(
    _ observation: PropertyObservation, stated: ValueType?, existing: ClassSchema?
  ) throws(ImportError) -> KeyType {
    if let stated, KeyType(stated) == nil {
      throw .request(.notAPrimaryKey(observation.name, type: stated))
    }
    if let position = observation.values.firstNull {
      throw .data(.primaryKeyNull(observation.name), at: position)
    }
    var type: KeyType?
    if let name = existing?.primaryKey, let property = existing?[name] {
      type = KeyType(property.type)
      if type == nil, let first = observation.values.earliest {
        throw .data(
          .contradiction(
            property: observation.name, found: first.kind.name, expected: property.typeName,
            by: .file), at: first.position)
      }
    } else {
      type = KeyType(observation.values)
    }
    if let stated {
      if let inFile = existing?.primaryKey.flatMap({ existing?[$0] }), inFile.type != stated {
        throw .request(
          .typeDiffers(observation.name, inFile: inFile.typeName, requested: stated))
      }
      type = KeyType(stated)
    }
    let kinds = type?.kinds(isTried: observation.isTried) ?? []
    if let wrong = observation.values.earliest(outside: kinds) {
      throw .data(
        .primaryKeyType(observation.name, expected: type, found: wrong.kind.name),
        at: wrong.position)
    }
    if let misfit = observation.firstMisfit { throw misfit }
    return type ?? .string
  }

  /// Plans one property; nil when the data shows no type.
  ///
  /// `keyTypes` holds the types of primary keys that are known from the data. The type that the
  /// first link to a class shows is added when the class is not in the file.
  private func plan(
    _ observation: PropertyObservation, _ options: ImportOptions,
    _ keyTypes: inout [ExactText: KeyType]
  ) throws(ImportError) -> PlannedProperty? {
    let name = observation.name
    let inFile = existing[className]
    if let primaryKey, name.hasSameBytes(as: primaryKey),
      let keyType = keyTypes[ExactText(className)]
    {
      let description = inFile?[name] ?? PropertySchema(name, keyType.type)
      return PlannedProperty(description: description, isPrimaryKey: true)
    }
    let planner = PropertyPlanner(
      observation: observation, recordCount: recordCount, existing: ownProperty(name, of: inFile),
      isOfFile: isOfFile(name, of: className), link: options.link(name),
      listLink: options.listLink(name), type: options.type(name),
      embeddedClass: observation.embedded?.shape.className)
    return try plan(planner, &keyTypes)
  }

  private func plan(
    _ planner: PropertyPlanner, _ keyTypes: inout [ExactText: KeyType]
  ) throws(ImportError) -> PlannedProperty? {
    let known = keyTypes
    let planned = try planner.plan { (target: String) throws(ImportError) -> KeyType? in
      if let keyType = known[ExactText(target)] { return keyType }
      let isOwn = target.hasSameBytes(as: className)
      guard !isOwn, let found = existing[target] else {
        guard !isOwn else { throw .request(.targetWithoutPrimaryKey(target)) }
        return nil
      }
      guard let keyType = KeyType(of: found) else {
        throw .request(.targetWithoutPrimaryKey(target))
      }
      return keyType
    }
    if let planned, let target = planned.description.linkTarget, planned.keyType != nil,
      existing[target] == nil
    {
      keyTypes[ExactText(target)] = planned.keyType
    }
    return planned
  }

  /// A property that the file has; not the key of a placeholder, which gets another name.
  private func ownProperty(_ name: String, of inFile: ClassSchema?) -> PropertySchema? {
    guard let inFile else { return nil }
    let isPlaceholder = existing.isPlaceholder(inFile.name)
    return isPlaceholder && name == ExistingClasses.placeholderKey ? nil : inFile[name]
  }

  /// Whether the file had a property before the import.
  private func isOfFile(_ property: String, of className: String) -> Bool {
    original[className]?[property] != nil && !original.isPlaceholder(className)
  }

  /// Plans the classes of the embedded objects, also of those that are in others.
  ///
  /// - Returns: the classes that are not in the file yet.
  private mutating func planEmbedded(
    in inference: TypeInference, _ keyTypes: inout [ExactText: KeyType]
  ) throws(ImportError) -> [ClassSchema] {
    /// Embedded objects, and the name in options of a property that holds them.
    typealias Part = (path: String, inference: TypeInference)
    func parts(of inference: TypeInference, prefix: String) -> [Part] {
      inference.properties.compactMap { property in
        property.embedded.map { (prefix + property.name, $0) }
      }
    }
    var found: [(name: String, path: String, inference: TypeInference)] = []
    var waiting = parts(of: inference, prefix: "")
    while !waiting.isEmpty {
      let (path, next) = waiting.removeFirst()
      guard let name = next.shape.className else { continue }
      if let index = found.firstIndex(where: { $0.name.hasSameBytes(as: name) }) {
        found[index].inference.merge(next)
      } else {
        found.append((name, path, next))
      }
      waiting += parts(of: next, prefix: path + ".")
    }
    var added: [ClassSchema] = []
    for (name, path, inference) in found {
      let inFile = existing[name]
      guard !name.hasSameBytes(as: className), inFile?.isEmbedded != false else {
        throw .request(.notEmbedded(name))
      }
      let options = inference.shape.options
      var inside: [PlannedProperty] = []
      for observation in inference.properties {
        let planner = PropertyPlanner(
          observation: observation, recordCount: inference.recordCount,
          existing: inFile?[observation.name], isOfFile: isOfFile(observation.name, of: name),
          link: options.link(observation.name),
          listLink: options.listLink(observation.name), type: options.type(observation.name),
          path: path + "." + observation.name,
          embeddedClass: observation.embedded?.shape.className)
        guard let planned = try plan(planner, &keyTypes) else { continue }
        try Self.checkName(of: observation)
        inside.append(planned)
      }
      embeddedClasses[ExactText(name)] = inside
      if let inFile {
        changes += schemaChanges(of: inFile, for: inside).map { .inClass(name, $0) }
      } else {
        added.append(
          ClassSchema(name, properties: inside.map(\.description), isEmbedded: true))
      }
    }
    return added
  }

  private mutating func addIndexes(
    _ options: ImportOptions, inference: TypeInference
  ) throws(ImportError) {
    let inFile = existing[className]
    for name in options.indexes {
      if let index = properties.firstIndex(where: { $0.description.name.hasSameBytes(as: name) }) {
        let type = properties[index].description
        guard type.collection == .none, type.type != .link, type.type != .mixed else {
          throw .request(.notIndexable(name, type: type.typeName))
        }
        properties[index].description.isIndexed = true
      } else if let old = inFile?[name] {
        if !old.isIndexed { changes.append(.addIndex(property: name)) }
      } else if valuelessProperties.contains(name) {
        throw .request(.valuelessProperty(name, option: "--index"))
      }
    }
    for name in options.fullTexts {
      if let index = properties.firstIndex(where: { $0.description.name.hasSameBytes(as: name) }) {
        let type = properties[index].description
        guard type.collection == .none, type.type == .string else {
          throw .request(.notFullTextIndexable(name, type: type.typeName))
        }
        properties[index].description.isFullTextIndexed = true
      } else if let old = inFile?[name] {
        if !old.isFullTextIndexed { changes.append(.addFullTextIndex(property: name)) }
      } else if valuelessProperties.contains(name) {
        throw .request(.valuelessProperty(name, option: "--full-text"))
      }
    }
    let optionNames =
      options.indexes.map { ("--index", $0) } + options.fullTexts.map { ("--full-text", $0) }
      + options.links.map { ("--link", $0.property) }
      + options.listLinks.map { ("--list-link", $0.property) }
      + options.embedded.map { ("--embedded", $0.property) }
      + options.types.map { ("--type", $0.property) }
    for (option, name) in optionNames where inFile?[name] == nil && inference[name] == nil {
      if Self.names(name, in: inference) {
        if !["--index", "--full-text"].contains(option) { continue }
        throw .request(.insideEmbedded(name, option: option))
      }
      let nearest = NearestName.find(name, among: inference.properties.map(\.name))
      throw .request(.unknownProperty(name, option: option, nearest: nearest))
    }
  }

  /// Whether the data has a property `name`, or `property.name` in embedded objects.
  private static func names(_ name: String, in inference: TypeInference) -> Bool {
    if inference[name] != nil { return true }
    return inference.properties.contains { observation in
      guard let embedded = observation.embedded, name.hasPrefix(observation.name + ".") else {
        return false
      }
      return names(String(name.dropFirst(observation.name.count + 1)), in: embedded)
    }
  }

  /// - Parameters:
  ///   - keyTypes: holds the type of key of each class to be made for links to it.
  ///   - embedded: the classes of embedded objects to be made.
  /// - Throws: `.targetWithoutPrimaryKey` for links to embedded objects.
  private mutating func gatherChanges(
    _ keyTypes: [ExactText: KeyType], embedded: [ClassSchema]
  ) throws(ImportError) {
    // A class comes before those with links to it.
    var first: [SchemaChange] = []
    let inside = embeddedClasses.sorted { $0.key.text < $1.key.text }.flatMap(\.value)
    for planned in properties + inside where planned.keyType != nil {
      guard let target = planned.description.linkTarget, !target.hasSameBytes(as: className),
        existing[target] == nil, let keyType = keyTypes[ExactText(target)]
      else { continue }
      guard !embedded.contains(where: { $0.name.hasSameBytes(as: target) }) else {
        throw .request(.targetWithoutPrimaryKey(target))
      }
      let placeholder = SchemaChange.addClass(ExistingClasses.placeholder(target, keyType))
      if !first.contains(placeholder) { first.append(placeholder) }
    }
    guard let inFile = existing[className] else {
      let added = ClassSchema(
        className, properties: properties.map(\.description), primaryKey: primaryKey)
      // Embedded objects may lead back to the objects that they are in.
      let leadsBack = embedded.contains { embeddedClass in
        embeddedClass.properties.contains { $0.linkTarget?.hasSameBytes(as: className) ?? false }
      }
      if leadsBack {
        first.append(.addEmbedded(embedded + [added]))
      } else {
        if !embedded.isEmpty { first.append(.addEmbedded(embedded)) }
        first.append(.addClass(added))
      }
      changes = first + changes
      return
    }
    if !embedded.isEmpty { first.append(.addEmbedded(embedded)) }
    changes = first + changes
    if existing.isPlaceholder(className), let primaryKey,
      primaryKey != ExistingClasses.placeholderKey
    {
      changes.append(.nameKey(primaryKey))
    }
    changes += schemaChanges(of: inFile, for: properties)
  }

  /// The changes with which a class of the file can hold objects that have `properties`.
  private func schemaChanges(
    of inFile: ClassSchema, for properties: [PlannedProperty]
  ) -> [SchemaChange] {
    let isPlaceholder = existing.isPlaceholder(inFile.name)
    var changes: [SchemaChange] = []
    for planned in properties where !planned.isPrimaryKey {
      var description = planned.description
      guard let old = ownProperty(description.name, of: inFile) else {
        // The objects that are there have no value for it.
        if planned.canBeNull, !isPlaceholder { description.isOptional = true }
        changes.append(.addProperty(description))
        continue
      }
      if description.isOptional, !old.isOptional {
        changes.append(.makeOptional(property: old.name))
      }
      if description.isIndexed, !old.isIndexed { changes.append(.addIndex(property: old.name)) }
      if description.isFullTextIndexed, !old.isFullTextIndexed {
        changes.append(.addFullTextIndex(property: old.name))
      }
    }
    guard !isPlaceholder else { return changes }
    // Those that earlier batches have made, and these records never name.
    for old in inFile.properties
    where old.name != inFile.primaryKey && !old.isOptional && old.collection == .none
      && old.type != .link && !isOfFile(old.name, of: inFile.name)
      && !properties.contains(where: { $0.description.name.hasSameBytes(as: old.name) })
    {
      changes.append(.makeOptional(property: old.name))
    }
    return changes
  }
}

/// A property of the plan.
struct PlannedProperty: Equatable {
  var description: PropertySchema
  /// How the keys of a link's targets are read; nil for other properties.
  var keyType: KeyType?
  var isPrimaryKey = false
  /// The source of its type.
  var source = DataProblem.TypeSource.file

  /// Whether a missing value has to be stored as a null that not every property allows.
  var canBeNull: Bool { description.collection == .none && description.type != .link }
}
