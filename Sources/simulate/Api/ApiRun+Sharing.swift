internal import Atoll

// What leaves a place: frozen forms, objects that are handed over or copied, observers.

/// A frozen object, and what it was when it was frozen.
struct ApiFrozenObject {
  let number: Int
  let kind: ApiKind
  let object: ObjectBase
  let world: ApiWorld
}

extension ApiRun {
  // MARK: Frozen

  func freeze(_ place: ApiPlace) throws {
    if !place.isWriting, chance(1, of: 2), let number = anyTableNumber(place) {
      note(place, "freeze #\(number)")
      let kind = schema[place.world[number].kind]
      guard let object = kind.operations?.frozen(object(number, place)) else { return }
      frozenObjects.append(
        ApiFrozenObject(number: number, kind: kind, object: object, world: place.world))
      if frozenObjects.count > 3 { frozenObjects.removeFirst() }
      return
    }
    note(place, "freeze()")
    frozen.append((realm(place).freeze(), place.isWriting ? committed : place.world))
    if frozen.count > 3 { frozen.removeFirst() }
  }

  /// Compares all that is frozen with what was there when it was frozen.
  func compareFrozen() throws {
    for frozen in frozen {
      for kind in schema.tables where frozen.world.classes.contains(kind.name) {
        try compare(kind.operations?.all(frozen.realm) ?? [], kind, frozen.world)
      }
    }
    for frozen in frozenObjects {
      try compare(
        frozen.object, frozen.number, frozen.world[frozen.number], frozen.world)
    }
  }

  /// The live form of a frozen object, in a place.
  func thaw(_ place: ApiPlace) throws {
    guard !frozenObjects.isEmpty, place.queue == nil else { return }
    let frozen = pick(frozenObjects)
    guard place.touched.contains(frozen.kind.name), place.world.classes.contains(frozen.kind.name)
    else { return }
    note(place, "thaw #\(frozen.number)")
    let live = frozen.kind.operations?.thawed(frozen.object)
    let exists = place.world.rows[frozen.number] != nil
    try require(live != nil, exists, "the thawed #\(frozen.number) is there")
    if let live { try compare(live, frozen.number, place.world[frozen.number], place.world) }
  }

  // MARK: Handed over

  /// The number of an object that is not embedded.
  func anyTableNumber(_ place: ApiPlace) -> Int? {
    anyNumber(place).flatMap { schema[place.world[$0].kind].isEmbedded ? nil : $0 }
  }

  /// Hands an object to another place.
  func hand(from place: ApiPlace) throws {
    guard let number = anyTableNumber(place) else { return }
    let kind = schema[place.world[number].kind]
    guard let operations = kind.operations else { return }
    let other = places[(place.index + 1) % places.count]
    guard other.realm != nil, !other.isWriting, committed.classes.contains(kind.name) else {
      return
    }
    note(place, "hand #\(number) to \(other.name)")
    let resolve = operations.reference(to: object(number, place))
    try other.run {
      let found = resolve(realm(other))
      other.world = committed
      try require(
        found.map { ApiKind.number(of: $0) }, committed.rows[number] == nil ? nil : number,
        "the object that was handed over is")
      if let found { try compare(found, number, other.world[number], other.world) }
    }
  }

  /// Copies an object to another file.
  func copy(_ place: ApiPlace) throws {
    guard let number = anyTableNumber(place) else { return }
    let row = place.world[number]
    let kind = schema[row.kind]
    guard kind.fields.allSatisfy({ $0.content == .scalar || $0.isOwning }) else { return }
    note(place, "copy #\(number) to another file")
    let object = object(number, place)
    let other = try Realm(
      configuration: .init(inMemoryIdentifier: "\(name) other"), queue: place.queue)
    other.beginWrite()
    defer { other.cancelWrite() }
    guard let operations = kind.operations else { return }
    let copy = operations.copy(object, other)
    try compare(copy, number, row, place.world)
    try require(operations.count(other), 1, "copies in the other file:")
  }

  // MARK: Invalidated

  /// Gives up what a place reads: everything that it has is invalid.
  func invalidate(_ place: ApiPlace) throws {
    note(place, "invalidate()")
    for observer in place.observers { observer.token?.invalidate() }
    for observer in place.partObservers { observer.token?.invalidate() }
    place.observers = []
    place.partObservers = []
    realm(place).invalidate()
    for (number, object) in place.handles {
      if !object.isInvalidated {
        throw CaseViolation("#\(number) is valid after its realm was invalidated")
      }
    }
    for held in place.heldResults {
      try require(held.read(), [], "results that were kept are, after invalidate(),")
    }
    for held in place.heldCollections {
      try require(
        held.read(), held.field.initial,
        "the kept \(held.field.name) of #\(held.number) is, after invalidate(),")
    }
    place.handles = [:]
    place.heldResults = []
    place.heldCollections = []
    place.world = committed
  }

  // MARK: Observed

  func observe(_ place: ApiPlace) throws {
    if chance(1, of: 2) { return try observePart(place) }
    let kinds = schema.tables.filter {
      place.touched.contains($0.name) && place.world.classes.contains($0.name)
    }
    guard !kinds.isEmpty, place.observers.count < 3 else { return }
    let kind = pick(kinds)
    note(place, "observe \(kind.name)")
    let observer = ApiObserver(kind: kind.name, numbers: place.world.numbers(of: kind.name))
    observer.token = kind.operations?.observe(realm(place)) { [weak observer] notice in
      observer?.hear(notice)
    }
    place.observers.append(observer)
    if writer == nil, chance(1, of: 2) { try writeBlock(place) }
  }

  /// Observes an object, or a collection of one.
  private func observePart(_ place: ApiPlace) throws {
    guard place.partObservers.count < 3, let number = anyNumber(place) else { return }
    let row = place.world[number]
    let collections = schema[row.kind].fields.filter { $0.shape != .one }
    let field = collections.isEmpty || chance(1, of: 2) ? nil : pick(collections)
    note(place, "observe #\(number)\(field.map { ".\($0.name)" } ?? "")")
    let observer = ApiPartObserver(number: number, field: field, row: row)
    let object = object(number, place)
    if let field {
      observer.token = field.observe(object) { [weak observer] in observer?.hear($0) }
    } else {
      observer.token = object.observe { [weak observer] (change: ObjectChange<ObjectBase>) in
        switch change {
        case .change(_, let properties): observer?.hear(properties.map(\.name))
        case .deleted: observer?.hearOfEnd()
        case .error: break
        }
      }
    }
    place.partObservers.append(observer)
    if writer == nil, chance(1, of: 2) { try writeBlock(place) }
  }

  /// Compares what observers know.
  func settle() throws {
    for place in places where place.queue != nil {
      try place.run {
        for observer in place.observers {
          if let problem = observer.problem { throw CaseViolation(problem) }
          guard !place.isWriting, let numbers = observer.numbers else { continue }
          try require(
            numbers, place.world.numbers(of: observer.kind),
            "an observer of \(observer.kind) knows")
        }
        for observer in place.partObservers where !place.isWriting {
          if let problem = observer.problem(place.world.rows[observer.number]) {
            throw CaseViolation(problem)
          }
        }
      }
    }
  }
}
