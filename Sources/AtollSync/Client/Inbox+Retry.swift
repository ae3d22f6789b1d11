package import AtollObjects

extension Inbox {
  /// Makes refused changes again, as changes of the app in this transaction, and forgets their entries.
  ///
  /// In the order in which they were made, the elements of lists last. A change whose object is not on
  /// the device, or whose value cannot be read, stays an entry; a creation of an object that is there
  /// takes it.
  ///
  /// - Returns: The entries of which something was made: they are gone.
  /// - Throws: `ObjectError` when a value does not fit the class as it is now.
  package static func retry(
    _ entries: [InboxEntry], in transaction: Transaction
  ) throws(ObjectError) -> [InboxEntry] {
    var made: [InboxEntry] = []
    var listEntries: [RefusedList: [InboxEntry]] = [:]
    var lists: [(list: RefusedList, changes: [(id: ElementID?, value: RecordedValue?)])] = []
    var places: [RefusedList: Int] = [:]
    for entry in entries {
      switch (entry.kind, entry.property) {
      case (.insert, let property?), (.setElement, let property?), (.removeElement, let property?):
        guard entry.kind == .removeElement || entry.value != nil else { continue }
        let list = RefusedList(object: entry.object, property: property)
        listEntries[list, default: []].append(entry)
        let change = (id: entry.element, value: entry.value)
        if let place = places[list] {
          lists[place].changes.append(change)
        } else {
          places[list] = lists.count
          lists.append((list, [change]))
        }
      default:
        if try retry(entry, in: transaction) { made.append(entry) }
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

  /// - Returns: Whether something was made of the entry.
  private static func retry(
    _ entry: InboxEntry, in transaction: Transaction
  ) throws(ObjectError) -> Bool {
    let className = entry.object.className
    let writer = try transaction.addressedWriter(className)
    switch entry.kind {
    case .create: try writer.create(entry.object.primaryKey)
    case .delete:
      // One that is not here is as it should be.
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
    case .insert, .setElement, .removeElement: return false
    }
    return true
  }
}
