// Links that wait for an object with a primary key that none has. They are hidden: null, or not in
// the list, where they keep their place.

extension Transaction {
  // MARK: Making and resolving

  /// Links to objects by their primary keys; for keys that no object has, the link waits in the
  /// file until one is made.
  ///
  /// A to-one link takes at most one. In a list they keep their order. Returns how many of them
  /// wait.
  @discardableResult
  public func link(
    _ className: String, _ key: ObjectKey, _ property: String, toPrimaryKeys targets: [Value]
  ) throws(ObjectError) -> Int {
    let writer = try writer(className)
    let column = try writer.schema.requireColumn(property)
    guard column.layout.value == .link, column.layout.collection != .map,
      column.layout.collection != .none || targets.count <= 1
    else {
      throw .typeMismatch(
        className: className, property: property, expected: column.layout.description,
        found: "list of primary keys")
    }
    let (links, waiting) = try resolve(targets, column)
    let found = links.compactMap { $0 }
    let value: Value =
      switch column.layout.collection {
      case .list: .list(found)
      case .set: Value.normalizedSet(found)
      case .none, .map: found.first ?? .null
      }
    try link(writer, key, column, value, waiting.map { ($0.position, $0.target, []) })
    return waiting.count
  }

  /// A map of links to objects by their primary keys, nil for none; for keys that no object has,
  /// the link waits in the file, and null is in its place, until one is made.
  ///
  /// Returns how many of them wait.
  @discardableResult
  public func link(
    _ className: String, _ key: ObjectKey, _ property: String,
    toPrimaryKeys targets: [String: Value?]
  ) throws(ObjectError) -> Int {
    try link(
      className, key, property, toPrimaryKeysOf: targets.map { (key: $0.key, target: $0.value) })
  }

  /// The same for keys that come once each by their bytes.
  @discardableResult
  package func link(
    _ className: String, _ key: ObjectKey, _ property: String,
    toPrimaryKeysOf targets: [(key: String, target: Value?)]
  ) throws(ObjectError) -> Int {
    let writer = try writer(className)
    let column = try writer.schema.requireColumn(property)
    guard column.layout.value == .link, column.layout.collection == .map else {
      throw .typeMismatch(
        className: className, property: property, expected: column.layout.description,
        found: "map of primary keys")
    }
    let entries = targets.sorted { Ordering(utf8: $0.key, $1.key) == .less }
    let named = entries.filter { $0.target != nil }
    let (links, waiting) = try resolve(named.compactMap(\.target), column)
    var map = ValueMap(entries.map { (key: $0.key, value: Value.null) })
    for (entry, link) in zip(named, links) {
      if let link { map[entry.key] = .some(link) }
    }
    try self.link(
      writer, key, column, .map(map),
      waiting.map { ($0.position, $0.target, Array(named[$0.position].key.utf8)) })
    return waiting.count
  }

  /// Looks targets up by their primary keys: the links, nil for those that wait.
  private func resolve(_ targets: [Value], _ column: Column) throws(ObjectError)
    -> (links: [Value?], waiting: [(position: Int, target: Value)])
  {
    let writer = try self.writer(id: column.layout.linkTable)
    guard let primaryKey = writer.schema.primaryKey else {
      throw .missingPrimaryKey(className: writer.schema.name, property: "")
    }
    var links: [Value?] = []
    links.reserveCapacity(targets.count)
    var waiting: [(position: Int, target: Value)] = []
    for (position, target) in targets.enumerated() {
      let fitting = try fit(target, primaryKey, writer)
      if let found = try self.key(writer, primaryKey: fitting) {
        links.append(.link(ObjectLink(table: writer.schema.id, key: found.rawValue)))
      } else {
        links.append(nil)
        waiting.append((position, fitting))
      }
    }
    return (links, waiting)
  }

  /// Sets a property of links, of which some wait.
  private func link(
    _ writer: TableWriter, _ key: ObjectKey, _ column: Column, _ value: Value,
    _ waiting: [(position: Int, target: Value, mapKey: [UInt8])]
  ) throws(ObjectError) {
    let className = writer.schema.name
    guard try writer.contains(key.rawValue) else { throw .noSuchObject(className: className) }
    try checkOwner(of: value, column, writer, key.rawValue)
    try writer.checkSize(value, column)
    try change { () throws(ObjectError) in
      let source = ObjectLink(table: writer.schema.id, key: key.rawValue)
      try writer.witness?.willChange(column, of: key.rawValue, writer)
      try forgetWaiting(source, column)
      try setLinks(writer, key.rawValue, column, value)
      for (position, target, mapKey) in waiting {
        try pending.add(
          source: source, column: column.id, position: position,
          targetTable: column.layout.linkTable, target: target, mapKey: mapKey)
      }
      guard column.layout.collection == .list else { return }
      try writer.witness?.didAssign(column, of: key.rawValue, writer)
    }
  }

  /// Sets the links that wait for a new object, which is selected and stays so.
  package func resolveWaiting(for writer: TableWriter, _ key: UInt64, _ primaryKey: Value)
    throws(ObjectError)
  {
    let waiting = try pending.take(targetTable: writer.schema.id, target: primaryKey)
    guard !waiting.isEmpty else { return }
    let link = ObjectLink(table: writer.schema.id, key: key)
    for entry in waiting {
      let origin = try self.writer(id: entry.source.table)
      if let column = origin.schema.column(id: entry.column), column.layout.value == .mixed {
        let property = WaitingPlaces.Property(source: entry.source, column: entry.column)
        arrivals[property, default: []].append(
          .init(
            link: link, target: primaryKey, position: entry.position, mapKey: entry.mapKey))
        continue
      }
      guard let column = origin.schema.column(id: entry.column),
        let current = try origin.value(entry.source.key, column)
      else { continue }
      switch current {
      case .list, .map:
        // One after the other would cost the collection for each.
        let property = WaitingPlaces.Property(source: entry.source, column: entry.column)
        arrivals[property, default: []].append(
          .init(
            link: link, target: primaryKey, position: entry.position, mapKey: entry.mapKey))
      case .set(let elements):
        // One link of a set waits for one object.
        try derive(
          origin, entry.source.key, column, Value.normalizedSet(elements + [.link(link)]))
      default: try derive(origin, entry.source.key, column, .link(link))
      }
    }
    _ = try writer.select(key)
  }

  /// Puts the links that came into their lists and mixed values.
  func settleArrivals() throws(ObjectError) {
    guard !arrivals.isEmpty else { return }
    let settled = arrivals
    arrivals = [:]
    try change { () throws(ObjectError) in
      for (property, arrived) in settled.sorted(by: { $0.key < $1.key }) {
        let origin = try writer(id: property.source.table)
        if let column = origin.schema.column(id: property.column), column.layout.value == .mixed {
          try settle(arrived, inMixed: column, property.source.key, origin)
          continue
        }
        guard let column = origin.schema.column(id: property.column),
          let current = try origin.value(property.source.key, column)
        else { continue }
        if case .map(let map) = current {
          let links = Dictionary(
            arrived.map { (Array($0.mapKey), $0.link) }, uniquingKeysWith: { first, _ in first })
          let filled = map.entries.map { entry in
            let link = entry.value.isNull ? links[Array(entry.key.utf8)] : nil
            return (key: entry.key, value: link.map { .link($0) } ?? entry.value)
          }
          try derive(origin, property.source.key, column, .map(ValueMap(filled)))
          continue
        }
        guard case .list(let visible) = current else { continue }
        var hidden: [(position: Int, element: Value?)] = []
        for link in try pending.waiting(source: property.source, column: column) {
          hidden.append((link.position, nil))
        }
        for link in arrived { hidden.append((link.position, .link(link.link))) }
        hidden.sort { $0.position < $1.position }
        let all = WaitingPlaces.merge(visible.map { $0 as Value? }, hidden)
        try derive(origin, property.source.key, column, .list(all.compactMap { $0 }))
      }
    }
  }

  /// Sets links as follows from other changes: by address the property stays the same, so its
  /// witness hears nothing.
  func derive(_ writer: TableWriter, _ key: UInt64, _ column: Column, _ value: Value)
    throws(ObjectError)
  {
    let witness = writer.witness
    writer.witness = nil
    defer { writer.witness = witness }
    try setLinks(writer, key, column, value)
  }

  // MARK: What waits

  /// Whether any link waits, or came and is not in its property yet.
  package var hasWaitingLinks: Bool { !pending.isEmpty || !arrivals.isEmpty }

  /// The links of a property that wait, and those that came and are not in it yet, by position.
  package func waiting(_ source: ObjectLink, _ column: Column) throws(ObjectError)
    -> [PendingLinks.Waiting]
  {
    var waiting = try pending.waiting(source: source, column: column)
    if let arrived = arrivals[WaitingPlaces.Property(source: source, column: column.id)] {
      waiting += arrived.map(\.waiting)
      waiting.sort { $0.position < $1.position }
    }
    return waiting
  }

  /// Makes a link of a property wait for its target.
  package func addWaiting(_ link: PendingLinks.Waiting, _ source: ObjectLink, _ column: Column)
    throws(ObjectError)
  {
    try pending.add(
      source: source, column: column.id, position: link.position, targetTable: link.targetTable,
      target: link.target, mapKey: link.mapKey)
  }

  // MARK: Keeping

  /// Whether links of a column to an object that goes away wait for it.
  ///
  /// That is so for synced classes: the object may come back.
  func keepsWaiting(_ column: Column) -> Bool {
    column.layout.value == .link && keepsWaiting(linksTo: column.layout.linkTable)
  }

  /// Whether links to an object of a class that goes away wait for it.
  func keepsWaiting(linksTo table: UInt32) -> Bool {
    guard let target = schema.table(id: table) else { return false }
    return target.isSynced && !target.isEmbedded
  }

  /// Whether a collection or a mixed value that is about to be set links to objects that were deleted, and may go on
  /// to do so: the links wait from the deletion on, whatever was read since.
  func mayKeepDeletedLinks(
    _ writer: TableWriter, _ key: UInt64, _ column: Column
  ) throws(ObjectError) -> Bool {
    guard hasUnsettledDeletions, !isReplaying,
      column.layout.value == .mixed
        ? schema.tables.contains(where: \.isSynced)
        : column.layout.collection != .none && keepsWaiting(column)
    else { return false }
    // What waited for an object that was made, and deleted again, links to that.
    try settleArrivals()
    guard let old = try writer.value(key, column) else { return false }
    var isFound = false
    try old.forEachLink(at: ValuePath()) { link, _ throws(ObjectError) in
      guard !isFound, keepsWaiting(linksTo: link.table) else { return }
      isFound = try self.writer(id: link.table).doomed.contains(link.key)
    }
    return isFound
  }

  /// A property of links is about to be set: what it waits for is forgotten, or keeps its place
  /// among elements between which it was never seen.
  func keepWaiting(_ writer: TableWriter, _ key: UInt64, _ column: Column, _ new: Value)
    throws(ObjectError)
  {
    guard hasWaitingLinks else { return }
    let source = ObjectLink(table: writer.schema.id, key: key)
    // The witness is to see what waits.
    try writer.witness?.willChange(column, of: key, writer)
    if column.layout.value == .mixed {
      return try keepWaiting(inMixed: column, source, writer, new)
    }
    guard keepsWaiting(column), column.layout.collection != .none else {
      return try forgetWaiting(source, column)
    }
    try settleArrivals()
    let waiting = try pending.waiting(source: source, column: column)
    guard !waiting.isEmpty, let old = try writer.value(key, column) else { return }
    switch (old, new) {
    case (.list(let old), .list(let new)):
      let positions = WaitingPlaces.moved(waiting.map(\.position), old, new)
      guard positions != waiting.map(\.position) else { return }
      try pending.remove(source: source, column: column.id)
      for (link, position) in zip(waiting, positions) {
        try pending.add(
          source: source, column: column.id, position: position, targetTable: link.targetTable,
          target: link.target)
      }
    case (.map, .map(let new)):
      try pending.remove(source: source, column: column.id)
      for link in waiting {
        guard new.entries.contains(where: { $0.value.isNull && link.isOf($0.key) }) else {
          continue
        }
        try pending.add(
          source: source, column: column.id, position: link.position,
          targetTable: link.targetTable, target: link.target, mapKey: link.mapKey)
      }
    default: break
    }
  }

  package func forgetWaiting(_ source: ObjectLink, _ column: Column) throws(ObjectError) {
    arrivals[WaitingPlaces.Property(source: source, column: column.id)] = nil
    try pending.remove(source: source, column: column.id)
  }

  /// Links of one property to objects that are deleted become links that wait.
  ///
  /// `old`: the property's value with these links. `primaryKeys`: of the targets.
  func makeWaiting(
    _ targets: Set<ObjectLink>, in old: Value, _ source: ObjectLink, _ column: Column,
    primaryKeys: [UInt64: Value]
  ) throws(ObjectError) {
    /// Adds a link that waits, unless its target's key is not known.
    func add(_ link: ObjectLink, _ position: Int, _ mapKey: [UInt8] = []) throws(ObjectError) {
      guard let target = primaryKeys[link.key] else { return }
      try pending.add(
        source: source, column: column.id, position: position,
        targetTable: column.layout.linkTable, target: target, mapKey: mapKey)
    }
    let waiting = try pending.waiting(source: source, column: column)
    switch old {
    case .list(let elements):
      let hidden = waiting.map { (position: $0.position, element: Value?.none) }
      let all = WaitingPlaces.merge(elements.map { $0 as Value? }, hidden)
      for (position, element) in all.enumerated() {
        guard let link = element?.link, targets.contains(link) else { continue }
        try add(link, position)
      }
    case .set(let elements):
      var position = (waiting.last?.position ?? -1) + 1
      for element in elements {
        guard let link = element.link, targets.contains(link) else { continue }
        try add(link, position)
        position += 1
      }
    case .map(let map):
      var position = (waiting.last?.position ?? -1) + 1
      for entry in map.entries {
        guard let link = entry.value.link, targets.contains(link) else { continue }
        try add(link, position, Array(entry.key.utf8))
        position += 1
      }
    case .link(let link): try add(link, 0)
    default: break
    }
  }
}
