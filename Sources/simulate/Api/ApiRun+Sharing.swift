internal import Atoll
internal import Dispatch

// What leaves a place: frozen forms, objects that are handed over or copied, observers.

/// A frozen object, and what it was when it was frozen.
struct ApiFrozenObject {
  let number: Int
  let kind: ApiKind
  let object: ObjectBase
  let world: ApiWorld
}

extension ApiRun {
  // MARK: Copied, opened again, written by others

  /// Copies a frozen object of the file into the file.
  func createFromFrozen(_ place: ApiPlace) throws {
    let sources = frozenObjects.filter { frozen in
      frozen.kind.key == nil && frozen.kind.fields.allSatisfy { $0.content == .scalar }
    }
    guard !sources.isEmpty else { return }
    let frozen = pick(sources)
    let number = nextNumber()
    note(place, "create #\(number) of the frozen #\(frozen.number)")
    touch(frozen.kind, place)
    let copy = frozen.kind.operations?.copy(frozen.object, realm(place))
    guard let object = copy as? any ApiObject else { return }
    object.number = number
    place.world.add(number, frozen.world[frozen.number])
    place.born.insert(number)
    place.handles[number] = object
    try compare(object, number, place.world[number], place)
  }

  /// Opens the file once more in the same place, which gives the same realm.
  func openAgain(_ place: ApiPlace) throws {
    note(place, "open again")
    let again = try Realm(configuration: configuration, queue: place.queue)
    try require(again == realm(place), true, "the realm that was opened again is the same:")
    try require(
      again.isInWriteTransaction, place.isWriting, "the realm that was opened again is in a write:")
    if !place.isWriting, chance(1, of: 2) {
      note(place, "refresh() of that")
      _ = again.refresh()
      place.world = committed
    }
    for kind in schema.tables where place.touched.contains(kind.name) {
      try require(
        kind.operations?.count(again) ?? 0, place.world.numbers(of: kind.name).count,
        "the count of \(kind.name) in the realm that was opened again is")
    }
  }

  /// A newer program makes paints, or changes some: with raw values that this one does not know.
  func writeAsNewerProgram(_ place: ApiPlace) throws {
    let kind = schema["ApiPaint"]
    var row = ApiRow(kind: kind.name, values: [:])
    let colors = ["red", "green", "blue", "purple", ""]
    let texts = (color: pick(colors), plain: pick(colors), optional: pick(colors))
    let level = pick([10, 20, 30, -1])
    func read(_ field: ApiField, _ value: ApiValue) {
      row.values[field.name] = field.samples.contains(value) ? value : field.initial
    }
    for (field, value) in zip(
      kind.fields,
      [
        .string(texts.color), .string(texts.plain), .int(Int64(level)), .string(texts.optional),
      ] as [ApiValue])
    { read(field, value) }
    let all = committed.numbers(of: kind.name)
    let old = all.isEmpty || chance(1, of: 2) ? nil : pick(all)
    let number = old ?? nextNumber()
    note(place, "a newer program writes #\(number) \(texts) \(level)")
    var newer = configuration
    newer.objectTypes = [ApiNewPaint.self]
    let queue = DispatchQueue(label: "api.newer")
    try queue.sync {
      let realm = try Realm(configuration: newer, queue: queue)
      try realm.write {
        let paint =
          old == nil
          ? realm.create(ApiNewPaint.self)
          : realm.objects(ApiNewPaint.self).first { $0.number == number }
        guard let paint else { throw CaseViolation("a newer program does not find #\(number)") }
        paint.number = number
        (paint.color, paint.plain, paint.optional) = (texts.color, texts.plain, texts.optional)
        paint.level = level
      }
    }
    committed.classes.insert(kind.name)
    committed.add(number, row)
  }

  // MARK: Frozen

  func freeze(_ place: ApiPlace) throws {
    if !place.isWriting, chance(1, of: 2), let number = anyTableNumber(place) {
      let asView = chance(1, of: 2)
      note(place, "freeze #\(number)\(asView ? " in a projection" : "")")
      let kind = schema[place.world[number].kind]
      guard let object = kind.operations?.frozen(object(number, place), asView: asView) else {
        return
      }
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
      for kind in schema.tables {
        do { try compare(kind.operations?.all(frozen.realm) ?? [], kind, frozen.world) } catch {
          throw CaseViolation("in a frozen realm: \(error)")
        }
      }
    }
    for frozen in frozenObjects {
      do {
        try compare(frozen.object, frozen.number, frozen.world[frozen.number], frozen.world)
      } catch { throw CaseViolation("in a frozen object: \(error)") }
    }
  }

  /// The live form of a frozen object, in a place.
  func thaw(_ place: ApiPlace) throws {
    guard !frozenObjects.isEmpty, place.queue == nil else { return }
    let frozen = pick(frozenObjects)
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
    guard other.realm != nil, !other.isWriting else { return }
    let asView = chance(1, of: 2)
    note(place, "hand #\(number) to \(other.name)\(asView ? " in a projection" : "")")
    let resolve = operations.reference(to: object(number, place), asView: asView)
    try other.run {
      let found = resolve(realm(other))
      other.world = committed
      other.isUnpinned = false
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
    for observer in place.viewObservers { observer.tokens.forEach { $0.invalidate() } }
    place.observers = []
    place.partObservers = []
    place.viewObservers = []
    place.trackers = []
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
    place.isUnpinned = true
  }

  // MARK: Observed

  func observe(_ place: ApiPlace) throws {
    if chance(1, of: 2) { return try observePart(place) }
    let kinds = schema.tables.filter { place.touched.contains($0.name) }
    guard !kinds.isEmpty, place.observers.count < 3 else { return }
    let kind = pick(kinds)
    guard let operations = kind.operations else { return }
    let query = query(kind, place)
    let asViews = chance(1, of: 2)
    let what = asViews ? "projections of \(kind.name)" : kind.name
    note(place, "observe \(what) \(query.text ?? "") \(query.arguments)")
    let observer = ApiObserver(
      kind: kind, query: query, numbers: operations.numbers(realm(place), query))
    observer.token = operations.observe(realm(place), query, asViews: asViews) {
      [weak observer] notice in observer?.hear(notice)
    }
    observer.sectionToken = operations.observeSections(realm(place), query) {
      [weak observer] notice in observer?.sections.hear(notice)
    }
    place.observers.append(observer)
    if writer == nil, chance(1, of: 2) { try writeBlock(place) }
  }

  /// Observes an object, a projection of one, or a collection of one.
  private func observePart(_ place: ApiPlace) throws {
    if chance(1, of: 3) { return try observeView(place) }
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

  /// Observes a projection of an object, and its collections.
  private func observeView(_ place: ApiPlace) throws {
    let numbers = place.world.rows
      .filter { place.touched.contains($0.value.kind) && ApiViewKind.of($0.value.kind) != nil }
      .keys.sorted()
    guard !numbers.isEmpty, place.viewObservers.count < 3 else { return }
    let number = pick(numbers)
    guard let kind = ApiViewKind.of(place.world[number].kind) else { return }
    note(place, "observe a projection of #\(number)")
    let object = object(number, place)
    let observer = ApiViewObserver(number, kind, kind.show(object))
    observer.tokens = kind.observe(object, observer)
    place.viewObservers.append(observer)
    if writer == nil, chance(1, of: 2) { try writeBlock(place) }
  }

  /// Compares what observers know.
  func settle() throws {
    for place in places where place.queue != nil {
      try place.run {
        for observer in place.observers {
          if let problem = observer.problem ?? observer.sections.problem {
            throw CaseViolation(problem)
          }
          guard !place.isWriting, let numbers = observer.numbers else { continue }
          try require(
            numbers, schema[observer.kind].operations?.numbers(realm(place), observer.query) ?? [],
            "\(observer.name), beside a new query, knows")
          try require(
            schema[observer.kind].operations?.viewNumbers(realm(place), observer.query) ?? [],
            numbers, "projections of what \(observer.name) knows are")
          try require(
            observer.sections.sections ?? [], ApiSectionRecord.sections(of: numbers),
            "\(observer.name) knows the sections")
          guard let isIncluded = observer.query.isIncluded else { continue }
          try require(
            Set(numbers),
            Set(place.world.numbers(of: observer.kind).filter { isIncluded(place.world[$0]) }),
            "\(observer.name) knows")
        }
        for observer in place.partObservers where !place.isWriting {
          if let problem = observer.problem(
            place.world.rows[observer.number], renumbered: renumbered)
          {
            throw CaseViolation(problem)
          }
        }
        for observer in place.viewObservers where !place.isWriting {
          if let problem = observer.problem(place.world) { throw CaseViolation(problem) }
        }
      }
    }
  }
}
