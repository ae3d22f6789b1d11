package import AtollObjects

extension Inbox {
  /// Makes refused changes again, as changes of the app in this transaction, and forgets their entries.
  ///
  /// In the order in which they were made, the elements of lists last. Nothing is made of a change whose
  /// object is not on the device any more; a creation of one that is sets its properties.
  ///
  /// - Throws: `ObjectError` when a value does not fit the class as it is now.
  package static func retry(
    _ entries: [InboxEntry], in transaction: Transaction
  ) throws(ObjectError) {
    var lists: [(list: RefusedList, changes: [(id: ElementID?, value: RecordedValue?)])] = []
    var places: [RefusedList: Int] = [:]
    for entry in entries {
      switch (entry.kind, entry.property) {
      case (.insert, let property?), (.setElement, let property?), (.removeElement, let property?):
        let list = RefusedList(object: entry.object, property: property)
        let change = (id: entry.element, value: entry.value)
        if let place = places[list] {
          lists[place].changes.append(change)
        } else {
          places[list] = lists.count
          lists.append((list, [change]))
        }
      default: try retry(entry, in: transaction)
      }
      try remove(entry.id, in: transaction)
    }
    for (list, changes) in lists {
      let writer = try transaction.addressedWriter(list.object.className)
      guard try writer.select(list.object.primaryKey) else { continue }
      try writer.changeElements(of: list.property, changes)
    }
  }

  /// A list whose elements were changed.
  private struct RefusedList: Hashable {
    let object: ObjectAddress
    let property: String
  }

  private static func retry(_ entry: InboxEntry, in transaction: Transaction) throws(ObjectError) {
    let className = entry.object.className
    let writer = try transaction.addressedWriter(className)
    switch entry.kind {
    case .create: try writer.create(entry.object.primaryKey)
    case .delete:
      guard let key = try transaction.key(className, primaryKey: entry.object.primaryKey) else {
        return
      }
      try transaction.delete(className, key)
    case .set:
      guard let property = entry.property, try writer.select(entry.object.primaryKey) else {
        return
      }
      try writer.set(property, entry.value)
    case .setEntry, .addMember, .removeEntry:
      guard let property = entry.property, let part = entry.part,
        try writer.select(entry.object.primaryKey)
      else { return }
      let value: UnitValue? =
        switch entry.kind {
        case .setEntry: entry.value.map { .value($0) }
        case .addMember: .exists
        default: nil
        }
      try writer.setPart(of: property, part, value)
    case .insert, .setElement, .removeElement: break
    }
  }
}
