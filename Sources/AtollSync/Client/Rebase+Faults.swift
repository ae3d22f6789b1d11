import AtollObjects

// Bugs that the simulator plants in the rebase, and must find.

extension Rebase {
  /// R5: a whole object is taken for an update of the units that it names.
  ///
  /// R9: answered increments are added to what comes.
  func faulty(
    _ change: ObjectChange.Change?, _ old: ObjectGenerations, _ sent: [AnsweredOperation]
  ) -> ObjectChange.Change? {
    if fault == .r9AddedTwice, let change { return added(sent, to: change) }
    guard fault == .r5Descendants, old.confirmed != nil, case .full(_, let units)? = change else {
      return change
    }
    return .update(units)
  }

  private func added(
    _ sent: [AnsweredOperation], to change: ObjectChange.Change
  ) -> ObjectChange.Change {
    func added(_ units: [UnitChange]) -> [UnitChange] {
      units.map { unit in
        guard case .value(.int(var number))? = unit.value else { return unit }
        for answered in sent where answered.isApplied {
          let operation = answered.operation.operation
          if case .increment(_, let delta) = operation.action, operation.unit.path == unit.path {
            number &+= delta
          }
        }
        return UnitChange(unit.path, .value(.int(number)))
      }
    }
    return switch change {
    case .leave: .leave
    case .full(let generation, let units): .full(generation: generation, added(units))
    case .update(let units): .update(added(units))
    }
  }

  /// R6: the links to an object that leaves are cleared, and do not wait.
  func clearLinks(to object: ObjectAddress) throws {
    guard fault == .r6ClearedLinks, let table = transaction.schema.table(object.className) else {
      return
    }
    for (origin, column) in transaction.schema.incomingLinks(to: table.id)
    where column.layout.collection != .map && !origin.isEmbedded {
      for key in try keys(of: origin.name) {
        try clear(column.name, of: origin, key, object)
      }
    }
  }

  private func keys(of className: String) throws -> [ObjectKey] {
    var keys: [ObjectKey] = []
    try transaction.table(className).forEach { keys.append($0.key) }
    return keys
  }

  private func clear(
    _ property: String, of origin: TableSchema, _ key: ObjectKey, _ target: ObjectAddress
  ) throws {
    guard origin.isSynced, let primaryKey = origin.primaryKey else {
      let found = try transaction.key(target.className, primaryKey: target.primaryKey)
      let value = try transaction.value(origin.name, key, property)
      if value.link?.key == found?.rawValue, value.link != nil {
        try transaction.set(origin.name, key, property, .null)
      } else if let list = value.list {
        let rest = list.filter { $0.link?.key != found?.rawValue }
        if rest.count < list.count { try transaction.set(origin.name, key, property, .list(rest)) }
      }
      return
    }
    let source = ObjectAddress(
      className: origin.name,
      primaryKey: try transaction.value(origin.name, key, primaryKey.name))
    for (path, value) in try transaction.readObject(source) {
      switch (path, value) {
      case (.property(property), .value(.link(target))):
        try transaction.write(Unit(object: source, path: path), .value(.null))
      case (.element(property, _), .element(_, .link(target))):
        try transaction.write(Unit(object: source, path: path), nil)
      case (.entry(property, .link(target)), .exists):
        try transaction.write(Unit(object: source, path: path), nil)
      default: break
      }
    }
  }

  /// R7: an object that the server sends whole loses its row, and with it its key.
  func loseKey(_ object: ObjectAddress) throws(ObjectError) {
    guard fault == .r7NewKey else { return }
    try transaction.leave(object)
    try capture.setGenerations(ObjectGenerations(confirmed: nil, head: nil), of: object)
  }
}
