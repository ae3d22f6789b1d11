// Links in mixed values that wait for their targets: null stands in their places, and in a set
// nothing.

extension Transaction {
  /// Puts links that came into a mixed property.
  func settle(
    _ arrived: [PendingLinks.Entry.Arrival], inMixed column: Column, _ key: UInt64,
    _ writer: TableWriter
  ) throws(ObjectError) {
    guard let old = try writer.value(key, column) else { return }
    var value = old
    for arrival in arrived {
      guard let steps = ValuePath(bytes: arrival.mapKey).steps else { continue }
      // The null may have been replaced by another value.
      guard steps.last == .member || value.value(at: steps)?.isNull ?? false else { continue }
      value = value.replacing(at: steps, with: .link(arrival.link)) ?? value
    }
    try derive(writer, key, column, value)
  }

  /// A mixed property is about to be set: what waits in it goes along with what it lies in.
  func keepWaiting(
    inMixed column: Column, _ source: ObjectLink, _ writer: TableWriter, _ new: Value
  ) throws(ObjectError) {
    try settleArrivals()
    let waiting = try pending.waiting(source: source, column: column)
    guard !waiting.isEmpty, let old = try writer.value(source.key, column) else { return }
    var kept: [(link: PendingLinks.Waiting, steps: [ValueStep])] = []
    for link in waiting where keepsWaiting(linksTo: link.targetTable) {
      if let steps = ValuePath(bytes: link.mapKey).steps { kept.append((link, steps)) }
    }
    try pending.remove(source: source, column: column.id)
    for (entry, steps) in zip(kept, ValuePath.moved(kept.map(\.steps), old, new)) {
      guard let steps else { continue }
      try pending.add(
        source: source, column: column.id, position: entry.link.position,
        targetTable: entry.link.targetTable, target: entry.link.target,
        mapKey: ValuePath(steps).bytes)
    }
  }

  /// Links in a mixed property to objects that are deleted become links that wait.
  ///
  /// `old`: the property's value with these links. `primaryKeys`: of the targets that are waited
  /// for, by class.
  func makeWaiting(
    _ targets: Set<ObjectLink>, inMixed old: Value, _ source: ObjectLink, _ column: Column,
    primaryKeys: [UInt32: [UInt64: Value]]
  ) throws(ObjectError) {
    let waiting = try pending.waiting(source: source, column: column)
    var position = (waiting.last?.position ?? -1) + 1
    try old.forEachLink(at: ValuePath()) { link, path throws(ObjectError) in
      guard targets.contains(link), let target = primaryKeys[link.table]?[link.key] else { return }
      try pending.add(
        source: source, column: column.id, position: position, targetTable: link.table,
        target: target, mapKey: path.bytes)
      position += 1
    }
  }

  // MARK: By address

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
    if !pending.isEmpty || !arrivals.isEmpty {
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
      return Self.normalizedSet(values)
    case .map(let entries):
      var values: [(key: String, value: Value)] = []
      for entry in entries {
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
    // The recorder is to see what waits.
    try writer.recorder?.willChange(column, of: key, writer)
    try forgetWaiting(source, column)
    try setLinks(writer, key, column, value)
    for (position, link) in missing.enumerated() {
      try pending.add(
        source: source, column: column.id, position: position, targetTable: link.targetTable,
        target: link.target, mapKey: link.path.bytes)
    }
  }
}
