internal import Atoll

/// What ends a write with an error.
private struct ApiInterruption: Error {}

extension ApiRun {
  // MARK: Outside of a write

  func performOutside(_ place: ApiPlace) throws {
    let isFree = writer == nil
    try choose([
      (isFree ? 12 : 0, { try self.begin(place) }),
      (isFree ? 6 : 0, { try self.writeBlock(place) }),
      (isFree ? 3 : 0, { try self.firstUse(place) }),
      (5, { try self.read(place) }),
      (3, { try self.refresh(place) }),
      (1, { try self.freeze(place) }),
      (1, { try self.hand(from: place) }),
      (1, { try self.thaw(place) }),
      (1, { try self.copy(place) }),
      (1, { try self.invalidate(place) }),
      (2, { self.hold(place) }),
      (place.queue == nil ? 0 : 2, { try self.observe(place) }),
      (isFree && isFile ? 1 : 0, { self.reopen() }),
      (2, { try self.changeDetached(place) }),
      (isFree ? 1 : 0, { try self.writeAsNewerProgram(place) }),
      (1, { try self.openAgain(place) }),
      (3, { self.track(place) }),
    ])
  }

  func refresh(_ place: ApiPlace) throws {
    note(place, "refresh()")
    place.isUnpinned = false
    _ = realm(place).refresh()
    place.world = committed
  }

  func begin(_ place: ApiPlace) throws {
    note(place, "beginWrite()")
    realm(place).beginWrite()
    noteBegin(place)
  }

  private func noteBegin(_ place: ApiPlace) {
    writer = place
    place.isWriting = true
    place.isUnpinned = false
    place.world = committed
    place.born = []
  }

  /// `write { … }`, which half of the times throws an error in the end or is cancelled inside.
  func writeBlock(_ place: ApiPlace) throws {
    let ending = number(0..<6)
    note(place, "write {")
    do {
      try realm(place).write {
        noteBegin(place)
        for _ in 0..<number(1..<5) { try mutate(place) }
        if ending == 0 {
          note(place, "throw }")
          throw ApiInterruption()
        }
        if ending == 1 {
          note(place, "cancelWrite() }")
          realm(place).cancelWrite()
        } else {
          note(place, "}")
        }
      }
    } catch is ApiInterruption {}
    noteEnd(place, isCommitted: ending > 1)
  }

  func end(_ place: ApiPlace, isCommitted: Bool) throws {
    note(place, isCommitted ? "commitWrite()" : "cancelWrite()")
    if isCommitted {
      try realm(place).commitWrite()
    } else {
      realm(place).cancelWrite()
    }
    noteEnd(place, isCommitted: isCommitted)
  }

  private func noteEnd(_ place: ApiPlace, isCommitted: Bool) {
    writer = nil
    place.isWriting = false
    if isCommitted {
      committed = place.world
      count(\.writes)
    } else {
      // What the write made has never been there.
      for born in place.born {
        guard let object = place.handles.removeValue(forKey: born) else { continue }
        // One that was found by a key that is a number is whatever object has that key.
        if place.found.contains(born), object is ApiIntKeyed { continue }
        place.ghosts.append((born, object))
      }
      place.world = committed
      count(\.cancelled)
    }
    place.born = []
  }

  // MARK: In a write

  func performInWrite(_ place: ApiPlace) throws {
    try choose([
      (30, { try self.mutate(place) }),
      (5, { try self.firstUse(place) }),
      (6, { try self.read(place) }),
      (1, { self.hold(place) }),
      (1, { try self.freeze(place) }),
      (1, { try self.openAgain(place) }),
      (5, { try self.end(place, isCommitted: true) }),
      (2, { try self.end(place, isCommitted: false) }),
    ])
  }

  func mutate(_ place: ApiPlace) throws {
    try choose([
      (8, { try self.create(place) }),
      (2, { try self.addDetached(place) }),
      (3, { try self.update(place) }),
      (10, { try self.setOne(place) }),
      (14, { try self.changeCollection(place) }),
      (2, { try self.assignCollection(place) }),
      (2, { try self.changeNested(place) }),
      (3, { try self.deleteOne(place) }),
      (1, { try self.deleteMany(place) }),
      (1, { try self.createFromFrozen(place) }),
    ])
  }

  // MARK: Uses of classes

  /// Uses a class, which the file may not have yet.
  func firstUse(_ place: ApiPlace) throws {
    let new = schema.tables.filter { !place.touched.contains($0.name) }
    if new.isEmpty { return }
    let kind = pick(new)
    if chance(1, of: 3), place.isWriting {
      return try create(place, kind)
    }
    note(place, "first use of \(kind.name)")
    try use(kind, place)
  }

  /// Reads something of a class, and takes note that the file has it.
  func use(_ kind: ApiKind, _ place: ApiPlace) throws {
    guard let operations = kind.operations else { return }
    let realm = realm(place)
    touch(kind, place)
    let expected = place.world.numbers(of: kind.name)
    switch number(0..<5) {
    case 0:
      try require(operations.first(realm) == nil, expected.isEmpty, "first of \(kind.name) is nil")
    case 1:
      try require(
        operations.hold(realm, "number >= 0", [])(), expected, "a filter of \(kind.name) finds")
    case 2:
      try require(
        operations.viewNumbers(realm, .all), expected, "the projections of \(kind.name) are")
    default: try require(operations.count(realm), expected.count, "the count of \(kind.name) is")
    }
  }

  /// The place uses a class: in a write the file gets it, and those that it leads to; outside of one
  /// it has no objects as long as the file does not have it.
  func touch(_ kind: ApiKind, _ place: ApiPlace) {
    place.touched.insert(kind.name)
    guard place.isWriting, !place.world.classes.contains(kind.name) else { return }
    count(\.firstUses)
    place.world.classes.formUnion(schema.closure(of: kind.name))
  }

  // MARK: Reopening

  /// Closes the file everywhere, and opens it again.
  func reopen() {
    for place in places {
      note(place, "close")
      place.run { place.close() }
    }
    frozen = []
    frozenObjects = []
  }
}
