package import AtollObjects

extension Inbox {
  /// Retries refused changes, as changes of the app in this transaction, and removes their entries.
  ///
  /// In the order in which they were made, the elements of lists last. A change whose object is not
  /// on the device, or whose value cannot be read, stays an entry, as does one inside an embedded
  /// object that was replaced. A creation of an existing object uses that object.
  ///
  /// - Returns: The entries that were applied and removed.
  /// - Throws: `ObjectError` when a value does not fit the class as it is now.
  package static func retry(
    _ entries: [InboxEntry], in transaction: Transaction
  ) throws(ObjectError) -> [InboxEntry] {
    var made: [InboxEntry] = []
    var listEntries: [RefusedList: [InboxEntry]] = [:]
    var lists: [(list: RefusedList, changes: [(id: ElementID?, value: RecordedValue?)])] = []
    var places: [RefusedList: Int] = [:]
    func note(_ entry: InboxEntry, _ list: RefusedList, _ value: RecordedValue?) {
      listEntries[list, default: []].append(entry)
      let change = (id: entry.element, value: value)
      if let place = places[list] {
        lists[place].changes.append(change)
      } else {
        places[list] = lists.count
        lists.append((list, [change]))
      }
    }
    for entry in entries {
      guard let property = entry.property else {
        if try retry(entry, in: transaction) { made.append(entry) }
        continue
      }
      let list = RefusedList(object: entry.object, property: property)
      switch entry.kind {
      case .insert, .setElement, .removeElement:
        guard entry.kind == .removeElement || entry.value != nil else { continue }
        note(entry, list, entry.value)
      case .edit where entry.element != nil:
        let earlier = places[list].flatMap { place in
          lists[place].changes.last { $0.id == entry.element }
        }
        let known: RecordedValue?
        if let earlier {
          known = earlier.value
        } else {
          known = try element(entry.element, of: list, in: transaction)
        }
        guard let inside = entry.inside,
          let value = known?.changed(at: inside.place, by: inside.change)
        else { continue }
        note(entry, list, value)
      default: if try retry(entry, in: transaction) { made.append(entry) }
      }
    }
    for (list, changes) in lists {
      let writer = try transaction.addressedWriter(list.object.className)
      guard try writer.select(list.object.primaryKey) else { continue }
      try writer.changeElements(of: list.property, changes)
      made += listEntries[list] ?? []
    }
    for entry in made { try remove(entry.id, in: transaction) }
    return made
  }

  /// A list whose elements were changed.
  private struct RefusedList: Hashable {
    let object: ObjectAddress
    let property: String
  }

  private static func element(
    _ id: ElementID?, of list: RefusedList, in transaction: Transaction
  ) throws(ObjectError) -> RecordedValue? {
    guard let id else { return nil }
    let unit = Unit(object: list.object, path: .element(property: list.property, id))
    return try transaction.read(unit)?.content
  }

  /// - Returns: Whether the entry was applied.
  private static func retry(
    _ entry: InboxEntry, in transaction: Transaction
  ) throws(ObjectError) -> Bool {
    let className = entry.object.className
    let writer = try transaction.addressedWriter(className)
    switch entry.kind {
    case .create: try writer.create(entry.object.primaryKey)
    case .delete:
      // An absent one needs no change.
      guard let key = try transaction.key(className, primaryKey: entry.object.primaryKey) else {
        return true
      }
      try transaction.delete(className, key)
    case .set:
      guard let property = entry.property, let value = entry.value,
        try writer.select(entry.object.primaryKey)
      else { return false }
      try writer.set(property, value)
    case .increment:
      guard let property = entry.property, case .int(let delta)? = entry.value,
        let key = try transaction.key(className, primaryKey: entry.object.primaryKey)
      else { return false }
      try transaction.increment(className, key, property, by: delta)
    case .moveElement:
      guard let property = entry.property, let id = entry.element,
        case .data(let bytes)? = entry.value, let position = ListPosition(decoding: bytes),
        try writer.select(entry.object.primaryKey)
      else { return false }
      return try writer.moveElement(of: property, id, to: position)
    case .setEntry, .addMember, .removeEntry:
      guard let property = entry.property, let part = entry.part,
        entry.kind != .setEntry || entry.value != nil,
        try writer.select(entry.object.primaryKey)
      else { return false }
      let value: UnitValue? =
        switch entry.kind {
        case .setEntry: entry.value.map { .value($0) }
        case .addMember: .exists
        default: nil
        }
      try writer.setPart(of: property, part, value)
    case .edit:
      guard let property = entry.property, let inside = entry.inside else { return false }
      let path =
        entry.part.map { UnitPath.entry(property: property, $0) } ?? .property(property)
      let unit = Unit(object: entry.object, path: path)
      guard
        let value = try transaction.read(unit)?.changed(at: inside.place, by: inside.change)
      else { return false }
      try transaction.write(unit, value)
    case .insert, .setElement, .removeElement: return false
    }
    return true
  }
}
