package import AtollCapture
internal import AtollObjects

extension Rebase {
  // MARK: Objects without pending operations

  /// Applies the server's values of an object without pending operations: head is confirmed.
  mutating func replace(
    _ object: ObjectAddress, _ change: ObjectChange.Change, _ old: ObjectGenerations
  ) throws(any Error) {
    switch change {
    case .leave:
      guard old.confirmed != nil else { return }
      hasReplacedConfirmed = true
      try transaction.leave(object)
      try capture.setGenerations(ObjectGenerations(confirmed: nil, head: nil), of: object)
    case .full(let generation, let units):
      let writer = try transaction.addressedWriter(object.className)
      // A row may be there from before the class was synced.
      let isNew = try !writer.select(object.primaryKey)
      let key = try writer.create(object.primaryKey)
      if isNew {
        for unit in units { try write(unit, writer) }
      } else {
        let now = try writer.units()
        let named = Set(units.map(\.path))
        for (path, value) in now where path != .existence && !named.contains(path) {
          try reset(path, value, object, writer, isConfirmed: old.confirmed != nil)
        }
        for unit in units where now[unit.path] != unit.value {
          if old.confirmed != nil, unit.path != .existence { hasReplacedConfirmed = true }
          try write(unit, writer)
        }
      }
      let new = ObjectGenerations(
        confirmed: generation, head: .confirmed(generation), localKey: old.localKey ?? key)
      if new != old { try capture.setGenerations(new, of: object) }
    case .update(let units):
      let writer = try transaction.addressedWriter(object.className)
      guard old.confirmed != nil, try writer.select(object.primaryKey) else {
        if isLenient { return }
        throw SyncError.unexpected("an update of \(object), which is not confirmed")
      }
      for unit in units { try write(unit, writer) }
    }
  }

  private func write(_ unit: UnitChange, _ writer: AddressedWriter) throws(ObjectError) {
    switch (unit.path, unit.value) {
    case (.existence, _): break
    case (.property(let property), .value(let value)?): try writer.set(property, value)
    case (.property(let property), _): try writer.set(property, nil)
    case (.element(let property, let id), .element(let position, let value)?):
      try writer.setElement(of: property, ListElement(id: id, position: position), value)
    case (.element(let property, let id), _): try writer.removeElement(of: property, id)
    case (.entry(let property, let part), let value):
      try writer.setPart(of: property, part, value)
    }
  }

  /// A unit that a whole object does not name holds its default, or is not there.
  private mutating func reset(
    _ path: UnitPath, _ value: UnitValue, _ object: ObjectAddress, _ writer: AddressedWriter,
    isConfirmed: Bool
  ) throws(ObjectError) {
    switch path {
    case .existence: return
    case .property(let property):
      let normal = try shape(object.className).defaults[ExactText(property)]
      guard normal.map({ .value($0) != value }) ?? true else { return }
      try writer.set(property, nil)
    case .element(let property, let id): try writer.removeElement(of: property, id)
    case .entry(let property, let part): try writer.setPart(of: property, part, nil)
    }
    if isConfirmed { hasReplacedConfirmed = true }
  }

  // MARK: Objects with pending or answered operations

  mutating func rebase(
    _ object: ObjectAddress, _ change: ObjectChange.Change?, _ sent: [AnsweredOperation],
    _ pendingRuns: [PendingOperations], _ old: ObjectGenerations
  ) throws(any Error) {
    let shape = try shape(object.className)
    let images = try capture.images(of: object)
    let pending = try operations(pendingRuns)
    let isThere = old.head != nil
    let isWhole =
      sent.contains { $0.operation.operation.touchesAll }
      || change.map { if case .update = $0 { false } else { true } } ?? false

    // The units that a batch or an answer touches, with their values in head and confirmed.
    var met: Set<UnitPath> = Set(sent.map(\.operation.operation.unit.path))
    var head: [UnitPath: UnitValue] = [:]
    if isWhole {
      if isThere { head = try transaction.readObject(object) }
      met.formUnion(head.keys)
      met.formUnion(images.units.keys)
      met.formUnion(shape.defaults.keys.map { .property($0.text) })
      met.formUnion(pending.map(\.operation.unit.path))
    }
    if let change { met.formUnion(ObjectRebase.met(by: change, known: met)) }
    met.remove(.existence)
    if !isWhole, isThere {
      for path in met {
        head[path] = try transaction.read(Unit(object: object, path: path))
      }
    }
    var confirmed: [UnitPath: UnitValue] = [:]
    for path in met {
      confirmed[path] = if let image = images[path] { image } else { head[path] }
    }

    let result = ObjectRebase(
      confirmed: UnitState(
        generation: old.confirmed.map { .confirmed($0) }, values: confirmed,
        scope: met.union([.existence])),
      sent: sent.filter(\.isApplied).map(\.operation), change: change, pending: pending,
      shape: shape)
    if let change, old.confirmed != nil {
      let answered = Set(sent.map(\.operation.operation.unit.path))
      switch change {
      case .leave: hasReplacedConfirmed = true
      case .full:
        let isReplaced = confirmed.contains { path, value in
          !answered.contains(path) && result.confirmed[path] != value
        }
        if isReplaced { hasReplacedConfirmed = true }
      case .update: break
      }
    }
    if case .update? = change, !result.confirmed.isThere, !isLenient {
      throw SyncError.unexpected("an update of \(object), which is not confirmed")
    }
    let localKey = try writeHead(object, result, met, head, isThere: isThere)
    try keepImages(object, result, met, images, isWhole: isWhole)
    var confirmedGeneration: Cursor?
    if case .confirmed(let cursor)? = result.confirmed.generation { confirmedGeneration = cursor }
    let new = ObjectGenerations(
      confirmed: confirmedGeneration, head: result.head.generation,
      localKey: old.localKey ?? localKey)
    if new != old { try capture.setGenerations(new, of: object) }
  }

  /// Writes the differences between head and its new state; returns the key of a new object.
  private func writeHead(
    _ object: ObjectAddress, _ result: ObjectRebase, _ met: Set<UnitPath>,
    _ head: [UnitPath: UnitValue], isThere: Bool
  ) throws -> ObjectKey? {
    guard result.head.isThere else {
      if isThere { try transaction.leave(object) }
      return nil
    }
    var key: ObjectKey?
    var current = head
    if !isThere {
      key = try transaction.createAddressed(object)
      current = try transaction.readObject(object)
    }
    for path in met.sorted() {
      let value = result.head[path]
      guard current[path] != value else { continue }
      try transaction.write(Unit(object: object, path: path), value)
    }
    return key
  }

  /// An image stays, with the confirmed value, where a pending operation touches the unit.
  private func keepImages(
    _ object: ObjectAddress, _ result: ObjectRebase, _ met: Set<UnitPath>, _ old: ObjectImages,
    isWhole: Bool
  ) throws(ObjectError) {
    var new = isWhole ? ObjectImages() : old
    if isWhole, result.imaged.contains(.existence) { new.existence = result.confirmed.isThere }
    for path in met {
      let value = result.confirmed[path]
      if !result.imaged.contains(path) && (isWhole || old.existence == nil) {
        new.units[path] = nil
      } else if new.existence != nil {
        // Once existence has an image, a unit without one was absent.
        new.units[path] = value.map { .some($0) }
      } else {
        new.units[path] = .some(value)
      }
    }
    if new != old { try capture.setImages(new, of: object) }
  }
}

extension UnitPath: Comparable {
  /// Existence, properties by name, elements by property and id, then entries by property and the
  /// bytes of their keys: an order to write in.
  package static func < (a: UnitPath, b: UnitPath) -> Bool {
    switch (a, b) {
    case (.existence, .existence): false
    case (.existence, _): true
    case (_, .existence): false
    case (.property(let x), .property(let y)): x < y
    case (.property, _): true
    case (_, .property): false
    case (.element(let p, let x), .element(let q, let y)): p == q ? x < y : p < q
    case (.element, _): true
    case (_, .element): false
    case (.entry(let p, let x), .entry(let q, let y)):
      p == q ? x.standaloneBytes.lexicographicallyPrecedes(y.standaloneBytes) : p < q
    }
  }
}
