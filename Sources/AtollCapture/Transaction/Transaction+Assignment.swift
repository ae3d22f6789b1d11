import AtollObjects

// Recorded values become the values of objects: links are looked up by address, and wait where no
// object has it; embedded objects are changed in place, or made.

extension Transaction {
  /// Sets a property of an object; a list, which lies in an embedded object, as a whole.
  func assign(
    _ recorded: RecordedValue, _ column: Column, _ writer: TableWriter, _ key: UInt64
  ) throws(ObjectError) {
    switch column.layout.value {
    case .link, .mixed:
      try checkAssignable(recorded, column, writer)
      try change { () throws(ObjectError) in
        try assignChecked(recorded, column, writer, key)
      }
    default:
      // Fitting a plain value changes nothing, so it is the check too.
      let fitted = try value(recorded, column, writer)
      try change { () throws(ObjectError) in try setPlain(fitted, column, writer, key) }
    }
  }

  /// Sets the elements of a list.
  ///
  /// `child`: the embedded object that is to hold the element; nil for another one.
  func assign(
    _ elements: [(value: RecordedValue, child: ObjectLink?, isChanged: Bool)], _ column: Column,
    _ writer: TableWriter, _ key: UInt64
  ) throws(ObjectError) {
    if column.layout.value == .mixed {
      return try assignMixed(.list(elements.map(\.value)), column, writer, key)
    }
    guard column.layout.value == .link else {
      var values: [Value] = []
      values.reserveCapacity(elements.count)
      for element in elements { values.append(try value(element.value, column, writer)) }
      return try setPlain(.list(values), column, writer, key)
    }
    let target = try self.writer(id: column.layout.linkTable)
    guard target.schema.isEmbedded else {
      return try assignLinks(elements.map(\.value), column, writer, key, target) { .list($0) }
    }
    var links: [Value] = []
    for element in elements {
      if let child = element.child, !element.isChanged {
        links.append(.link(child))
      } else {
        links.append(.link(try embed(element.value, element.child, target)))
      }
    }
    try setLinks(writer, key, column, .list(links))
  }

  /// What an element of a list that fits is in its column; nil for a link that waits.
  ///
  /// `child`: the embedded object that is to hold it; nil for a new one.
  func elementValue(
    _ recorded: RecordedValue, _ column: Column, _ writer: TableWriter, _ child: ObjectLink?
  ) throws(ObjectError) -> (value: Value?, missing: [MissingLink]) {
    switch column.layout.value {
    case .mixed:
      let (value, missing) = try mixedValue(recorded, column, writer)
      return (try fitSingle(value, column, writer), missing)
    case .link:
      let target = try self.writer(id: column.layout.linkTable)
      guard case .link(let address) = recorded else {
        return (.link(try embed(recorded, child, target)), [])
      }
      if let key = try self.key(target, primaryKey: address.primaryKey) {
        return (.link(ObjectLink(table: target.schema.id, key: key.rawValue)), [])
      }
      let missing = MissingLink(
        path: ValuePath(), targetTable: target.schema.id, target: address.primaryKey)
      return (nil, [missing])
    default: return (try value(recorded, column, writer), [])
    }
  }

  private func assignChecked(
    _ recorded: RecordedValue, _ column: Column, _ writer: TableWriter, _ key: UInt64
  ) throws(ObjectError) {
    if column.layout.value == .mixed { return try assignMixed(recorded, column, writer, key) }
    guard column.layout.value == .link else {
      return try setPlain(try value(recorded, column, writer), column, writer, key)
    }
    let target = try self.writer(id: column.layout.linkTable)
    if target.schema.isEmbedded {
      return try assignEmbedded(recorded, column, writer, key, target)
    }
    switch recorded {
    case .list(let elements):
      try assignLinks(elements, column, writer, key, target) { .list($0) }
    case .set(let elements):
      try assignLinks(elements, column, writer, key, target) { Value.normalizedSet($0) }
    case .map(let entries):
      try assignLinks(entries.map(\.value), column, writer, key, target, entries.map(\.key)) {
        values in
        .map(ValueMap(zip(entries, values).map { (key: $0.key, value: $1) }))
      }
    default:
      try assignLinks([recorded], column, writer, key, target) { $0.first ?? .null }
    }
  }

  private func setPlain(_ value: Value, _ column: Column, _ writer: TableWriter, _ key: UInt64)
    throws(ObjectError)
  {
    guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
    try writer.setSelected(column, value)
  }

  // MARK: Links

  /// Sets links to the targets that are there; the others wait.
  ///
  /// `mapKeys`: of a map, whose values of targets that are not there are null.
  private func assignLinks(
    _ elements: [RecordedValue], _ column: Column, _ writer: TableWriter, _ key: UInt64,
    _ target: TableWriter, _ mapKeys: [String]? = nil, _ value: ([Value]) -> Value
  ) throws(ObjectError) {
    let source = ObjectLink(table: writer.schema.id, key: key)
    var values: [Value] = []
    var missing: [(position: Int, target: Value)] = []
    for (position, element) in elements.enumerated() {
      guard case .link(let address) = element else {
        if mapKeys != nil || column.layout.collection == .none { values.append(.null) }
        continue
      }
      if let found = try self.key(target, primaryKey: address.primaryKey) {
        values.append(.link(ObjectLink(table: target.schema.id, key: found.rawValue)))
      } else {
        missing.append((position, address.primaryKey))
        if mapKeys != nil || column.layout.collection == .none { values.append(.null) }
      }
    }
    // The witness is to see what waits.
    try writer.witness?.willChange(column, of: key, writer)
    try forgetWaiting(source, column)
    try setLinks(writer, key, column, value(values))
    for (position, primaryKey) in missing {
      try addWaiting(
        .init(
          position: position, targetTable: target.schema.id, target: primaryKey,
          mapKey: mapKeys.map { Array($0[position].utf8) } ?? []),
        source, column)
    }
  }

  // MARK: Embedded objects

  private func assignEmbedded(
    _ recorded: RecordedValue, _ column: Column, _ writer: TableWriter, _ key: UInt64,
    _ target: TableWriter
  ) throws(ObjectError) {
    let old = try writer.value(key, column) ?? .null
    let new: Value
    switch recorded {
    case .embedded: new = .link(try embed(recorded, old.link, target))
    case .list(let elements):
      let children = old.list ?? []
      var links: [Value] = []
      for (index, element) in elements.enumerated() {
        let child = index < children.count ? children[index].link : nil
        links.append(.link(try embed(element, child, target)))
      }
      new = .list(links)
    case .map(let entries):
      var map = ValueMap()
      for entry in entries {
        guard case .embedded = entry.value else {
          map[entry.key] = .some(.null)
          continue
        }
        map[entry.key] = .link(try embed(entry.value, old.map?[entry.key]?.link, target))
      }
      new = .map(map)
    default: new = .null
    }
    if new != old { try setLinks(writer, key, column, new) }
  }

  /// Makes an embedded object hold a value: the one that is there, or a new one.
  private func embed(_ value: RecordedValue, _ child: ObjectLink?, _ writer: TableWriter)
    throws(ObjectError) -> ObjectLink
  {
    guard case .embedded(let object) = value else {
      preconditionFailure("a value is checked before it is assigned")
    }
    let isNew = child == nil
    let key = child?.key ?? writer.takeKey()
    if isNew { try writer.insert(key) }
    for column in writer.schema.columns {
      guard
        let value = object[column.name] ?? (isNew ? nil : RecordedValue(defaultOf: column.layout))
      else { continue }
      try assignChecked(value, column, writer, key)
    }
    let link = ObjectLink(table: writer.schema.id, key: key)
    // What an app writes gets one at the commit.
    if origin == .sync || object.incarnation != nil {
      try capture.setIncarnation(object.incarnation, of: link)
    }
    return link
  }

  // MARK: Checks

  /// Refuses what does not fit the column, before anything is changed.
  func checkAssignable(_ recorded: RecordedValue, _ column: Column, _ writer: TableWriter)
    throws(ObjectError)
  {
    if column.layout.value == .mixed {
      _ = try fit(try mixedValue(recorded, column, writer).value, column, writer)
      return
    }
    guard column.layout.value == .link else {
      _ = try value(recorded, column, writer)
      return
    }
    let target = try self.writer(id: column.layout.linkTable)
    switch (column.layout.collection, recorded) {
    case (.none, .null), (.map, .null): return
    case (.list, .list(let elements)), (.set, .set(let elements)):
      for element in elements { try checkSingle(element, column, writer, target) }
    case (.map, .map(let entries)):
      for entry in entries {
        if case .null = entry.value { continue }
        try checkSingle(entry.value, column, writer, target)
      }
    case (.none, _), (.list, .link), (.list, .embedded):
      try checkSingle(recorded, column, writer, target)
    default: throw mismatch(recorded, column, writer)
    }
  }

  /// Refuses what does not fit a single element of the list, before anything is changed.
  func checkElement(_ recorded: RecordedValue, _ column: Column, _ writer: TableWriter)
    throws(ObjectError)
  {
    if column.layout.value == .link {
      let target = try self.writer(id: column.layout.linkTable)
      try checkSingle(recorded, column, writer, target)
    } else if column.layout.value == .mixed {
      _ = try fitSingle(try mixedValue(recorded, column, writer).value, column, writer)
    } else {
      if case .list = recorded { throw mismatch(recorded, column, writer) }
      _ = try value(recorded, column, writer)
    }
  }

  private func checkSingle(
    _ recorded: RecordedValue, _ column: Column, _ writer: TableWriter, _ target: TableWriter
  ) throws(ObjectError) {
    switch recorded {
    case .link(let address)
    where !target.schema.isEmbedded && address.className == target.schema.name:
      return
    case .embedded(let object) where target.schema.isEmbedded:
      for field in object.fields {
        try checkAssignable(
          field.value, try target.schema.requireColumn(field.property), target)
      }
    default: throw mismatch(recorded, column, writer)
    }
  }

  /// The value in the form in which the column holds it; of a list also a single element.
  ///
  /// One that is too long for the column's index is taken too: that limit is for what the app
  /// writes.
  private func value(_ recorded: RecordedValue, _ column: Column, _ writer: TableWriter)
    throws(ObjectError) -> Value
  {
    guard let plain = recorded.plain else { throw mismatch(recorded, column, writer) }
    if plain.isNull, !column.layout.allowsNull, column.layout.collection == .none {
      return RecordedValue(defaultOf: column.layout).plain ?? .null
    }
    if case .list = plain {
    } else if column.layout.collection == .list {
      return try fitSingle(plain, column, writer)
    }
    let fitted = try fitType(plain, column, writer)
    try writer.checkSize(fitted, column)
    return fitted
  }

  private func mismatch(_ recorded: RecordedValue, _ column: Column, _ writer: TableWriter)
    -> ObjectError
  {
    .typeMismatch(
      className: writer.schema.name, property: column.name,
      expected: column.layout.description, found: "\(recorded.tag)")
  }
}
