import AtollObjects

/// Decides the type of one property from what the data shows and what the file has.
struct PropertyPlanner {
  let observation: PropertyObservation
  /// How many records there are, also without the property.
  let recordCount: Int
  let existing: PropertySchema?
  /// Whether the file had the property before the import, so that it keeps its type.
  var isOfFile = false
  var link: ImportOptions.LinkOption?
  var listLink: ImportOptions.LinkOption?
  /// The type given by an option.
  var type: ValueType?
  /// The name of the property in options when it is in embedded objects.
  var path: String?
  /// The class of the embedded objects that the property holds.
  var embeddedClass: String?

  /// The planned property, nil when the data shows no type.
  ///
  /// `keyTypeOfClass` gives the type of a class's primary key, nil when the class is not known.
  func plan(
    keyTypeOfClass: (String) throws(ImportError) -> KeyType?
  ) throws(ImportError) -> PlannedProperty? {
    guard var description = try description() else { return nil }
    if description.collection == .none {
      try expect(observation.values, description)
      if let position = observation.values.firstNull {
        try takeNull(in: &description, at: position)
      } else if observation.recordCount < recordCount {
        try takeNull(in: &description, at: nil)
      }
    } else if description.collection == .map {
      try expectMap(description)
      if let position = observation.entries.firstNull {
        try takeNull(in: &description, at: position)
      }
    } else {
      try expectList(description)
      if let position = observation.elements.firstNull {
        guard description.type != .link else {
          throw .data(.nullInListOfLinks(property: observation.name), at: position)
        }
        try takeNull(in: &description, at: position)
      }
    }
    guard let target = description.linkTarget else {
      try expectElements(of: description)
      if let misfit = observation.firstMisfit { throw misfit }
      if description.type == .decimal, let rounded = observation.firstRounded { throw rounded }
      return PlannedProperty(description: description, source: type == nil ? .file : .option)
    }
    if embeddedClass != nil {
      try expectElements(of: description)
      return PlannedProperty(description: description)
    }
    let keys = description.collection == .none ? observation.values : observation.elements
    let keyType = try keyTypeOfClass(target) ?? KeyType(keys)
    if let wrong = keys.earliest(
      outside: keyType?.kinds(isTried: observation.isTried) ?? [])
    {
      throw .data(
        .linkKeyType(property: observation.name, expected: keyType, found: wrong.kind.name),
        at: wrong.position)
    }
    if let misfit = observation.firstMisfit { throw misfit }
    // Neither the file nor the data knows a key of the target.
    guard let keyType else { return nil }
    return PlannedProperty(description: description, keyType: keyType)
  }

  /// Makes the property optional for a null, unless it has a place for it or the file had it.
  ///
  /// `position`: that of the null; nil when a record does not name the property, which then keeps
  /// its value, or in a new object has the default of its type.
  private func takeNull(
    in description: inout PropertySchema, at position: SourcePosition?
  ) throws(ImportError) {
    guard description.type != .link, !description.isOptional else { return }
    guard isOfFile else {
      description.isOptional = true
      return
    }
    guard description.type != .mixed, let position else { return }
    throw .data(
      .nullOfRequiredInFile(
        property: description.name, type: description.typeName,
        isElement: description.collection != .none), at: position)
  }

  /// The description before nulls and kinds are held against it.
  private func description() throws(ImportError) -> PropertySchema? {
    let name = observation.name
    if let existing {
      if let option = link ?? listLink {
        let collection = listLink == nil ? CollectionKind.none : .list
        guard let target = existing.linkTarget, existing.collection == collection else {
          throw .request(.propertyIsNotALink(name, type: existing.typeName))
        }
        guard target == option.target else {
          throw .request(
            .linkTargetDiffers(name, inFile: target, requested: option.target))
        }
      }
      if let type, type != existing.type {
        throw .request(.typeDiffers(name, inFile: existing.typeName, requested: type))
      }
      if let embeddedClass, existing.linkTarget != embeddedClass {
        throw .request(.propertyIsNotALink(name, type: existing.typeName))
      }
      return existing
    }
    if let embeddedClass {
      guard let earliest = observation.values.earliest else { return nil }
      return PropertySchema(
        name, linkTo: embeddedClass, collection: earliest.kind == .list ? .list : .none)
    }
    if let link { return PropertySchema(name, linkTo: link.target) }
    if let listLink {
      return PropertySchema(name, linkTo: listLink.target, collection: .list)
    }
    guard let earliest = observation.values.earliest else {
      // The option knows better than the data, which has nulls only.
      return type.map { PropertySchema(name, $0) }
    }
    // A mixed value is a list or an object beside others; where all are lists, or all objects, the
    // option is about what is in them.
    let shapes = [DataKindSet(.list), DataKindSet(.object)]
    if type == .mixed, !shapes.contains(observation.values.kinds) {
      return PropertySchema(name, .mixed)
    }
    switch earliest.kind {
    case .list:
      guard let first = observation.elements.earliest else {
        if let type { return PropertySchema(name, type, collection: .list) }
        // Only empty lists; but a scalar among them is a contradiction, not a lack of type.
        try expectList(PropertySchema(name, .mixed, collection: .list))
        return nil
      }
      let inferred = Self.type(observation.elements.kinds, earliest: first.kind)
      return PropertySchema(name, type ?? inferred, collection: .list)
    case .object:
      guard let first = observation.entries.earliest else {
        if let type { return PropertySchema(name, type, collection: .map) }
        try expectMap(PropertySchema(name, .mixed, collection: .map))
        return nil
      }
      // Values under different names may be of different types.
      let kinds = observation.entries.kinds
      let common = Self.type(kinds, earliest: first.kind)
      let inferred = kinds.isSubset(of: common.kinds) ? common : .mixed
      return PropertySchema(name, type ?? inferred, collection: .map)
    default:
      let scalars = observation.values.kinds.subtracting(.nested)
      return PropertySchema(name, type ?? Self.type(scalars, earliest: earliest.kind))
    }
  }

  /// The type of a property whose values are of `kinds`, the first of them being `earliest`.
  private static func type(_ kinds: DataKindSet, earliest: DataKind) -> ValueType {
    // Only mixed values hold lists and objects within others.
    if !kinds.isDisjoint(with: .nested) { return .mixed }
    switch earliest {
    case .bool: return .bool
    case .int, .wideInt, .longInt, .wideLongInt, .double, .longDouble, .decimal, .float:
      if kinds.contains(.decimal) { return .decimal }
      if kinds == DataKindSet(.float) { return .float }
      let hasDoubles = kinds.contains(.double) || kinds.contains(.longDouble)
      return hasDoubles || kinds.contains(.float) ? .double : .int
    case .date: return .date
    case .dateString, .string:
      return kinds.contains(.string) && !kinds.contains(.date) ? .string : .date
    case .data: return .data
    case .objectID: return .objectID
    case .uuid: return .uuid
    case .textBool, .textInt, .textWideInt, .textDouble, .textExponent, .textDate, .text:
      if kinds.isSubset(of: .ints) { return .int }
      // Among integers 1E5 is an identifier, among fractions a number.
      if kinds.isSubset(of: .numbers), kinds.contains(.textDouble) { return .double }
      if kinds.isSubset(of: .bools) { return .bool }
      return kinds.isSubset(of: .dates) ? .date : .string
    case .list, .object, .link: return .mixed
    }
  }

  private func expectList(_ description: PropertySchema) throws(ImportError) {
    if let wrong = observation.values.earliest(outside: DataKindSet(.list)) {
      throw contradiction(wrong, description, among: observation.values)
    }
  }

  private func expectMap(_ description: PropertySchema) throws(ImportError) {
    // Data files have no notation for maps of links.
    let allowed = description.type == .link ? [] : DataKindSet(.object)
    if let wrong = observation.values.earliest(outside: allowed) {
      throw contradiction(wrong, description, among: observation.values)
    }
  }

  private func expectElements(of description: PropertySchema) throws(ImportError) {
    switch description.collection {
    case .none: break
    case .map: try expect(observation.entries, description)
    case .list, .set: try expect(observation.elements, description)
    }
  }

  /// What is wrong with a number that another type would hold; nil for any other value.
  private static func problem(
    _ wrong: KindObservation.Meeting, _ description: PropertySchema, isInferred: Bool
  ) -> DataProblem? {
    let name = description.name
    var value = wrong.value
    if case .text(let text) = value, let number = TextValue.number(text) { value = number }
    switch (value, description.type) {
    case (.longInt(let digits), .double), (.longInt(let digits), .float):
      return .inexact(property: name, number: digits, type: description.type)
    case (.longInt(let digits), .int), (.longInt(let digits), .mixed):
      return .integerOutOfRange(digits)
    case (.longDouble(let digits), .double), (.longDouble(let digits), .float):
      return isInferred
        ? .doubleOutOfRange(digits)
        : .outOfRange(property: name, number: digits, type: description.type)
    case (.longDouble(let digits), .mixed): return .doubleOutOfRange(digits)
    default: return nil
    }
  }

  /// Refuses the first value that the described type cannot hold.
  private func expect(
    _ kinds: KindObservation, _ description: PropertySchema
  ) throws(ImportError) {
    let allowed: DataKindSet =
      if embeddedClass != nil {
        DataKindSet(.object)
      } else if observation.isTried, description.type != .link {
        // What fits the type and what does not is known of each value.
        description.type == .mixed ? .everything : .everything.subtracting(.nested)
      } else {
        description.type.kinds
      }
    if let wrong = kinds.earliest(outside: allowed) {
      throw contradiction(wrong, description, among: kinds)
    }
  }

  private func contradiction(
    _ wrong: KindObservation.Meeting, _ description: PropertySchema,
    among kinds: KindObservation
  ) -> ImportError {
    if let problem = Self.problem(wrong, description, isInferred: existing == nil) {
      return .data(problem, at: wrong.position)
    }
    let source: DataProblem.TypeSource =
      if existing != nil {
        .file
      } else if link != nil || listLink != nil || type != nil || embeddedClass != nil {
        .option
      } else {
        .value(at: kinds.earliest?.position ?? wrong.position, path: path)
      }
    var expected = description
    expected.isOptional = false
    // Beside lists and objects, the type of what is in them is not the point.
    let isWhole =
      existing == nil && expected.collection != .none && !kinds.kinds.isDisjoint(with: .nested)
    let text = isWhole ? expected.collection == .list ? "a list" : "an object" : expected.typeName
    return .data(
      .contradiction(
        property: observation.name, found: wrong.kind.name, expected: text, by: source),
      at: wrong.position)
  }
}

extension ValueType {
  /// The kinds of data that a property of this type can hold.
  fileprivate var kinds: DataKindSet {
    switch self {
    case .bool: .bools
    case .int: .ints
    case .float, .double: .numbers
    case .string: .strings
    case .date: .dates
    case .mixed: .scalars.union(.nested)
    // The keys' type is held against the data when the target is known.
    case .link: .scalars
    case .decimal: .allNumbers
    case .data: DataKindSet(.data)
    case .objectID: DataKindSet(.objectID)
    case .uuid: DataKindSet(.uuid)
    }
  }
}
