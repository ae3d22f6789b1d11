// Sets by member and maps by key: a look-up or a change costs what one member or entry takes,
// however large the collection.
//
// Errors are those of `set`; nothing was changed then. A collection that some of its links wait in
// is written as a whole, as `set` does.

extension Transaction {
  /// Adds a member to a set, unless it is there.
  public func insert(
    _ className: String, _ key: ObjectKey, _ property: String, member: Value
  ) throws(ObjectError) {
    try setPart(key, partsColumn(className, property, .set), member, member)
  }

  /// Removes a member of a set, if it is there.
  public func remove(
    _ className: String, _ key: ObjectKey, _ property: String, member: Value
  ) throws(ObjectError) {
    try setPart(key, partsColumn(className, property, .set), member, nil)
  }

  /// Whether a set has a member.
  public func contains(
    _ className: String, _ key: ObjectKey, _ property: String, member: Value
  ) throws(ObjectError) -> Bool {
    let column = try partsColumn(className, property, .set)
    return try requiredPart(key, column, member).place.isThere
  }

  /// Sets the value of a key of a map.
  public func set(
    _ className: String, _ key: ObjectKey, _ property: String, mapKey: String, _ value: Value
  ) throws(ObjectError) {
    try setPart(key, partsColumn(className, property, .map), .string(mapKey), value)
  }

  /// Removes a key of a map, if it is there; a value of an embedded class is deleted.
  public func remove(
    _ className: String, _ key: ObjectKey, _ property: String, mapKey: String
  ) throws(ObjectError) {
    try setPart(key, partsColumn(className, property, .map), .string(mapKey), nil)
  }

  /// The value of a key of a map; nil when it is not there.
  public func value(
    _ className: String, _ key: ObjectKey, _ property: String, mapKey: String
  ) throws(ObjectError) -> Value? {
    let column = try partsColumn(className, property, .map)
    return try requiredPart(key, column, .string(mapKey)).value
  }

  private func partsColumn(_ className: String, _ property: String, _ kind: CollectionKind)
    throws(ObjectError) -> Column
  {
    let column = try writer(className).schema.requireColumn(property)
    guard column.layout.collection == kind else {
      throw .typeMismatch(
        className: className, property: property, expected: column.layout.description,
        found: kind == .set ? "member of a set" : "entry of a map")
    }
    return column
  }

  private func requiredPart(_ key: ObjectKey, _ column: Column, _ part: Value)
    throws(ObjectError) -> (place: PartPlace, value: Value?)
  {
    let writer = try collectionWriter(column)
    guard let found = try writer.part(key.rawValue, column, part) else {
      throw .noSuchObject(className: writer.schema.name)
    }
    return found
  }

  // MARK: By columns

  /// A member of a set, or the value of a key of a map, which is a string; nil inside for one that
  /// is not there, nil when there is no such object.
  package func part(_ key: ObjectKey, _ column: Column, _ part: Value) throws(ObjectError)
    -> Value??
  {
    try collectionWriter(column).part(key.rawValue, column, part).map(\.value)
  }

  /// Adds a member of a set, which is its own value, or sets the value of a key of a map; nil
  /// removes it.
  package func setPart(_ key: ObjectKey, _ column: Column, _ part: Value, _ value: Value?)
    throws(ObjectError)
  {
    precondition(column.layout.hasParts, "a set or a map")
    let writer = try collectionWriter(column)
    var fitted: Value?
    if let value {
      let known = try isOwning(column) ? writer.part(key.rawValue, column, part)?.value : nil
      // The embedded object that is there may be given again.
      if let known, known == value { return }
      fitted = try fitElement(value, column, writer)
    }
    try setFitted(
      writer, key.rawValue, column, column.layout.collection == .set ? fitted ?? part : part,
      fitted)
  }

  /// The same for a value that fits the column.
  package func setFitted(
    _ writer: TableWriter, _ key: UInt64, _ column: Column, _ part: Value, _ value: Value?
  ) throws(ObjectError) {
    guard let (place, old) = try writer.part(key, column, part) else {
      throw .noSuchObject(className: writer.schema.name)
    }
    if old == nil, value == nil { return }
    let isSet = column.layout.collection == .set
    if isSet, old != nil, value != nil { return }
    if let value { try checkSize(of: value, part, column, writer) }
    if try isWaiting(writer, key, column) {
      return try setWhole(writer, key, column, part, value, place)
    }
    try change { () throws(ObjectError) in
      guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
      switch (old, value) {
      case (let old?, let value?):
        try writer.setElement(column, at: place.index, from: old, to: value, part: part)
      case (let old?, nil):
        // The member as it is there: 1.0 removes 1.
        try writer.removeElement(column, at: place.index, old, part: isSet ? old : part)
      case (nil, let value?): try writer.insertElement(column, at: place.index, value, part: part)
      case (nil, nil): break
      }
      if isOwning(column), let child = old?.link, child != value?.link { try doom(child) }
    }
  }

  /// Refuses a key of a map that is too long, before anything is changed.
  func checkSize(of value: Value, _ part: Value, _ column: Column, _ writer: TableWriter)
    throws(ObjectError)
  {
    guard column.layout.collection == .map, let key = part.string,
      key.utf8.count > ExternalValue.maximumInlineByteCount
    else { return }
    try writer.checkSize(.map(ValueMap([(key: key, value: value)])), column)
  }

  /// Whether some links of a collection wait for their targets.
  package func isWaiting(_ writer: TableWriter, _ key: UInt64, _ column: Column)
    throws(ObjectError) -> Bool
  {
    guard column.layout.mayHoldLinks, hasWaitingLinks else { return false }
    return try !waiting(ObjectLink(table: writer.schema.id, key: key), column).isEmpty
  }

  private func setWhole(
    _ writer: TableWriter, _ key: UInt64, _ column: Column, _ part: Value, _ value: Value?,
    _ place: PartPlace
  ) throws(ObjectError) {
    let new: Value
    switch try writer.value(key, column) {
    case .map(var map):
      map[part.string ?? ""] = value
      new = .map(map)
    case .set(var members):
      if let value {
        members.insert(value, at: place.index)
      } else {
        members.remove(at: place.index)
      }
      new = .set(members)
    default: throw .noSuchObject(className: writer.schema.name)
    }
    try writer.checkSize(new, column)
    try change { () throws(ObjectError) in try set(writer, key, column, new) }
  }
}
