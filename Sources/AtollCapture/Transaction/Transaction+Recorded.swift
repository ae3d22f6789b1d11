import AtollObjects

// Values as they are recorded: links by address, embedded objects by what they hold.
//
// A link is the same whether its target is there, was deleted in this transaction, or is waited
// for. So reading a recorded value needs no settling, and what follows from a deletion changes
// none.

extension Transaction {
  // MARK: Addresses

  /// The address of an object, also of a deleted one whose row is still there; nil for a class
  /// without primary key.
  func address(of link: ObjectLink) throws(ObjectError) -> ObjectAddress? {
    let writer = try writer(id: link.table)
    guard let key = try primaryKey(of: link.key, writer) else { return nil }
    return ObjectAddress(className: writer.schema.name, primaryKey: key)
  }

  /// Where an embedded object lies; nil when no object has it yet.
  func owner(of child: ObjectLink) throws(ObjectError)
    -> (writer: TableWriter, column: Column, key: UInt64)?
  {
    for (origin, column) in schema.incomingLinks(to: child.table) {
      let writer = try writer(id: origin.id)
      if let key = try writer.sources(of: child.key, column).first { return (writer, column, key) }
    }
    return nil
  }

  // MARK: Values

  /// A property's value; a list's elements in order, those that wait included.
  func recorded(_ column: Column, of key: UInt64, _ writer: TableWriter) throws(ObjectError)
    -> RecordedValue
  {
    guard let value = try writer.storedValue(key, column) else { return .null }
    if column.layout.value == .mixed {
      return try recordedMixed(value, column, of: key, writer)
    }
    guard column.layout.value == .link else {
      return try recorded(value)
    }
    let source = ObjectLink(table: writer.schema.id, key: key)
    switch value {
    case .list: return .list(try items(column, of: key, writer).map(\.value))
    case .set(let elements):
      var members: [RecordedValue] = []
      for element in elements { members.append(try recorded(element)) }
      for waiting in try waiting(source, column) { members.append(.link(try target(waiting))) }
      return .set(RecordedValue.sortedMembers(members))
    case .map(let map):
      let waiting = try waiting(source, column)
      var entries: [RecordedEntry] = []
      for entry in map.entries {
        var value = try recorded(entry.value)
        if case .null = value, let link = waiting.first(where: { $0.isOf(entry.key) }) {
          value = .link(try target(link))
        }
        entries.append(RecordedEntry(key: entry.key, value: value))
      }
      return .map(entries)
    case .null:
      guard let waiting = try waiting(source, column).first else { return .null }
      return .link(try target(waiting))
    default: return try recorded(value)
    }
  }

  /// What a member of a set, or the key of a map, is called as it is recorded; nil where only the
  /// whole collection can tell.
  func recordedName(of part: Value, _ column: Column) throws(ObjectError) -> RecordedValue? {
    guard column.layout.collection == .set else { return RecordedValue(plain: part) }
    if part.containsLink { return column.layout.value == .link ? try recorded(part) : nil }
    return RecordedValue(plain: part)
  }

  /// All members of a set, or entries of a map; those that wait included.
  ///
  /// In the order of the file where no link is among them: a set may have many, whose order as it is
  /// recorded takes far longer than to read them.
  func recordedParts(_ column: Column, of key: UInt64, _ writer: TableWriter)
    throws(ObjectError) -> [RecordedValue.Part]
  {
    if !column.layout.mayHoldLinks, case .set(let members)? = try writer.storedValue(key, column) {
      return members.map { RecordedValue.Part(key: RecordedValue(plain: $0), value: .exists) }
    }
    return try recorded(column, of: key, writer).parts
  }

  /// What is recorded of some members of a set, or of entries of a map by their keys; those that
  /// are not there are missing.
  func recordedParts(
    _ names: some Collection<RecordedValue>, _ column: Column, of key: UInt64,
    _ writer: TableWriter
  ) throws(ObjectError) -> [RecordedValue: UnitValue] {
    var found: [RecordedValue: UnitValue] = [:]
    let source = ObjectLink(table: writer.schema.id, key: key)
    var isWaiting = false
    if column.layout.mayHoldLinks { isWaiting = try !waiting(source, column).isEmpty }
    for name in names {
      guard !isWaiting, let part = try storedPart(name, column) else {
        return try wholeParts(names, column, of: key, writer)
      }
      guard let part, let value = try writer.part(key, column, part, isStored: true)?.value else {
        continue
      }
      let recorded =
        column.layout.value == .mixed
        ? try recordedMixed(value, column, of: key, writer) : try recorded(value)
      guard column.layout.collection == .set else {
        found[name] = .value(recorded)
        continue
      }
      // A member that is equal, like 1.0 for 1, is another one.
      if recorded == name { found[name] = .exists }
    }
    return found
  }

  /// The member of a set that equals a value, as it is recorded; nil: there is none.
  func recordedMember(
    equalTo value: Value, _ column: Column, of key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) -> RecordedValue? {
    try writer.part(key, column, value, isStored: true)?.value.map { RecordedValue(plain: $0) }
  }

  private func wholeParts(
    _ names: some Collection<RecordedValue>, _ column: Column, of key: UInt64,
    _ writer: TableWriter
  ) throws(ObjectError) -> [RecordedValue: UnitValue] {
    let wanted = Set(names)
    var found: [RecordedValue: UnitValue] = [:]
    for part in try recorded(column, of: key, writer).parts where wanted.contains(part.key) {
      found[part.key] = part.value
    }
    return found
  }

  /// The member or key that has a name; nil inside for a link to an object that is not there, nil
  /// where only the whole collection can tell.
  private func storedPart(_ name: RecordedValue, _ column: Column) throws(ObjectError) -> Value?? {
    guard case .link(let address) = name, column.layout.value == .link else {
      return name.plain.map { .some($0) }
    }
    let target = try writer(id: column.layout.linkTable)
    guard let key = try storedKey(target, primaryKey: address.primaryKey) else {
      return .some(nil)
    }
    return .link(ObjectLink(table: target.schema.id, key: key))
  }

  /// The elements of a list, those that wait in their places.
  func items(_ column: Column, of key: UInt64, _ writer: TableWriter) throws(ObjectError)
    -> [ListItem]
  {
    guard case .list(let elements)? = try writer.storedValue(key, column) else { return [] }
    if column.layout.value == .mixed {
      guard case .list(let recorded) = try recordedMixed(.list(elements), column, of: key, writer)
      else { return [] }
      return recorded.map { ListItem(child: nil, value: $0) }
    }
    var items: [ListItem] = []
    items.reserveCapacity(elements.count)
    let isEmbedded =
      column.layout.value == .link
      && schema.table(id: column.layout.linkTable)?.isEmbedded ?? false
    for element in elements {
      items.append(
        ListItem(
          child: isEmbedded ? element.link?.key : nil, value: try recorded(element)))
    }
    guard column.layout.value == .link, !isEmbedded else { return items }
    let waiting = try waiting(ObjectLink(table: writer.schema.id, key: key), column)
    guard !waiting.isEmpty else { return items }
    var hidden: [(position: Int, element: ListItem)] = []
    for link in waiting {
      hidden.append((link.position, ListItem(child: nil, value: .link(try target(link)))))
    }
    return WaitingPlaces.merge(items, hidden)
  }

  /// An element of a list that can be seen; `place`: among all elements.
  func item(
    _ element: Value, at place: Int, _ column: Column, of key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) -> ListItem {
    guard column.layout.value == .mixed else {
      let isEmbedded =
        column.layout.value == .link
        && schema.table(id: column.layout.linkTable)?.isEmbedded ?? false
      return ListItem(
        child: isEmbedded ? element.link?.key : nil, value: try recorded(element))
    }
    return ListItem(
      child: nil, value: try recordedMixed(element, at: place, column, of: key, writer))
  }

  func target(_ waiting: PendingLinks.Waiting) throws(ObjectError) -> ObjectAddress {
    ObjectAddress(
      className: try writer(id: waiting.targetTable).schema.name, primaryKey: waiting.target)
  }

  /// A single value, or a collection without links.
  private func recorded(_ value: Value) throws(ObjectError) -> RecordedValue {
    switch value {
    case .link(let link):
      let target = try writer(id: link.table)
      if target.schema.isEmbedded {
        return .embedded(
          EmbeddedValue(
            incarnation: try capture.incarnation(of: link), try fields(of: link.key, target)))
      }
      return try address(of: link).map { .link($0) } ?? .null
    default: return RecordedValue(plain: value)
    }
  }

  /// What an embedded object holds beyond its type's defaults.
  private func fields(of key: UInt64, _ writer: TableWriter) throws(ObjectError) -> [RecordedField]
  {
    var fields: [RecordedField] = []
    for column in writer.schema.columns {
      let value = try recorded(column, of: key, writer)
      guard value != RecordedValue(defaultOf: column.layout) else { continue }
      fields.append(RecordedField(property: column.name, value: value))
    }
    fields.sort { Ordering(utf8: $0.property, $1.property) == .less }
    return fields
  }
}
