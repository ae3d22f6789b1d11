internal import Atoll

// Objects: how they are found, made, changed and deleted.

extension ApiRun {
  /// The managed object of a number, in its place.
  func object(_ number: Int, _ place: ApiPlace) -> ObjectBase {
    let row = place.world[number]
    let kind = schema[row.kind]
    if let handle = place.handles[number], chance(2, of: 3) { return handle }
    if kind.isEmbedded {
      guard let (owner, field) = place.world.owner(of: number, schema) else {
        preconditionFailure("the embedded object #\(number) has no owner")
      }
      let found = field.owned(object(owner, place)).first { ApiKind.number(of: $0) == number }
      guard let found else { preconditionFailure("#\(owner) has no object #\(number)") }
      return found
    }
    touch(kind, place)
    let results = kind.operations?.all(realm(place)) ?? []
    guard let found = results.first(where: { ApiKind.number(of: $0) == number }) else {
      preconditionFailure("\(kind.name) has no object #\(number), which the model has")
    }
    if chance(1, of: 2) {
      place.handles[number] = found
      place.found.insert(number)
    }
    return found
  }

  /// What values of the model stand for: managed objects, and new embedded ones.
  func objects(_ place: ApiPlace) -> ApiObjects {
    { number in
      let row = place.world[number]
      return self.schema[row.kind].isEmbedded
        ? self.made(number, place) : self.object(number, place)
    }
  }

  /// A new object with the values that the model has.
  func made(_ number: Int, _ place: ApiPlace) -> ObjectBase {
    let row = place.world[number]
    let kind = schema[row.kind]
    let object = kind.make(number)
    for field in kind.fields {
      guard let value = row.values[field.name], value != field.initial else { continue }
      field.assign(object, value, objects(place))
    }
    return object
  }

  // MARK: Values

  /// A random value of an element; embedded objects are added to the model.
  func element(_ field: ApiField, _ place: ApiPlace, depth: Int = 0) -> ApiValue {
    switch field.content {
    case .scalar: return pick(field.samples)
    case .mixed:
      if chance(1, of: 6) {
        let linked = place.world.numbers(of: pick(["ApiNode", "ApiSmallA", "ApiMixedBox"]))
        if !linked.isEmpty { return .object(pick(linked)) }
      }
      return pick(field.samples)
    case .link(let name):
      let numbers = place.world.numbers(of: name)
      if numbers.isEmpty || field.shape != .list && field.shape != .set && chance(1, of: 4) {
        return .null
      }
      return .object(pick(numbers))
    case .embedded(let name):
      if field.shape != .list, depth > 1 || chance(1, of: 4) { return .null }
      let number = nextNumber()
      place.world.add(number, ApiRow(kind: name, values: [:]))
      for field in schema[name].fields {
        let value = depth > 1 ? field.initial : value(field, place, depth: depth + 1)
        place.world.set(number, field, value, schema)
      }
      place.born.insert(number)
      return .object(number)
    }
  }

  func elements(_ field: ApiField, _ place: ApiPlace, depth: Int = 0) -> [ApiValue] {
    let all = (0..<number(0..<4)).map { _ in element(field, place, depth: depth) }
    // No list and no set of objects holds nil.
    return field.target != nil && field.shape != .map ? all.filter { $0 != .null } : all
  }

  func key() -> String { pick(["k", "l", "ö"]) }

  /// A random value of a property.
  func value(_ field: ApiField, _ place: ApiPlace, depth: Int = 0) -> ApiValue {
    switch field.shape {
    case .one: return element(field, place, depth: depth)
    case .list: return .list(elements(field, place, depth: depth))
    case .set: return .set(Set(elements(field, place, depth: depth)))
    case .map:
      var entries: [String: ApiValue] = [:]
      for _ in 0..<number(0..<3) {
        let key = key()
        if entries[key] == nil { entries[key] = element(field, place, depth: depth) }
      }
      return .map(entries)
    }
  }

  // MARK: Creating

  func create(_ place: ApiPlace) throws {
    let known = schema.tables.filter { place.touched.contains($0.name) }
    try create(place, known.isEmpty || chance(1, of: 12) ? pick(schema.tables) : pick(known))
  }

  /// Makes an object: by a dictionary, or as an instance that is added.
  func create(_ place: ApiPlace, _ kind: ApiKind) throws {
    guard let operations = kind.operations else { return }
    var given: [String: ApiValue] = [:]
    var policies: [Realm.UpdatePolicy] = [.error]
    if let key = kind.key {
      let value = pick(key.samples)
      given[key.name] = value
      if existing(kind, value, place) != nil { return }
      policies += [.modified, .all]
    }
    let number = nextNumber()
    for field in kind.fields where !field.isKey && chance(1, of: 2) {
      given[field.name] = value(field, place)
    }
    var row = ApiRow(kind: kind.name, values: given)
    for field in kind.fields where row.values[field.name] == nil {
      row.values[field.name] = field.initial
    }
    let policy = pick(policies)
    let isAdded = chance(1, of: 2)
    let text = ApiValue.map(given)
    note(place, "\(isAdded ? "add" : "create") \(kind.name) #\(number) \(text)")
    place.world.add(number, row)
    let object: ObjectBase
    if isAdded {
      object = made(number, place)
      touch(kind, place)
      operations.add(realm(place), object, policy)
    } else {
      let arguments = arguments(given, kind, place, number)
      touch(kind, place)
      object = operations.create(realm(place), arguments, policy)
    }
    if given[kind.key?.name ?? ""]?.isInteger ?? false { forgetReplaced(kind, place) }
    place.born.insert(number)
    place.handles[number] = object
    place.found.remove(number)
  }

  /// Gives up what is kept of objects that were deleted, when one may have the key of one of them: if
  /// that is a number it is what the file knows them by, and the new one takes their place.
  private func forgetReplaced(_ kind: ApiKind, _ writer: ApiPlace) {
    let world = writer.world
    for place in places { place.forgetAll(of: kind.name) { world.rows[$0] != nil } }
    frozenObjects.removeAll { $0.kind.name == kind.name && world.rows[$0.number] == nil }
  }

  func existing(_ kind: ApiKind, _ key: ApiValue, _ place: ApiPlace) -> Int? {
    guard let field = kind.key else { return nil }
    return place.world.numbers(of: kind.name)
      .first { place.world[$0].values[field.name] == key }
  }

  /// The dictionary for `create`.
  private func arguments(
    _ given: [String: ApiValue], _ kind: ApiKind, _ place: ApiPlace, _ number: Int
  ) -> [String: Any] {
    var arguments: [String: Any] = ["number": number]
    for field in kind.fields {
      guard let value = given[field.name] else { continue }
      arguments[field.name] = field.argument(value, objects(place))
    }
    return arguments
  }

  /// Sets some properties of an object that is found by its key, or all of them.
  func update(_ place: ApiPlace) throws {
    let kinds = schema.tables.filter {
      $0.key != nil && place.touched.contains($0.name)
        && !place.world.numbers(of: $0.name).isEmpty
    }
    guard !kinds.isEmpty else { return }
    let kind = pick(kinds)
    guard let key = kind.key, let operations = kind.operations else { return }
    let number = pick(place.world.numbers(of: kind.name))
    let isWhole = chance(1, of: 3)
    let policy: Realm.UpdatePolicy = chance(1, of: 2) ? .all : .modified
    var given: [String: ApiValue] = [:]
    for field in kind.fields where !field.isKey && (isWhole || chance(1, of: 2)) {
      given[field.name] = value(field, place)
    }
    note(place, "\(isWhole ? "add" : "create") again \(kind.name) #\(number) \(given)")
    // Embedded objects are replaced, or become what is given.
    for place in places { place.forget(place.world.owned(by: number, schema)) }
    given[key.name] = place.world[number].values[key.name]
    if isWhole {
      let copy = kind.make(number)
      for field in kind.fields {
        guard let value = given[field.name] else { continue }
        field.assign(copy, value, objects(place))
      }
      operations.add(realm(place), copy, policy)
      if chance(1, of: 2) { place.handles[number] = copy }
    } else {
      _ = operations.create(realm(place), arguments(given, kind, place, number), policy)
    }
    for field in kind.fields {
      guard let value = given[field.name] else { continue }
      // An embedded object is changed in place, which is no change of the property.
      if policy == .modified, field.isOwning, field.shape == .one,
        place.world[number].values[field.name] != .null
      {
        renumbered.formUnion(value.objects)
      }
      set(number, field, value, place)
    }
  }

  /// Sets a property in the model; handles of what is deleted by it stay.
  func set(_ number: Int, _ field: ApiField, _ value: ApiValue, _ place: ApiPlace) {
    place.world.set(number, field, value, schema)
  }

  // MARK: Deleting

  func deleteOne(_ place: ApiPlace) throws {
    guard let number = anyNumber(place) else { return }
    note(place, "delete #\(number)")
    realm(place).delete(object(number, place))
    place.handles[number] = nil
    place.world.delete([number], schema)
  }

  func deleteMany(_ place: ApiPlace) throws {
    if chance(1, of: 4) {
      note(place, "deleteAll()")
      realm(place).deleteAll()
      place.world.deleteAll()
      return
    }
    let kinds = schema.tables.filter { place.touched.contains($0.name) }
    guard !kinds.isEmpty else { return }
    let kind = pick(kinds)
    note(place, "delete all \(kind.name)")
    touch(kind, place)
    kind.operations?.deleteAll(realm(place))
    let numbers = place.world.numbers(of: kind.name)
    for number in numbers { place.handles[number] = nil }
    place.world.delete(Set(numbers), schema)
  }

  /// The number of an object of a class that the place has used; embedded ones too.
  func anyNumber(_ place: ApiPlace) -> Int? {
    let numbers = place.world.rows.filter { place.touched.contains($0.value.kind) }.keys.sorted()
    guard !numbers.isEmpty else { return nil }
    let number = pick(numbers)
    // A step down to an embedded object.
    let row = place.world[number]
    let owned = schema[row.kind].fields.filter(\.isOwning)
      .flatMap { row.values[$0.name]?.objects ?? [] }
    return owned.isEmpty || chance(1, of: 2) ? number : pick(owned)
  }
}
