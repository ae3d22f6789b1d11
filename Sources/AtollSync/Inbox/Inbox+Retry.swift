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
    var lists: [RefusedList: ListRetry] = [:]
    var order: [RefusedList] = []
    let duplicates = duplicates(in: entries)
    for entry in entries {
      guard let property = entry.property, entry.element != nil || entry.kind == .insert else {
        if try retry(entry, in: transaction) { made.append(entry) }
        continue
      }
      let list = RefusedList(object: entry.object, property: property)
      if lists[list] == nil {
        lists[list] = ListRetry(new: duplicates[list] ?? [])
        order.append(list)
      }
      switch entry.kind {
      case .insert, .setElement, .removeElement:
        guard entry.kind == .removeElement || entry.value != nil else { continue }
        lists[list]?.note(entry, entry.value)
      case .edit:
        guard let inside = entry.inside, let id = entry.element, let retry = lists[list],
          let value = try retry.value(of: id, list, in: transaction)?
            .changed(at: inside.place, by: inside.change)
        else { continue }
        lists[list]?.note(entry, value)
      case .moveElement where lists[list]?.isAppended(entry.element) ?? false:
        // It lies at the end, where it is inserted again.
        made.append(entry)
      default: if try retry(entry, in: transaction) { made.append(entry) }
      }
    }
    for list in order {
      guard let retry = lists[list] else { continue }
      let writer = try transaction.addressedWriter(list.object.className)
      guard try writer.select(list.object.primaryKey) else { continue }
      try writer.changeElements(of: list.property, retry.changes, new: retry.new)
      made += retry.entries
    }
    for entry in made { try remove(entry.id, in: transaction) }
    return made
  }

  /// The refused elements whose ids are those of others: these must stay as they are, whatever was
  /// changed of the refused ones.
  private static func duplicates(in entries: [InboxEntry]) -> [RefusedList: Set<ElementID>] {
    var ids: [RefusedList: Set<ElementID>] = [:]
    for entry in entries where entry.reason == .refused(.duplicateElement) {
      guard let property = entry.property, let element = entry.element else { continue }
      ids[RefusedList(object: entry.object, property: property), default: []].insert(element)
    }
    return ids
  }

  /// A list whose elements were changed.
  private struct RefusedList: Hashable {
    let object: ObjectAddress
    let property: String
  }

  /// What is done to the elements of a list.
  private struct ListRetry {
    /// Ids that name elements to insert, and not those of the list.
    let new: Set<ElementID>
    private(set) var changes: [(id: ElementID?, value: RecordedValue?)] = []
    private(set) var entries: [InboxEntry] = []
    /// What the elements are to hold; nil inside: they are removed.
    private var values: [ElementID: RecordedValue?] = [:]
    private var inserted: Set<ElementID> = []

    init(new: Set<ElementID>) { self.new = new }

    mutating func note(_ entry: InboxEntry, _ value: RecordedValue?) {
      entries.append(entry)
      changes.append((id: entry.element, value: value))
      guard let id = entry.element else { return }
      values[id] = .some(value)
      if entry.kind == .insert { inserted.insert(id) }
    }

    /// Whether an element is inserted again, so that its place is at the end.
    func isAppended(_ id: ElementID?) -> Bool {
      id.map { new.contains($0) || inserted.contains($0) } ?? false
    }

    func value(
      of id: ElementID, _ list: RefusedList, in transaction: Transaction
    ) throws(ObjectError) -> RecordedValue? {
      if let value = values[id] { return value }
      guard !new.contains(id) else { return nil }
      let unit = Unit(object: list.object, path: .element(property: list.property, id))
      return try transaction.read(unit)?.content
    }
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
