internal import AtollCapture
package import AtollObjects

extension Inbox {
  /// Retries refused changes, as changes of the app in this transaction, and removes their entries.
  ///
  /// In the order in which they were made, the elements of lists last. A change whose object is not
  /// on the device, or whose value cannot be read, stays an entry, as does one inside an embedded
  /// object that was replaced. A creation of an existing object uses that object.
  ///
  /// An element whose id is another's is retried with its insertion, which takes along what else was
  /// refused of it; without its insertion that stays.
  ///
  /// - Returns: The entries that were applied and removed.
  /// - Throws: `ObjectError` when a value does not fit the class as it is now.
  package static func retry(
    _ entries: [InboxEntry], in transaction: Transaction
  ) throws(ObjectError) -> [InboxEntry] {
    var made: [InboxEntry] = []
    var lists: [RefusedList: ListRetry] = [:]
    var order: [RefusedList] = []
    for entry in try withDuplicates(entries, in: transaction) {
      guard let property = entry.property, entry.element != nil || entry.kind == .insert else {
        if try retry(entry, in: transaction) { made.append(entry) }
        continue
      }
      let list = RefusedList(object: entry.object, property: property)
      if lists[list] == nil {
        lists[list] = ListRetry()
        order.append(list)
      }
      if lists[list]?.lacksInsertion(of: entry) ?? false { continue }
      switch entry.kind {
      case .insert, .setElement, .removeElement:
        guard entry.kind == .removeElement || entry.value != nil else { continue }
        lists[list]?.note(entry, entry.value)
      case .edit:
        guard let inside = entry.inside, let retry = lists[list],
          let value = try retry.value(of: entry, list, in: transaction)?
            .changed(at: inside.place, by: inside.change)
        else { continue }
        lists[list]?.note(entry, value)
      case .moveElement where lists[list]?.isAppended(entry) ?? false:
        // It lies at the end, where it is inserted again.
        lists[list]?.noteMove(entry)
      default: if try retry(entry, in: transaction) { made.append(entry) }
      }
    }
    for list in order {
      guard let retry = lists[list] else { continue }
      let writer = try transaction.addressedWriter(list.object.className)
      guard try writer.select(list.object.primaryKey) else { continue }
      try writer.changeElements(of: list.property, retry.changes)
      made += retry.entries
    }
    for entry in made { try remove(entry.id, in: transaction) }
    return made
  }

  /// The entries, with those that were refused of elements whose ids are others', if their
  /// insertions are among them.
  private static func withDuplicates(
    _ entries: [InboxEntry], in transaction: Transaction
  ) throws(ObjectError) -> [InboxEntry] {
    let inserted = Set(entries.lazy.filter { $0.kind == .insert }.compactMap(InsertedElement.init))
    guard !inserted.isEmpty else { return entries }
    let given = Set(entries.map(\.id))
    let others = try self.entries(transaction).filter { entry in
      guard entry.isOfDuplicate, !given.contains(entry.id) else { return false }
      return InsertedElement(entry).map { inserted.contains($0) } ?? false
    }
    return (entries + others).sorted { $0.place < $1.place }
  }

  /// A list whose elements were changed.
  private struct RefusedList: Hashable {
    let object: ObjectAddress
    let property: String
  }

  /// An element whose insertion was refused; a file gives its id once.
  private struct InsertedElement: Hashable {
    let list: RefusedList
    let id: ElementID

    init?(_ entry: InboxEntry) {
      guard let property = entry.property, let id = entry.element else { return nil }
      list = RefusedList(object: entry.object, property: property)
      self.id = id
    }
  }

  /// What is done to the elements of a list.
  private struct ListRetry {
    private(set) var changes: [(id: ElementID?, value: RecordedValue?)] = []
    private(set) var entries: [InboxEntry] = []
    /// What the elements of the list are to hold; nil inside: they are removed.
    private var values: [ElementID: RecordedValue?] = [:]
    /// The places of insertions in `changes`.
    ///
    /// They name no element of the list, which may have another under the id.
    private var places: [ElementID: (index: Int, isDuplicate: Bool)] = [:]

    /// The place of the insertion of an entry's element, which is at the end of the list then; nil
    /// for one that the list has.
    private func place(_ entry: InboxEntry) -> Int? {
      guard let id = entry.element, let place = places[id],
        entry.isOfDuplicate || !place.isDuplicate
      else { return nil }
      return place.index
    }

    mutating func note(_ entry: InboxEntry, _ value: RecordedValue?) {
      entries.append(entry)
      if let place = place(entry) {
        changes[place].value = value
      } else if entry.kind == .insert {
        if let id = entry.element { places[id] = (changes.count, entry.isOfDuplicate) }
        changes.append((id: nil, value: value))
      } else {
        changes.append((id: entry.element, value: value))
        if let id = entry.element { values[id] = .some(value) }
      }
    }

    /// Notes a move of an element that is inserted again: it changes nothing.
    mutating func noteMove(_ entry: InboxEntry) { entries.append(entry) }

    func isAppended(_ entry: InboxEntry) -> Bool { place(entry) != nil }

    /// Whether the element of an entry is to be inserted again, and is not.
    func lacksInsertion(of entry: InboxEntry) -> Bool {
      entry.isOfDuplicate && entry.kind != .insert && !isAppended(entry)
    }

    /// What the element of an entry is to hold.
    func value(
      of entry: InboxEntry, _ list: RefusedList, in transaction: Transaction
    ) throws(ObjectError) -> RecordedValue? {
      guard let id = entry.element else { return nil }
      if let place = place(entry) { return changes[place].value }
      if let value = values[id] { return value }
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

extension InboxEntry {
  /// Whether it is of an element that was refused as another one has its id, and not of that.
  fileprivate var isOfDuplicate: Bool { reason == .refused(.duplicateElement) }
}
