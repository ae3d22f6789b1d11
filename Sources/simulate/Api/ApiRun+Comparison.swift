internal import Atoll

// What a place shows, compared with the model; and what is read in between.

extension ApiRun {
  /// Compares all that a place shows of the classes that it has used.
  func compare(_ place: ApiPlace) throws {
    guard place.realm != nil, !place.isUnpinned else { return }
    do { try compareAll(place) } catch { throw CaseViolation("in \(place.name): \(error)") }
  }

  private func compareAll(_ place: ApiPlace) throws {
    for kind in schema.tables where place.touched.contains(kind.name) {
      guard let operations = kind.operations else { continue }
      touch(kind, place)
      try compare(operations.all(realm(place)), kind, place.world)
    }
    for (number, object) in place.handles.sorted(by: { $0.key < $1.key }) {
      guard place.world.rows[number] != nil else {
        if !object.isInvalidated, !isReplaced(object, number, place.world) {
          throw CaseViolation("#\(number) is there, and the model has deleted it")
        }
        place.handles[number] = nil
        continue
      }
      if object.isInvalidated { throw CaseViolation("#\(number) is invalidated, and exists") }
      try compare(object, number, place.world[number], place)
    }
    for ghost in place.ghosts where !ghost.object.isInvalidated {
      throw CaseViolation("#\(ghost.number) of a cancelled write is there again")
    }
    for held in place.heldResults {
      let expected = place.world.numbers(of: held.kind)
        .filter { held.isIncluded(place.world[$0]) }
      try require(
        held.read(), expected, "results of \(held.kind) \(held.condition ?? "") that were kept are")
    }
    for held in place.heldCollections {
      // Without its object a collection is empty.
      let row = place.world.rows[held.number] ?? replacement(of: held, place)
      try require(
        held.read(), row?.values[held.field.name] ?? held.field.initial,
        "the kept \(held.field.name) of #\(held.number) is")
    }
  }

  /// Whether an instance shows another object, which has the key of its own: an integer that is a
  /// primary key is what the file knows an object by.
  ///
  /// `forgetReplaced` has given up such instances, but for those that a place with an older version
  /// has found since.
  private func isReplaced(_ object: ObjectBase, _ number: Int, _ world: ApiWorld) -> Bool {
    let shown = ApiKind.number(of: object)
    guard shown != number, let row = world.rows[shown] else { return false }
    guard let key = schema[row.kind].key else { return false }
    return row.values[key.name]?.isInteger ?? false
  }

  /// The object that has the key of the one that a kept collection was of.
  private func replacement(of held: ApiHeldCollection, _ place: ApiPlace) -> ApiRow? {
    guard let key = held.key else { return nil }
    return existing(schema[held.kind], key, place).map { place.world[$0] }
  }

  func compare(_ objects: [ObjectBase], _ kind: ApiKind, _ world: ApiWorld) throws {
    var found: Set<Int> = []
    for object in objects {
      let number = ApiKind.number(of: object)
      guard let row = world.rows[number], row.kind == kind.name else {
        throw CaseViolation("there is \(kind.name) #\(number), which the model has not")
      }
      found.insert(number)
      try compare(object, number, row, world)
    }
    try require(found.sorted(), world.numbers(of: kind.name), "there are \(kind.name)")
    try require(objects.count, found.count, "the count of \(kind.name) is")
  }

  func compare(_ object: ObjectBase, _ number: Int, _ row: ApiRow, _ place: ApiPlace) throws {
    try compare(object, number, row, place.world)
  }

  func compare(
    _ object: ObjectBase, _ number: Int, _ row: ApiRow, _ world: ApiWorld
  ) throws {
    for field in schema[row.kind].fields {
      try require(
        field.read(object), row.values[field.name] ?? .null,
        "\(row.kind) #\(number).\(field.name) is")
      guard field.isOwning else { continue }
      for owned in field.owned(object) {
        let number = ApiKind.number(of: owned)
        try compare(owned, number, world[number], world)
      }
    }
    if let view = ApiViewKind.of(row.kind), world.rows[number] != nil {
      let shown = view.show(object)
      for (name, value) in view.expected(number, world) {
        try require(
          shown[name]?.unordered, value.unordered, "the projection of #\(number) shows as \(name)")
      }
    }
    if let node = object as? ApiNode, node.realm != nil {
      let nodes = world.numbers(of: row.kind)
      try require(
        node.previous.map(\.number).sorted(),
        nodes.filter { world[$0].values["next"] == .object(number) },
        "\(row.kind) #\(number).previous is")
      try require(
        Set(node.lists.map(\.number)),
        Set(nodes.filter { world[$0].values["list"]?.objects.contains(number) ?? false }),
        "\(row.kind) #\(number).lists is")
    }
  }

  // MARK: Reads

  /// Reads something of a class that the place has used.
  func read(_ place: ApiPlace) throws {
    let kinds = schema.tables.filter { place.touched.contains($0.name) }
    guard !kinds.isEmpty else { return }
    let kind = pick(kinds)
    guard let operations = kind.operations else { return }
    let realm = realm(place)
    let world = place.world
    let numbers = world.numbers(of: kind.name)
    let sums = kind.fields.filter { $0.isSummable }
    let finds = kind.fields.filter { $0.find != nil }
    switch number(0..<6) {
    case 0:
      note(place, "\(kind.name) in the order of number")
      try require(
        operations.sorted(realm, by: "number", ascending: false).map { ApiKind.number(of: $0) },
        numbers.reversed(), "\(kind.name), the highest number first, is")
    case 1 where !sums.isEmpty:
      let field = pick(sums)
      note(place, "aggregates of \(kind.name).\(field.name)")
      let values = numbers.compactMap { number -> Int? in
        guard case .int(let value) = world[number].values[field.name] else { return nil }
        return Int(value)
      }
      try require(
        operations.sum(realm, of: field.name), values.reduce(0, +),
        "the sum of \(kind.name).\(field.name) is")
      try require(
        operations.extremes(realm, of: field.name), [values.min(), values.max()],
        "least and greatest \(kind.name).\(field.name) are")
      let computed = ["@sum", "@min", "@max"].map { name in
        operations.value(realm, at: "\(name).\(field.name)") as? Int
      }
      try require(
        computed, [values.reduce(0, +), values.min(), values.max()],
        "sum, least and greatest \(kind.name) at the path of \(field.name) are")
      let read = operations.value(realm, at: field.name) as? [Any?] ?? []
      try require(
        read.compactMap { $0 as? Int }.sorted(), values.sorted(),
        "what \(kind.name) have at the path \(field.name) is")
      try require(
        operations.value(realm, at: "@count") as? Int, numbers.count,
        "@count of \(kind.name) is")
    case 2 where !numbers.isEmpty:
      let number = pick(numbers)
      note(place, "index(of: #\(number))")
      let object = object(number, place)
      guard let index = operations.index(of: object, realm) else {
        throw CaseViolation("index(of: #\(number)) is nil")
      }
      try require(
        ApiKind.number(of: operations.all(realm)[index]), number, "at its index there is")
    case 3 where kind.key != nil:
      guard let key = kind.key else { return }
      let value = pick(key.samples)
      note(place, "\(kind.name) with the key \(value)")
      let found = operations.object(realm, key: key.argument(value, objects(place)))
      try require(
        found.map { ApiKind.number(of: $0) }, existing(kind, value, place),
        "\(kind.name) with the key \(value) is")
    case 4 where !finds.isEmpty, 5 where !finds.isEmpty:
      let field = pick(finds)
      let value = pick(field.samples)
      let isEqual = chance(2, of: 3)
      note(place, "\(kind.name) where { $0.\(field.name) \(isEqual ? "==" : "!=") \(value) }")
      try require(
        field.find?(realm, value, isEqual) ?? [],
        numbers.filter { (world[$0].values[field.name] == value) == isEqual },
        "\(kind.name) where { $0.\(field.name) \(isEqual ? "==" : "!=") \(value) } are")
    default:
      guard let (condition, argument, isIncluded) = condition(kind, place) else { return }
      note(place, "\(kind.name) where \(condition) \(argument)")
      try require(
        operations.hold(realm, condition, [argument])(), numbers.filter { isIncluded(world[$0]) },
        "\(kind.name) where \(condition) \(argument) are")
    }
  }

  /// A random condition on a property with a single value.
  func condition(
    _ kind: ApiKind, _ place: ApiPlace
  ) -> (text: String, argument: Any, isIncluded: (ApiRow) -> Bool)? {
    let fields = kind.fields.filter {
      $0.shape == .one && $0.content == .scalar && $0.find == nil
    }
    guard !fields.isEmpty else { return nil }
    let field = pick(fields)
    let value = pick(field.samples)
    let isEqual = chance(2, of: 3)
    return (
      "\(field.name) \(isEqual ? "==" : "!=") %@", field.argument(value, objects(place)),
      { ($0.values[field.name] == value) == isEqual }
    )
  }

  // MARK: What is kept

  /// Keeps results, or a collection of an object.
  func hold(_ place: ApiPlace) {
    if chance(1, of: 2), let number = anyNumber(place) {
      let fields = schema[place.world[number].kind].fields.filter { $0.shape != .one }
      guard !fields.isEmpty, place.heldCollections.count < 6 else { return }
      let field = pick(fields)
      guard let read = field.hold(object(number, place)) else { return }
      note(place, "keep #\(number).\(field.name)")
      let row = place.world[number]
      let key = schema[row.kind].key.flatMap { row.values[$0.name] }
      place.heldCollections.append(
        ApiHeldCollection(
          number: number, kind: row.kind, field: field,
          key: key?.isInteger ?? false ? key : nil, read: read))
      return
    }
    let kinds = schema.tables.filter { place.touched.contains($0.name) }
    guard !kinds.isEmpty, place.heldResults.count < 6 else { return }
    let kind = pick(kinds)
    guard let operations = kind.operations else { return }
    let condition = chance(1, of: 2) ? condition(kind, place) : nil
    note(place, "keep \(kind.name) \(condition.map { "where \($0.text) \($0.argument)" } ?? "")")
    place.heldResults.append(
      ApiHeldResults(
        kind: kind.name, condition: condition?.text,
        isIncluded: condition?.isIncluded ?? { _ in true },
        read: operations.hold(
          realm(place), condition?.text, condition.map { [$0.argument] } ?? [])))
  }
}
