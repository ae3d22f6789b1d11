import AtollObjects

// Mixed values as they are recorded: links by address, wherever in the value they are.

extension Transaction {
  /// A mixed property's value by addresses, links that wait included.
  func recordedMixed(
    _ value: Value, _ column: Column, of key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) -> RecordedValue {
    var places: [ValuePath: [RecordedValue]] = [:]
    for waiting in try waiting(ObjectLink(table: writer.schema.id, key: key), column) {
      places[ValuePath(bytes: waiting.mapKey), default: []].append(.link(try target(waiting)))
    }
    if places.isEmpty, !value.containsLink { return RecordedValue(plain: value) }
    return try recorded(value, at: ValuePath(), places)
  }

  /// The same of one element of a list.
  func recordedMixed(
    _ element: Value, at index: Int, _ column: Column, of key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) -> RecordedValue {
    var places: [ValuePath: [RecordedValue]] = [:]
    if hasWaitingLinks {
      for waiting in try waiting(ObjectLink(table: writer.schema.id, key: key), column) {
        places[ValuePath(bytes: waiting.mapKey), default: []].append(.link(try target(waiting)))
      }
    }
    if places.isEmpty, !element.containsLink { return RecordedValue(plain: element) }
    return try recorded(element, at: ValuePath([.index(index)]), places)
  }

  private func recorded(
    _ value: Value, at path: ValuePath, _ places: [ValuePath: [RecordedValue]]
  ) throws(ObjectError) -> RecordedValue {
    switch value {
    case .null: return places[path]?.first ?? .null
    case .link(let link): return try address(of: link).map { .link($0) } ?? .null
    case .list(let elements):
      var recorded: [RecordedValue] = []
      recorded.reserveCapacity(elements.count)
      for (index, element) in elements.enumerated() {
        recorded.append(
          try self.recorded(element, at: path.appending(.index(index)), places))
      }
      return .list(recorded)
    case .set(let elements):
      let place = path.appending(.member)
      var members = places[place] ?? []
      for element in elements { members.append(try recorded(element, at: place, [:])) }
      return .set(RecordedValue.sortedMembers(members))
    case .map(let map):
      var entries: [RecordedEntry] = []
      for entry in map.entries {
        let value = try recorded(entry.value, at: path.appending(.key(entry.key)), places)
        entries.append(RecordedEntry(key: entry.key, value: value))
      }
      return .map(entries)
    default: return RecordedValue(single: value)
    }
  }

  /// A link in a mixed value whose target is not there.
  struct MissingLink {
    var path: ValuePath
    var targetTable: UInt32
    var target: Value
  }

  /// A mixed property's value of what was recorded; links whose targets are not there are null.
  ///
  /// - Throws: `.noSuchClass`, `.missingPrimaryKey` for an address that no object can have;
  ///   `.typeMismatch` for an embedded object.
  func mixedValue(
    _ recorded: RecordedValue, _ column: Column, _ writer: TableWriter
  ) throws(ObjectError) -> (value: Value, missing: [MissingLink]) {
    var missing: [MissingLink] = []
    let value = try mixedValue(recorded, at: ValuePath(), column, writer, &missing)
    return (value ?? .null, missing)
  }

  /// Nil for a member of a set that waits.
  private func mixedValue(
    _ recorded: RecordedValue, at path: ValuePath, _ column: Column, _ writer: TableWriter,
    _ missing: inout [MissingLink]
  ) throws(ObjectError) -> Value? {
    switch recorded {
    case .link(let address):
      let target = try self.writer(address.className)
      guard target.schema.primaryKey != nil, !target.schema.isEmbedded else {
        throw .missingPrimaryKey(className: address.className, property: "")
      }
      if let key = try key(target, primaryKey: address.primaryKey) {
        return .link(ObjectLink(table: target.schema.id, key: key.rawValue))
      }
      missing.append(
        MissingLink(path: path, targetTable: target.schema.id, target: address.primaryKey))
      return nil
    case .list(let elements):
      var values: [Value] = []
      values.reserveCapacity(elements.count)
      for (index, element) in elements.enumerated() {
        // The path is made for what may need it: there may be a million elements.
        if let value = element.single {
          values.append(value)
          continue
        }
        let place = path.appending(.index(index))
        values.append(try mixedValue(element, at: place, column, writer, &missing) ?? .null)
      }
      return .list(values)
    case .set(let members):
      var values: [Value] = []
      for member in members {
        let place = path.appending(.member)
        if let value = try mixedValue(member, at: place, column, writer, &missing) {
          values.append(value)
        }
      }
      return Value.normalizedSet(values)
    case .map(let entries):
      var values: [(key: String, value: Value)] = []
      values.reserveCapacity(entries.count)
      for entry in entries {
        if let value = entry.value.single {
          values.append((entry.key, value))
          continue
        }
        let place = path.appending(.key(entry.key))
        let value = try mixedValue(entry.value, at: place, column, writer, &missing)
        values.append((entry.key, value ?? .null))
      }
      return .map(ValueMap(values))
    case .embedded:
      throw .typeMismatch(
        className: writer.schema.name, property: column.name,
        expected: column.layout.description, found: "embedded")
    default: return recorded.single ?? .null
    }
  }

  /// Sets a mixed property to what was recorded; links to targets that are not there wait.
  func assignMixed(
    _ recorded: RecordedValue, _ column: Column, _ writer: TableWriter, _ key: UInt64
  ) throws(ObjectError) {
    let (value, missing) = try mixedValue(recorded, column, writer)
    let source = ObjectLink(table: writer.schema.id, key: key)
    // The witness is to see what waits.
    try writer.witness?.willChange(column, of: key, writer)
    try forgetWaiting(source, column)
    try setLinks(writer, key, column, value)
    for (position, link) in missing.enumerated() {
      try addWaiting(
        .init(
          position: position, targetTable: link.targetTable, target: link.target,
          mapKey: link.path.bytes),
        source, column)
    }
  }
}
