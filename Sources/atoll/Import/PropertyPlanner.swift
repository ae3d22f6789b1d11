import AtollObjects

/// Decides the type of one property from what the data shows and what the file has.
struct PropertyPlanner {
  let observation: PropertyObservation
  let existing: PropertySchema?
  let link: ImportOptions.LinkOption?
  let listLink: ImportOptions.LinkOption?

  /// The planned property, nil when the data shows no type.
  ///
  /// `keyTypeOfClass` gives the type of a class's primary key, nil when the class is not known.
  func plan(
    keyTypeOfClass: (String) throws(ImportError) -> KeyType?
  ) throws(ImportError) -> PlannedProperty? {
    try refuseNesting()
    guard var description = try description() else { return nil }
    if description.collection == .none {
      try expect(observation.values, description)
      if observation.firstNull != nil, description.type != .link {
        description.isOptional = true
      }
    } else {
      try expectList(description)
      if let position = observation.firstNullElement {
        guard description.type != .link else {
          throw .data(.nullInListOfLinks(property: observation.name), at: position)
        }
        description.isOptional = true
      }
    }
    guard let target = description.linkTarget else {
      try expectElements(of: description)
      return PlannedProperty(description: description)
    }
    let keys = description.collection == .none ? observation.values : observation.elements
    let keyType = try keyTypeOfClass(target) ?? KeyType(keys)
    if let wrong = keys.earliest(outside: keyType?.kinds ?? []) {
      throw .data(
        .linkKeyType(property: observation.name, expected: keyType, found: wrong.kind.name),
        at: wrong.position)
    }
    // Neither the file nor the data knows a key of the target.
    guard let keyType else { return nil }
    return PlannedProperty(description: description, keyType: keyType)
  }

  private func refuseNesting() throws(ImportError) {
    let scalarsAndLists = DataKindSet.scalars.union(DataKindSet(.list))
    let inValues = observation.values.earliest(outside: scalarsAndLists)
    let inElements = observation.elements.earliest(outside: .scalars)
    if let wrong = inValues {
      throw .data(
        .nestedValue(property: observation.name, found: wrong.kind.name), at: wrong.position)
    }
    if let wrong = inElements {
      throw .data(
        .nestedValue(property: observation.name, found: "\(wrong.kind.name) in a list"),
        at: wrong.position)
    }
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
      return existing
    }
    if let link { return PropertySchema(name, linkTo: link.target) }
    if let listLink {
      return PropertySchema(name, linkTo: listLink.target, collection: .list)
    }
    guard let earliest = observation.values.earliest else { return nil }
    guard earliest.kind == .list else {
      return PropertySchema(name, Self.type(observation.values.kinds, earliest: earliest.kind))
    }
    guard let first = observation.elements.earliest else {
      // Only empty lists; but a scalar among them is a contradiction, not a lack of type.
      try expectList(PropertySchema(name, .mixed, collection: .list))
      return nil
    }
    let type = Self.type(observation.elements.kinds, earliest: first.kind)
    return PropertySchema(name, type, collection: .list)
  }

  /// The type of a property whose values are of `kinds`, the first of them being `earliest`.
  private static func type(_ kinds: DataKindSet, earliest: DataKind) -> ValueType {
    switch earliest {
    case .bool: return .bool
    case .int, .wideInt, .double:
      return kinds.contains(.double) ? .double : .int
    case .dateString, .string:
      return kinds.contains(.string) ? .string : .date
    case .textBool, .textInt, .textWideInt, .textDouble, .textDate, .text:
      if kinds.isSubset(of: .ints) { return .int }
      if kinds.isSubset(of: .numbers) { return .double }
      if kinds.isSubset(of: .bools) { return .bool }
      return kinds.isSubset(of: .dates) ? .date : .string
    case .list, .object:
      preconditionFailure("lists and objects have been dealt with")
    }
  }

  private func expectList(_ description: PropertySchema) throws(ImportError) {
    // Data files have no notation for maps.
    let allowed = description.collection == .map ? [] : DataKindSet(.list)
    if let wrong = observation.values.earliest(outside: allowed) {
      throw contradiction(wrong, description, among: observation.values)
    }
  }

  private func expectElements(of description: PropertySchema) throws(ImportError) {
    guard description.collection != .none else { return }
    try expect(observation.elements, description)
  }

  /// Refuses the first value that the described type cannot hold.
  private func expect(
    _ kinds: KindObservation, _ description: PropertySchema
  ) throws(ImportError) {
    if let wrong = kinds.earliest(outside: description.type.kinds) {
      throw contradiction(wrong, description, among: kinds)
    }
  }

  private func contradiction(
    _ wrong: (kind: DataKind, position: SourcePosition), _ description: PropertySchema,
    among kinds: KindObservation
  ) -> ImportError {
    let source: DataProblem.TypeSource =
      if existing != nil { .file } else if link != nil || listLink != nil { .option } else {
        .value(at: kinds.earliest?.position ?? wrong.position)
      }
    var expected = description
    expected.isOptional = false
    // Beside lists, the elements' type is not the point.
    let isList = existing == nil && expected.collection != .none && kinds.kinds.contains(.list)
    let text = isList ? "a list" : expected.typeName
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
    case .mixed: .scalars
    // The keys' type is held against the data when the target is known.
    case .link: .scalars
    // Data files have no notation for these, so their text is read, as 'dump' writes it.
    case .decimal: .strings.union(.ints).union(.numbers)
    case .data, .objectID, .uuid: .strings
    }
  }
}
