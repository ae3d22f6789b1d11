package import AtollObjects

// Objects by address, as sync reads and writes them: no local keys, links as addresses, lists by
// element. For what the server said set `origin` to `.sync` before: nothing is recorded then.

extension Transaction {
  /// The value of a unit; nil when the object, or the element, is not there.
  package func read(_ unit: Unit) throws(ObjectError) -> UnitValue? {
    let writer = try addressedWriter(unit.object.className)
    guard try writer.select(unit.object.primaryKey) else { return nil }
    switch unit.path {
    case .existence: return .exists
    case .property(let name): return .value(try writer.value(of: name))
    case .element(let name, let id): return try writer.element(of: name, id)
    case .entry(let name, let part): return try writer.part(of: name, part)
    }
  }

  /// The members of an object's set that equal that of a unit, as 1.0 equals 1.
  package func members(equalTo unit: Unit) throws(ObjectError) -> [UnitPath] {
    let writer = try addressedWriter(unit.object.className)
    guard case .entry(let property, let part) = unit.path,
      try writer.select(unit.object.primaryKey)
    else { return [] }
    return try writer.members(of: property, equalTo: part).map {
      .entry(property: property, $0)
    }
  }

  /// All units of an object but its primary key; empty when it is not there.
  package func readObject(_ address: ObjectAddress) throws(ObjectError) -> [UnitPath: UnitValue] {
    let writer = try addressedWriter(address.className)
    guard try writer.select(address.primaryKey) else { return [:] }
    return try writer.units()
  }

  /// Visits what an object holds beside its existence and its primary key, as
  /// `AddressedWriter.forEachUnit`; nothing when it is not there.
  package func forEachUnit(
    of address: ObjectAddress, where isIncluded: (Column) -> Bool,
    _ body: (UnitPath, UnitValue) -> Void
  ) throws(ObjectError) {
    let writer = try addressedWriter(address.className)
    guard try writer.select(address.primaryKey) else { return }
    try writer.forEachUnit(where: isIncluded, body)
  }

  /// Sets a property, or inserts, moves, sets or removes an element, an entry or a member; nil: the
  /// default, or removal.
  ///
  /// - Throws: `.noSuchObject`, `.noSuchProperty`, `.typeMismatch`; nothing was changed then.
  package func write(_ unit: Unit, _ value: UnitValue?) throws(ObjectError) {
    let writer = try addressedWriter(unit.object.className)
    switch unit.path {
    case .existence:
      if value == nil { try leave(unit.object) } else { try createAddressed(unit.object) }
    case .property(let name):
      guard try writer.select(unit.object.primaryKey) else {
        throw .noSuchObject(className: unit.object.className)
      }
      guard case .value(let value)? = value else { return try writer.set(name, nil) }
      try writer.set(name, value)
    case .element(let name, let id):
      guard try writer.select(unit.object.primaryKey) else {
        throw .noSuchObject(className: unit.object.className)
      }
      guard case .element(let position, let value)? = value else {
        return try writer.removeElement(of: name, id)
      }
      try writer.setElement(of: name, ListElement(id: id, position: position), value)
    case .entry(let name, let part):
      guard try writer.select(unit.object.primaryKey) else {
        throw .noSuchObject(className: unit.object.className)
      }
      try writer.setPart(of: name, part, value)
    }
  }

  /// Writes the collection that is open when `write` of this unit would, as it opens another.
  ///
  /// So that what fails then can be told from a failure of the unit.
  package func closeCollection(before unit: Unit) throws(ObjectError) {
    switch unit.path {
    case .existence, .property: return
    case .element(let property, _), .entry(let property, _):
      let writer = try addressedWriter(unit.object.className)
      if try writer.select(unit.object.primaryKey) {
        try writer.closeCollection(besides: property)
      } else {
        try writeDeferred()
      }
    }
  }

  /// Makes the object, or takes the one that is there; what waits for it leads to it.
  @discardableResult
  package func createAddressed(_ address: ObjectAddress) throws(ObjectError) -> ObjectKey {
    try addressedWriter(address.className).create(address.primaryKey)
  }

  /// Takes an object off, with the embedded objects that it owns; links to it wait.
  ///
  /// Does nothing when it is not there.
  package func leave(_ address: ObjectAddress) throws(ObjectError) {
    let writer = try addressedWriter(address.className)
    guard try writer.select(address.primaryKey) else { return }
    try writer.leave()
  }
}
